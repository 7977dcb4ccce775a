//! What was found wrong with a SKILL.md, and where.
//!
//! A load leaves a skill out for `frontmatter_missing`, `frontmatter_unclosed`, `frontmatter_too_large`,
//! `frontmatter_too_deep`, `frontmatter_not_a_map`, `yaml_invalid` and `description_missing`. It warns of `yaml_repaired`,
//! `invalid_utf8`, `duplicate_key`, `name_missing`, `name_differs`, `field_not_text`, `field_not_boolean`,
//! `metadata_not_a_map`, `parameter_duplicate`, `parameter_unnamed`, `too_many_parameters` and `more_findings`. A catalog
//! also tells of `file_misnamed` and of `unreadable`, a SKILL.md that the store does not give. Lint takes most of those for errors and adds its own,
//! which `lint` names.

use serde::{Deserialize, Serialize};

use crate::limits::SKILL_FINDINGS;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The skill works; the author should know.
    Warning,
    /// The skill is left out of the catalog, or refused by lint and publishing.
    Error,
}

impl std::fmt::Display for Severity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Error => "error",
            Self::Warning => "warning",
        })
    }
}

/// One finding, with its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// A stable name from the list above: `description_missing`, `yaml_repaired`.
    pub code: String,
    /// What is wrong and how to mend it.
    pub message: String,
    /// 1-based line of SKILL.md, where it has one.
    pub line: Option<u32>,
    /// 1-based column in characters, where it has one.
    pub column: Option<u32>,
}

impl Diagnostic {
    /// A finding that leaves the skill out.
    #[must_use]
    pub fn error(code: &str, message: impl Into<String>) -> Self {
        Self { severity: Severity::Error, code: code.to_owned(), message: message.into(), line: None, column: None }
    }

    /// A finding that the skill survives.
    #[must_use]
    pub fn warning(code: &str, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, message) }
    }

    /// The same finding with its place: 1-based line of SKILL.md and 1-based column in characters.
    #[must_use]
    pub fn at(self, line: u32, column: u32) -> Self {
        Self { line: Some(line), column: Some(column), ..self }
    }
}

/// What is wrong with a file called `name`, where that is another spelling of `SKILL.md`, which makes no skill.
#[must_use]
pub fn misnamed(name: &str) -> Option<Diagnostic> {
    if name == "SKILL.md" || !name.eq_ignore_ascii_case("SKILL.md") {
        return None;
    }
    let message = format!("{name} makes no skill: rename it to SKILL.md, in capitals");
    Some(Diagnostic::error("file_misnamed", message))
}

/// All errors, and of the warnings as many as anybody reads.
pub(super) fn first_few(mut found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let (mut kept, all) = (0, found.len());
    found.retain(|one| {
        kept += usize::from(one.severity == Severity::Warning);
        one.severity == Severity::Error || kept <= SKILL_FINDINGS
    });
    let left_out = all - found.len();
    if left_out > 0 {
        let message = format!("at least {left_out} more findings are not shown: mend these first");
        found.push(Diagnostic::warning("more_findings", message));
    }
    found
}
