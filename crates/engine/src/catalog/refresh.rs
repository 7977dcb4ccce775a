//! Reading a catalog again on request, and reporting the changes.

use std::sync::Arc;

use super::{
    change::Difference, entry::CatalogEntry, layers::Audience, registry::Catalogs, slot::Freshness, view::CatalogView,
};
use crate::{error::Result, path::LayerOwner};

/// A new reading of a catalog.
#[derive(Clone, Debug)]
pub struct RefreshResult {
    /// The catalog as it is now.
    pub view: Arc<CatalogView>,
    /// Its difference from the previous catalog.
    pub difference: Difference,
}

impl Catalogs {
    /// Reads the catalog of `audience` again. For a process without a previous catalog, everything changed.
    ///
    /// # Errors
    /// As [`view`](Self::view).
    pub async fn refresh(&self, audience: impl Into<Audience>) -> Result<RefreshResult> {
        let audience = audience.into();
        let before = self.known_entries(&audience)?;
        let view = self.look(&audience, Freshness::ToReport).await?.0;
        let difference = Difference::between(&before, &view.entries);
        Ok(RefreshResult { view, difference })
    }

    /// Reads one layer again, so that the changes of this process show at once.
    ///
    /// # Errors
    /// As [`view`](Self::view).
    pub async fn look_again(&self, owner: &LayerOwner) -> Result<()> {
        let slot = self.kept.layer(owner);
        self.read(owner, &slot, Freshness::ToReport).await.map(drop)
    }

    /// Whether users also see skills of teams and of the organisation.
    #[must_use]
    pub fn has_layers(&self) -> bool {
        self.layers
    }

    /// The layers of `audience` in memory, nearest first.
    fn known_entries(&self, audience: &Audience) -> Result<Vec<Arc<CatalogEntry>>> {
        let mut known = Vec::new();
        for (layer, _) in self.layers(audience)? {
            let view = self.known(audience.clone(), layer);
            known.extend(view.iter().flat_map(|view| &view.entries).cloned());
        }
        Ok(known)
    }
}
