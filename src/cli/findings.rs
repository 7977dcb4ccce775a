//! What lint says of skills, for the command that prints it and for the one that refuses because of it.

use std::{fmt::Display, path::Path};

use super::folder::{LocalSkill, Misnamed};
use crate::{
    backend::lint_skill,
    error::{Code, Error, Result},
    skill::{Diagnostic, shown::one_line},
    wire::LintedSkill,
};

/// The findings on a skill of this machine whose SKILL.md has these bytes.
pub(super) fn judge(local: &LocalSkill, bytes: &[u8]) -> LintedSkill {
    let files: Vec<_> = local.files.iter().map(|file| file.relative.as_str()).collect();
    lint_skill(&local.skill, local.main().display().to_string(), bytes, &files)
}

/// A file that is called almost `SKILL.md`, as a finding on the folder that would be a skill.
pub(super) fn judge_misnamed(misnamed: &Misnamed) -> LintedSkill {
    let file = misnamed.path.display().to_string();
    LintedSkill { skill: misnamed.at.clone(), file, mended: Vec::new(), findings: vec![misnamed.finding.clone()] }
}

/// One finding on a line, with its place.
pub(super) fn line(linted: &LintedSkill, what: impl Display, finding: &Diagnostic) -> String {
    let place = match (finding.line, finding.column) {
        (Some(line), Some(column)) => format!(":{line}:{column}"),
        (Some(line), None) => format!(":{line}"),
        _ => String::new(),
    };
    let (file, message) = (one_line(&linted.file), one_line(&finding.message));
    format!("{}{place}: {what}: {} [{}]", file.plain(), message.plain(), finding.code)
}

/// The bytes of a SKILL.md.
pub(super) fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|error| {
        Error::new(Code::InvalidRequest, format!("{} cannot be read", path.display())).with_source(error)
    })
}
