//! The catalogs this process knows: one per user, read once however many ask.
//!
//! A reading belongs to those who wait for it: an error answers them and is then forgotten, and a caller that gives up
//! leaves the reading to the next one in the queue, so no task outlives its callers.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use moka::{future::Cache, policy::EvictionPolicy};

use super::{
    discover::{Discovery, discover},
    entry::CatalogView,
};
use crate::{
    clock::Clock,
    error::{Kind, Result},
    limits::{CATALOG_STALE, CATALOG_USERS, FRESH},
    path::{Id, Namespace},
    store::SharedStore,
};

/// Every user's catalog, in memory, refreshed as it is asked for.
#[derive(Clone, Debug)]
pub struct Catalogs {
    store: SharedStore,
    namespace: Namespace,
    clock: Arc<dyn Clock>,
    users: Cache<Id, Arc<Slot>>,
}

/// One user's catalog and the reading under way.
#[derive(Debug, Default)]
struct Slot {
    known: Mutex<Option<Known>>,
    flight: tokio::sync::Mutex<Option<Flight>>,
    /// Orders calls against readings: a number taken later is larger.
    turns: AtomicU64,
}

/// The newest catalog, and the uptime at which the store was asked for it.
#[derive(Clone, Debug)]
struct Known {
    discovery: Discovery,
    asked_at: Duration,
}

/// The last reading: when it began and ended, in turns, and what came of it.
#[derive(Debug)]
struct Flight {
    began: u64,
    ended: u64,
    outcome: Result<Arc<CatalogView>>,
}

impl Catalogs {
    /// No catalog known yet.
    #[must_use]
    pub fn new(store: SharedStore, namespace: Namespace, clock: Arc<dyn Clock>) -> Self {
        let users = Cache::builder().max_capacity(CATALOG_USERS).eviction_policy(EvictionPolicy::lru()).build();
        Self { store, namespace, clock, users }
    }

    /// The catalog of `user`, at most 30 s old. With `fresh` the store was asked after this call began.
    ///
    /// Where the store does not answer, a catalog up to 5 minutes old will do unless `fresh` was asked for; its `as_of`
    /// says how old it is.
    ///
    /// # Errors
    /// As [`discover`].
    pub async fn view(&self, user: &Id, fresh: bool) -> Result<Arc<CatalogView>> {
        let slot = self.users.get_with_by_ref(user, async { Arc::default() }).await;
        if let Some(view) = slot.younger_than(FRESH, self.clock.uptime()).filter(|_| !fresh) {
            return Ok(view);
        }
        match self.read(user, &slot, fresh).await {
            Err(error) if !fresh && error.kind() == Kind::Unavailable => {
                slot.younger_than(CATALOG_STALE, self.clock.uptime()).ok_or(error)
            }
            outcome => outcome,
        }
    }

    /// The catalog of `user` as far as this process knows it, of any age; the store is not asked.
    pub async fn known(&self, user: &Id) -> Option<Arc<CatalogView>> {
        let slot = self.users.get(user).await?;
        slot.known().map(|known| known.discovery.view().clone())
    }

    /// Waits for the reading under way or begins one; with `fresh` only one that begins after this call will do.
    async fn read(&self, user: &Id, slot: &Slot, fresh: bool) -> Result<Arc<CatalogView>> {
        let called = slot.turn();
        let mut flight = slot.flight.lock().await;
        if let Some(flight) = &*flight
            && called < if fresh { flight.began } else { flight.ended }
        {
            return flight.outcome.clone();
        }
        let began = slot.turn();
        let outcome = self.discover(user, slot).await;
        *flight = Some(Flight { began, ended: slot.turn(), outcome: outcome.clone() });
        outcome
    }

    async fn discover(&self, user: &Id, slot: &Slot) -> Result<Arc<CatalogView>> {
        let asked_at = self.clock.uptime();
        let space = self.namespace.user(user)?;
        let previous = slot.known().map(|known| known.discovery);
        let discovery = discover(&*self.store, &space, &*self.clock, previous.as_ref()).await?;
        let view = discovery.view().clone();
        slot.keep(Known { discovery, asked_at });
        Ok(view)
    }
}

impl Slot {
    fn turn(&self) -> u64 {
        self.turns.fetch_add(1, Ordering::SeqCst)
    }

    fn known(&self) -> Option<Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn keep(&self, known: Known) {
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) = Some(known);
    }

    fn younger_than(&self, age: Duration, now: Duration) -> Option<Arc<CatalogView>> {
        let known = self.known()?;
        (now.saturating_sub(known.asked_at) < age).then(|| known.discovery.view().clone())
    }
}
