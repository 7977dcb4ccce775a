//! What lint says of skills, to those who lint them and to those who push them.

use bytes::Bytes;

use super::{MAIN, stored::StoredSkill};
use crate::{
    backend::Service,
    catalog::why_unreadable,
    error::Result,
    path::SkillPath,
    skill::{Diagnostic, FindingCode, lint},
    store::{GetOptions, StoreError},
    wire::LintedSkill,
};

/// The findings on a SKILL.md with these bytes, shown as `file`, of a skill with these files.
#[must_use]
pub fn lint_skill(skill: &SkillPath, file: String, bytes: &[u8], files: &[&str]) -> LintedSkill {
    linted(skill, file, lint(bytes, skill.folder(), Some(files)))
}

fn linted(skill: &SkillPath, file: String, findings: Vec<Diagnostic>) -> LintedSkill {
    LintedSkill { skill: skill.to_string(), file, mended: Vec::new(), findings }
}

impl Service {
    /// The findings on a stored skill. A SKILL.md that the store refuses to give is a finding as well.
    ///
    /// # Errors
    /// The store's.
    pub async fn lint_stored(&self, skill: &StoredSkill) -> Result<LintedSkill> {
        let file = format!("{}/{MAIN}", skill.skill);
        let read = match skill.main() {
            Some(main) => self.store().get(main.key()?, GetOptions::default()).await,
            None => Err(StoreError::NotFound),
        };
        let bytes = match read {
            Ok(object) => object.bytes,
            Err(StoreError::NotFound) => Bytes::new(),
            // It was listed, so it is this file that cannot be read.
            Err(error @ StoreError::Denied(_)) => {
                let message = format!("it cannot be read: {}", why_unreadable(&error));
                let found = Diagnostic::new(FindingCode::Unreadable, message);
                return Ok(linted(&skill.skill, file, vec![found]));
            }
            Err(error) => return Err(error.into()),
        };
        let files: Vec<_> = skill.files.iter().map(|file| file.path.as_str()).collect();
        Ok(lint_skill(&skill.skill, file, &bytes, &files))
    }
}
