//! What the service knows of one skill, and of a user's skills together.

use std::{borrow::Cow, sync::Arc};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::discover::duplicates;
use crate::{
    path::{ETag, MountName, SkillPath},
    skill::{Diagnostic, Frontmatter, Severity},
};

/// Where a skill comes from: the nearest layer wins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// The user's own folder.
    #[default]
    User,
    /// The folder of the caller's team.
    Team,
    /// The organisation's folder.
    Org,
}

/// One skill of the catalog.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CatalogEntry {
    /// Where it lies; its identity.
    pub skill: SkillPath,
    /// Whose folder it lies in.
    pub layer: Layer,
    /// What its SKILL.md says of it, leniently read. The name and description are never empty here.
    pub frontmatter: Frontmatter,
    /// How its body begins: for search.
    pub opening: String,
    /// The headings of its body, a line each: for search.
    pub headings: String,
    /// The version of SKILL.md this was read from.
    pub etag: ETag,
    /// Files of the skill, SKILL.md included.
    pub files: usize,
    /// All their bytes.
    pub size: u64,
    /// The newest of them.
    pub updated_at: Timestamp,
    /// Layers further away that have a skill of the same path.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shadows: Vec<Layer>,
}

impl CatalogEntry {
    /// The name shown: the frontmatter's, or the folder's where it gives none.
    #[must_use]
    pub fn name(&self) -> &str {
        self.frontmatter.name.as_deref().unwrap_or_else(|| self.skill.folder())
    }

    /// What it is for, as the author wrote it.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.frontmatter.description
    }

    /// The mount name a load without alias gives.
    #[must_use]
    pub fn mount_name(&self) -> MountName {
        self.skill.mount_name()
    }
}

/// A diagnostic and the skill folder it is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CatalogDiagnostic {
    /// The folder of the SKILL.md, as it lies below `skills/`; not always a valid skill path.
    pub skill: String,
    /// What was found.
    #[serde(flatten)]
    pub diagnostic: Diagnostic,
}

impl CatalogDiagnostic {
    /// Whether it is about several skills at once, and names another than its own.
    pub(super) fn is_of_several(&self) -> bool {
        self.diagnostic.code.starts_with("duplicate_") && self.diagnostic.line.is_none()
    }
}

/// All of one user's skills at one moment: an immutable value, replaced whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogView {
    /// Skills in byte order of their paths.
    pub entries: Vec<Arc<CatalogEntry>>,
    /// What was wrong, skills left out included.
    pub diagnostics: Vec<CatalogDiagnostic>,
    /// Keys below `skills/` that no virtual path can name, so that nothing can reach them.
    pub unnameable_keys: usize,
    /// When the store was asked.
    pub as_of: Timestamp,
}

impl CatalogView {
    /// Why the skill at `path` is left out, if it is there and is.
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

    /// The diagnostics for those who see only some folders: none is about another, names another, or is there because of
    /// another.
    pub fn diagnostics_seen(&self, sees: impl Fn(&str) -> bool) -> Cow<'_, [CatalogDiagnostic]> {
        // What is said of the catalog as a whole names no folder.
        let told = |found: &&CatalogDiagnostic| found.skill.is_empty() || sees(&found.skill);
        let entries: Vec<_> = self.entries.iter().filter(|entry| sees(entry.skill.as_str())).cloned().collect();
        if entries.len() == self.entries.len() && self.diagnostics.iter().all(|found| told(&found)) {
            return Cow::Borrowed(&self.diagnostics);
        }
        let own = self.diagnostics.iter().filter(|found| !found.is_of_several()).filter(told);
        let mut rest: Vec<_> = own.cloned().chain(duplicates(&entries)).collect();
        rest.sort_by(|one, two| one.skill.cmp(&two.skill));
        Cow::Owned(rest)
    }
}
