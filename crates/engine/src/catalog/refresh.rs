//! Reads of catalogs on request, and reports of the changes.

use std::sync::Arc;

use super::{
    change::Difference,
    entry::CatalogEntry,
    layer_state::{CachedCatalog, Freshness},
    layers::Audience,
    persisted::SavedIndex,
    reading::{index_job, read_audience, read_layer, remember},
    registry::Catalogs,
    view::CatalogView,
};
use crate::{
    error::Result,
    path::{Id, LayerOwner},
    store::DeleteOptions,
};

/// A new reading of a catalog.
#[derive(Clone, Debug)]
pub struct RefreshResult {
    /// The catalog as it is now.
    pub view: Arc<CatalogView>,
    /// Its difference from the previous catalog.
    pub difference: Difference,
}

impl Catalogs {
    /// The catalog of `audience`; `as_of` is its time. With `fresh` the store is asked after this call began. All
    /// layers are read at the same time.
    ///
    /// A catalog in memory is served for 30 s. Then it is read again in the background for as long as callers ask, so a
    /// change shows within 30 s of activity. After a pause, a catalog younger than 5 minutes is served once more while
    /// the store is asked, and an older one waits for the store.
    ///
    /// # Errors
    /// As [`discover`](super::discover).
    pub async fn view(&self, audience: impl Into<Audience>, fresh: bool) -> Result<Arc<CatalogView>> {
        Ok(read_audience(self, &audience.into(), Freshness::from_flag(fresh)).await?.0)
    }

    /// Reads the catalog of `audience` again. For a process without a previous catalog, everything changed.
    ///
    /// # Errors
    /// As [`view`](Self::view).
    pub async fn refresh(&self, audience: impl Into<Audience>) -> Result<RefreshResult> {
        let audience = audience.into();
        let before = cached_entries(self, &audience)?;
        let view = read_audience(self, &audience, Freshness::ToReport).await?.0;
        let difference = Difference::between(&before, &view.entries);
        Ok(RefreshResult { view, difference })
    }

    /// Reads all of the user's own skills again and reuses nothing. Deletes the index first. If there is to be an
    /// index, writes a new one before returning.
    ///
    /// # Errors
    /// As [`discover`](super::discover), and an error of the store if the index cannot be deleted.
    pub async fn rebuild(&self, user: &Id) -> Result<Arc<CatalogView>> {
        let owner = LayerOwner::User(user.clone());
        let space = owner.space(&self.namespace)?;
        self.store.delete(&space.catalog()?, DeleteOptions::default()).await?;
        let slot = self.kept.layer(&owner);
        // A reading under way began earlier, so it must also end earlier.
        let _flight = slot.flight.lock().await;
        let at = self.clock.uptime();
        let discovery = super::discover(&*self.store, &space, &*self.clock, None).await?;
        remember(
            self,
            &owner,
            &slot,
            CachedCatalog::read(discovery.clone(), at, self.clock.uptime()),
            Freshness::Fresh,
        );
        let view = discovery.view().clone();
        if let Some(committer) = &self.index {
            // The index that this process knows was deleted. A new value looks before it writes.
            SavedIndex::default().save(&*self.store, committer, &space, discovery, &index_job(self, &owner)).await;
        }
        Ok(view)
    }

    /// Reads one layer again, so that the changes of this process show at once.
    ///
    /// # Errors
    /// As [`view`](Self::view).
    pub async fn refresh_layer(&self, owner: &LayerOwner) -> Result<()> {
        let slot = self.kept.layer(owner);
        read_layer(self, owner, &slot, Freshness::ToReport).await.map(drop)
    }
}

/// The layers of `audience` in memory, nearest first.
fn cached_entries(catalogs: &Catalogs, audience: &Audience) -> Result<Vec<Arc<CatalogEntry>>> {
    let mut known = Vec::new();
    for (layer, _) in catalogs.layers(audience)? {
        let view = catalogs.cached_layer(audience.clone(), layer);
        known.extend(view.iter().flat_map(|view| &view.entries).cloned());
    }
    Ok(known)
}
