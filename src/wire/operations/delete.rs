//! Deleting a file, or a folder and everything below it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Access, Operation, Request};
use crate::{error::Outcome, wire::ErrorCode};

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
    /// Those that could not be, in byte order of their paths, the first 1,000.
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

    fn touches(&self) -> Vec<Access<'_>> {
        vec![Access::Writes(&self.path)]
    }
}
