//! Reading lines of a text file.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use skillmount_base::{error::Result, limits::READ_LINES, path::ETag};
use utoipa::ToSchema;

use super::{Access, CallOutline, Operation, Reply, Request, TextFormat, lines::LinePage};

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

    fn paths_mut(&mut self) -> Vec<&mut String> {
        vec![&mut self.file_path]
    }
}

fn default_read_lines() -> u64 {
    READ_LINES
}

/// Lines with their numbers, and behind them where they stand in the file.
impl Reply for ReadReply {
    fn text(&self, form: TextFormat) -> Result<String> {
        let Some(first) = self.start_line else {
            let blank = self.content.len() as u64 == self.size;
            let why = if blank { "The file is blank" } else { "No lines were asked for" };
            return Ok(format!("[{why}: {} bytes]", self.size));
        };
        let mut page = LinePage::new(form.room);
        let mut number = first;
        for line in self.content.split_inclusive('\n') {
            if !page.push(&format!("{number:>6}\t{}\n", line.strip_suffix('\n').unwrap_or(line))) {
                break;
            }
            number += 1;
        }
        let shown_to = number.saturating_sub(1);
        let rest = if self.end_line.is_some_and(|end| shown_to < end) { Some(shown_to) } else { self.next_offset };
        let total = self.total_lines.map(|total| format!(" of {total}")).unwrap_or_default();
        let next = rest.map(|offset| format!("; go on with offset {offset}")).unwrap_or_default();
        let cut = if page.is_cut_in_line() {
            "; the line is too long and was cut, grep shows the part around a hit"
        } else {
            ""
        };
        let lossy = if self.lossy { "; bytes that are not UTF-8 were replaced" } else { "" };
        Ok(page.close(&format!("[lines {first}-{shown_to}{total}{next}{cut}{lossy}]")))
    }
}
