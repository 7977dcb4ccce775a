//! The documents for authors of skills: the change of each file, and the findings of lint.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use skillmount_skill::{Diagnostic, FindingCode, MAIN, Quality, Severity, quality};

/// The change of one file when a skill is pushed or pulled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileChange {
    /// The receiving side did not have it.
    Created,
    /// The receiving side had it with other content.
    Updated,
    /// It is deleted.
    Deleted,
    /// Both sides have the same content.
    Unchanged,
    /// Only the receiving side has it, and it stays there.
    Kept,
}

impl FileChange {
    /// Whether there is something to do.
    #[must_use]
    pub fn is_change(self) -> bool {
        matches!(self, Self::Created | Self::Updated | Self::Deleted)
    }
}

/// The files of a push or pull by what becomes of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FileChanges {
    /// The receiving side did not have these.
    pub created: Vec<String>,
    /// The receiving side had these with other content.
    pub updated: Vec<String>,
    /// These are deleted.
    pub deleted: Vec<String>,
    /// How many have the same content on both sides.
    pub unchanged: usize,
    /// Only the receiving side has these, and they stay there.
    pub kept: Vec<String>,
}

impl FileChanges {
    /// How many files change on the receiving side.
    #[must_use]
    pub fn changed(&self) -> usize {
        self.created.len() + self.updated.len() + self.deleted.len()
    }

    /// Whether the receiving side had no file of the skill.
    #[must_use]
    pub fn is_new(&self) -> bool {
        !self.created.is_empty() && self.changed() == self.created.len() && self.unchanged == 0 && self.kept.is_empty()
    }
}

impl<'name> FromIterator<(&'name str, FileChange)> for FileChanges {
    fn from_iter<I: IntoIterator<Item = (&'name str, FileChange)>>(files: I) -> Self {
        let mut changes = Self::default();
        for (name, change) in files {
            let list = match change {
                FileChange::Created => &mut changes.created,
                FileChange::Updated => &mut changes.updated,
                FileChange::Deleted => &mut changes.deleted,
                FileChange::Kept => &mut changes.kept,
                FileChange::Unchanged => {
                    changes.unchanged += 1;
                    continue;
                }
            };
            list.push(name.to_owned());
        }
        changes
    }
}

/// One finding of lint, with the file that it is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LintFinding {
    /// The file, below the skill's folder. Lines and columns are those of this file.
    pub path: String,
    /// What is wrong.
    #[serde(flatten)]
    pub diagnostic: Diagnostic,
    /// Whether `skillmount lint --fix` fixes it. It fixes nothing in a store.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fixable: bool,
}

impl LintFinding {
    /// A finding about the file at `path`, which a person must fix.
    #[must_use]
    pub fn new(path: impl Into<String>, diagnostic: Diagnostic) -> Self {
        Self { path: path.into(), diagnostic, fixable: false }
    }
}

/// Which skills to judge.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct LintListRequest {
    /// Only this one: its path, or the name of its folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skill: Option<String>,
    /// Skills of one page at most, 1 to 1,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// `next_cursor` of the page before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// One page of what lint finds in a user's own skills.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LintList {
    /// In byte order of their paths, those without findings too.
    pub skills: Vec<LintedSkill>,
    /// Give this back to get the next page; null on the last one.
    pub next_cursor: Option<String>,
    /// Whether there are more files than are listed (100,000), so that skills beyond them are left out.
    pub is_cut: bool,
}

/// What lint finds in one skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LintedSkill {
    /// Where the skill lies below `skills/`.
    pub skill: String,
    /// Its SKILL.md, as its author knows it.
    pub file: String,
    /// Findings that are fixed now, with their places in the file before the fix.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mended: Vec<Diagnostic>,
    /// What is wrong, in the order of the files: SKILL.md first.
    pub findings: Vec<LintFinding>,
    /// How many of the findings `skillmount lint --fix` fixes. It fixes nothing in a store.
    #[serde(default)]
    pub fixable: usize,
    /// How well the skill serves agents; absent for what is no skill, or cannot be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quality: Option<Quality>,
}

impl LintedSkill {
    /// The same with its quality. `main` is its SKILL.md, `folder` its folder; `files` and `size` describe the whole
    /// skill.
    #[must_use]
    pub fn with_quality(self, main: &[u8], folder: &str, files: &[&str], size: u64) -> Self {
        let (of_main, of_others): (Vec<_>, Vec<_>) = self.findings.iter().partition(|finding| finding.path == MAIN);
        let is_hidden = |finding: &&&LintFinding| finding.diagnostic.finding() == Some(FindingCode::HiddenCharacters);
        let hidden = of_others.iter().filter(is_hidden);
        let hidden = hidden.map(|finding| finding.diagnostic.clone().in_file(&finding.path));
        let counted: Vec<_> = of_main.iter().map(|finding| finding.diagnostic.clone()).chain(hidden).collect();
        Self { quality: Some(quality(main, folder, files, size, &counted)), ..self }
    }

    /// How many findings are this bad.
    #[must_use]
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|finding| finding.diagnostic.severity == severity).count()
    }

    /// The same with its errors only, for which a push leaves the skill behind; `None` if it has none.
    #[must_use]
    pub fn errors_only(&self) -> Option<Self> {
        let is_error = |finding: &&LintFinding| finding.diagnostic.severity == Severity::Error;
        let findings: Vec<_> = self.findings.iter().filter(is_error).cloned().collect();
        (!findings.is_empty()).then(|| Self { findings, ..self.clone() })
    }
}
