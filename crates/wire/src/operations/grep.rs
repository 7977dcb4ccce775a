//! Searching contents of files.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Access, CallOutline, Operation, Request, left_out};

/// Search file contents.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct GrepRequest {
    /// A Rust regular expression, or plain text with `literal`.
    pub pattern: String,
    /// Folder or file to search; everything the session sees if absent.
    pub path: Option<String>,
    /// Only files that this glob matches, such as `*.md`.
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
    pub max_count: Option<usize>,
}

/// A line that matched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GrepCount {
    /// The file.
    pub path: String,
    /// Lines that matched.
    pub count: u64,
}

/// What a grep found, in one of three forms.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
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

impl GrepRequest {
    /// Searches for this expression in everything the session sees.
    #[must_use]
    pub fn new(pattern: impl Into<String>) -> Self {
        Self { pattern: pattern.into(), ..Self::default() }
    }
}

impl Request for GrepRequest {
    const OPERATION: Operation = Operation::Grep;
    const FOR_MODELS: &'static str = "Search file contents with a Rust regular expression.";
    type Reply = GrepReply;

    fn outline(&self) -> CallOutline {
        let Self { pattern, path, glob, literal, ignore_case, context, output_mode, max_count } = self;
        let place = CallOutline::default().path("path", path).glob("glob", glob);
        let what =
            place.other("pattern", left_out(pattern)).other("literal", literal).other("ignore_case", ignore_case);
        what.other("context", context).other("output_mode", output_mode).other("max_count", max_count)
    }

    fn touches(&self) -> Vec<Access<'_>> {
        vec![Access::Reads(self.path.as_deref().unwrap_or("/"))]
    }
}

/// What a grep returns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
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
