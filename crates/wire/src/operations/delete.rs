//! Deleting a file, or a folder and everything below it.

use serde::{Deserialize, Serialize};
use serde_json::json;
use skillmount_base::error::{Code, Error, Outcome, Result};
use utoipa::ToSchema;

use super::{Access, CallOutline, Operation, Reply, Request, TextFormat, TextPage};
use crate::ErrorCode;

/// Delete a file, or a folder and everything below it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DeleteRequest {
    /// Absolute path of the file or folder.
    pub path: String,
}

/// What was deleted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DeleteReply {
    /// The file or folder.
    pub path: String,
    /// Files removed.
    pub deleted: u64,
    /// Where some could not be: what became of the whole. The same call, made again, deletes the rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// Paths that could not be deleted, in byte order, the first 1,000.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<FailedFile>,
    /// How many more could not be.
    #[serde(default, skip_serializing_if = "super::is_zero")]
    pub more_failed: u64,
}

/// A file of a folder that could not be changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FailedFile {
    /// The file.
    pub path: String,
    /// The code of what went wrong.
    #[schema(value_type = ErrorCode)]
    pub code: String,
    /// Whether it may have been changed.
    pub outcome: Outcome,
}

impl FailedFile {
    /// The error of a call that left this file and others behind. `outcome` is that of the whole call.
    pub(super) fn error(&self, message: String, outcome: Option<Outcome>) -> Error {
        let code = Code::parse(&self.code).unwrap_or(Code::StoreUnavailable);
        Error::new(code, message).with_outcome(outcome.unwrap_or(Outcome::Unknown))
    }
}

impl DeleteRequest {
    /// Deletes this file or folder.
    #[must_use]
    pub fn new(path: impl Into<String>) -> Self {
        Self { path: path.into() }
    }
}

impl Request for DeleteRequest {
    const OPERATION: Operation = Operation::Delete;
    const FOR_MODELS: &'static str = "Delete a file, or a folder and everything in it.";
    type Reply = DeleteReply;

    fn outline(&self) -> CallOutline {
        let Self { path } = self;
        CallOutline::default().path("path", path)
    }

    fn touches(&self) -> Vec<Access<'_>> {
        vec![Access::Writes(&self.path)]
    }

    fn paths_mut(&mut self) -> Vec<&mut String> {
        vec![&mut self.path]
    }
}

impl DeleteReply {
    /// The error of a delete that left something behind, for callers that know only success and failure.
    #[must_use]
    pub fn failure(&self) -> Option<Error> {
        let first = self.failed.first()?;
        let message = format!("{}; make the same call again to delete the rest", self.summary());
        Some(self.add_files_to(first.error(message, self.outcome)))
    }

    /// The effect of the delete, as the beginning of a sentence.
    #[must_use]
    pub fn summary(&self) -> String {
        let Self { path, deleted, failed, more_failed, .. } = self;
        let Some(first) = failed.first() else {
            return format!("{path} was deleted");
        };
        let count = failed.len() as u64 + more_failed;
        let is_certain = failed.iter().all(|file| file.outcome == Outcome::NotApplied);
        let left = if is_certain { "could not be deleted" } else { "may not have been deleted" };
        let (files, others) = (plural(*deleted), plural(count));
        format!(
            "of {path}, {deleted} {files} were deleted and {count} {others} {left}, such as {} ({})",
            first.path, first.code
        )
    }

    /// `error` with the outcome of each file among its details.
    #[must_use]
    pub fn add_files_to(&self, error: Error) -> Error {
        let error = error.with_detail("deleted", self.deleted).with_detail("failed", json!(self.failed));
        if self.more_failed == 0 { error } else { error.with_detail("more_failed", self.more_failed) }
    }
}

fn plural(count: u64) -> &'static str {
    if count == 1 { "file" } else { "files" }
}

/// A delete that left something behind is an error, which says how much and what to do.
impl Reply for DeleteReply {
    fn page(&self, _: TextFormat) -> Result<TextPage> {
        match (self.failure(), self.deleted) {
            (Some(error), _) => Err(error),
            (None, 1) => Ok(TextPage::whole(format!("Deleted {}", self.path))),
            (None, files) => Ok(TextPage::whole(format!("Deleted {} ({files} files)", self.path))),
        }
    }
}
