//! Moving a file or a folder.

use serde::{Deserialize, Serialize};
use skillmount_base::error::{Error, Outcome, Result};
use utoipa::ToSchema;

use super::{Access, CallOutline, FailedFile, Operation, Reply, Request, TextFormat, TextPage};

/// Move or rename a file, or a folder and everything below it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[cfg_attr(
    feature = "clap",
    command(after_help = "\
Examples:
  skillmount mv /workspace/draft.md /workspace/final.md
  skillmount mv /workspace/notes /ticket/notes            the folder and everything below it")
)]
#[serde(deny_unknown_fields)]
pub struct MoveRequest {
    /// Absolute path of the file or folder.
    pub from: String,
    /// Its new absolute path. Nothing may be there.
    pub to: String,
}

/// What was moved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MoveReply {
    /// The file or folder, as it was.
    pub from: String,
    /// Its new path.
    pub to: String,
    /// Files that are at their new paths, and there only.
    pub moved: u64,
    /// What became of the whole, if some files could not be moved. Once what is in the way is gone, the same call moves the
    /// rest of a folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// Files that could not be moved, by their old paths and in byte order, the first 1,000.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<FailedFile>,
    /// How many more could not be moved.
    #[serde(default, skip_serializing_if = "super::is_zero")]
    pub more_failed: u64,
}

impl MoveRequest {
    /// Moves `from` to `to`.
    #[must_use]
    pub fn new(from: impl Into<String>, to: impl Into<String>) -> Self {
        Self { from: from.into(), to: to.into() }
    }
}

impl Request for MoveRequest {
    const OPERATION: Operation = Operation::Move;
    const FOR_MODELS: &'static str = "Move or rename a file or folder. Nothing may be at the new path.";
    type Reply = MoveReply;

    fn outline(&self) -> CallOutline {
        let Self { from, to } = self;
        CallOutline::default().path("from", from).path("to", to)
    }

    fn touches(&self) -> Vec<Access<'_>> {
        vec![Access::Writes(&self.from), Access::Writes(&self.to)]
    }

    fn paths_mut(&mut self) -> Vec<&mut String> {
        vec![&mut self.from, &mut self.to]
    }
}

impl MoveReply {
    /// The error of a move that left files behind, for callers that know only success and failure.
    #[must_use]
    pub fn failure(&self) -> Option<Error> {
        let Self { from, to, moved, failed, more_failed, .. } = self;
        let first = failed.first()?;
        let left = failed.len() as u64 + more_failed;
        let message = format!(
            "of {from}, {moved} files were moved to {to} and {left} were not, such as {} ({}); list both folders to see what \
             lies where",
            first.path, first.code
        );
        let error = first.error(message, self.outcome);
        Some(error.with_detail("moved", *moved).with_detail("failed", serde_json::json!(failed)))
    }
}

impl Reply for MoveReply {
    fn page(&self, _: TextFormat) -> Result<TextPage> {
        let Self { from, to, moved, .. } = self;
        match self.failure() {
            Some(error) => Err(error),
            None if *moved == 1 => Ok(TextPage::whole(format!("Moved {from} to {to}"))),
            None => Ok(TextPage::whole(format!("Moved {from} to {to} ({moved} files)"))),
        }
    }
}
