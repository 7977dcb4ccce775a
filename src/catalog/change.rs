//! What became of a catalog between two readings.
//!
//! Skills are compared by what the listing says of them, so a change of any file of a skill is a change of the skill.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    entry::CatalogEntry,
    layers::{Audience, Owner},
};
use crate::path::{Layer, SkillPath};

/// What changed in the catalog of one layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogChange {
    owner: Owner,
    /// Which skills.
    pub difference: Difference,
}

/// How the skills of one reading differ from those of an earlier one; both lists in byte order of the paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// Skills that are new or have changed.
    pub changed: Vec<SkillPath>,
    /// Skills that are gone.
    pub removed: Vec<SkillPath>,
}

impl CatalogChange {
    pub(super) fn new(owner: Owner, difference: Difference) -> Self {
        Self { owner, difference }
    }

    /// The layer it is about.
    #[must_use]
    pub fn layer(&self) -> Layer {
        self.owner.layer()
    }

    /// Whether `audience` sees that layer, where layers are on.
    #[must_use]
    pub fn concerns(&self, audience: &Audience) -> bool {
        Owner::seen_by(audience, true).contains(&self.owner)
    }
}

impl Difference {
    /// What is otherwise in `now` than it was in `before`; of several entries of one skill in `before` the first counts.
    pub(super) fn between<'entry>(
        before: impl IntoIterator<Item = &'entry Arc<CatalogEntry>>,
        now: &[Arc<CatalogEntry>],
    ) -> Self {
        let mut known: BTreeMap<&SkillPath, &CatalogEntry> = BTreeMap::new();
        for entry in before {
            known.entry(&entry.skill).or_insert(entry);
        }
        let is_changed =
            |entry: &&Arc<CatalogEntry>| known.remove(&entry.skill).is_none_or(|known| !is_unchanged(known, entry));
        let changed = now.iter().filter(is_changed).map(|entry| entry.skill.clone()).collect();
        Self { changed, removed: known.into_keys().cloned().collect() }
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.changed.is_empty() && self.removed.is_empty()
    }
}

/// Whether nothing happened to a skill. What it hides is about other skills, so it does not count.
fn is_unchanged(known: &CatalogEntry, now: &CatalogEntry) -> bool {
    let state = |entry: &CatalogEntry| (entry.layer, entry.files, entry.size, entry.updated_at);
    known.etag == now.etag && state(known) == state(now)
}
