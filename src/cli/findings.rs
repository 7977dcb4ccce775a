//! What lint says of skills, for the command that prints it and for the one that refuses because of it.

use std::path::Path;

use serde::Serialize;

use super::folder::{LocalSkill, Misnamed};
use crate::{
    catalog::why_unreadable,
    error::{Code, Error, Result},
    path::SkillPath,
    skill::{Diagnostic, FindingCode, Severity, lint, shown::one_line},
    store::StoreError,
};

/// The file of a skill that is judged.
pub(super) const MAIN: &str = "SKILL.md";

/// The findings on one skill.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Linted {
    pub(super) skill: String,
    pub(super) file: String,
    /// What was wrong and is mended now; places are those of the file as it was.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) mended: Vec<Diagnostic>,
    pub(super) findings: Vec<Diagnostic>,
}

impl Linted {
    /// Of a skill of the store whose SKILL.md, shown as `file`, the store does not give.
    pub(super) fn unreadable(skill: &SkillPath, file: String, error: &StoreError) -> Self {
        let found = Diagnostic::new(FindingCode::Unreadable, format!("it cannot be read: {}", why_unreadable(error)));
        Self { skill: skill.to_string(), file, mended: Vec::new(), findings: vec![found] }
    }

    /// How many findings are this bad.
    pub(super) fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|finding| finding.severity == severity).count()
    }

    /// One finding on a line, with its place.
    pub(super) fn line(&self, what: impl std::fmt::Display, finding: &Diagnostic) -> String {
        let place = match (finding.line, finding.column) {
            (Some(line), Some(column)) => format!(":{line}:{column}"),
            (Some(line), None) => format!(":{line}"),
            _ => String::new(),
        };
        let (file, message) = (one_line(&self.file), one_line(&finding.message));
        format!("{}{place}: {what}: {} [{}]", file.plain(), message.plain(), finding.code)
    }
}

impl From<&Misnamed> for Linted {
    fn from(misnamed: &Misnamed) -> Self {
        let file = misnamed.path.display().to_string();
        Self { skill: misnamed.at.clone(), file, mended: Vec::new(), findings: vec![misnamed.finding.clone()] }
    }
}

/// The findings on a SKILL.md, shown as `file`, of a skill with these files.
pub(super) fn judge(skill: &SkillPath, file: String, bytes: &[u8], files: &[&str]) -> Linted {
    let findings = lint(bytes, skill.folder(), Some(files));
    Linted { skill: skill.to_string(), file, mended: Vec::new(), findings }
}

/// The findings on a skill of this machine whose SKILL.md has these bytes.
pub(super) fn judge_local(local: &LocalSkill, bytes: &[u8]) -> Linted {
    let files: Vec<_> = local.files.iter().map(|file| file.relative.as_str()).collect();
    judge(&local.skill, local.main().display().to_string(), bytes, &files)
}

/// The bytes of a SKILL.md.
pub(super) fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|error| {
        Error::new(Code::InvalidRequest, format!("{} cannot be read", path.display())).with_source(error)
    })
}
