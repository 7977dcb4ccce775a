//! Making a file, or replacing it.

use serde::{Deserialize, Serialize};
use skillmount_base::{error::Result, path::ETag};
use utoipa::ToSchema;

use super::{Access, CallOutline, Operation, Reply, Request, TextFormat, TextPage, left_out};

/// Make a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WriteRequest {
    /// Absolute path of the file.
    pub file_path: String,
    /// Its whole content.
    pub content: String,
    /// Replace what is there, instead of failing with `already_exists`.
    #[serde(default)]
    pub overwrite: bool,
}

/// A file that was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WriteReply {
    /// The file.
    pub path: String,
    /// Its version; null where another writer had replaced it before its tag could be learnt.
    #[schema(value_type = Option<String>)]
    pub etag: Option<ETag>,
    /// Its size in bytes.
    pub bytes: u64,
    /// Whether it is certain that no file was there before: always with `overwrite: false`, never otherwise.
    pub created: bool,
}

impl WriteRequest {
    /// Creates this file; with `overwrite` also replaces an existing file.
    #[must_use]
    pub fn new(file_path: impl Into<String>, content: impl Into<String>) -> Self {
        Self { file_path: file_path.into(), content: content.into(), overwrite: false }
    }
}

impl Request for WriteRequest {
    const OPERATION: Operation = Operation::Write;
    const FOR_MODELS: &'static str =
        "Create a file. Fails if it exists, unless overwrite is true; use edit for changes.";
    type Reply = WriteReply;

    fn outline(&self) -> CallOutline {
        let Self { file_path, content, overwrite } = self;
        let place = CallOutline::default().path("file_path", file_path);
        place.other("content", left_out(content)).other("overwrite", overwrite)
    }

    fn touches(&self) -> Vec<Access<'_>> {
        vec![Access::Writes(&self.file_path)]
    }

    fn paths_mut(&mut self) -> Vec<&mut String> {
        vec![&mut self.file_path]
    }
}

impl Reply for WriteReply {
    fn page(&self, _: TextFormat) -> Result<TextPage> {
        Ok(TextPage::whole(format!("Updated file {}", self.path)))
    }
}
