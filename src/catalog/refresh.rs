//! Reading a catalog anew because somebody asks, and telling what became of it.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    entry::{CatalogEntry, CatalogView},
    layers::Audience,
    registry::Catalogs,
};
use crate::{error::Result, path::SkillPath};

/// A new reading, beside what this process knew before.
#[derive(Clone, Debug)]
pub struct Refreshed {
    /// The catalog as it is now.
    pub view: Arc<CatalogView>,
    /// Skills that were not known, or were known otherwise.
    pub changed: Vec<SkillPath>,
    /// Skills that were known and are not seen any more.
    pub removed: Vec<SkillPath>,
}

impl Catalogs {
    /// Reads what `audience` sees anew. To a process that has read nothing yet, everything has changed.
    ///
    /// # Errors
    /// As [`view`](Self::view).
    pub async fn refresh(&self, audience: impl Into<Audience>) -> Result<Refreshed> {
        let audience = audience.into();
        let mut before = self.known_entries(&audience).await?;
        let view = self.view(audience, true).await?;
        let mut changed = Vec::new();
        for entry in &view.entries {
            if before.remove(&entry.skill).is_none_or(|known| !is_unchanged(&known, entry)) {
                changed.push(entry.skill.clone());
            }
        }
        Ok(Refreshed { view, changed, removed: before.into_keys().collect() })
    }

    /// What this process knows of the skills `audience` sees: of each the nearest.
    async fn known_entries(&self, audience: &Audience) -> Result<BTreeMap<SkillPath, Arc<CatalogEntry>>> {
        let mut known = BTreeMap::new();
        for (layer, _) in self.layers(audience)? {
            let view = self.known(audience.clone(), layer).await;
            for entry in view.iter().flat_map(|view| &view.entries) {
                known.entry(entry.skill.clone()).or_insert_with(|| entry.clone());
            }
        }
        Ok(known)
    }
}

/// Whether nothing happened to a skill. What it hides is about other skills, so it does not count.
fn is_unchanged(known: &CatalogEntry, now: &CatalogEntry) -> bool {
    let state = |entry: &CatalogEntry| (entry.layer, entry.files, entry.size, entry.updated_at);
    known.etag == now.etag && state(known) == state(now)
}
