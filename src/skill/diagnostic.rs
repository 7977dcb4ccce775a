//! What was found wrong with a SKILL.md, and where.

use serde::{Deserialize, Serialize};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "http", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The skill works; the author should know.
    Warning,
    /// The skill is left out of the catalog, or refused by lint and publishing.
    Error,
}

/// One finding, with its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "http", derive(utoipa::ToSchema))]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// A stable name: `description_missing`, `yaml_repaired`.
    pub code: String,
    /// What is wrong and how to mend it.
    pub message: String,
    /// 1-based line of SKILL.md, where it has one.
    pub line: Option<u32>,
    /// 1-based column in characters, where it has one.
    pub column: Option<u32>,
}
