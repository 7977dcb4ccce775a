//! `catalog.json`: what it saves a new process, how long it is believed, and that nothing depends on it.

use std::{sync::Arc, time::Duration};

use skillmount::{
    budget::Workers,
    catalog::{CatalogView, Catalogs},
    limits::{CATALOG_STALE, FRESH},
    path::{Id, Namespace, ObjectKey},
    store::{CountingStore, DeleteOptions, GetOptions, MemoryStore, RequestCounts, Store, Verb, testing::Faulty},
};
use tokio::time::{Instant, advance, sleep};

use crate::support::Wall;

/// What each request takes, on the paused clock.
const LATENCY: Duration = Duration::from_millis(20);
/// Long enough for everything that runs on its own.
const QUIET: Duration = Duration::from_secs(1);

struct Bucket {
    inner: Arc<MemoryStore>,
    faulty: Arc<Faulty>,
    clock: Arc<Wall>,
}

impl Bucket {
    /// A bucket of `skills` skills, and the index a first process left behind.
    async fn indexed(skills: usize) -> Self {
        let inner = Arc::new(MemoryStore::new());
        let faulty = Arc::new(Faulty::new(inner.clone()));
        faulty.set_latency(LATENCY);
        let bucket = Self { inner, faulty, clock: Arc::new(Wall::new()) };
        for number in 0..skills {
            bucket.skill(&format!("c/s{number:03}"), "Hace algo.");
        }
        let (catalogs, _) = bucket.process();
        catalogs.view(&u1(), false).await.unwrap();
        sleep(QUIET).await;
        bucket
    }

    /// A process that knows nothing yet, and what it asks.
    fn process(&self) -> (Catalogs, Arc<RequestCounts>) {
        let ledger = Arc::new(RequestCounts::recording());
        let store = Arc::new(CountingStore::new(self.faulty.clone(), ledger.clone()));
        (Catalogs::new(store, Namespace::parse("").unwrap(), self.clock.clone(), Workers::new(2)).with_index(), ledger)
    }

    fn skill(&self, skill: &str, description: &str) {
        let text = format!("---\ndescription: {description}\n---\n");
        self.inner.put_raw(&format!("u1/skills/{skill}/SKILL.md"), text);
    }

    async fn index(&self) -> Vec<u8> {
        self.inner.get(&key(), GetOptions::default()).await.unwrap().bytes.to_vec()
    }

    /// What a process without any index finds.
    async fn truth(&self) -> Arc<CatalogView> {
        let catalogs =
            Catalogs::new(self.inner.clone(), Namespace::parse("").unwrap(), self.clock.clone(), Workers::new(2));
        catalogs.view(&u1(), true).await.unwrap()
    }
}

fn u1() -> Id {
    Id::parse("u1").unwrap()
}

fn key() -> ObjectKey {
    Namespace::parse("").unwrap().user(&u1()).unwrap().catalog().unwrap()
}

fn same(one: &CatalogView, two: &CatalogView) -> bool {
    (&one.entries, &one.diagnostics, one.unnameable_keys) == (&two.entries, &two.diagnostics, two.unnameable_keys)
}

#[tokio::test(start_paused = true)]
async fn a_new_process_reads_a_young_index_and_nothing_else() {
    let bucket = Bucket::indexed(100).await;
    let (catalogs, ledger) = bucket.process();
    let begun = Instant::now();
    let view = catalogs.view(&u1(), false).await.unwrap();
    assert_eq!(begun.elapsed(), LATENCY);
    assert!(same(&view, &*bucket.truth().await) && view.entries.len() == 100);
    sleep(QUIET).await;
    assert_eq!(ledger.asked(), [(Verb::Get, key().to_string())]);
}

#[tokio::test(start_paused = true)]
async fn an_index_of_some_minutes_is_served_at_once_and_brought_up_to_date_behind() {
    let bucket = Bucket::indexed(3).await;
    bucket.skill("new", "Es nueva.");
    advance(FRESH).await;
    let (catalogs, ledger) = bucket.process();
    let begun = Instant::now();
    assert_eq!(catalogs.view(&u1(), false).await.unwrap().entries.len(), 3);
    assert_eq!(begun.elapsed(), LATENCY);
    sleep(QUIET).await;
    assert_eq!(catalogs.view(&u1(), false).await.unwrap().entries.len(), 4);
    let requests = ledger.counts().objects.requests;
    assert_eq!((requests.list, requests.get, requests.put), (1, 2, 1), "index, listing, what is new, index");
    let (next, ledger) = bucket.process();
    assert_eq!(next.view(&u1(), false).await.unwrap().entries.len(), 4);
    assert_eq!(ledger.counts().objects.requests.total(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_old_index_is_believed_only_where_the_listing_agrees() {
    let bucket = Bucket::indexed(3).await;
    bucket.skill("c/s001", "Hace otra cosa.");
    advance(CATALOG_STALE).await;
    let (catalogs, ledger) = bucket.process();
    let view = catalogs.view(&u1(), false).await.unwrap();
    assert!(same(&view, &*bucket.truth().await));
    let requests = ledger.counts().objects.requests;
    assert_eq!((requests.list, requests.get), (1, 2), "index, listing, what changed");
}

#[tokio::test(start_paused = true)]
async fn fresh_asks_for_index_and_listing_at_once() {
    let bucket = Bucket::indexed(100).await;
    let (catalogs, ledger) = bucket.process();
    let begun = Instant::now();
    assert_eq!(catalogs.view(&u1(), true).await.unwrap().entries.len(), 100);
    assert_eq!(begun.elapsed(), LATENCY);
    let requests = ledger.counts().objects.requests;
    assert_eq!((requests.list, requests.get), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn an_index_that_is_gone_cut_short_or_not_ours_changes_no_answer_and_is_written_anew() {
    let bucket = Bucket::indexed(5).await;
    let truth = bucket.truth().await;
    let good = bucket.index().await;
    let mut flipped = good.clone();
    *flipped.last_mut().unwrap() ^= 1;
    let schema = good.iter().position(u8::is_ascii_digit).unwrap();
    let mut other_schema = good.clone();
    other_schema[schema] = b'9';
    let broken = [None, Some(Vec::new()), Some(good[..good.len() / 2].to_vec()), Some(flipped), Some(other_schema)];
    for index in broken {
        match &index {
            None => bucket.inner.delete(&key(), DeleteOptions::default()).await.unwrap(),
            Some(bytes) => drop(bucket.inner.put_raw(key().as_str(), bytes.clone())),
        }
        for fresh in [false, true] {
            let (catalogs, _) = bucket.process();
            assert!(same(&catalogs.view(&u1(), fresh).await.unwrap(), &truth), "{index:?}");
        }
        sleep(QUIET).await;
        let (catalogs, ledger) = bucket.process();
        assert!(same(&catalogs.view(&u1(), false).await.unwrap(), &truth));
        assert_eq!(ledger.counts().objects.requests.total(), 1, "it was not written anew after {index:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_index_is_written_when_something_changed_or_it_grows_old_and_not_otherwise() {
    let bucket = Bucket::indexed(3).await;
    let (catalogs, ledger) = bucket.process();
    let puts = || ledger.counts().objects.requests.put;
    for _ in 0..3 {
        catalogs.view(&u1(), true).await.unwrap();
        sleep(QUIET).await;
    }
    assert_eq!(puts(), 0);
    bucket.skill("new", "Es nueva.");
    catalogs.view(&u1(), true).await.unwrap();
    sleep(QUIET).await;
    assert_eq!(puts(), 1);
    advance(CATALOG_STALE / 2).await;
    catalogs.view(&u1(), true).await.unwrap();
    sleep(QUIET).await;
    assert_eq!(puts(), 2);
    assert_eq!(ledger.counts().objects.requests.head, 0, "the version of the index is known");
}

#[tokio::test(start_paused = true)]
async fn of_two_processes_that_write_the_index_neither_loses_what_the_bucket_says() {
    let bucket = Bucket::indexed(3).await;
    let ((one, _), (two, _)) = (bucket.process(), bucket.process());
    for round in 0..5 {
        bucket.skill(&format!("n{round}"), "Es nueva.");
        let (user, views) = (u1(), [one.clone(), two.clone()]);
        let (first, second) = tokio::join!(views[0].view(&user, true), views[1].view(&user, true));
        assert_eq!((first.unwrap().entries.len(), second.unwrap().entries.len()), (4 + round, 4 + round));
        sleep(QUIET).await;
        let (next, ledger) = bucket.process();
        assert_eq!(next.view(&user, false).await.unwrap().entries.len(), 4 + round);
        assert_eq!(ledger.counts().objects.requests.total(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn an_index_that_cannot_be_written_is_nobodys_trouble() {
    let bucket = Bucket::indexed(3).await;
    bucket.inner.delete(&key(), DeleteOptions::default()).await.unwrap();
    bucket.faulty.every(Verb::Put, 1, skillmount::store::testing::Fault::Refuse);
    let (catalogs, _) = bucket.process();
    assert_eq!(catalogs.view(&u1(), false).await.unwrap().entries.len(), 3);
    sleep(Duration::from_mins(1)).await;
    bucket.faulty.clear();
    assert_eq!(catalogs.view(&u1(), true).await.unwrap().entries.len(), 3);
    sleep(QUIET).await;
    assert!(!bucket.index().await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn an_index_from_the_future_is_replaced() {
    let bucket = Bucket::indexed(3).await;
    let ahead = Bucket { clock: Arc::new(Wall::ahead(CATALOG_STALE * 2)), ..bucket };
    let (catalogs, _) = ahead.process();
    ahead.skill("new", "Es nueva.");
    catalogs.view(&u1(), true).await.unwrap();
    sleep(QUIET).await;
    let bucket = Bucket { clock: Arc::new(Wall::new()), ..ahead };
    let (catalogs, _) = bucket.process();
    catalogs.view(&u1(), false).await.unwrap();
    sleep(QUIET).await;
    let (next, ledger) = bucket.process();
    assert_eq!(next.view(&u1(), false).await.unwrap().entries.len(), 4);
    assert_eq!(ledger.counts().objects.requests.total(), 1, "the index is of this time again");
}

#[tokio::test(start_paused = true)]
async fn somebody_without_skills_gets_no_index_for_being_asked_about() {
    let bucket = Bucket::indexed(0).await;
    let (catalogs, ledger) = bucket.process();
    for fresh in [false, true] {
        catalogs.view(&u1(), fresh).await.unwrap();
        sleep(QUIET).await;
    }
    assert_eq!(ledger.counts().objects.requests.put, 0);
    assert!(bucket.inner.get(&key(), GetOptions::default()).await.is_err());
    bucket.skill("one", "Es la primera.");
    catalogs.view(&u1(), true).await.unwrap();
    sleep(QUIET).await;
    assert!(!bucket.index().await.is_empty());
}
