//! A record of one operation, and its form in the bucket: a batch is a line for its format and a line for each record.
//!
//! Batches are read leniently. Members that this version does not know are ignored. Members that an older version did
//! not write have a default. A line that is no record still takes its place.

use jiff::Timestamp;

use super::batch::{BatchName, Position};
use crate::{
    observer::{ChangeEffect, ObservedOperation, SkillUse},
    path::LayerOwner,
    wire::{AuditCatalog, AuditFile, AuditRecord, AuditSkill, CallOutline},
};

/// The first line of a batch.
pub(super) const HEADER: &[u8] = b"{\"format\":1}\n";

/// A record in the store.
#[derive(Debug)]
pub(super) struct StoredRecord {
    pub(super) position: Position,
    pub(super) record: AuditRecord,
    /// The bytes of the record in its batch, and as JSON with the id.
    pub(super) bytes: usize,
}

/// The record of an operation that ended at `time`.
pub(super) fn record_from_operation(operation: ObservedOperation, time: Timestamp) -> AuditRecord {
    let ObservedOperation { call, outcome, changed, milliseconds, effects } = operation;
    AuditRecord {
        id: String::new(),
        time,
        operation: call.operation.to_owned(),
        call: call.call,
        by: call.by,
        session: call.session.map(|session| session.to_string()),
        subject: call.subject,
        layer: effects.owner.as_ref().map(LayerOwner::layer),
        user: None,
        input: call.input.as_ref().map(CallOutline::input),
        input_names: call.input.as_ref().map(CallOutline::names),
        outcome: outcome.to_owned(),
        changed,
        ms: milliseconds,
        files: effects.files.into_iter().map(AuditFile::from).collect(),
        more_files: effects.more_files,
        skill: effects.skill.map(AuditSkill::from),
        began_with: effects.began_with.into_iter().map(AuditSkill::from).collect(),
        catalog: effects.catalog.map(|(changed, removed)| AuditCatalog { changed, removed }),
        found: effects.found,
        approval: effects.approval,
        refused: effects.refused,
    }
}

/// Its line in a batch.
pub(super) fn record_line(record: &AuditRecord) -> Result<Vec<u8>, serde_json::Error> {
    let mut line = serde_json::to_vec(record)?;
    line.push(b'\n');
    Ok(line)
}

/// The records in `text`, which are lines of a batch behind its first `before` lines, with their positions.
pub(super) fn records_in_lines(batch: &BatchName, before: usize, text: &[u8]) -> Vec<StoredRecord> {
    let lines = text.split(|byte| *byte == b'\n').zip(before..).filter(|(_, place)| *place > 0);
    let records = lines.filter_map(|(line, place)| {
        let position = Position { batch: batch.clone(), place };
        let record: AuditRecord = serde_json::from_slice(line).ok()?;
        let id = position.to_string();
        Some(StoredRecord { position, bytes: line.len() + id.len(), record: AuditRecord { id, ..record } })
    });
    records.collect()
}

impl From<ChangeEffect> for AuditFile {
    fn from(ChangeEffect { path, before, after, etag }: ChangeEffect) -> Self {
        Self { path, before, after, etag }
    }
}

impl From<SkillUse> for AuditSkill {
    fn from(SkillUse { skill, name, description, layer, team, status }: SkillUse) -> Self {
        let team = team.map(|team| team.to_string());
        Self { skill, name, description, layer: Some(layer), team, status: status.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::Layer;

    #[test]
    fn a_batch_is_read_as_it_was_written_and_leniently() {
        let batch = BatchName::parse("20260102T030405.000006Z-0a1b2c3d").unwrap();
        let full = AuditRecord {
            operation: "write".to_owned(),
            files: vec![AuditFile { path: "/workspace/a".to_owned(), before: None, after: None, etag: None }],
            skill: Some(AuditSkill::from(SkillUse {
                skill: "a/b".to_owned(),
                name: "b".to_owned(),
                description: String::new(),
                layer: Layer::User,
                team: None,
                status: "loaded",
            })),
            catalog: Some(AuditCatalog { changed: 1, removed: 2 }),
            found: Some(0),
            ..AuditRecord::default()
        };
        let older = br#"{"time":"2026-01-02T03:04:05Z","operation":"ls","of_a_newer_version":[1]}"#;
        let bytes = [HEADER, &record_line(&full).unwrap(), b"{\"torn\n", older, b"\n"].concat();
        let read: Vec<_> = records_in_lines(&batch, 0, &bytes).into_iter().map(|stored| stored.record).collect();
        let ids = ["20260102T030405.000006Z-0a1b2c3d.1", "20260102T030405.000006Z-0a1b2c3d.3"];
        assert_eq!(read.iter().map(|record| record.id.as_str()).collect::<Vec<_>>(), ids);
        assert_eq!(read[0], AuditRecord { id: ids[0].to_owned(), ..full });
        assert_eq!((read[1].operation.as_str(), &read[1].session), ("ls", &None));
    }
}
