//! The difference between two readings of a catalog.
//!
//! Skills are compared by their listing, so a change to any file of a skill changes the skill.

use std::{collections::BTreeMap, sync::Arc};

use super::{entry::CatalogEntry, layers::Audience};
use crate::path::{Layer, LayerOwner, SkillPath};

/// The changes in the catalog of one layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogChange {
    owner: LayerOwner,
    /// Whether the caller that asked for the reading reports the change.
    is_reported: bool,
    /// The skills that changed.
    pub difference: Difference,
}

/// The skills that differ between two readings. Both lists are in byte order of the paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// Skills that are new or changed.
    pub changed: Vec<SkillPath>,
    /// Skills that are no longer there.
    pub removed: Vec<SkillPath>,
}

impl CatalogChange {
    pub(super) fn new(owner: LayerOwner, difference: Difference, is_reported: bool) -> Self {
        Self { owner, is_reported, difference }
    }

    /// The layer that changed.
    #[must_use]
    pub fn layer(&self) -> Layer {
        self.owner.layer()
    }

    /// Whether a caller asked for the reading that reports the change itself: it published a skill of a user, or asked
    /// what changed in a user's skills. The caller does not report changes in the layers above to their other readers.
    #[must_use]
    pub fn is_reported(&self) -> bool {
        self.is_reported && self.layer() == Layer::User
    }

    /// Whether `audience` sees that layer, if layers are on.
    #[must_use]
    pub fn concerns(&self, audience: &Audience) -> bool {
        audience.owners(true).contains(&self.owner)
    }
}

impl Difference {
    /// The difference of two catalogs. If `before` lists a skill twice, its first entry counts.
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

    /// Whether nothing changed.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.changed.is_empty() && self.removed.is_empty()
    }
}

/// Whether a skill is the same. The layers it hides belong to other skills, so they do not count.
fn is_unchanged(known: &CatalogEntry, now: &CatalogEntry) -> bool {
    let state = |entry: &CatalogEntry| (entry.layer, entry.files, entry.size, entry.updated_at);
    known.etag == now.etag && state(known) == state(now)
}
