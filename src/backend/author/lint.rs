//! What lint says of skills, to those who lint them and to those who push them.

use bytes::Bytes;

use super::stored::StoredSkill;
use crate::{
    backend::{Service, text::binary_type},
    catalog::why_unreadable,
    error::Result,
    path::SkillPath,
    skill::{Diagnostic, FindingCode, MAIN, lint, secret_file, secrets},
    store::{GetOptions, StoreError},
    wire::{LintFinding, LintedSkill},
};

/// The findings on a SKILL.md with these bytes, shown as `file`, of a skill with these files, and on the names of the
/// files. [`lint_content`] judges what the others hold.
#[must_use]
pub fn lint_skill(skill: &SkillPath, file: String, bytes: &[u8], files: &[&str]) -> LintedSkill {
    linted(skill, file, lint(bytes, skill.folder(), Some(files)), files)
}

/// The findings on the content of a file of a skill other than its SKILL.md, which lies at `path` below its folder: the
/// secrets that stand in it as text.
#[must_use]
pub fn lint_content(path: &str, bytes: &[u8]) -> Vec<LintFinding> {
    if binary_type(bytes).is_some() {
        return Vec::new();
    }
    secrets(bytes).into_iter().map(|diagnostic| LintFinding { path: path.to_owned(), diagnostic }).collect()
}

fn linted(skill: &SkillPath, file: String, of_main: Vec<Diagnostic>, files: &[&str]) -> LintedSkill {
    let of_main = of_main.into_iter().map(|diagnostic| LintFinding { path: MAIN.to_owned(), diagnostic });
    let named = files.iter().filter_map(|path| Some(((*path).to_owned(), secret_file(path)?)));
    let named = named.map(|(path, diagnostic)| LintFinding { path, diagnostic });
    let findings = of_main.chain(named).collect();
    LintedSkill { skill: skill.to_string(), file, mended: Vec::new(), findings, fixable: 0 }
}

impl Service {
    /// The findings on a stored skill: on its SKILL.md and on the names of its files, whose contents are not read. A
    /// SKILL.md that the store refuses to give is a finding as well.
    ///
    /// # Errors
    /// The store's.
    pub async fn lint_stored(&self, skill: &StoredSkill) -> Result<LintedSkill> {
        let file = format!("{}/{MAIN}", skill.skill);
        let files: Vec<_> = skill.files.iter().map(|file| file.path.as_str()).collect();
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
                return Ok(linted(&skill.skill, file, vec![found], &files));
            }
            Err(error) => return Err(error.into()),
        };
        Ok(lint_skill(&skill.skill, file, &bytes, &files))
    }
}
