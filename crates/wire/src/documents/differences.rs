//! The differences between two versions of a skill.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use skillmount_base::path::Layer;

/// Which versions to compare.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct DiffRequest {
    /// The digest of the older version; the one before the published one unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The digest of the newer version; the published one unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// Whose skill it is: the user's unless given. The versions of others need a key that may publish there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layer: Option<Layer>,
}

/// What became of a file between two versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FileDifference {
    /// Only the newer version has it.
    Added,
    /// Only the older version has it.
    Removed,
    /// Both have it, with other bytes.
    Modified,
}

/// A file that differs between two versions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ChangedFile {
    /// Its path below the skill's folder.
    pub path: String,
    /// What became of it.
    pub change: FileDifference,
    /// Whether it is no text, in either version.
    pub binary: bool,
    /// Whether `diff` has its lines. It has none of binary files, of those over 1 MiB, and of what is over its own limit.
    pub shown: bool,
    /// Its bytes in the older version; null if that does not have it.
    pub size_before: Option<u64>,
    /// Its bytes in the newer version; null if that does not have it.
    pub size_after: Option<u64>,
}

/// What differs between two versions of a skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct VersionDiff {
    /// The older version; null if there was none.
    pub from: Option<String>,
    /// The newer version; null if the skill is deleted.
    pub to: Option<String>,
    /// The lines that differ, as a unified diff of all text files, in byte order of their paths.
    pub diff: String,
    /// The files that differ, binary ones included, in the same order; 1,000 at most.
    pub files: Vec<ChangedFile>,
    /// How many files differ.
    pub total: usize,
    /// Whether lines are missing from `diff`, or files from `files`.
    pub truncated: bool,
    /// Why, and how to get the rest; null if nothing is missing.
    pub truncation_reason: Option<String>,
}
