//! An event with the names that its source reports. A watcher receives only the names of skills within its view.

use super::{
    batch::{BatchName, Position},
    event::{EventId, begun_event, events_of_record, waiting_event},
};
use crate::{
    observer::ObservedCall,
    path::Id,
    session::ApprovalRequest,
    wire::{AuditRecord, AuditSkill, CallOutline, Event, InputNames},
};

/// An event with the names that its source reports.
#[derive(Clone, Debug)]
pub(super) struct EventReport {
    pub(super) event: Event,
    /// The skills that its record names with their layers. An event without a record has none.
    pub(super) skills: Vec<AuditSkill>,
    /// Which members of its input are names. `None` if it has no input, or an earlier version wrote its source.
    pub(super) names: Option<InputNames>,
}

impl From<Event> for EventReport {
    fn from(event: Event) -> Self {
        Self { event, skills: Vec::new(), names: None }
    }
}

impl EventReport {
    /// That a call has begun.
    pub(super) fn begun(call: &ObservedCall) -> Option<Self> {
        let names = call.input.as_ref().map(CallOutline::names);
        begun_event(call).map(|event| Self { event, skills: Vec::new(), names })
    }

    /// That a call waits in a session.
    pub(super) fn waiting(session: &Id, request: ApprovalRequest) -> Self {
        Self { event: waiting_event(session, &request), skills: Vec::new(), names: request.names }
    }

    /// The events of a record, in the order of their ids.
    pub(super) fn of(position: &Position, record: &AuditRecord) -> impl Iterator<Item = (EventId, Self)> + use<> {
        let skills: Vec<_> = record.skill.iter().chain(&record.began_with).cloned().collect();
        let (events, names) = (events_of_record(position, record).into_iter(), record.input_names.clone());
        events.map(move |(id, event)| (id, Self { event, skills: skills.clone(), names: names.clone() }))
    }

    /// The events of a record that is not kept: they have no ids.
    pub(super) fn unrecorded(record: &AuditRecord) -> impl Iterator<Item = Self> {
        let nowhere = Position { batch: BatchName::new(record.time, "00000000"), place: 0 };
        Self::of(&nowhere, record).map(|(_, report)| report.without_id())
    }

    /// The same event without an id, so that no client goes on from it.
    pub(super) fn without_id(self) -> Self {
        Self { event: Event { id: None, ..self.event }, ..self }
    }
}
