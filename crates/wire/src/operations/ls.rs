//! Listing a folder.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use skillmount_base::error::Result;
use utoipa::ToSchema;

use super::{
    Access, CallOutline, Operation, Reply, Request, TextFormat, TextPage,
    lines::{ListNotes, NO_FILES},
};

/// List a folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LsRequest {
    /// Absolute path of the folder.
    pub path: String,
}

/// One entry of a folder, or one file of a glob.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = FileEntry)]
pub struct Entry {
    /// Absolute, without a trailing slash.
    pub path: String,
    /// Whether it is a folder.
    pub is_dir: bool,
    /// Bytes; 0 for a folder.
    pub size: u64,
    /// When it was written; none for a folder.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub modified_at: Option<Timestamp>,
}

/// A folder's entries in byte order; the root's in mount order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LsReply {
    /// The entries.
    pub entries: Vec<Entry>,
    /// Files that have the name of a folder among the entries, as a bucket can hold; reading and downloading reach them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hidden: Vec<Entry>,
    /// Whether there are more than fit.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

impl LsRequest {
    /// Lists this folder.
    #[must_use]
    pub fn new(path: impl Into<String>) -> Self {
        Self { path: path.into() }
    }
}

impl Request for LsRequest {
    const OPERATION: Operation = Operation::Ls;
    const FOR_MODELS: &'static str =
        "List a folder. /workspace and /ticket are yours; /skills holds the loaded skills.";
    type Reply = LsReply;

    fn outline(&self) -> CallOutline {
        let Self { path } = self;
        CallOutline::default().path("path", path)
    }

    fn touches(&self) -> Vec<Access<'_>> {
        vec![Access::Reads(&self.path)]
    }

    fn paths_mut(&mut self) -> Vec<&mut String> {
        vec![&mut self.path]
    }
}

impl Reply for LsReply {
    fn page(&self, form: TextFormat) -> Result<TextPage> {
        let line = |entry: &Entry| {
            if entry.is_dir { format!("{}/", entry.path) } else { format!("{} ({} bytes)", entry.path, entry.size) }
        };
        let omitted = self.truncated.then_some("there are more entries; find files by name with glob");
        let hidden = |file: &Entry| format!("{} (file, {} bytes, beside the folder)", file.path, file.size);
        let lines = self.entries.iter().map(line).chain(self.hidden.iter().map(hidden)).collect();
        let more = "list a folder below this one, or use glob";
        Ok(TextPage::list(lines, 1, form.room, ListNotes { empty: NO_FILES, omitted, more }))
    }

    fn cut(&mut self, page: &TextPage) {
        self.hidden.truncate(page.shown.saturating_sub(self.entries.len()));
        self.entries.truncate(page.shown);
        self.truncated = true;
    }
}
