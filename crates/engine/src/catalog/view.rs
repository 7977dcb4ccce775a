//! All skills of a user at one moment.

use std::{borrow::Cow, sync::Arc};

use jiff::Timestamp;

use super::{
    duplicates::duplicates,
    entry::{CatalogDiagnostic, CatalogEntry},
};
use crate::{
    path::SkillPath,
    skill::{Diagnostic, Severity},
};

/// All of one user's skills at one moment: an immutable value, replaced whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogView {
    /// Skills in byte order of their paths.
    pub entries: Vec<Arc<CatalogEntry>>,
    /// The findings, those of skills left out included.
    pub diagnostics: Vec<CatalogDiagnostic>,
    /// The number of keys below `skills/` that no virtual path can name, so that nothing reaches them.
    pub unnameable_keys: usize,
    /// The time of the listing.
    pub as_of: Timestamp,
}

impl CatalogView {
    /// Returns the reason why the skill at `path` is left out, if it is.
    #[must_use]
    pub fn left_out(&self, path: &SkillPath) -> Option<&Diagnostic> {
        let of_skill = |found: &&CatalogDiagnostic| found.skill == path.as_str();
        let found = self.diagnostics.iter().filter(of_skill).map(|found| &found.diagnostic);
        found.filter(|_| self.entry(path).is_none()).find(|found| found.severity == Severity::Error)
    }

    /// The skill at `path`.
    #[must_use]
    pub fn entry(&self, path: &SkillPath) -> Option<&Arc<CatalogEntry>> {
        let at = self.entries.binary_search_by(|entry| entry.skill.cmp(path)).ok()?;
        self.entries.get(at)
    }

    /// The same catalog with these skills too, but for those whose paths are taken.
    #[must_use]
    pub fn with(&self, more: impl IntoIterator<Item = CatalogEntry>) -> Self {
        let mut whole = self.clone();
        whole.entries.extend(more.into_iter().filter(|entry| self.entry(&entry.skill).is_none()).map(Arc::new));
        whole.entries.sort_by(|one, two| one.skill.cmp(&two.skill));
        whole
    }

    /// The diagnostics for a reader who sees only some folders: none is about another folder, names one, or exists
    /// because of one.
    pub fn visible_diagnostics(&self, sees: impl Fn(&str) -> bool) -> Cow<'_, [CatalogDiagnostic]> {
        // A diagnostic about the whole catalog names no folder.
        let is_seen = |found: &&CatalogDiagnostic| found.skill.is_empty() || sees(&found.skill);
        let entries: Vec<_> = self.entries.iter().filter(|entry| sees(entry.skill.as_str())).cloned().collect();
        if entries.len() == self.entries.len() && self.diagnostics.iter().all(|found| is_seen(&found)) {
            return Cow::Borrowed(&self.diagnostics);
        }
        let own = self.diagnostics.iter().filter(|found| !found.compares_skills()).filter(is_seen);
        let mut rest: Vec<_> = own.cloned().chain(duplicates(&entries)).collect();
        rest.sort_by(|one, two| one.skill.cmp(&two.skill));
        Cow::Owned(rest)
    }
}
