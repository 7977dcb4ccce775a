//! Replacing text in a file.

use serde::{Deserialize, Serialize};
use skillmount_base::{error::Result, path::ETag};
use utoipa::ToSchema;

use super::{Access, CallOutline, Operation, Reply, Request, TextFormat, TextPage, left_out};

/// Replace text in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EditRequest {
    /// Absolute path of the file.
    pub file_path: String,
    /// The exact text to replace, without line numbers.
    pub old_string: String,
    /// What to put in its place.
    pub new_string: String,
    /// Replace every occurrence, instead of failing with `old_string_not_unique`.
    #[serde(default)]
    pub replace_all: bool,
    /// What a line end in `old_string` and `new_string` stands for.
    #[serde(default)]
    pub newlines: Newlines,
}

/// What a line end in the texts of an edit stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "snake_case")]
pub enum Newlines {
    /// Itself, byte for byte.
    #[default]
    Exact,
    /// The line end that the file has there: `\n` also matches `\r\n`, and new lines end as the replaced ones did.
    File,
}

/// A file that was edited.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EditReply {
    /// The file.
    pub path: String,
    /// How many occurrences were replaced.
    pub occurrences: u64,
    /// The version that holds the edit; null where another writer had replaced it before its tag could be learnt.
    #[schema(value_type = Option<String>)]
    pub etag: Option<ETag>,
}

impl EditRequest {
    /// Replaces the one place where `old` stands by `new`.
    #[must_use]
    pub fn new(file_path: impl Into<String>, old: impl Into<String>, new: impl Into<String>) -> Self {
        Self {
            file_path: file_path.into(),
            old_string: old.into(),
            new_string: new.into(),
            replace_all: false,
            newlines: Newlines::Exact,
        }
    }
}

impl Request for EditRequest {
    const OPERATION: Operation = Operation::Edit;
    const FOR_MODELS: &'static str =
        "Replace exact text in a file. old_string must occur once, unless replace_all is true. Read the file first.";
    // A model copies the text that it was shown. The error says if the line ends were the reason for a miss.
    const NOT_FOR_MODELS: &'static [&'static str] = &["newlines"];
    type Reply = EditReply;

    fn outline(&self) -> CallOutline {
        let Self { file_path, old_string, new_string, replace_all, newlines } = self;
        let texts =
            CallOutline::default().other("old_string", left_out(old_string)).other("new_string", left_out(new_string));
        texts.path("file_path", file_path).other("replace_all", replace_all).other("newlines", newlines)
    }

    fn touches(&self) -> Vec<Access<'_>> {
        vec![Access::Writes(&self.file_path)]
    }

    fn paths_mut(&mut self) -> Vec<&mut String> {
        vec![&mut self.file_path]
    }
}

impl Reply for EditReply {
    fn page(&self, _: TextFormat) -> Result<TextPage> {
        let Self { occurrences, path, .. } = self;
        Ok(TextPage::whole(format!("Successfully replaced {occurrences} instance(s) of the string in '{path}'")))
    }
}
