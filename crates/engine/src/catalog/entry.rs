//! One skill of a catalog, with the findings about it.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{
    path::{ETag, Layer, MountName, SkillPath},
    skill::{Diagnostic, FindingCode, Fingerprint, Frontmatter},
    words::SearchDocument,
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
    /// Its files by path and version; `None` if an earlier version of this program wrote the index that it is from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<Fingerprint>,
    /// Layers further away that have a skill of the same path.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shadows: Vec<Layer>,
}

impl CatalogEntry {
    /// The skill as search sees it.
    #[must_use]
    pub fn search_document(&self) -> SearchDocument<'_> {
        let head = &self.frontmatter;
        SearchDocument {
            skill: &self.skill,
            name: self.name(),
            description: &head.description,
            when_to_use: head.when_to_use.as_deref().unwrap_or_default(),
            triggers: &head.triggers,
            tags: &head.tags,
            keywords: &head.keywords,
            headings: &self.headings,
            body: &self.opening,
        }
    }

    /// Whether its frontmatter names `level`, which is in lower case; every skill if that is empty.
    #[must_use]
    pub fn is_of_level(&self, level: &str) -> bool {
        level.is_empty() || self.frontmatter.level.as_deref().is_some_and(|own| own.trim().to_lowercase() == level)
    }

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
    /// Whether the diagnostic compares several skills, and so names another skill.
    pub(super) fn compares_skills(&self) -> bool {
        self.diagnostic.finding().is_some_and(FindingCode::compares_skills)
    }
}
