//! A record of one operation, and its form in the bucket: a batch is a line for its format and a line for each record.
//!
//! Batches are read leniently. Members that this version does not know are ignored. Members that an older version did
//! not write have a default. A line that is no record still takes its place.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::batch::{BatchName, Position};
use crate::{
    error::Outcome,
    observer::{ChangeEffect, ObservedOperation, SkillUse},
    path::Layer,
    wire::{CallOutline, InputNames},
};

/// The first line of a batch.
pub(super) const HEADER: &[u8] = b"{\"format\":1}\n";

/// What was done: who, in which session, on what, with which outcome. Contents and questions are not in it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct AuditRecord {
    /// Its position, which is the same for every replica.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// When the operation ended.
    #[schema(value_type = String, format = DateTime)]
    pub time: Timestamp,
    /// The operation, as policies and generated clients name it.
    pub operation: String,
    /// The id of the call as the model wrote it; of any other call a name that no other has.
    #[serde(default)]
    pub call: String,
    /// The caller's key: its name and the first digits of its hash, as `desk (9f86d081884c7d65)`; the digits alone if it has no name.
    /// Null if the service has no keys.
    #[serde(default)]
    pub by: Option<String>,
    /// The session; null for what lies beside sessions.
    #[serde(default)]
    pub session: Option<String>,
    /// What it was about: paths, or a skill. Empty if it was about neither.
    #[serde(default)]
    pub subject: String,
    /// Whose skill it was about, if not the user's own: `team` or `org`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layer: Option<Layer>,
    /// What an agent gave it, 4 KiB at most: of texts that are contents or questions their length alone. `input_cut` says that
    /// members are left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub input: Option<Value>,
    /// Which members of `input` are virtual paths, names of skills and globs. Absent in records of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_names: Option<InputNames>,
    /// `ok`, the code of its error, or `abandoned` if its caller did not wait for the end.
    #[serde(default)]
    pub outcome: String,
    /// Whether a change that failed is in the store; null for what succeeded and for what changes nothing.
    #[serde(default)]
    pub changed: Option<Outcome>,
    /// How long it took, in milliseconds.
    #[serde(default)]
    pub ms: f64,
    /// The files that it changed, 100 at most.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<AuditFile>,
    /// How many files more it changed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more_files: u64,
    /// The skill that it loaded or unloaded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill: Option<AuditSkill>,
    /// The skills that a session began with when it was made: those that its policy preloads, and those of its parent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub began_with: Vec<AuditSkill>,
    /// What it found changed in the catalog, or changed there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub catalog: Option<AuditCatalog>,
    /// How many skills a search found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<u64>,
    /// The approval that it has begun to wait for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<String>,
}

/// A record in the store.
#[derive(Debug)]
pub(super) struct StoredRecord {
    pub(super) position: Position,
    pub(super) record: AuditRecord,
    /// The bytes of the record in its batch, and as JSON with the id.
    pub(super) bytes: usize,
}

/// A file, or a skill as a whole, that was changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AuditFile {
    /// Its virtual path, or the path of the skill.
    pub path: String,
    /// The version that was there before, if it was seen: the ETag of a file, the digest of a skill.
    #[serde(default)]
    pub before: Option<String>,
    /// SHA-256 of the content after, or the digest of a skill; null if it is gone.
    #[serde(default)]
    pub after: Option<String>,
    /// The version after.
    #[serde(default)]
    pub etag: Option<String>,
}

/// What became of a skill in a session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AuditSkill {
    /// Its path.
    pub skill: String,
    /// Its name.
    #[serde(default)]
    pub name: String,
    /// Its description.
    #[serde(default)]
    pub description: String,
    /// Whose it is: `user`, `team` or `org`. Absent in records of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layer: Option<Layer>,
    /// The team, if it is a team's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
    /// `loaded`, `reloaded`, `already_loaded` or `unloaded`; `preloaded` for one that a session began with though nobody named it,
    /// because the records or its parent had it.
    #[serde(default)]
    pub status: String,
}

/// A change of the catalog.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AuditCatalog {
    /// Skills that are new, or not as they were.
    pub changed: u64,
    /// Skills that are gone.
    pub removed: u64,
}

impl AuditRecord {
    /// The record of an operation that ended at `time`.
    pub(super) fn from_operation(operation: ObservedOperation, time: Timestamp) -> Self {
        let ObservedOperation { call, outcome, changed, milliseconds, effects } = operation;
        Self {
            id: String::new(),
            time,
            operation: call.operation.to_owned(),
            call: call.call,
            by: call.by,
            session: call.session.map(|session| session.to_string()),
            subject: call.subject,
            layer: effects.layer,
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
        }
    }

    /// Its line in a batch.
    pub(super) fn line(&self) -> Result<Vec<u8>, serde_json::Error> {
        let mut line = serde_json::to_vec(self)?;
        line.push(b'\n');
        Ok(line)
    }

    /// The records in `text`, which are lines of a batch behind its first `before` lines, with their positions.
    pub(super) fn of_lines(batch: &BatchName, before: usize, text: &[u8]) -> Vec<StoredRecord> {
        let lines = text.split(|byte| *byte == b'\n').zip(before..).filter(|(_, place)| *place > 0);
        let records = lines.filter_map(|(line, place)| {
            let position = Position { batch: batch.clone(), place };
            let record: Self = serde_json::from_slice(line).ok()?;
            let id = position.to_string();
            Some(StoredRecord { position, bytes: line.len() + id.len(), record: Self { id, ..record } })
        });
        records.collect()
    }
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

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes what it may skip by reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let bytes = [HEADER, &full.line().unwrap(), b"{\"torn\n", older, b"\n"].concat();
        let read: Vec<_> = AuditRecord::of_lines(&batch, 0, &bytes).into_iter().map(|stored| stored.record).collect();
        let ids = ["20260102T030405.000006Z-0a1b2c3d.1", "20260102T030405.000006Z-0a1b2c3d.3"];
        assert_eq!(read.iter().map(|record| record.id.as_str()).collect::<Vec<_>>(), ids);
        assert_eq!(read[0], AuditRecord { id: ids[0].to_owned(), ..full });
        assert_eq!((read[1].operation.as_str(), &read[1].session), ("ls", &None));
    }
}
