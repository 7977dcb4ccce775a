//! Reading lines of a text file.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Access, CallOutline, Operation, Request};
use skillmount_base::{limits::READ_LINES, path::ETag};

/// Read lines of a text file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadRequest {
    /// Absolute path of the file.
    pub file_path: String,
    /// Lines to skip, 0 by default.
    #[serde(default)]
    pub offset: u64,
    /// Lines to return, 2,000 by default.
    #[serde(default = "default_read_lines")]
    pub limit: u64,
}

/// A window of a text file. The window fields are null where the file is blank or no lines were asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
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
    #[schema(value_type = String)]
    pub etag: ETag,
    /// When that version was written.
    #[schema(value_type = String, format = DateTime)]
    pub modified_at: Timestamp,
    /// Whether bytes that are not UTF-8 were replaced.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lossy: bool,
    /// Whether the window was cut before `limit` because it grew too large.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

impl ReadRequest {
    /// Reads the first 2,000 lines of this file.
    #[must_use]
    pub fn new(file_path: impl Into<String>) -> Self {
        Self { file_path: file_path.into(), offset: 0, limit: READ_LINES }
    }
}

impl Request for ReadRequest {
    const OPERATION: Operation = Operation::Read;
    const FOR_MODELS: &'static str =
        "Read a text file as numbered lines. Go on with offset where the last line says so.";
    type Reply = ReadReply;

    fn outline(&self) -> CallOutline {
        let Self { file_path, offset, limit } = self;
        CallOutline::default().path("file_path", file_path).other("offset", offset).other("limit", limit)
    }

    fn touches(&self) -> Vec<Access<'_>> {
        vec![Access::Reads(&self.file_path)]
    }
}

fn default_read_lines() -> u64 {
    READ_LINES
}
