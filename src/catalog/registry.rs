//! The catalogs this process knows: one per user, team and organisation, read once however many ask.
//!
//! A reading belongs to those who wait for it: an error answers them and is then forgotten, and a caller that gives up
//! leaves the reading to the next one in the queue. Only what nobody waits for runs on its own: writing the index, and
//! looking again at what is served from memory, every 30 s for as long as somebody asks for it.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use futures_util::future::try_join_all;
use moka::{future::Cache, policy::EvictionPolicy};
use tokio::{sync::broadcast, time::sleep};

use super::{
    change::{CatalogChange, Difference},
    discover::{Discovery, Survey},
    entry::{CatalogView, Layer},
    layers::{Audience, Merged, Owner},
    saved::Saved,
    searchable::{Indexes, Searchable},
};
use crate::{
    clock::Clock,
    error::Result,
    limits::{CATALOG_CHANGES, CATALOG_LEAST_KIB, CATALOG_STALE, CATALOG_USERS, FRESH},
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
    changes: broadcast::Sender<Arc<CatalogChange>>,
}

/// One layer's catalog and the reading under way.
#[derive(Debug, Default)]
struct Slot {
    known: Mutex<Option<Known>>,
    saved: Saved,
    flight: tokio::sync::Mutex<Option<Flight>>,
    /// Orders calls against readings: a number taken later is larger.
    turns: AtomicU64,
    /// Whether anybody asked since the last reading that nobody waited for.
    wanted: AtomicBool,
    /// Whether a task looks after the slot.
    attended: AtomicBool,
}

/// The newest catalog, and how old it was at which uptime.
#[derive(Clone, Debug)]
struct Known {
    discovery: Discovery,
    at: Duration,
    age: Duration,
    /// The uptime to look again at.
    due: Duration,
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
        let slots = Cache::builder()
            .weigher(|_: &Owner, slot: &Arc<Slot>| slot.weight())
            .max_capacity(CATALOG_USERS * u64::from(CATALOG_LEAST_KIB))
            .eviction_policy(EvictionPolicy::lru())
            .build();
        let (merged, indexes) = (Merged::new(), Indexes::new());
        let changes = broadcast::Sender::new(CATALOG_CHANGES);
        Self { store, namespace, clock, slots, merged, indexes, index: None, layers: false, changes }
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

    /// What `audience` sees; its `as_of` says as of when. With `fresh` the store was asked after this call began. Layers
    /// are asked for at once.
    ///
    /// What this process knows is served as it is for 30 s and looked at again then without anybody waiting, for as long
    /// as it is asked for; so a change shows within 30 s of activity. After a pause, what is younger than 5 minutes is
    /// served once more while the store is asked, and what is older waits for the store.
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

    /// What `audience` sees, with its search index.
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
        let slot = self.slots.get_with_by_ref(&owner, async { Arc::default() }).await;
        // A reading under way began before this one and must not end after it.
        let _flight = slot.flight.lock().await;
        let at = self.clock.uptime();
        let discovery = super::discover(&*self.store, &space, &*self.clock, None).await?;
        self.keep(&owner, &slot, Known::read(discovery.clone(), at, self.clock.uptime())).await;
        let view = discovery.view().clone();
        if let Some(committer) = &self.index {
            // What this process has seen of the index was deleted; whoever has seen nothing looks before it writes.
            Saved::default().save(&*self.store, committer, &space, discovery).await;
        }
        Ok(view)
    }

    /// What changed in any catalog this process had read before, as it finds out. A receiver that falls behind by more
    /// than [`CATALOG_CHANGES`] is told how many it missed.
    #[must_use]
    pub fn changes(&self) -> broadcast::Receiver<Arc<CatalogChange>> {
        self.changes.subscribe()
    }

    async fn view_of(&self, owner: &Owner, fresh: bool) -> Result<Arc<CatalogView>> {
        let slot = self.slots.get_with_by_ref(owner, async { Arc::default() }).await;
        let known = slot.known().filter(|known| !fresh && known.age(self.clock.uptime()) < CATALOG_STALE);
        let view = match known {
            Some(known) => known.discovery.view().clone(),
            None => self.read(owner, &slot, fresh).await?,
        };
        slot.wanted.store(true, Ordering::SeqCst);
        if !slot.attended.swap(true, Ordering::SeqCst) {
            tokio::spawn(self.clone().attend(owner.clone(), slot));
        }
        Ok(view)
    }

    /// Looks again whenever what is known has been served for 30 s, until a whole such time passes without anybody
    /// asking.
    async fn attend(self, owner: Owner, slot: Arc<Slot>) {
        loop {
            let wait = slot.known().map(|known| known.due.saturating_sub(self.clock.uptime())).unwrap_or_default();
            if !wait.is_zero() {
                sleep(wait).await;
                continue;
            }
            if !slot.wanted.swap(false, Ordering::SeqCst) && slot.is_left_alone() {
                return;
            }
            // Whoever asks once a catalog was forgotten gets a new slot, with a task of its own.
            if !self.is_kept(&owner, &slot).await {
                return;
            }
            // In a box of its own, because most of these tasks only sleep.
            if let Err(error) = Box::pin(self.read(&owner, &slot, true)).await {
                tracing::warn!(?owner, error = %error.chain(), "a catalog could not be brought up to date");
                sleep(FRESH).await;
            }
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
                Some(saved) if self.age_of(&saved) < CATALOG_STALE => {
                    let (view, age) = (saved.view().clone(), self.age_of(&saved));
                    self.keep(owner, slot, Known::believed(saved, self.clock.uptime(), age)).await;
                    return Ok(view);
                }
                saved => (survey.await?, saved),
            },
        };
        let discovery = survey.read(&*self.store, previous.as_ref()).await?;
        self.keep(owner, slot, Known::read(discovery.clone(), at, self.clock.uptime())).await;
        let view = discovery.view().clone();
        self.save(slot, space, discovery);
        Ok(view)
    }

    /// Remembers what is known now, and tells what that changes for those who knew something else.
    async fn keep(&self, owner: &Owner, slot: &Arc<Slot>, known: Known) {
        let now = known.discovery.view().clone();
        let before = slot.replace(known);
        if self.is_kept(owner, slot).await {
            // It may weigh more now.
            self.slots.insert(owner.clone(), slot.clone()).await;
        }
        let Some(before) = before else { return };
        let difference = Difference::between(&before.discovery.view().entries, &now.entries);
        if difference.is_none() {
            return;
        }
        let (changed, removed) = (difference.changed.len(), difference.removed.len());
        tracing::info!(?owner, changed, removed, "catalog_changed");
        // An error says that nobody listens.
        let _ = self.changes.send(Arc::new(CatalogChange::new(owner.clone(), difference)));
    }

    async fn is_kept(&self, owner: &Owner, slot: &Arc<Slot>) -> bool {
        self.slots.get(owner).await.is_some_and(|kept| Arc::ptr_eq(&kept, slot))
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

    /// About how much memory it takes, in KiB.
    fn weight(&self) -> u32 {
        let known = self.known();
        let entries = known.iter().flat_map(|known| &known.discovery.view().entries);
        let bytes: usize = entries.map(|entry| entry.weight()).sum();
        u32::try_from(bytes / 1024).unwrap_or(u32::MAX).max(CATALOG_LEAST_KIB)
    }

    fn replace(&self, known: Known) -> Option<Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).replace(known)
    }

    /// Ends the care for this slot, unless somebody asked at this very moment and nobody else took it over.
    fn is_left_alone(&self) -> bool {
        self.attended.store(false, Ordering::SeqCst);
        !self.wanted.load(Ordering::SeqCst) || self.attended.swap(true, Ordering::SeqCst)
    }
}

impl Known {
    /// What was read from the store just now, in a reading that began at the uptime `at`.
    fn read(discovery: Discovery, at: Duration, now: Duration) -> Self {
        // A reading that took long is not followed by another at once.
        let due = (at + FRESH).max(now + FRESH / 2);
        Self { discovery, at, age: Duration::ZERO, due }
    }

    /// What an index of this age tells.
    fn believed(discovery: Discovery, now: Duration, age: Duration) -> Self {
        Self { discovery, at: now, age, due: now + FRESH.saturating_sub(age) }
    }

    fn age(&self, now: Duration) -> Duration {
        now.saturating_sub(self.at) + self.age
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{clock::SystemClock, store::MemoryStore};

    #[tokio::test]
    async fn large_catalogs_leave_room_for_fewer() {
        let store = Arc::new(MemoryStore::new());
        let catalogs = Catalogs::new(store.clone(), Namespace::parse("").unwrap(), Arc::new(SystemClock::new()));
        let user = |name: &str| Id::parse(name).unwrap();
        catalogs.view(&user("small"), false).await.unwrap();
        let weight = |catalogs: &Catalogs| catalogs.slots.weighted_size();
        catalogs.slots.run_pending_tasks().await;
        assert_eq!(weight(&catalogs), u64::from(CATALOG_LEAST_KIB));
        for number in 0..400 {
            let text = format!("---\ndescription: d\n---\n{}", "palabra ".repeat(200));
            store.put_raw(&format!("large/skills/s{number}/SKILL.md"), text);
        }
        catalogs.view(&user("large"), false).await.unwrap();
        catalogs.slots.run_pending_tasks().await;
        let kib = weight(&catalogs) - u64::from(CATALOG_LEAST_KIB);
        assert!((400 * 3..400 * 4).contains(&kib), "{kib} KiB for 400 skills of 3 KiB each");
    }

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
