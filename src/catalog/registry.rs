//! The catalogs in memory: one per user, team and organisation. Each is read once, however many callers ask.
//!
//! A reading belongs to the callers that wait for it: an error is their answer and is then forgotten, and a caller that
//! leaves hands the reading to the next in the queue. Two things run without a waiting caller: writing the index, and
//! refreshing a catalog that is served from memory, every 30 s while callers ask for it.

use std::{
    sync::{Arc, Weak},
    time::Duration,
};

use futures_util::future::try_join_all;
use tokio::{sync::broadcast, time::sleep};

use super::{
    cache::CatalogCache,
    change::{CatalogChange, Difference},
    discover::{Discovery, Survey},
    layers::Audience,
    outlook::Outlook,
    saved::SavedIndex,
    slot::{Flight, KnownCatalog, Slot},
    studio::Studio,
    vectors::Meanings,
    view::CatalogView,
};
use crate::{
    budget::{Errand, Workers},
    clock::Clock,
    error::Result,
    limits::{CATALOG_CHANGES, CATALOG_STALE, FRESH, MEMORY_CATALOGS_BYTES, WORK_STEPS},
    path::{Id, Layer, LayerOwner, Namespace, UserSpace},
    store::{Committer, DeleteOptions, SharedStore},
};

/// All catalogs in memory, refreshed while callers ask for them.
#[derive(Clone, Debug)]
pub struct Catalogs {
    pub(super) store: SharedStore,
    pub(super) namespace: Namespace,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) kept: Arc<CatalogCache>,
    pub(super) studio: Studio,
    /// Writes `catalog.json`, if there is one.
    pub(super) index: Option<Committer>,
    /// Whether users also see skills of teams and of the organisation.
    pub(super) layers: bool,
    changes: broadcast::Sender<Arc<CatalogChange>>,
    /// Finds out what skills mean, if there is an encoder.
    pub(super) meanings: Option<Meanings>,
}

/// What a caller asks of a reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// The catalog in memory will do.
    Known,
    /// The store is asked.
    Fresh,
    /// The store is asked, and the caller reports what changed.
    ToReport,
}

impl Asked {
    fn of(fresh: bool) -> Self {
        if fresh { Self::Fresh } else { Self::Known }
    }

    fn is_fresh(self) -> bool {
        self != Self::Known
    }
}

impl Catalogs {
    /// Starts with no catalog and without layers. Long work runs on `workers`.
    #[must_use]
    pub fn new(store: SharedStore, namespace: Namespace, clock: Arc<dyn Clock>, workers: Workers) -> Self {
        let kept = Arc::new(CatalogCache::new(MEMORY_CATALOGS_BYTES, clock.clone()));
        let studio = Studio { kept: kept.clone(), workers, builds: Arc::default() };
        let changes = broadcast::Sender::new(CATALOG_CHANGES);
        Self { store, namespace, clock, kept, studio, index: None, layers: false, changes, meanings: None }
    }

    /// Sets the budget of bytes for catalogs and their search indexes together. The least recently used leave first. A
    /// catalog that is larger by itself stays while it is in use.
    #[must_use]
    pub fn with_budget(self, bytes: u64) -> Self {
        let kept = Arc::new(CatalogCache::new(bytes, self.clock.clone()));
        Self { studio: Studio { kept: kept.clone(), ..self.studio }, kept, ..self }
    }

    /// Adds an index in the bucket: a process without a catalog reads `catalog.json` in place of every SKILL.md. While
    /// the store is down, the process trusts the index for as long as its own memory.
    #[must_use]
    pub fn with_index(self) -> Self {
        Self { index: Some(Committer::new(self.store.clone(), self.clock.clone())), ..self }
    }

    /// Adds the skills of the caller's team and of the organisation to a user's own.
    #[must_use]
    pub fn with_layers(self) -> Self {
        Self { layers: true, ..self }
    }

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
        Ok(self.look(&audience.into(), Asked::of(fresh)).await?.0)
    }

    pub(super) async fn look(&self, audience: &Audience, asked: Asked) -> Result<(Arc<CatalogView>, Arc<Outlook>)> {
        let owners = audience.owners(self.layers);
        let (slots, outlook) = self.kept.in_use(audience, &owners);
        let parts = owners.iter().zip(&slots).map(|(owner, slot)| self.view_of(owner, slot, asked));
        let mut parts = try_join_all(parts).await?;
        let view = match (parts.pop(), parts.is_empty()) {
            (Some(only), true) => only,
            (last, _) => self.studio.merged(&outlook, audience, parts.into_iter().chain(last).collect()).await?,
        };
        Ok((view, outlook))
    }

    /// The layers that `audience` sees and their places in the bucket, nearest first.
    ///
    /// # Errors
    /// `invalid_path` if ids and prefix together are too long for a key.
    pub fn layers(&self, audience: &Audience) -> Result<Vec<(Layer, UserSpace)>> {
        let owners = audience.owners(self.layers).into_iter();
        owners.map(|owner| Ok((owner.layer(), owner.space(&self.namespace)?))).collect()
    }

    /// Returns one layer of `audience` from memory, of any age. Does not ask the store.
    pub fn known(&self, audience: impl Into<Audience>, layer: Layer) -> Option<Arc<CatalogView>> {
        let owners = audience.into().owners(self.layers);
        let slot = self.kept.look_at(owners.iter().find(|owner| owner.layer() == layer)?)?;
        slot.known().map(|known| known.discovery.view().clone())
    }

    /// Reads all of the user's own skills again and reuses nothing. Deletes the index first and, if there is to be one,
    /// writes it before it returns.
    ///
    /// # Errors
    /// As [`discover`](super::discover), and an error of the store if the index cannot be deleted.
    pub async fn rebuild(&self, user: &Id) -> Result<Arc<CatalogView>> {
        let owner = LayerOwner::User(user.clone());
        let space = owner.space(&self.namespace)?;
        self.store.delete(&space.catalog()?, DeleteOptions::default()).await?;
        let slot = self.kept.layer(&owner);
        // A reading under way began before this one, so it must not end after it.
        let _flight = slot.flight.lock().await;
        let at = self.clock.uptime();
        let discovery = super::discover(&*self.store, &space, &*self.clock, None).await?;
        self.keep(&owner, &slot, KnownCatalog::read(discovery.clone(), at, self.clock.uptime()), Asked::Fresh);
        let view = discovery.view().clone();
        if let Some(committer) = &self.index {
            // The index that this process knows was deleted. A new value looks before it writes.
            SavedIndex::default().save(&*self.store, committer, &space, discovery, &self.errand(&owner)).await;
        }
        Ok(view)
    }

    /// Subscribes to the changes of catalogs that this process had read before. A receiver that is more than
    /// [`CATALOG_CHANGES`] behind receives the number it missed.
    #[must_use]
    pub fn changes(&self) -> broadcast::Receiver<Arc<CatalogChange>> {
        self.changes.subscribe()
    }

    async fn view_of(&self, owner: &LayerOwner, slot: &Arc<Slot>, asked: Asked) -> Result<Arc<CatalogView>> {
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
    async fn attend(self, owner: LayerOwner, slot: Weak<Slot>) {
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
            if let Err(error) = Box::pin(self.read(&owner, &slot, Asked::Fresh)).await {
                tracing::warn!(?owner, error = %error.chain(), "a catalog could not be brought up to date");
                drop(slot);
                sleep(FRESH).await;
            }
        }
    }

    /// Waits for the reading under way or begins one. If a fresh one is asked for, it must begin after this call.
    pub(super) async fn read(&self, owner: &LayerOwner, slot: &Arc<Slot>, asked: Asked) -> Result<Arc<CatalogView>> {
        let called = slot.turn();
        let mut flight = slot.flight.lock().await;
        if let Some(flight) = &*flight
            && called < if asked.is_fresh() { flight.began } else { flight.ended }
        {
            return flight.outcome.clone();
        }
        let began = slot.turn();
        let outcome = self.discover(owner, slot, asked).await;
        *flight = Some(Flight { began, ended: slot.turn(), outcome: outcome.clone() });
        outcome
    }

    async fn discover(&self, owner: &LayerOwner, slot: &Arc<Slot>, asked: Asked) -> Result<Arc<CatalogView>> {
        let at = self.clock.uptime();
        let (layer, space) = (owner.layer(), owner.space(&self.namespace)?);
        let (survey, errand) = (Survey::of(&*self.store, layer, &space, &*self.clock), self.errand(owner));
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
    fn keep(&self, owner: &LayerOwner, slot: &Arc<Slot>, known: KnownCatalog, asked: Asked) {
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
        let _ = self.changes.send(Arc::new(CatalogChange::new(owner.clone(), difference, asked == Asked::ToReport)));
    }

    /// The errand for work on the index of a layer.
    fn errand(&self, owner: &LayerOwner) -> Errand {
        self.studio.workers.errand(&owner.to_string(), WORK_STEPS)
    }

    /// The age of a catalog by the wall clock. One from the future counts as stale.
    fn age_of(&self, saved: &Discovery) -> Duration {
        let age = self.clock.now().duration_since(saved.view().as_of);
        Duration::try_from(age).unwrap_or(CATALOG_STALE)
    }

    /// Updates the index in the background.
    fn save(&self, owner: &LayerOwner, slot: &Arc<Slot>, space: UserSpace, discovery: Discovery) {
        let Some(committer) = self.index.clone() else { return };
        let (store, slot, errand) = (self.store.clone(), slot.clone(), self.errand(owner));
        tokio::spawn(async move { slot.saved.save(&*store, &committer, &space, discovery, &errand).await });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{clock::SystemClock, store::MemoryStore};

    fn id(name: &str) -> Id {
        Id::parse(name).unwrap()
    }

    fn put_skills(store: &MemoryStore, user: &str, skills: usize) {
        for number in 0..skills {
            let text = format!("---\ndescription: Skill {number}.\n---\n{}", "palabra ".repeat(200));
            store.put_raw(&format!("{user}/skills/s{number}/SKILL.md"), text);
        }
    }

    fn over(store: &Arc<MemoryStore>, budget: u64) -> Catalogs {
        let clock = Arc::new(SystemClock::new());
        Catalogs::new(store.clone(), Namespace::parse("").unwrap(), clock, Workers::new(2)).with_budget(budget)
    }

    // S-CATALOG-7: Catalogs and their search indexes share one budget of memory, and the least recently used leave first.
    #[tokio::test]
    async fn of_two_catalogs_that_exceed_the_budget_together_the_older_leaves_with_its_index() {
        let store = Arc::new(MemoryStore::new());
        for user in ["a", "b"] {
            put_skills(&store, user, 100);
        }
        let unbounded = over(&store, u64::MAX);
        unbounded.searchable(&id("a")).await.unwrap();
        let one = unbounded.kept.bytes();
        assert!((100 * 2000..100 * 10_000).contains(&one), "{one}");

        let catalogs = over(&store, one + one / 2);
        let is_known = |user: &str| catalogs.known(&id(user), Layer::User).is_some();
        catalogs.searchable(&id("a")).await.unwrap();
        assert!(is_known("a"));
        catalogs.searchable(&id("b")).await.unwrap();
        assert!(!is_known("a") && is_known("b"));
        assert!(catalogs.kept.bytes() <= one + one / 2);
        assert_eq!(catalogs.indexes_built(), 2);
        catalogs.searchable(&id("b")).await.unwrap();
        assert_eq!(catalogs.indexes_built(), 2);
        catalogs.searchable(&id("a")).await.unwrap();
        assert_eq!(catalogs.indexes_built(), 3);
    }

    #[tokio::test]
    async fn one_that_is_larger_than_the_budget_is_read_and_indexed_once_for_a_hundred_questions() {
        let store = Arc::new(MemoryStore::new());
        put_skills(&store, "giant", 200);
        put_skills(&store, "small", 1);
        let catalogs = over(&store, 100_000);
        let first = catalogs.searchable(&id("giant")).await.unwrap();
        for _ in 0..100 {
            catalogs.searchable(&id("small")).await.unwrap();
            let again = catalogs.searchable(&id("giant")).await.unwrap();
            assert!(Arc::ptr_eq(&first.view, &again.view) && Arc::ptr_eq(&first.index, &again.index));
        }
        assert_eq!(catalogs.indexes_built(), 2, "and so is a small one beside it");
    }

    // S-SEARCH-8: However many ask at once, a search index is built once.
    #[tokio::test]
    async fn sixty_four_first_questions_build_one_index_and_a_change_is_indexed_once_behind_the_old_one() {
        let store = Arc::new(MemoryStore::new());
        put_skills(&store, "a", 300);
        let catalogs = over(&store, u64::MAX);
        let ask = async |catalogs: &Catalogs| {
            let asked = futures_util::future::join_all((0..64).map(|_| catalogs.searchable(id_of("a")))).await;
            asked.into_iter().map(Result::unwrap).collect::<Vec<_>>()
        };
        let first = ask(&catalogs).await;
        assert!(first.iter().all(|one| Arc::ptr_eq(&one.index, &first[0].index)));
        assert_eq!(catalogs.indexes_built(), 1);

        put_skills(&store, "a", 301);
        catalogs.view(&id("a"), true).await.unwrap();
        let changed = ask(&catalogs).await;
        for one in &changed {
            assert_eq!(one.view.entries.len(), 301);
            assert!(Arc::ptr_eq(&one.index, &first[0].index), "the old index answers meanwhile");
        }
        while catalogs.indexes_built() < 2 {
            tokio::task::yield_now().await;
        }
        let found = catalogs.searchable(&id("a")).await.unwrap();
        assert!(!found.index.search("300", |_| true, 1).unwrap().hits.is_empty());
        assert_eq!(catalogs.indexes_built(), 2);
    }

    fn id_of(name: &str) -> Audience {
        Audience::from(&id(name))
    }

    #[tokio::test]
    async fn a_build_goes_on_when_the_first_who_asked_leaves_and_ends_when_the_last_does() {
        let store = Arc::new(MemoryStore::new());
        put_skills(&store, "a", 300);
        let catalogs = over(&store, u64::MAX);
        catalogs.view(&id("a"), false).await.unwrap();
        // The threads of this user are taken, so that the build waits.
        let (free, taken) = std::sync::mpsc::channel::<()>();
        let errand = catalogs.studio.workers.errand("a", 0);
        let holder = tokio::spawn(async move { errand.run(move |_| Ok(taken.recv().is_err())).await });
        while catalogs.studio.workers.busy() == 0 {
            tokio::task::yield_now().await;
        }
        let mut first = Box::pin(catalogs.searchable(id_of("a")));
        let mut second = Box::pin(catalogs.searchable(id_of("a")));
        assert!(futures_util::poll!(&mut first).is_pending() && futures_util::poll!(&mut second).is_pending());
        drop(first);
        drop(free);
        second.await.unwrap();
        assert!(holder.await.unwrap().unwrap());
        assert_eq!(catalogs.indexes_built(), 1);
    }
}
