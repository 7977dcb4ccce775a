//! Events for watchers of a user or a session, made from records.
//!
//! The id of an event is its record's position and its part number, so an id means the same to every replica. Like its
//! record, an event has the input of its call without contents.

use std::fmt;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::batch::{BatchName, Position};
use crate::{
    catalog::Difference,
    error::{Code, Error, Result},
    observer::ObservedCall,
    path::Id,
    session::ApprovalRequest,
    wire::{AuditRecord, AuditSkill, CallOutline, Event, Operation},
};

/// The position of an event.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EventId {
    /// That of its record.
    pub record: Position,
    /// Its part of the record.
    pub part: usize,
}

/// Where a client goes on that has received a part of its missed events: `{id}@{microseconds}`.
///
/// A client that comes back with an id receives late events once more. With an id alone, each part would repeat them.
/// With the time beside the id, they come only after all other missed events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resume {
    /// The last event that was sent to it.
    pub after: EventId,
    /// When the client began to ask for missed events; `None` for an id alone, as in its first request.
    pub begun: Option<Timestamp>,
}

/// The name of the event that asks a person.
const REQUEST: &str = "permission_request";

/// The parts of a record. Files come last, because there may be many.
const RESULT: usize = 1;
const SKILL: usize = 2;
const PERMISSION: usize = 3;
const CATALOG: usize = 4;
const FILES: usize = 5;

/// That a call has begun. It has no record yet, and so no id.
pub(super) fn begun_event(call: &ObservedCall) -> Option<Event> {
    let input = call.input.as_ref().map(CallOutline::input);
    let data =
        is_tool(call.operation).then(|| start(&call.call, call.operation, &input_of(input.as_ref(), &call.subject)))?;
    let session = call.session.as_ref().map(ToString::to_string);
    Some(Event { id: None, event: "tool_use_start".to_owned(), session, data })
}

/// The events of a record, in the order of their ids.
pub(super) fn events_of_record(position: &Position, record: &AuditRecord) -> Vec<(EventId, Event)> {
    let mut parts: Vec<(usize, &str, Value)> = Vec::new();
    let AuditRecord { call, operation, subject, outcome, .. } = record;
    let input = || input_of(record.input.as_ref(), subject);
    if record.session.is_some() && is_tool(operation) {
        let is_error = outcome != "ok";
        parts.push((0, "tool_use_start", start(call, operation, &input())));
        let result = json!({"id": call, "name": operation, "content": outcome, "isError": is_error});
        parts.push((RESULT, "tool_result", result));
    }
    if let Some(skill) = &record.skill {
        let data = shown(std::slice::from_ref(skill));
        match skill.status.as_str() {
            "loaded" | "reloaded" => parts.push((SKILL, "skill_activated", data)),
            "unloaded" => parts.push((SKILL, "skill_unloaded", data)),
            _ => {}
        }
    }
    if !record.began_with.is_empty() {
        parts.push((SKILL, "skill_activated", shown(&record.began_with)));
    }
    if let Some(approval) = &record.approval {
        let data = json!({"requestId": approval, "toolName": operation, "input": input()});
        parts.push((PERMISSION, REQUEST, data));
    }
    if let Some(catalog) = record.catalog.filter(|catalog| catalog.changed + catalog.removed > 0) {
        parts.push((CATALOG, "catalog_changed", json!(catalog)));
    }
    let files = record.files.iter().filter(|_| record.session.is_some()).enumerate();
    parts.extend(files.map(|(at, file)| (FILES + at, "file_changed", json!({"path": file.path, "etag": file.etag}))));
    let event = |(part, name, data): (usize, &str, Value)| {
        let id = EventId { record: position.clone(), part };
        let event = Event { id: Some(id.to_string()), event: name.to_owned(), session: record.session.clone(), data };
        (id, event)
    };
    parts.into_iter().map(event).collect()
}

/// That a call waits in a session, as the object of the session says. It is of no record, and so has no id.
pub(super) fn waiting_event(session: &Id, request: &ApprovalRequest) -> Event {
    let ApprovalRequest { approval_id, tool, outline, names: _ } = request;
    let data = json!({"requestId": approval_id, "toolName": tool, "input": outline});
    Event { id: None, event: REQUEST.to_owned(), session: Some(session.to_string()), data }
}

/// The approval that a permission request asks for; `None` for other events.
pub(super) fn requested_approval(event: &Event) -> Option<&str> {
    if event.event == REQUEST { event.data.get("requestId")?.as_str() } else { None }
}

/// Whether it reports that a call has begun. That is sent when the call begins.
pub(super) fn is_begin(event: &Event) -> bool {
    event.event == "tool_use_start"
}

/// That a reading of the catalog found it changed. It is of no record, and so has no id.
pub(super) fn catalog_event(Difference { changed, removed }: &Difference) -> Event {
    let data = json!({"changed": changed.len(), "removed": removed.len()});
    Event { id: None, event: "catalog_changed".to_owned(), session: None, data }
}

/// That events after `id` are gone, because their records are no longer kept.
pub(super) fn gap_event(id: &EventId) -> Event {
    Event { id: None, event: "gap".to_owned(), session: None, data: json!({"after": id.to_string()}) }
}

/// That the reader was too slow. It receives no more events. It can go on later from `last`, which is the id of this event.
pub(super) fn dropped_event(missed: u64, last: Option<String>) -> Event {
    Event { id: last, event: "dropped".to_owned(), session: None, data: json!({"missed": missed}) }
}

impl EventId {
    /// The place before every event of batches from `time` on.
    pub(super) fn before(time: Timestamp) -> Self {
        Self { record: Position { batch: BatchName::new(time, "00000000"), place: 0 }, part: 0 }
    }

    /// Whether it is a place between events, as [`before`](Self::before) makes them. Records begin at 1.
    pub(super) fn is_of_no_record(&self) -> bool {
        self.record.place == 0
    }

    /// Reads an id.
    ///
    /// # Errors
    /// `invalid_request` if the text is none.
    pub fn parse(text: &str) -> Result<Self> {
        let (record, part) = text.rsplit_once('.').ok_or_else(wrong_id)?;
        let part = part.parse().ok().filter(|_| part.bytes().all(|byte| byte.is_ascii_digit())).ok_or_else(wrong_id)?;
        Ok(Self { record: Position::parse(record).map_err(|_| wrong_id())?, part })
    }
}

impl Resume {
    /// Reads an id, with or without a time behind `@`.
    ///
    /// # Errors
    /// `invalid_request` if the text is neither.
    pub fn parse(text: &str) -> Result<Self> {
        let Some((id, begun)) = text.split_once('@') else {
            return Ok(Self { after: EventId::parse(text)?, begun: None });
        };
        let is_plain = begun.bytes().all(|byte| byte.is_ascii_digit());
        let begun = begun.parse().ok().filter(|_| is_plain).and_then(|micros| Timestamp::from_microsecond(micros).ok());
        let begun = begun.ok_or_else(wrong_id)?;
        Ok(Self { after: EventId::parse(id)?, begun: Some(begun) })
    }
}

impl From<EventId> for Resume {
    fn from(after: EventId) -> Self {
        Self { after, begun: None }
    }
}

impl fmt::Display for Resume {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.begun {
            None => write!(f, "{}", self.after),
            Some(begun) => write!(f, "{}@{}", self.after, begun.as_microsecond()),
        }
    }
}

fn wrong_id() -> Error {
    let message = "Last-Event-ID is no id of an event here; send one back as it came, or leave the header out";
    Error::new(Code::InvalidRequest, message)
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.record, self.part)
    }
}

fn start(call: &str, operation: &str, input: &Value) -> Value {
    json!({"id": call, "name": operation, "input": input})
}

fn shown(skills: &[AuditSkill]) -> Value {
    let shown = |AuditSkill { skill, name, description, .. }: &AuditSkill| json!({"id": skill, "name": name, "description": description});
    json!({"skills": skills.iter().map(shown).collect::<Vec<_>>()})
}

/// The input of a call; for a record without input, the subject of the call.
fn input_of(input: Option<&Value>, subject: &str) -> Value {
    input.cloned().unwrap_or_else(|| json!({ "subject": subject }))
}

fn is_tool(operation: &str) -> bool {
    Operation::ALL.iter().any(|known| known.name() == operation)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{AuditCatalog, AuditFile};

    fn position() -> Position {
        Position { batch: BatchName::parse("20260102T030405.000006Z-0a1b2c3d").unwrap(), place: 7 }
    }

    fn names(record: &AuditRecord) -> Vec<String> {
        let events = events_of_record(&position(), record);
        for (id, event) in &events {
            assert_eq!(EventId::parse(event.id.as_deref().unwrap()).unwrap(), *id);
        }
        assert!(events.is_sorted_by_key(|(id, _)| id.clone()));
        events.into_iter().map(|(_, event)| event.event).collect()
    }

    #[test]
    fn where_to_go_on_is_read_as_it_was_written_and_nothing_else_is() {
        let after = EventId { record: position(), part: 1 };
        for begun in [None, Some(Timestamp::from_microsecond(1_700_000_000_000_001).unwrap())] {
            let resume = Resume { after: after.clone(), begun };
            assert_eq!(Resume::parse(&resume.to_string()).unwrap(), resume);
        }
        for odd in ["", "@1", &format!("{after}@"), &format!("{after}@-1"), &format!("{after}@1@2"), "x@1"] {
            assert_eq!(Resume::parse(odd).unwrap_err().code(), Code::InvalidRequest, "{odd}");
        }
    }

    // S-EVENT-1: The service reports the work of agents as events, with the names and payloads of the contract.
    #[test]
    fn a_record_is_told_by_the_events_of_the_contract() {
        let skill = |status: &str| AuditSkill {
            skill: "a/b".to_owned(),
            name: "b".to_owned(),
            description: "Does b".to_owned(),
            status: status.to_owned(),
            ..AuditSkill::default()
        };
        let of = |operation: &str| AuditRecord {
            operation: operation.to_owned(),
            session: Some("s1".to_owned()),
            outcome: "ok".to_owned(),
            call: "c".to_owned(),
            subject: "/workspace/a".to_owned(),
            ..AuditRecord::default()
        };
        let told = ["tool_use_start", "tool_result"];
        assert_eq!(names(&of("ls")), told);
        let file = AuditFile { path: "/workspace/a".to_owned(), before: None, after: None, etag: Some("e".to_owned()) };
        let write = AuditRecord { files: vec![file.clone(), file], ..of("write") };
        assert_eq!(names(&write)[2..], ["file_changed", "file_changed"]);
        let load = |status: &str| AuditRecord { skill: Some(skill(status)), ..of("load_skill") };
        assert_eq!(names(&load("loaded"))[2..], ["skill_activated"]);
        assert_eq!(names(&load("unloaded"))[2..], ["skill_unloaded"]);
        assert_eq!(names(&load("already_loaded")), told);
        let began_with = vec![skill("loaded"), AuditSkill { skill: "c".to_owned(), ..skill("loaded") }];
        let made = AuditRecord { began_with, ..of("create_session") };
        assert_eq!(names(&made), ["skill_activated"]);
        let asks =
            AuditRecord { approval: Some("p".to_owned()), outcome: "approval_required".to_owned(), ..of("write") };
        assert_eq!(names(&asks)[2..], ["permission_request"]);
        let publish = AuditRecord {
            catalog: Some(AuditCatalog { changed: 1, removed: 0 }),
            session: None,
            files: write.files.clone(),
            ..of("publish_skill")
        };
        assert_eq!(names(&publish), ["catalog_changed"]);

        let data = |record: &AuditRecord, at: usize| events_of_record(&position(), record)[at].1.data.clone();
        assert_eq!(data(&write, 0), json!({"id": "c", "name": "write", "input": {"subject": "/workspace/a"}}));
        assert_eq!(
            data(&asks, 1),
            json!({"id": "c", "name": "write", "content": "approval_required", "isError": true})
        );
        assert_eq!(data(&load("loaded"), 2), json!({"skills": [{"id": "a/b", "name": "b", "description": "Does b"}]}));
        let both = ["a/b", "c"].map(|id| json!({"id": id, "name": "b", "description": "Does b"}));
        assert_eq!(data(&made, 0), json!({ "skills": both }));
        assert_eq!(
            data(&asks, 2),
            json!({"requestId": "p", "toolName": "write", "input": {"subject": "/workspace/a"}})
        );
        assert_eq!(data(&write, 2), json!({"path": "/workspace/a", "etag": "e"}));
        assert_eq!(data(&publish, 0), json!({"changed": 1, "removed": 0}));
    }

    #[test]
    fn what_is_no_id_of_an_event_is_refused() {
        for text in ["", "7", "20260102T030405.000006Z-0a1b2c3d.7", "20260102T030405.000006Z-0a1b2c3d.7.+1"] {
            assert_eq!(EventId::parse(text).unwrap_err().code(), Code::InvalidRequest, "{text}");
        }
    }
}
