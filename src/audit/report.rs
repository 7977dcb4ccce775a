//! An event and the skills of its record. Their layers decide who receives their names.

use super::{
    batch::{BatchName, Position},
    event::{Event, EventId},
    record::{AuditRecord, AuditSkill},
};
use crate::backend::ObservedCall;

/// An event, and the skills of its record.
#[derive(Clone, Debug)]
pub(super) struct EventReport {
    pub(super) event: Event,
    /// The skills that its record names with their layers. An event without a record has none.
    pub(super) skills: Vec<AuditSkill>,
}

impl From<Event> for EventReport {
    fn from(event: Event) -> Self {
        Self { event, skills: Vec::new() }
    }
}

impl EventReport {
    /// That a call has begun.
    pub(super) fn begun(call: &ObservedCall) -> Option<Self> {
        Event::begun(call).map(Self::from)
    }

    /// The events of a record, in the order of their ids.
    pub(super) fn of(position: &Position, record: &AuditRecord) -> impl Iterator<Item = (EventId, Self)> + use<> {
        let skills: Vec<_> = record.skill.iter().chain(&record.began_with).cloned().collect();
        let events = Event::from_record(position, record).into_iter();
        events.map(move |(id, event)| (id, Self { event, skills: skills.clone() }))
    }

    /// The events of a record that is not kept: they have no ids.
    pub(super) fn unrecorded(record: &AuditRecord) -> impl Iterator<Item = Self> {
        let nowhere = Position { batch: BatchName::new(record.time, "00000000"), place: 0 };
        Self::of(&nowhere, record).map(|(_, report)| report.without_id())
    }

    /// The same event without its id, so that no client goes on from it.
    pub(super) fn without_id(self) -> Self {
        Self { event: Event { id: None, ..self.event }, ..self }
    }
}
