//! How one catalog is read: once for all who wait, again every 30 s while callers ask for it, and into the index behind them.
//!
//! A reading belongs to the callers that wait for it: an error is their answer and is then forgotten, and a caller that
//! leaves hands the reading to the next in the queue. Two things run without a waiting caller: writing the index, and
//! refreshing a catalog that is served from memory.

use std::{
    sync::{Arc, Weak},
    time::Duration,
};

use futures_util::future::try_join_all;
use tokio::time::sleep;

use super::{
    audience_view::AudienceView,
    change::{CatalogChange, Difference},
    discover::{Discovery, PendingListing},
    layer_state::{CachedCatalog, Freshness, LastReading, LayerState},
    layers::Audience,
    registry::Catalogs,
    view::CatalogView,
};
use crate::{
    budget::Job,
    error::Result,
    limits::{CATALOG_STALE, FRESH, WORK_STEPS},
    path::{LayerOwner, UserSpace},
};

/// The catalog of `audience`, with the place of its index. All layers are read at the same time.
///
/// # Errors
/// As [`discover`](super::discover).
pub(super) async fn read_audience(
    catalogs: &Catalogs,
    audience: &Audience,
    asked: Freshness,
) -> Result<(Arc<CatalogView>, Arc<AudienceView>)> {
    let owners = audience.owners(catalogs.layers);
    let (slots, audience_view) = catalogs.kept.in_use(audience, &owners);
    let parts = owners.iter().zip(&slots).map(|(owner, slot)| layer_view(catalogs, owner, slot, asked));
    let mut parts = try_join_all(parts).await?;
    let view = match (parts.pop(), parts.is_empty()) {
        (Some(only), true) => only,
        (last, _) => {
            catalogs.index_builder.merged(&audience_view, audience, parts.into_iter().chain(last).collect()).await?
        }
    };
    Ok((view, audience_view))
}

/// The catalog of one layer, from memory or from the bucket. Later changes are read in the background.
pub(super) async fn layer_view(
    catalogs: &Catalogs,
    owner: &LayerOwner,
    slot: &Arc<LayerState>,
    asked: Freshness,
) -> Result<Arc<CatalogView>> {
    let known = slot.cached().filter(|known| !asked.is_fresh() && known.age(catalogs.clock.uptime()) < CATALOG_STALE);
    let view = match known {
        Some(known) => known.discovery.view().clone(),
        None => read_layer(catalogs, owner, slot, asked).await?,
    };
    if slot.ask() {
        tokio::spawn(keep_current(catalogs.clone(), owner.clone(), Arc::downgrade(slot)));
    }
    Ok(view)
}

/// Refreshes a catalog each time it was served for 30 s, and ends after 30 s without a caller. It does not keep the
/// slot alive, so a forgotten catalog frees its memory at once.
async fn keep_current(catalogs: Catalogs, owner: LayerOwner, slot: Weak<LayerState>) {
    while let Some(slot) = slot.upgrade() {
        let wait = slot.cached().map(|known| known.due.saturating_sub(catalogs.clock.uptime())).unwrap_or_default();
        if !wait.is_zero() {
            drop(slot);
            sleep(wait).await;
            continue;
        }
        // A caller that comes after a catalog was forgotten gets a new slot with a task of its own.
        if slot.is_done_with() || !catalogs.kept.holds(&owner, &slot) {
            return;
        }
        // Boxed, because most of these tasks only sleep.
        if let Err(error) = Box::pin(read_layer(&catalogs, &owner, &slot, Freshness::Fresh)).await {
            tracing::warn!(?owner, error = %error.chain(), "a catalog could not be brought up to date");
            drop(slot);
            sleep(FRESH).await;
        }
    }
}

/// Waits for the reading under way or begins one. If a fresh one is asked for, it must begin after this call.
pub(super) async fn read_layer(
    catalogs: &Catalogs,
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
    let outcome = read_bucket(catalogs, owner, slot, asked).await;
    *flight = Some(LastReading { began, ended: slot.turn(), outcome: outcome.clone() });
    outcome
}

async fn read_bucket(
    catalogs: &Catalogs,
    owner: &LayerOwner,
    slot: &Arc<LayerState>,
    asked: Freshness,
) -> Result<Arc<CatalogView>> {
    let at = catalogs.clock.uptime();
    let (layer, space) = (owner.layer(), owner.space(&catalogs.namespace)?);
    let (survey, errand) =
        (PendingListing::list(&*catalogs.store, layer, &space, &*catalogs.clock), index_job(catalogs, owner));
    let (survey, previous) = match (slot.cached(), catalogs.index()) {
        (Some(known), _) => (survey.await?, Some(known.discovery)),
        (None, None) => (survey.await?, None),
        (None, Some(_)) if asked.is_fresh() => {
            let (survey, saved) = tokio::join!(survey, slot.saved.load(&*catalogs.store, layer, &space, &errand));
            (survey?, saved)
        }
        (None, Some(_)) => match slot.saved.load(&*catalogs.store, layer, &space, &errand).await {
            Some(saved) if age_of(catalogs, &saved) < CATALOG_STALE => {
                let (view, age) = (saved.view().clone(), age_of(catalogs, &saved));
                remember(catalogs, owner, slot, CachedCatalog::believed(saved, catalogs.clock.uptime(), age), asked);
                return Ok(view);
            }
            saved => (survey.await?, saved),
        },
    };
    let discovery = survey.read(&*catalogs.store, previous.as_ref()).await?;
    remember(catalogs, owner, slot, CachedCatalog::read(discovery.clone(), at, catalogs.clock.uptime()), asked);
    let view = discovery.view().clone();
    save_behind(catalogs, owner, slot, space, discovery);
    Ok(view)
}

/// Remembers a new catalog, and reports its changes if there was one before.
pub(super) fn remember(
    catalogs: &Catalogs,
    owner: &LayerOwner,
    slot: &Arc<LayerState>,
    known: CachedCatalog,
    asked: Freshness,
) {
    let now = known.discovery.view().clone();
    let before = slot.replace(known);
    catalogs.kept.weigh_layer(owner, slot, slot.bytes());
    let Some(before) = before else { return };
    let difference = Difference::between(&before.discovery.view().entries, &now.entries);
    if difference.is_none() {
        return;
    }
    let (changed, removed) = (difference.changed.len(), difference.removed.len());
    tracing::info!(?owner, changed, removed, "catalog_changed");
    // An error means that there is no receiver.
    let _ =
        catalogs.changes.send(Arc::new(CatalogChange::new(owner.clone(), difference, asked == Freshness::ToReport)));
}

/// The job for work on the index of a layer.
pub(super) fn index_job(catalogs: &Catalogs, owner: &LayerOwner) -> Job {
    catalogs.index_builder.workers.errand(&owner.to_string(), WORK_STEPS)
}

/// The age of a catalog by the wall clock. One from the future counts as stale.
fn age_of(catalogs: &Catalogs, saved: &Discovery) -> Duration {
    let age = catalogs.clock.now().duration_since(saved.view().as_of);
    Duration::try_from(age).unwrap_or(CATALOG_STALE)
}

/// Updates the index in the background.
fn save_behind(
    catalogs: &Catalogs,
    owner: &LayerOwner,
    slot: &Arc<LayerState>,
    space: UserSpace,
    discovery: Discovery,
) {
    let Some(committer) = catalogs.index().cloned() else { return };
    let (store, slot, errand) = (catalogs.store.clone(), slot.clone(), index_job(catalogs, owner));
    tokio::spawn(async move { slot.saved.save(&*store, &committer, &space, discovery, &errand).await });
}
