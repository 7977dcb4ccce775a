//! Reading lines of a text file.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use skillmount_base::{error::Result, limits::READ_LINES, path::ETag};
use utoipa::ToSchema;

use super::{Access, CallOutline, Operation, Reply, Request, TextFormat, TextPage, lines::PageExtent};

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

/// Lines with their numbers. A window of a file begins and ends with its place in the file, and a whole file does not.
impl Reply for ReadReply {
    fn page(&self, form: TextFormat) -> Result<TextPage> {
        let Some(first) = self.start_line else {
            let blank = self.content.len() as u64 == self.size;
            let why = if blank { "The file is blank" } else { "No lines were asked for" };
            return Ok(TextPage::whole(format!("[{why}: {} bytes]", self.size)));
        };
        let numbered = |(number, line): (u64, &str)| {
            format!("{number:>NUMBER_WIDTH$}\t{}\n", line.strip_suffix('\n').unwrap_or(line))
        };
        let lines: Vec<_> = (first..).zip(self.content.split_inclusive('\n')).map(numbered).collect();
        let is_part = first > 1 || self.next_offset.is_some() || self.total_lines.is_none() || self.lossy;
        Ok(TextPage::new(&lines, 1, form.room, is_part, |shown| self.note(first, lines.len(), shown)))
    }

    fn cut(&mut self, page: &TextPage) {
        let whole: usize = self.content.split_inclusive('\n').take(page.shown).map(str::len).sum();
        let number = self.start_line.unwrap_or(1).to_string().len().max(NUMBER_WIDTH) + 1;
        let end = page.cut.map_or(whole, |bytes| bytes.saturating_sub(number).min(whole));
        self.content.truncate(self.content.floor_char_boundary(end));
        if page.shown < page.total {
            let end_line = self.start_line.map(|first| first + page.shown.saturating_sub(1) as u64);
            (self.end_line, self.next_offset) = (end_line, end_line);
        }
        self.truncated = true;
    }
}

/// Columns of the number of a line at least.
const NUMBER_WIDTH: usize = 6;

impl ReadReply {
    /// The place of the shown lines in the file, and how to go on.
    fn note(&self, first: u64, lines: usize, shown: PageExtent) -> String {
        let last = (first + shown.lines as u64).saturating_sub(1);
        let rest = if shown.lines < lines { Some(last) } else { self.next_offset };
        let total = self
            .total_lines
            .map_or_else(|| format!(" of a file of {} bytes", self.size), |total| format!(" of {total}"));
        let next = rest.map(|offset| format!("; go on with offset {offset}")).unwrap_or_default();
        let cut =
            if shown.cut_in_line { "; the line is too long and was cut, grep shows the part around a hit" } else { "" };
        let lossy = if self.lossy { "; bytes that are not UTF-8 were replaced" } else { "" };
        format!("[lines {first}-{last}{total}{next}{cut}{lossy}]")
    }
}
