//! The catalogs in memory: one per user, team and organisation. How each is read is in `reading`.

use std::sync::Arc;

use tokio::sync::broadcast;

use super::{
    cache::CatalogCache, change::CatalogChange, index_builder::IndexBuilder, layers::Audience, vectors::VectorStore,
    view::CatalogView,
};
use crate::{
    budget::Workers,
    clock::Clock,
    error::Result,
    limits::{CATALOG_CHANGES, FRESH, MEMORY_CATALOGS_BYTES},
    path::{Id, Layer, Namespace, UserSpace},
    store::{Committer, SharedStore, WriteAccess},
};

/// All catalogs in memory, refreshed while callers ask for them.
///
/// ```
/// use std::sync::Arc;
///
/// use skillmount_base::{clock::SystemClock, path::Id};
/// use skillmount_engine::handle::{Service, ServiceOptions};
/// use skillmount_store::MemoryStore;
/// use skillmount_engine::catalog::Audience;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> skillmount_base::Result<()> {
/// let store = Arc::new(MemoryStore::new());
/// store.put_raw("anna/skills/minutes/SKILL.md", "---\nname: minutes\ndescription: Writes minutes.\n---\nBegin.\n");
/// let service = Service::new(store, ServiceOptions::default(), Arc::new(SystemClock::new()));
/// let anna = Id::parse("anna")?;
/// assert_eq!(service.session(anna.clone(), Id::parse("chat-7")?).catalog(true).await?.entries.len(), 1);
/// // From now on the catalog is in memory.
/// assert!(service.catalogs().cached_tag(&Audience::from(&anna)).is_some());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Catalogs {
    pub(super) store: SharedStore,
    pub(super) namespace: Namespace,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) kept: Arc<CatalogCache>,
    pub(super) index_builder: IndexBuilder,
    /// Writes `catalog.json`, if there is one.
    pub(super) index: Option<Committer>,
    /// Whether indexes and vectors may be written.
    pub(super) access: WriteAccess,
    /// Whether users also see skills of teams and of the organisation.
    pub(super) layers: bool,
    pub(super) changes: broadcast::Sender<Arc<CatalogChange>>,
    /// Finds out what skills mean, if there is an encoder.
    pub(super) meanings: Option<VectorStore>,
}

impl Catalogs {
    /// Starts with no catalog and without layers. Long work runs on `workers`.
    #[must_use]
    pub fn new(store: SharedStore, namespace: Namespace, clock: Arc<dyn Clock>, workers: Workers) -> Self {
        let kept = Arc::new(CatalogCache::new(MEMORY_CATALOGS_BYTES, clock.clone()));
        let index_builder = IndexBuilder { kept: kept.clone(), workers, builds: Arc::default() };
        let changes = broadcast::Sender::new(CATALOG_CHANGES);
        let (index, access, layers, meanings) = (None, WriteAccess::default(), false, None);
        Self { store, namespace, clock, kept, index_builder, index, access, layers, changes, meanings }
    }

    /// Sets the budget of bytes for catalogs and their search indexes together. The least recently used leave first. A
    /// catalog that is larger by itself stays while it is in use.
    #[must_use]
    pub fn with_budget(self, bytes: u64) -> Self {
        let kept = Arc::new(CatalogCache::new(bytes, self.clock.clone()));
        Self { index_builder: IndexBuilder { kept: kept.clone(), ..self.index_builder }, kept, ..self }
    }

    /// Uses indexes and writes vectors only while there is `access`. To be set before an encoder.
    #[must_use]
    pub fn with_access(self, access: WriteAccess) -> Self {
        Self { access, ..self }
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

    /// The writer of `catalog.json`, if there is one and it may write.
    pub(super) fn index(&self) -> Option<&Committer> {
        self.index.as_ref().filter(|_| self.access.is_granted())
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
    pub fn cached_layer(&self, audience: impl Into<Audience>, layer: Layer) -> Option<Arc<CatalogView>> {
        let owners = audience.into().owners(self.layers);
        let slot = self.kept.peek(owners.iter().find(|owner| owner.layer() == layer)?)?;
        slot.cached().map(|known| known.discovery.view().clone())
    }

    /// A text that changes when the skills that `audience` sees do. `None` unless all of its layers are in memory and
    /// younger than [`FRESH`]. Does not ask the store.
    #[must_use]
    pub fn cached_tag(&self, audience: &Audience) -> Option<String> {
        let now = self.clock.uptime();
        let owners = audience.owners(self.layers);
        let tags = owners.iter().map(|owner| {
            let known = self.kept.peek(owner)?.cached().filter(|known| known.age(now) <= FRESH)?;
            Some(format!("{owner:?}:{}", known.tag()))
        });
        tags.collect::<Option<Vec<_>>>().map(|tags| tags.join(" "))
    }

    /// Drops what is in memory of a user who is deleted, so that a later user of the same id does not see the skills.
    pub fn forget_user(&self, user: &Id) {
        self.kept.forget(user);
    }

    /// Whether users also see skills of teams and of the organisation.
    #[must_use]
    pub fn has_layers(&self) -> bool {
        self.layers
    }

    /// Subscribes to the changes of catalogs that this process had read before. A receiver that is more than
    /// [`CATALOG_CHANGES`] behind receives the number it missed.
    #[must_use]
    pub fn changes(&self) -> broadcast::Receiver<Arc<CatalogChange>> {
        self.changes.subscribe()
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
        let is_known = |user: &str| catalogs.cached_layer(&id(user), Layer::User).is_some();
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

    // S-SEARCH-8: A process builds a search index once, however many callers ask at once.
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
        let errand = catalogs.index_builder.workers.errand("a", 0);
        let holder = tokio::spawn(async move { errand.run(move |_| Ok(taken.recv().is_err())).await });
        while catalogs.index_builder.workers.busy() == 0 {
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
