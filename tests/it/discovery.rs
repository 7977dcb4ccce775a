//! Discovery, counted: which requests it makes, how many round trips they take, and what it does when they fail.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use bytes::Bytes;
use skillmount::{
    Code,
    catalog::{Catalogs, Discovery, discover},
    clock::{Clock, SystemClock},
    limits::{CATALOG_STALE, FRESH, LIST_OBJECTS, PARALLEL_GETS, SKILL_HEAD_BYTES},
    path::{ETag, Id, KeyPrefix, Namespace, ObjectKey, UserSpace},
    store::{
        Capabilities, DeleteOptions, GetOptions, ListOptions, ListPage, MemoryStore, Object, ObjectMeta, PutOptions,
        PutResult, Store, StoreError, StoreResult,
    },
};
use tokio::time::{Instant, advance, sleep};

/// What each request takes, on the paused clock.
const LATENCY: Duration = Duration::from_millis(20);

/// A memory store that takes its time, writes down what it is asked, and can be down.
#[derive(Debug, Default)]
struct Ledger {
    inner: MemoryStore,
    asked: Mutex<Vec<String>>,
    down: AtomicBool,
    /// A key that cannot be got.
    failing: Mutex<Option<String>>,
    /// A key that goes away once the listing has been given.
    vanishing: Mutex<Option<String>>,
}

impl Ledger {
    fn skill(&self, skill: &str, description: &str) -> ETag {
        let text = format!("---\nname: {}\ndescription: {description}\n---\n# T\n", skill.rsplit('/').next().unwrap());
        self.inner.put_raw(&format!("u1/skills/{skill}/SKILL.md"), text)
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.asked.lock().unwrap())
    }

    /// (LIST, GET) since the last look.
    fn counts(&self) -> (usize, usize) {
        let asked = self.take();
        let count = |verb: &str| asked.iter().filter(|line| line.starts_with(verb)).count();
        assert_eq!(count("LIST") + count("GET"), asked.len(), "other verbs: {asked:?}");
        (count("LIST"), count("GET"))
    }

    async fn note(&self, line: String) -> StoreResult<()> {
        self.asked.lock().unwrap().push(line);
        sleep(LATENCY).await;
        if self.down.load(Ordering::SeqCst) { Err(StoreError::not_applied("down")) } else { Ok(()) }
    }
}

#[async_trait]
impl Store for Ledger {
    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }

    async fn get(&self, key: &ObjectKey, options: GetOptions) -> StoreResult<Object> {
        self.note(format!("GET {key} {:?}", options.range)).await?;
        if self.failing.lock().unwrap().as_deref() == Some(key.as_str()) {
            return Err(StoreError::not_applied("no answer"));
        }
        self.inner.get(key, options).await
    }

    async fn put(&self, key: &ObjectKey, bytes: Bytes, options: PutOptions) -> StoreResult<PutResult> {
        self.note(format!("PUT {key}")).await?;
        self.inner.put(key, bytes, options).await
    }

    async fn head(&self, key: &ObjectKey) -> StoreResult<ObjectMeta> {
        self.note(format!("HEAD {key}")).await?;
        self.inner.head(key).await
    }

    async fn list(&self, prefix: &KeyPrefix, options: ListOptions) -> StoreResult<ListPage> {
        self.note(format!("LIST {prefix}")).await?;
        let page = self.inner.list(prefix, options).await?;
        let vanishing = self.vanishing.lock().unwrap().take();
        if let Some(key) = vanishing.and_then(|key| KeyPrefix::all().admit(&key)) {
            self.inner.delete(&key, DeleteOptions::default()).await?;
        }
        Ok(page)
    }

    async fn delete(&self, key: &ObjectKey, options: DeleteOptions) -> StoreResult<()> {
        self.note(format!("DELETE {key}")).await?;
        self.inner.delete(key, options).await
    }
}

fn u1() -> Id {
    Id::parse("u1").unwrap()
}

fn space() -> UserSpace {
    Namespace::parse("").unwrap().user(&u1()).unwrap()
}

async fn read(store: &Ledger, previous: Option<&Discovery>) -> skillmount::Result<Discovery> {
    discover(store, &space(), &SystemClock::new(), previous).await
}

fn catalogs() -> (Arc<Ledger>, Arc<Catalogs>) {
    let store = Arc::new(Ledger::default());
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    (store.clone(), Arc::new(Catalogs::new(store, Namespace::parse("").unwrap(), clock)))
}

fn skills(discovery: &Discovery) -> Vec<&str> {
    discovery.view().entries.iter().map(|entry| entry.skill.as_str()).collect()
}

fn codes(discovery: &Discovery) -> Vec<(&str, &str)> {
    discovery.view().diagnostics.iter().map(|one| (one.skill.as_str(), one.diagnostic.code.as_str())).collect()
}

#[tokio::test(start_paused = true)]
async fn a_hundred_skills_are_one_listing_and_a_hundred_ranged_gets_in_three_round_trips() {
    let store = Ledger::default();
    for number in 0..100 {
        store.skill(&format!("c/s{number:03}"), "Does it.");
    }
    let begun = Instant::now();
    let found = read(&store, None).await.unwrap();
    assert_eq!(begun.elapsed(), LATENCY * (1 + 100_u32.div_ceil(u32::try_from(PARALLEL_GETS).unwrap())));
    assert_eq!(skills(&found).len(), 100);
    assert!(found.view().entries.is_sorted_by_key(|entry| entry.skill.clone()));
    let asked = store.take();
    let ranged = format!("Some(0..{SKILL_HEAD_BYTES})");
    assert_eq!(asked.iter().filter(|line| line.starts_with("GET") && line.ends_with(&ranged)).count(), 100);
    assert_eq!(asked.len(), 101);
}

#[tokio::test(start_paused = true)]
async fn a_thousand_and_one_files_are_two_listings() {
    let store = Ledger::default();
    store.skill("a", "Does it.");
    for number in 0..999 {
        store.inner.put_raw(&format!("u1/skills/a/{number}"), "x");
    }
    assert_eq!(read(&store, None).await.unwrap().view().entries[0].files, 1000);
    assert_eq!(store.counts(), (1, 1));
    store.inner.put_raw("u1/skills/a/z", "x");
    let found = read(&store, None).await.unwrap();
    assert_eq!((found.view().entries[0].files, store.counts()), (1001, (2, 1)));
}

#[tokio::test(start_paused = true)]
async fn only_what_changed_is_read_again_and_the_findings_of_the_rest_are_kept() {
    let store = Ledger::default();
    store.skill("a", "One.");
    store.skill("b", "Two.");
    store.inner.put_raw("u1/skills/broken/SKILL.md", "no frontmatter");
    store.inner.put_raw("u1/skills/empty/SKILL.md", "");
    let first = read(&store, None).await.unwrap();
    assert_eq!(store.counts(), (1, 3), "an empty SKILL.md costs no request");
    assert_eq!(skills(&first), ["a", "b"]);
    assert_eq!(codes(&first).iter().map(|(skill, _)| *skill).collect::<Vec<_>>(), ["broken", "empty"]);

    store.skill("b", "Two, better.");
    store.inner.put_raw("u1/skills/a/more.md", "more");
    let second = read(&store, Some(&first)).await.unwrap();
    assert_eq!(store.counts(), (1, 1));
    assert_eq!(codes(&second), codes(&first));
    assert_eq!(second.view().entries[0].files, 2);
    assert_eq!(second.view().entries[1].description(), "Two, better.");
    let afresh = read(&store, None).await.unwrap();
    assert_eq!(second.view().entries, afresh.view().entries);
    assert_eq!(second.view().diagnostics, afresh.view().diagnostics);
}

#[tokio::test(start_paused = true)]
async fn skills_of_one_name_or_one_folder_are_reported_on_each_side() {
    let store = Ledger::default();
    store.skill("a/venta", "One.");
    store.skill("b/venta", "Two.");
    store.inner.put_raw("u1/skills/c/otra/SKILL.md", "---\nname: venta\ndescription: Three.\n---\n");
    let found = read(&store, None).await.unwrap();
    let of = |wanted: &str| -> Vec<String> {
        codes(&found).iter().filter(|(_, code)| *code == wanted).map(|(skill, _)| (*skill).to_owned()).collect()
    };
    assert_eq!(of("duplicate_mount_name"), ["a/venta", "b/venta"]);
    assert_eq!(of("duplicate_name"), ["a/venta", "b/venta", "c/otra"]);
    assert_eq!(skills(&found).len(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_skill_that_goes_away_after_the_listing_is_left_out() {
    let store = Ledger::default();
    store.skill("a", "One.");
    store.skill("b", "Two.");
    *store.vanishing.lock().unwrap() = Some("u1/skills/a/SKILL.md".to_owned());
    let found = read(&store, None).await.unwrap();
    assert_eq!((skills(&found), codes(&found)), (vec!["b"], vec![]));
}

#[tokio::test(start_paused = true)]
async fn a_store_that_fails_half_way_is_an_error_and_never_a_shorter_catalog() {
    let store = Ledger::default();
    store.skill("a", "One.");
    store.skill("b", "Two.");
    *store.failing.lock().unwrap() = Some("u1/skills/b/SKILL.md".to_owned());
    assert_eq!(read(&store, None).await.unwrap_err().code(), Code::StoreUnavailable);
}

#[tokio::test]
async fn as_many_files_as_are_listed_are_taken_and_more_are_reported() {
    let store = MemoryStore::new();
    for number in 0..LIST_OBJECTS {
        store.put_raw(&format!("u1/skills/a/{number:06}"), "");
    }
    let codes = async || {
        let found = discover(&store, &space(), &SystemClock::new(), None).await.unwrap();
        found.view().diagnostics.iter().map(|one| one.diagnostic.code.clone()).collect::<Vec<_>>()
    };
    assert!(codes().await.is_empty());
    store.put_raw("u1/skills/b/SKILL.md", "");
    assert_eq!(codes().await, ["too_many_files"]);
}

#[tokio::test(start_paused = true)]
async fn a_catalog_is_served_from_memory_until_it_is_thirty_seconds_old() {
    let (store, catalogs) = catalogs();
    store.skill("a", "One.");
    assert!(catalogs.known(&u1()).await.is_none());
    catalogs.view(&u1(), false).await.unwrap();
    assert_eq!(store.counts(), (1, 1));
    store.skill("b", "Two.");
    advance(FRESH.saturating_sub(Duration::from_secs(1))).await;
    assert_eq!(catalogs.view(&u1(), false).await.unwrap().entries.len(), 1);
    assert_eq!(store.counts(), (0, 0));
    advance(Duration::from_secs(1)).await;
    assert_eq!(catalogs.view(&u1(), false).await.unwrap().entries.len(), 2);
    assert_eq!(store.counts(), (1, 1), "the unchanged skill is not read again");
    assert_eq!(catalogs.known(&u1()).await.unwrap().entries.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn however_many_ask_at_once_the_store_is_asked_once() {
    let (store, catalogs) = catalogs();
    store.skill("a", "One.");
    let user = u1();
    let all = futures_util::future::join_all((0..1000).map(|_| catalogs.view(&user, false))).await;
    assert!(all.iter().all(|view| view.as_ref().unwrap().entries.len() == 1));
    assert_eq!(store.counts(), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn fresh_means_asked_after_the_call_and_shared_by_those_who_wait() {
    let (store, catalogs) = catalogs();
    store.skill("a", "One.");
    let user = u1();
    let early = tokio::spawn({
        let (catalogs, user) = (catalogs.clone(), user.clone());
        async move { catalogs.view(&user, false).await.unwrap() }
    });
    // The first listing has been given, its GET is under way: what is put now it cannot see.
    sleep(LATENCY + LATENCY / 2).await;
    store.skill("b", "Two.");
    let fresh = futures_util::future::join_all((0..10).map(|_| catalogs.view(&user, true))).await;
    assert!(fresh.iter().all(|view| view.as_ref().unwrap().entries.len() == 2));
    assert_eq!(early.await.unwrap().entries.len(), 1);
    assert_eq!(store.counts(), (2, 2));
}

#[tokio::test(start_paused = true)]
async fn while_the_store_is_down_an_older_catalog_is_served_for_five_minutes_and_errors_are_not_remembered() {
    let (store, catalogs) = catalogs();
    store.skill("a", "One.");
    let before = catalogs.view(&u1(), false).await.unwrap();
    store.down.store(true, Ordering::SeqCst);
    advance(CATALOG_STALE.saturating_sub(LATENCY * 4)).await;
    let stale = catalogs.view(&u1(), false).await.unwrap();
    assert_eq!(stale.as_of, before.as_of);
    assert_eq!(catalogs.view(&u1(), true).await.unwrap_err().code(), Code::StoreUnavailable);
    advance(LATENCY * 4).await;
    assert_eq!(catalogs.view(&u1(), false).await.unwrap_err().code(), Code::StoreUnavailable);
    assert!(catalogs.known(&u1()).await.is_some());
    store.down.store(false, Ordering::SeqCst);
    assert_eq!(catalogs.view(&u1(), false).await.unwrap().entries.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_caller_that_gives_up_leaves_the_reading_to_the_next() {
    let (store, catalogs) = catalogs();
    store.skill("a", "One.");
    let user = u1();
    let given_up = tokio::time::timeout(LATENCY / 2, catalogs.view(&user, false)).await;
    assert!(given_up.is_err());
    assert_eq!(catalogs.view(&user, false).await.unwrap().entries.len(), 1);
}
