//! Finding files by name.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use skillmount_base::error::Result;
use utoipa::ToSchema;

use super::{
    Access, CallOutline, Operation, Reply, Request, TextFormat, TextPage, absent_if_empty,
    lines::{ListNotes, NO_FILES},
};

/// Find files by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct GlobRequest {
    /// The glob: without `/` it matches the base name at any depth, a leading `/` anchors it.
    pub pattern: String,
    /// Folder to look in; everything the session sees if absent.
    #[serde(default, deserialize_with = "absent_if_empty")]
    pub path: Option<String>,
}

/// A file a glob found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GlobMatch {
    /// Absolute.
    pub path: String,
    /// Bytes.
    pub size: u64,
    /// When it was written.
    #[schema(value_type = String, format = DateTime)]
    pub modified_at: Timestamp,
}

/// Files in byte order of their paths.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GlobReply {
    /// The files.
    pub matches: Vec<GlobMatch>,
    /// Whether there are more.
    pub truncated: bool,
    /// What was left out and how to get it.
    pub truncation_reason: Option<String>,
}

impl GlobRequest {
    /// Finds files in everything the session sees.
    #[must_use]
    pub fn new(pattern: impl Into<String>) -> Self {
        Self { pattern: pattern.into(), path: None }
    }
}

impl Request for GlobRequest {
    const OPERATION: Operation = Operation::Glob;
    const FOR_MODELS: &'static str = "Find files by name: *.md at any depth, or /workspace/**/*.md.";
    type Reply = GlobReply;

    fn outline(&self) -> CallOutline {
        let Self { pattern, path } = self;
        CallOutline::default().path("path", path).glob("pattern", pattern)
    }

    fn touches(&self) -> Vec<Access<'_>> {
        vec![Access::Reads(self.path.as_deref().unwrap_or("/"))]
    }

    fn paths_mut(&mut self) -> Vec<&mut String> {
        vec![self.path.get_or_insert_with(|| "/".to_owned())]
    }
}

impl Reply for GlobReply {
    fn page(&self, form: TextFormat) -> Result<TextPage> {
        let lines = self.matches.iter().map(|found| found.path.clone()).collect();
        let omitted = self.truncation_reason.as_deref();
        let notes = ListNotes { empty: NO_FILES, omitted, more: "narrow the pattern or the path" };
        Ok(TextPage::list(lines, 1, form.room, notes))
    }

    fn cut(&mut self, page: &TextPage) {
        self.matches.truncate(page.shown);
        self.truncated = true;
        self.truncation_reason = Some(page.bare_note());
    }
}
