//! The agent's operations: what goes in, what comes out, and the trait that joins them.
//!
//! Requests carry text as the client wrote it; an implementation parses it into types before anything else. The same
//! structs are the JSON of the HTTP interface, so there is one set of field names.

use async_trait::async_trait;
use bytes::Bytes;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{
    error::{Error, Outcome, Result},
    limits::READ_LINES,
    path::ETag,
};

/// What goes over the wire, in either direction.
macro_rules! wire {
    ($($(#[$meta:meta])* pub struct $name:ident { $($body:tt)* })*) => {$(
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
        $(#[$meta])*
        pub struct $name { $($body)* }
    )*};
}

mod skills;

pub use skills::*;

wire! {
    /// List a folder.
    #[serde(deny_unknown_fields)]
    pub struct LsRequest {
        /// The folder.
        pub path: String,
    }

    /// One entry of a folder, or one file of a glob.
    pub struct Entry {
        /// Absolute, without a trailing slash.
        pub path: String,
        /// Whether it is a folder.
        pub is_dir: bool,
        /// Bytes; 0 for a folder.
        pub size: u64,
        /// When it was written; none for a folder.
        #[cfg_attr(feature = "server", schema(value_type = Option<String>, format = DateTime))]
        pub modified_at: Option<Timestamp>,
    }

    /// A folder's entries in byte order; the root's in mount order.
    pub struct LsReply {
        /// The entries.
        pub entries: Vec<Entry>,
        /// Whether there are more than fit.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        pub truncated: bool,
    }

    /// Read lines of a text file.
    #[serde(deny_unknown_fields)]
    pub struct ReadRequest {
        /// The file.
        pub file_path: String,
        /// Lines to skip.
        #[serde(default)]
        pub offset: u64,
        /// Lines to return.
        #[serde(default = "default_read_lines")]
        pub limit: u64,
    }

    /// A window of a text file. The window fields are null where the file is blank or no lines were asked for.
    pub struct ReadReply {
        /// The lines, verbatim, each with its `\n` where it has one.
        pub content: String,
        /// 1-based number of the first line.
        pub start_line: Option<u64>,
        /// 1-based number of the last line.
        pub end_line: Option<u64>,
        /// The offset that goes on after this window; null at the end of the file.
        pub next_offset: Option<u64>,
        /// Lines of the file; null where its end was not reached.
        pub total_lines: Option<u64>,
        /// Bytes of the file.
        pub size: u64,
        /// The version that was read.
        #[cfg_attr(feature = "server", schema(value_type = String))]
        pub etag: ETag,
        /// When that version was written.
        #[cfg_attr(feature = "server", schema(value_type = String, format = DateTime))]
        pub modified_at: Timestamp,
        /// Whether bytes that are not UTF-8 were replaced.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        pub lossy: bool,
        /// Whether the window was cut before `limit` because it grew too large.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        pub truncated: bool,
    }

    /// Search file contents.
    #[serde(deny_unknown_fields)]
    pub struct GrepRequest {
        /// A Rust regular expression, or plain text with `literal`.
        pub pattern: String,
        /// A folder or one file; everything the session sees where absent.
        #[serde(default)]
        pub path: Option<String>,
        /// Only files this glob matches.
        #[serde(default)]
        pub glob: Option<String>,
        /// Take the pattern as plain text.
        #[serde(default)]
        pub literal: bool,
        /// Ignore case.
        #[serde(default)]
        pub ignore_case: bool,
        /// Lines to show before and after each hit.
        #[serde(default)]
        pub context: usize,
        /// What to return.
        #[serde(default)]
        pub output_mode: GrepOutput,
        /// Hits (or files, in the other modes) to return at most.
        #[serde(default)]
        pub max_count: Option<usize>,
    }

    /// A line that matched.
    pub struct GrepMatch {
        /// The file.
        pub path: String,
        /// 1-based.
        pub line: u64,
        /// The line without its line ending.
        pub text: String,
        /// Lines before it.
        #[serde(default)]
        pub before: Vec<String>,
        /// Lines after it.
        #[serde(default)]
        pub after: Vec<String>,
    }

    /// A file and how many of its lines matched.
    pub struct GrepCount {
        /// The file.
        pub path: String,
        /// Lines that matched.
        pub count: u64,
    }

    /// What a grep found, in one of three forms.
    pub struct GrepReply {
        /// With `content`: the first hits in (path, line) order.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub matches: Option<Vec<GrepMatch>>,
        /// With `files`: the files that hold a hit.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub files: Option<Vec<String>>,
        /// With `count`: how many lines matched in each.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub counts: Option<Vec<GrepCount>>,
        /// Whether something was left out.
        pub truncated: bool,
        /// What was left out and how to get it.
        pub truncation_reason: Option<String>,
    }

    /// Find files by name.
    #[serde(deny_unknown_fields)]
    pub struct GlobRequest {
        /// The glob: without `/` it matches the base name at any depth, a leading `/` anchors it.
        pub pattern: String,
        /// The folder to look in; everything the session sees where absent.
        #[serde(default)]
        pub path: Option<String>,
    }

    /// A file a glob found.
    pub struct GlobMatch {
        /// Absolute.
        pub path: String,
        /// Bytes.
        pub size: u64,
        /// When it was written.
        #[cfg_attr(feature = "server", schema(value_type = String, format = DateTime))]
        pub modified_at: Timestamp,
    }

    /// Files in byte order of their paths.
    pub struct GlobReply {
        /// The files.
        pub matches: Vec<GlobMatch>,
        /// Whether there are more.
        pub truncated: bool,
        /// What was left out and how to get it.
        pub truncation_reason: Option<String>,
    }

    /// Make a file.
    #[serde(deny_unknown_fields)]
    pub struct WriteRequest {
        /// The file.
        pub file_path: String,
        /// Its whole content.
        pub content: String,
        /// Replace what is there, instead of failing with `already_exists`.
        #[serde(default)]
        pub overwrite: bool,
    }

    /// A file that was written.
    pub struct WriteReply {
        /// The file.
        pub path: String,
        /// Its version; null where another writer had replaced it before its tag could be learnt.
        #[cfg_attr(feature = "server", schema(value_type = Option<String>))]
        pub etag: Option<ETag>,
        /// Its size in bytes.
        pub bytes: u64,
        /// Whether it is certain that no file was there before: always with `overwrite: false`, never otherwise.
        pub created: bool,
    }

    /// Replace text in a file.
    #[serde(deny_unknown_fields)]
    pub struct EditRequest {
        /// The file.
        pub file_path: String,
        /// The exact text to replace.
        pub old_string: String,
        /// What to put in its place.
        pub new_string: String,
        /// Replace every occurrence, instead of failing with `old_string_not_unique`.
        #[serde(default)]
        pub replace_all: bool,
    }

    /// A file that was edited.
    pub struct EditReply {
        /// The file.
        pub path: String,
        /// How many occurrences were replaced.
        pub occurrences: u64,
        /// The version that holds the edit; null where another writer had replaced it before its tag could be learnt.
        #[cfg_attr(feature = "server", schema(value_type = Option<String>))]
        pub etag: Option<ETag>,
    }

    /// Delete a file, or a folder and everything below it.
    #[serde(deny_unknown_fields)]
    pub struct DeleteRequest {
        /// The file or folder.
        pub path: String,
    }

    /// What was deleted.
    pub struct DeleteReply {
        /// The file or folder.
        pub path: String,
        /// Files removed.
        pub deleted: u64,
        /// Where some could not be: what became of the whole. The same call, made again, deletes the rest.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub outcome: Option<Outcome>,
        /// Those that could not be, in byte order of their paths, the first 1,000.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub failed: Vec<FailedFile>,
        /// How many more could not be.
        #[serde(default, skip_serializing_if = "is_zero")]
        pub more_failed: u64,
    }

    /// A file of a folder that could not be changed.
    pub struct FailedFile {
        /// The file.
        pub path: String,
        /// The code of what went wrong.
        pub code: String,
        /// Whether it may have been changed.
        pub outcome: Outcome,
    }
}

/// What a grep returns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum GrepOutput {
    /// The lines.
    #[default]
    Content,
    /// The files.
    Files,
    /// The files, and how many lines matched in each.
    Count,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes what it may skip by reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

fn default_read_lines() -> u64 {
    READ_LINES
}

/// A file to upload: any bytes, replacing what is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UploadFile {
    /// Where to.
    pub path: String,
    /// The bytes.
    pub bytes: Bytes,
}

/// What became of one file of an upload.
#[derive(Clone, Debug)]
pub struct UploadOutcome {
    /// The path as it was given.
    pub path: String,
    /// The new version, or why there is none; the error says what became of the file.
    pub result: Result<Option<ETag>, Error>,
}

/// What became of one file of a download.
#[derive(Clone, Debug)]
pub struct DownloadOutcome {
    /// The path as it was given.
    pub path: String,
    /// The bytes, or why there are none.
    pub result: Result<Bytes, Error>,
}

/// The operations an agent has, on one session of one user.
///
/// Two implementations: `SkillBackend` over a store, and `RemoteBackend` over HTTP. Each method documents only what is
/// not in its request and reply; the codes of their errors are those of the HTTP contract.
#[async_trait]
pub trait BackendProtocol: Send + Sync {
    /// Lists a folder.
    async fn ls(&self, request: LsRequest) -> Result<LsReply>;
    /// Reads a window of lines.
    async fn read(&self, request: ReadRequest) -> Result<ReadReply>;
    /// Searches contents.
    async fn grep(&self, request: GrepRequest) -> Result<GrepReply>;
    /// Finds files by name.
    async fn glob(&self, request: GlobRequest) -> Result<GlobReply>;
    /// Makes or replaces a file.
    async fn write(&self, request: WriteRequest) -> Result<WriteReply>;
    /// Replaces text in a file.
    async fn edit(&self, request: EditRequest) -> Result<EditReply>;
    /// Deletes a file or folder.
    async fn delete(&self, request: DeleteRequest) -> Result<DeleteReply>;
    /// Stores files, each on its own; the outcomes come in the order of the files.
    async fn upload(&self, files: Vec<UploadFile>) -> Result<Vec<UploadOutcome>>;
    /// Fetches files, each on its own; the outcomes come in the order of the paths.
    async fn download(&self, paths: Vec<String>) -> Result<Vec<DownloadOutcome>>;
    /// Finds skills for a task; none becomes available by it.
    async fn discover_skills(&self, request: DiscoverRequest) -> Result<DiscoverReply>;
    /// Loads a skill.
    async fn load_skill(&self, request: LoadSkillRequest) -> Result<LoadSkillReply>;
    /// Hides a loaded skill.
    async fn unload_skill(&self, request: UnloadSkillRequest) -> Result<UnloadSkillReply>;
}
