//! How one catalog is read: once for all who wait, again every 30 s while callers ask for it, and into the index behind them.
//!
//! A reading belongs to the callers that wait for it: an error is their answer and is then forgotten, and a caller that
//! leaves hands the reading to the next in the queue. Two things run without a waiting caller: writing the index, and
//! refreshing a catalog that is served from memory.

use std::{
    sync::{Arc, Weak},
    time::Duration,
};

use tokio::time::sleep;

use super::{
    change::{CatalogChange, Difference},
    discover::{Discovery, PendingListing},
    registry::Catalogs,
    slot::{Freshness, KnownCatalog, LastReading, LayerState},
    view::CatalogView,
};
use crate::{
    budget::Job,
    error::Result,
    limits::{CATALOG_STALE, FRESH, WORK_STEPS},
    path::{LayerOwner, UserSpace},
};

impl Catalogs {
    pub(super) async fn view_of(
        &self,
        owner: &LayerOwner,
        slot: &Arc<LayerState>,
        asked: Freshness,
    ) -> Result<Arc<CatalogView>> {
        let known = slot.known().filter(|known| !asked.is_fresh() && known.age(self.clock.uptime()) < CATALOG_STALE);
        let view = match known {
            Some(known) => known.discovery.view().clone(),
            None => self.read(owner, slot, asked).await?,
        };
        if slot.ask() {
            tokio::spawn(self.clone().attend(owner.clone(), Arc::downgrade(slot)));
        }
        Ok(view)
    }

    /// Refreshes a catalog each time it was served for 30 s, and ends after 30 s without a caller. It does not keep the
    /// slot alive, so a forgotten catalog frees its memory at once.
    async fn attend(self, owner: LayerOwner, slot: Weak<LayerState>) {
        while let Some(slot) = slot.upgrade() {
            let wait = slot.known().map(|known| known.due.saturating_sub(self.clock.uptime())).unwrap_or_default();
            if !wait.is_zero() {
                drop(slot);
                sleep(wait).await;
                continue;
            }
            // A caller that comes after a catalog was forgotten gets a new slot with a task of its own.
            if slot.is_done_with() || !self.kept.holds(&owner, &slot) {
                return;
            }
            // Boxed, because most of these tasks only sleep.
            if let Err(error) = Box::pin(self.read(&owner, &slot, Freshness::Fresh)).await {
                tracing::warn!(?owner, error = %error.chain(), "a catalog could not be brought up to date");
                drop(slot);
                sleep(FRESH).await;
            }
        }
    }

    /// Waits for the reading under way or begins one. If a fresh one is asked for, it must begin after this call.
    pub(super) async fn read(
        &self,
        owner: &LayerOwner,
        slot: &Arc<LayerState>,
        asked: Freshness,
    ) -> Result<Arc<CatalogView>> {
        let called = slot.turn();
        let mut flight = slot.flight.lock().await;
        if let Some(flight) = &*flight
            && called < if asked.is_fresh() { flight.began } else { flight.ended }
        {
            return flight.outcome.clone();
        }
        let began = slot.turn();
        let outcome = self.discover(owner, slot, asked).await;
        *flight = Some(LastReading { began, ended: slot.turn(), outcome: outcome.clone() });
        outcome
    }

    async fn discover(&self, owner: &LayerOwner, slot: &Arc<LayerState>, asked: Freshness) -> Result<Arc<CatalogView>> {
        let at = self.clock.uptime();
        let (layer, space) = (owner.layer(), owner.space(&self.namespace)?);
        let (survey, errand) = (PendingListing::list(&*self.store, layer, &space, &*self.clock), self.errand(owner));
        let (survey, previous) = match (slot.known(), &self.index) {
            (Some(known), _) => (survey.await?, Some(known.discovery)),
            (None, None) => (survey.await?, None),
            (None, Some(_)) if asked.is_fresh() => {
                let (survey, saved) = tokio::join!(survey, slot.saved.load(&*self.store, layer, &space, &errand));
                (survey?, saved)
            }
            (None, Some(_)) => match slot.saved.load(&*self.store, layer, &space, &errand).await {
                Some(saved) if self.age_of(&saved) < CATALOG_STALE => {
                    let (view, age) = (saved.view().clone(), self.age_of(&saved));
                    self.keep(owner, slot, KnownCatalog::believed(saved, self.clock.uptime(), age), asked);
                    return Ok(view);
                }
                saved => (survey.await?, saved),
            },
        };
        let discovery = survey.read(&*self.store, previous.as_ref()).await?;
        self.keep(owner, slot, KnownCatalog::read(discovery.clone(), at, self.clock.uptime()), asked);
        let view = discovery.view().clone();
        self.save(owner, slot, space, discovery);
        Ok(view)
    }

    /// Remembers a new catalog, and reports its changes if there was one before.
    pub(super) fn keep(&self, owner: &LayerOwner, slot: &Arc<LayerState>, known: KnownCatalog, asked: Freshness) {
        let now = known.discovery.view().clone();
        let before = slot.replace(known);
        self.kept.weigh_layer(owner, slot, slot.bytes());
        let Some(before) = before else { return };
        let difference = Difference::between(&before.discovery.view().entries, &now.entries);
        if difference.is_none() {
            return;
        }
        let (changed, removed) = (difference.changed.len(), difference.removed.len());
        tracing::info!(?owner, changed, removed, "catalog_changed");
        // An error means that there is no receiver.
        let _ =
            self.changes.send(Arc::new(CatalogChange::new(owner.clone(), difference, asked == Freshness::ToReport)));
    }

    /// The errand for work on the index of a layer.
    pub(super) fn errand(&self, owner: &LayerOwner) -> Job {
        self.studio.workers.errand(&owner.to_string(), WORK_STEPS)
    }

    /// The age of a catalog by the wall clock. One from the future counts as stale.
    fn age_of(&self, saved: &Discovery) -> Duration {
        let age = self.clock.now().duration_since(saved.view().as_of);
        Duration::try_from(age).unwrap_or(CATALOG_STALE)
    }

    /// Updates the index in the background.
    fn save(&self, owner: &LayerOwner, slot: &Arc<LayerState>, space: UserSpace, discovery: Discovery) {
        let Some(committer) = self.index.clone() else { return };
        let (store, slot, errand) = (self.store.clone(), slot.clone(), self.errand(owner));
        tokio::spawn(async move { slot.saved.save(&*store, &committer, &space, discovery, &errand).await });
    }
}
