//! The catalogs this process knows: one per user, team and organisation, read once however many ask.
//!
//! A reading belongs to those who wait for it: an error answers them and is then forgotten, and a caller that gives up
//! leaves the reading to the next one in the queue. Only what nobody waits for runs on its own: bringing an index up to
//! date, and looking again after one was believed.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use futures_util::future::try_join_all;
use moka::{future::Cache, policy::EvictionPolicy};

use super::{
    discover::{Discovery, Survey},
    entry::{CatalogView, Layer},
    layers::{Audience, Merged, Owner},
    saved::Saved,
    searchable::{Indexes, Searchable},
};
use crate::{
    clock::Clock,
    error::{Kind, Result},
    limits::{CATALOG_STALE, CATALOG_USERS, FRESH},
    path::{Id, Namespace, UserSpace},
    store::{Committer, DeleteOptions, SharedStore},
};

/// Everybody's catalogs, in memory, refreshed as it is asked for.
#[derive(Clone, Debug)]
pub struct Catalogs {
    store: SharedStore,
    namespace: Namespace,
    clock: Arc<dyn Clock>,
    slots: Cache<Owner, Arc<Slot>>,
    merged: Merged,
    indexes: Indexes,
    /// Writes `catalog.json`, where it is kept.
    index: Option<Committer>,
    /// Whether anybody sees more than their own skills.
    layers: bool,
}

/// One layer's catalog and the reading under way.
#[derive(Debug, Default)]
struct Slot {
    known: Mutex<Option<Known>>,
    saved: Saved,
    flight: tokio::sync::Mutex<Option<Flight>>,
    /// Orders calls against readings: a number taken later is larger.
    turns: AtomicU64,
}

/// The newest catalog, and how old it was at which uptime.
#[derive(Clone, Debug)]
struct Known {
    discovery: Discovery,
    at: Duration,
    age: Duration,
}

/// The last reading: when it began and ended, in turns, and what came of it.
#[derive(Debug)]
struct Flight {
    began: u64,
    ended: u64,
    outcome: Result<Arc<CatalogView>>,
}

impl Catalogs {
    /// No catalog known yet, and no layers but users' own.
    #[must_use]
    pub fn new(store: SharedStore, namespace: Namespace, clock: Arc<dyn Clock>) -> Self {
        let slots = Cache::builder().max_capacity(CATALOG_USERS).eviction_policy(EvictionPolicy::lru()).build();
        let (merged, indexes) = (Merged::new(), Indexes::new());
        Self { store, namespace, clock, slots, merged, indexes, index: None, layers: false }
    }

    /// The same, with an index in the bucket: a process that knows nothing of a layer yet reads `catalog.json` in place of
    /// every SKILL.md, and believes it alone for as long as it would its own memory while the store is down.
    #[must_use]
    pub fn with_index(self) -> Self {
        Self { index: Some(Committer::new(self.store.clone(), self.clock.clone())), ..self }
    }

    /// The same, with the skills of the caller's team and of the organisation beside a user's own.
    #[must_use]
    pub fn with_layers(self) -> Self {
        Self { layers: true, ..self }
    }

    /// What `audience` sees, at most 30 s old. With `fresh` the store was asked after this call began. Layers are asked
    /// for at once.
    ///
    /// Where the store does not answer, a catalog up to 5 minutes old will do unless `fresh` was asked for; its `as_of`
    /// says how old it is. So will an index of that age, once, while the listing is on its way.
    ///
    /// # Errors
    /// As [`discover`](super::discover).
    pub async fn view(&self, audience: impl Into<Audience>, fresh: bool) -> Result<Arc<CatalogView>> {
        let audience = audience.into();
        let owners = Owner::seen_by(&audience, self.layers);
        let mut parts = try_join_all(owners.iter().map(|owner| self.view_of(owner, fresh))).await?;
        match (parts.pop(), parts.is_empty()) {
            (Some(only), true) => Ok(only),
            (last, _) => Ok(self.merged.of(&audience, parts.into_iter().chain(last).collect()).await),
        }
    }

    /// What `audience` sees, at most 30 s old, with its search index.
    ///
    /// # Errors
    /// As [`view`](Self::view).
    pub async fn searchable(&self, audience: impl Into<Audience>) -> Result<Searchable> {
        let audience = audience.into();
        let view = self.view(audience.clone(), false).await?;
        self.indexes.of(&audience, view).await
    }

    /// The layers `audience` sees and where they lie, nearest first.
    ///
    /// # Errors
    /// `invalid_path` where ids and prefix together are too long for a key.
    pub fn layers(&self, audience: &Audience) -> Result<Vec<(Layer, UserSpace)>> {
        let owners = Owner::seen_by(audience, self.layers).into_iter();
        owners.map(|owner| Ok((owner.layer(), owner.space(&self.namespace)?))).collect()
    }

    /// One layer of what `audience` sees, as far as this process knows it, of any age; the store is not asked.
    pub async fn known(&self, audience: impl Into<Audience>, layer: Layer) -> Option<Arc<CatalogView>> {
        let owners = Owner::seen_by(&audience.into(), self.layers);
        let slot = self.slots.get(owners.iter().find(|owner| owner.layer() == layer)?).await?;
        slot.known().map(|known| known.discovery.view().clone())
    }

    /// Reads every one of the user's own skills anew, trusting nothing that was kept of them; the index is deleted first
    /// and, where there is to be one, written before this answers.
    ///
    /// # Errors
    /// As [`discover`](super::discover), and where the index cannot be deleted.
    pub async fn rebuild(&self, user: &Id) -> Result<Arc<CatalogView>> {
        let owner = Owner::User(user.clone());
        let space = owner.space(&self.namespace)?;
        self.store.delete(&space.catalog()?, DeleteOptions::default()).await?;
        let at = self.clock.uptime();
        let discovery = super::discover(&*self.store, &space, &*self.clock, None).await?;
        let slot = self.slots.get_with_by_ref(&owner, async { Arc::default() }).await;
        slot.keep(Known { discovery: discovery.clone(), at, age: Duration::ZERO });
        let view = discovery.view().clone();
        if let Some(committer) = &self.index {
            // What this process has seen of the index was deleted; whoever has seen nothing looks before it writes.
            Saved::default().save(&*self.store, committer, &space, discovery).await;
        }
        Ok(view)
    }

    async fn view_of(&self, owner: &Owner, fresh: bool) -> Result<Arc<CatalogView>> {
        let slot = self.slots.get_with_by_ref(owner, async { Arc::default() }).await;
        if let Some(view) = slot.younger_than(FRESH, self.clock.uptime()).filter(|_| !fresh) {
            return Ok(view);
        }
        match self.read(owner, &slot, fresh).await {
            Err(error) if !fresh && error.kind() == Kind::Unavailable => {
                slot.younger_than(CATALOG_STALE, self.clock.uptime()).ok_or(error)
            }
            outcome => outcome,
        }
    }

    /// Waits for the reading under way or begins one; with `fresh` only one that begins after this call will do.
    async fn read(&self, owner: &Owner, slot: &Arc<Slot>, fresh: bool) -> Result<Arc<CatalogView>> {
        let called = slot.turn();
        let mut flight = slot.flight.lock().await;
        if let Some(flight) = &*flight
            && called < if fresh { flight.began } else { flight.ended }
        {
            return flight.outcome.clone();
        }
        let began = slot.turn();
        let outcome = self.discover(owner, slot, fresh).await;
        *flight = Some(Flight { began, ended: slot.turn(), outcome: outcome.clone() });
        outcome
    }

    async fn discover(&self, owner: &Owner, slot: &Arc<Slot>, fresh: bool) -> Result<Arc<CatalogView>> {
        let at = self.clock.uptime();
        let (layer, space) = (owner.layer(), owner.space(&self.namespace)?);
        let survey = Survey::of(&*self.store, layer, &space, &*self.clock);
        let (survey, previous) = match (slot.known(), &self.index) {
            (Some(known), _) => (survey.await?, Some(known.discovery)),
            (None, None) => (survey.await?, None),
            (None, Some(_)) if fresh => {
                let (survey, saved) = tokio::join!(survey, slot.saved.load(&*self.store, layer, &space));
                (survey?, saved)
            }
            (None, Some(_)) => match slot.saved.load(&*self.store, layer, &space).await {
                Some(saved) if self.age_of(&saved) < CATALOG_STALE => return Ok(self.believe(owner, slot, saved)),
                saved => (survey.await?, saved),
            },
        };
        let discovery = survey.read(&*self.store, previous.as_ref()).await?;
        slot.keep(Known { discovery: discovery.clone(), at, age: Duration::ZERO });
        let view = discovery.view().clone();
        self.save(slot, space, discovery);
        Ok(view)
    }

    /// Takes an index for the truth, and looks again behind the caller's back where it is not of this moment.
    fn believe(&self, owner: &Owner, slot: &Arc<Slot>, saved: Discovery) -> Arc<CatalogView> {
        let age = self.age_of(&saved);
        let view = saved.view().clone();
        slot.keep(Known { discovery: saved, at: self.clock.uptime(), age });
        if age >= FRESH {
            let (this, owner, slot) = (self.clone(), owner.clone(), slot.clone());
            tokio::spawn(async move {
                if let Err(error) = this.read(&owner, &slot, true).await {
                    tracing::warn!(?owner, error = %error.chain(), "a catalog could not be brought up to date");
                }
            });
        }
        view
    }

    /// How old a catalog is by the clock on the wall; one from the future is as good as stale.
    fn age_of(&self, saved: &Discovery) -> Duration {
        let age = self.clock.now().duration_since(saved.view().as_of);
        Duration::try_from(age).unwrap_or(CATALOG_STALE)
    }

    /// Keeps the index up to date, without anybody waiting for it.
    fn save(&self, slot: &Arc<Slot>, space: UserSpace, discovery: Discovery) {
        let Some(committer) = self.index.clone() else { return };
        let (store, slot) = (self.store.clone(), slot.clone());
        tokio::spawn(async move { slot.saved.save(&*store, &committer, &space, discovery).await });
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
        (now.saturating_sub(known.at) + known.age < age).then(|| known.discovery.view().clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{clock::SystemClock, store::MemoryStore};

    #[tokio::test]
    async fn as_many_users_as_the_limit_are_kept_and_the_one_unused_longest_goes_first() {
        let store = Arc::new(MemoryStore::new());
        let catalogs = Catalogs::new(store, Namespace::parse("").unwrap(), Arc::new(SystemClock::new()));
        let user = |number: u64| Id::parse(&format!("u{number}")).unwrap();
        for number in 0..CATALOG_USERS {
            catalogs.view(&user(number), false).await.unwrap();
        }
        catalogs.slots.run_pending_tasks().await;
        assert!(catalogs.known(&user(0), Layer::User).await.is_some());
        catalogs.view(&user(CATALOG_USERS), false).await.unwrap();
        catalogs.slots.run_pending_tasks().await;
        assert!(catalogs.known(&user(1), Layer::User).await.is_none());
        assert!(
            catalogs.known(&user(0), Layer::User).await.is_some()
                && catalogs.known(&user(CATALOG_USERS), Layer::User).await.is_some()
        );
    }
}
