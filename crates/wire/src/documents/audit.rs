//! The records of what was done, and the events that are made from them.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use crate::InputNames;
use skillmount_base::{error::Outcome, path::Layer};

/// A record of one operation: the caller, the session, the subject and the outcome. It has no contents and no questions.
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
    /// The user of the call; only in the records of a team or the organisation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
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
    /// Whether a failed change is in the store. Null after a success, and for an operation without changes.
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
    /// The skills at the beginning of the session: the preloads of its policy, and the skills of its parent.
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
    /// How many calls a record of `refuse_call` reports: those of the key at the route since its record before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<u64>,
}

impl AuditRecord {
    /// Whether the operation succeeded.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.outcome == "ok"
    }
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

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes what it may skip by reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Which records to return.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct AuditRequest {
    /// Only those of this session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Only those of this operation, as `write` or `publish_skill`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// Only operations that ended then or later.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[param(value_type = Option<String>, format = DateTime)]
    pub since: Option<Timestamp>,
    /// Records of one page, 1 to 1,000. A page may have fewer and still name a next one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// `next_cursor` of the page before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Whose records: the user's unless given. `team` and `org` give the changes of shared skills by all users, and need a key that
    /// may publish there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layer: Option<Layer>,
}

/// One page of records.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = AuditList)]
pub struct AuditPage {
    /// In the order of time. Records of several replicas may lie a minute apart in it from page to page.
    pub records: Vec<AuditRecord>,
    /// Give this back to get the next page; null on the last one.
    pub next_cursor: Option<String>,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Event {
    /// Its position: a client sends it back as `Last-Event-ID`. Null for an event that is sent before its record, and for marks of
    /// the stream itself.
    pub id: Option<String>,
    /// `tool_use_start`, `tool_result`, `skill_activated`, `skill_unloaded`, `permission_request`, `file_changed` or
    /// `catalog_changed`; `gap` and `dropped` say of the stream itself that events are missing.
    pub event: String,
    /// The session; null for what lies beside sessions.
    pub session: Option<String>,
    /// What the event says.
    pub data: Value,
}
