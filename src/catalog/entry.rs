//! One skill of a catalog, and all of a user's skills.

use std::{borrow::Cow, sync::Arc};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::discover::duplicates;
use crate::{
    path::{ETag, Layer, MountName, SkillPath},
    skill::{Diagnostic, FindingCode, Frontmatter, Severity},
};

/// One skill of the catalog.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CatalogEntry {
    /// Its path and identity.
    pub skill: SkillPath,
    /// The layer whose folder contains it.
    pub layer: Layer,
    /// Its frontmatter, leniently read. The name and description are never empty here.
    pub frontmatter: Frontmatter,
    /// The beginning of its body, for search.
    pub opening: String,
    /// The headings of its body, one a line, for search.
    pub headings: String,
    /// The version of SKILL.md that was read.
    pub etag: ETag,
    /// The number of its files, SKILL.md included.
    pub files: usize,
    /// The bytes of all its files.
    pub size: u64,
    /// The time of its newest file.
    pub updated_at: Timestamp,
    /// Layers further away that have a skill of the same path.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shadows: Vec<Layer>,
}

impl CatalogEntry {
    /// The name to show: the frontmatter's, or the folder's if it gives none.
    #[must_use]
    pub fn name(&self) -> &str {
        self.frontmatter.name.as_deref().unwrap_or_else(|| self.skill.folder())
    }

    /// The purpose of the skill, as the author wrote it.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.frontmatter.description
    }

    /// The mount name of a load without alias.
    #[must_use]
    pub fn mount_name(&self) -> MountName {
        self.skill.mount_name()
    }
}

/// A diagnostic and the skill folder it is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CatalogDiagnostic {
    /// The folder of the SKILL.md below `skills/`. It is not always a valid skill path.
    pub skill: String,
    /// The finding.
    #[serde(flatten)]
    pub diagnostic: Diagnostic,
}

impl CatalogDiagnostic {
    /// Whether it compares several skills, so that it names another skill.
    pub(super) fn compares_skills(&self) -> bool {
        self.diagnostic.finding().is_some_and(FindingCode::compares_skills)
    }
}

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

    /// The diagnostics for a reader who sees only some folders: none is about another folder, names one, or exists
    /// because of one.
    pub fn diagnostics_seen(&self, sees: impl Fn(&str) -> bool) -> Cow<'_, [CatalogDiagnostic]> {
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
