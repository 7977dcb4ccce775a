//! Discovery, counted: which requests it makes, how many round trips they take, and what it does when they fail.

use std::{collections::HashSet, sync::Arc, time::Duration};

use skillmount::{
    Code,
    budget::Workers,
    catalog::{Catalogs, Discovery, discover},
    clock::SystemClock,
    handle::ServiceOptions,
    limits::{CATALOG_STALE, FRESH, LIST_OBJECTS, PARALLEL_GETS, SKILL_HEAD_BYTES},
    path::{Id, KeyPrefix, Layer, Namespace, SkillPath, UserSpace},
    skill::Severity,
    store::{
        CountingStore, DeleteOptions, MemoryStore, RequestCounts, Store, Verb,
        testing::{Fault, Faulty},
    },
};
use tokio::time::{Instant, advance, sleep, sleep_until};

use crate::support::{
    clock,
    saboteur::{index_trips, requests_for_indexes, under_test},
    world::real_skill_texts,
};

/// What each request takes, on the paused clock.
const LATENCY: Duration = Duration::from_millis(20);

/// A bucket in memory that takes its time, and what it was asked.
struct Bucket {
    inner: Arc<MemoryStore>,
    faulty: Arc<Faulty>,
    ledger: Arc<RequestCounts>,
    store: Arc<CountingStore>,
    indexed: bool,
}

impl Bucket {
    fn new() -> Self {
        let inner = Arc::new(MemoryStore::new());
        let (below, options) = under_test(inner.clone(), ServiceOptions::default(), clock());
        let faulty = Arc::new(Faulty::new(below));
        faulty.set_latency(LATENCY);
        let ledger = Arc::new(RequestCounts::recording());
        let store = Arc::new(CountingStore::new(faulty.clone(), ledger.clone()));
        Self { inner, faulty, ledger, store, indexed: options.index }
    }

    fn skill(&self, skill: &str, description: &str) {
        let name = skill.rsplit('/').next().unwrap();
        self.file(&format!("{skill}/SKILL.md"), &format!("---\nname: {name}\ndescription: {description}\n---\n# T\n"));
    }

    fn file(&self, path: &str, text: &str) {
        self.inner.put_raw(&format!("u1/skills/{path}"), text.to_owned());
    }

    async fn remove(&self, path: &str) {
        let key = KeyPrefix::all().key(&format!("u1/skills/{path}")).unwrap();
        self.inner.delete(&key, DeleteOptions::default()).await.unwrap();
    }

    async fn discover(&self, previous: Option<&Discovery>) -> skillmount::Result<Discovery> {
        discover(&*self.store, &space(), &SystemClock::new(), previous).await
    }

    fn catalogs(&self) -> Arc<Catalogs> {
        let catalogs = Catalogs::new(self.store.clone(), Namespace::parse("").unwrap(), clock(), Workers::new(2));
        Arc::new(if self.indexed { catalogs.with_index() } else { catalogs })
    }

    /// (LIST, GET) so far, sabotaged indexes apart; nothing else was asked.
    fn asked(&self) -> (u64, u64) {
        let mut requests = self.ledger.counts().objects.requests;
        if self.indexed {
            requests = requests - requests_for_indexes(&self.ledger, 0);
        }
        assert_eq!(requests.total(), requests.list + requests.get);
        (requests.list, requests.get)
    }
}

fn u1() -> Id {
    Id::parse("u1").unwrap()
}

fn space() -> UserSpace {
    Namespace::parse("").unwrap().user(&u1()).unwrap()
}

/// How many skills there are in the answer that costs nobody any time.
async fn at_once(catalogs: &Catalogs) -> usize {
    let begun = Instant::now();
    let view = catalogs.view(&u1(), false).await.unwrap();
    assert_eq!(begun.elapsed(), Duration::ZERO);
    view.entries.len()
}

fn skills(discovery: &Discovery) -> Vec<&str> {
    discovery.view().entries.iter().map(|entry| entry.skill.as_str()).collect()
}

fn codes(discovery: &Discovery) -> Vec<(&str, &str)> {
    discovery.view().diagnostics.iter().map(|one| (one.skill.as_str(), one.diagnostic.code.as_str())).collect()
}

// S-COST-6: Discovery of N skills is the LIST of their files and N ranged GET, 64 at a time.
#[tokio::test(start_paused = true)]
async fn a_hundred_skills_are_one_listing_and_a_hundred_ranged_gets_in_three_round_trips() {
    let bucket = Bucket::new();
    for number in 0..100 {
        bucket.skill(&format!("c/s{number:03}"), "Does it.");
    }
    let begun = Instant::now();
    let found = bucket.discover(None).await.unwrap();
    assert_eq!(begun.elapsed(), LATENCY * (1 + 100_u32.div_ceil(u32::try_from(PARALLEL_GETS).unwrap())));
    assert_eq!(bucket.asked(), (1, 100));
    assert_eq!(skills(&found).len(), 100);
    assert!(skills(&found).is_sorted());
}

// S-CATALOG-4: Discovery reads no more than the head of each SKILL.md, and loads nothing.
#[tokio::test(start_paused = true)]
async fn no_more_than_the_head_of_a_skill_md_is_read() {
    let bucket = Bucket::new();
    bucket.file("a/SKILL.md", &format!("---\nname: a\ndescription: Long.\n---\n{}", "palabra\n".repeat(100_000)));
    assert_eq!(skills(&bucket.discover(None).await.unwrap()), ["a"]);
    assert_eq!(bucket.ledger.counts().objects.bytes_read, SKILL_HEAD_BYTES);
}

#[tokio::test(start_paused = true)]
async fn a_thousand_and_one_files_are_two_listings() {
    let bucket = Bucket::new();
    bucket.skill("a", "Does it.");
    for number in 0..999 {
        bucket.file(&format!("a/{number}"), "x");
    }
    assert_eq!(bucket.discover(None).await.unwrap().view().entries[0].files, 1000);
    assert_eq!(bucket.asked(), (1, 1));
    bucket.file("a/z", "x");
    assert_eq!(bucket.discover(None).await.unwrap().view().entries[0].files, 1001);
    assert_eq!(bucket.asked(), (1 + 2, 1 + 1));
}

#[tokio::test(start_paused = true)]
async fn only_what_changed_is_read_again_and_the_findings_of_the_rest_are_kept() {
    let bucket = Bucket::new();
    bucket.skill("a", "One.");
    bucket.skill("b", "Two.");
    bucket.file("broken/SKILL.md", "no frontmatter");
    bucket.file("empty/SKILL.md", "");
    let first = bucket.discover(None).await.unwrap();
    assert_eq!(bucket.asked(), (1, 3), "an empty SKILL.md costs no request");
    assert_eq!(skills(&first), ["a", "b"]);
    assert_eq!(codes(&first).iter().map(|(skill, _)| *skill).collect::<Vec<_>>(), ["broken", "empty"]);

    bucket.skill("b", "Two, better.");
    bucket.file("a/more.md", "more");
    let second = bucket.discover(Some(&first)).await.unwrap();
    assert_eq!(bucket.asked(), (2, 3 + 1));
    assert_eq!(codes(&second), codes(&first));
    assert_eq!(second.view().entries[0].files, 2);
    assert_eq!(second.view().entries[1].description(), "Two, better.");
    let afresh = bucket.discover(None).await.unwrap();
    assert_eq!(second.view().entries, afresh.view().entries);
    assert_eq!(second.view().diagnostics, afresh.view().diagnostics);
}

// S-CATALOG-2: Only a missing description or frontmatter that cannot be parsed leaves a skill out, and then a diagnostic
// says so.
#[tokio::test(start_paused = true)]
async fn only_what_says_nothing_or_cannot_be_parsed_is_left_out() {
    let bucket = Bucket::new();
    bucket.file("colon/SKILL.md", "---\nname: colon\ndescription: Use it: always: at once\n---\n");
    bucket.file("folder/SKILL.md", "---\nname: another\ndescription: Does it.\n---\n");
    bucket.file("mute/SKILL.md", "---\nname: mute\n---\nBody.\n");
    bucket.file("torn/SKILL.md", "---\nname: torn\ndescription: It never ends.\n");
    bucket.file("headed/SKILL.md", "# Cranes\n\nFolds paper\ninto cranes.\n\n## Steps\n");
    let found = bucket.discover(None).await.unwrap();
    assert_eq!(skills(&found), ["colon", "folder", "headed"]);
    let headed = &found.view().entries[2];
    assert_eq!((headed.name(), headed.description()), ("headed", "Folds paper into cranes."));
    assert!(codes(&found).contains(&("headed", "frontmatter_absent")), "a warning stands beside it");
    assert_eq!(found.view().entries[0].description(), "Use it: always: at once");
    let errors = found.view().diagnostics.iter().filter(|one| one.diagnostic.severity == Severity::Error);
    assert_eq!(errors.map(|one| one.skill.as_str()).collect::<Vec<_>>(), ["mute", "torn"]);
    assert!(found.view().diagnostics.iter().any(|one| one.skill == "folder"), "another name is a warning");
}

// S-CATALOG-3: No frontmatter, however hostile, makes discovery hang or fail: the service bounds the text before it
// parses it.
#[tokio::test(start_paused = true)]
async fn hostile_frontmatter_harms_its_own_skill_alone() {
    let bucket = Bucket::new();
    bucket.skill("good", "Does it.");
    let level = |level: u32| format!("a{level}: &a{level} [{}]\n", format!("*a{},", level - 1).repeat(9));
    let bomb = (1..20).map(level).collect::<Vec<_>>().concat();
    for (number, hostile) in [
        "[".repeat(15_000),
        "{a: ".repeat(4000),
        "- ".repeat(8000),
        format!("a0: &a0 x\n{bomb}"),
        "a: &a [*a]".to_owned(),
        "k: v\n".repeat(100_000),
        "\0\u{feff}\u{85}: !!binary |\n".repeat(500),
        "? ".repeat(5000),
        "!<".repeat(5000),
        "\"".to_owned(),
        "%YAML 9.9\n--- !x\n...".to_owned(),
    ]
    .into_iter()
    .enumerate()
    {
        bucket.file(&format!("bad{number}/SKILL.md"), &format!("---\n{hostile}\n---\nBody.\n"));
    }
    bucket.inner.put_raw("u1/skills/bytes/SKILL.md", vec![0xff; 100_000]);
    let found = bucket.discover(None).await.unwrap();
    assert_eq!(skills(&found), ["good"]);
    assert_eq!(codes(&found).iter().map(|(skill, _)| skill).collect::<HashSet<_>>().len(), 12);
}

#[tokio::test(start_paused = true)]
async fn skills_of_one_name_or_one_folder_are_one_finding_at_the_first_of_them() {
    let bucket = Bucket::new();
    bucket.skill("a/venta", "One.");
    bucket.skill("b/venta", "Two.");
    bucket.file("c/otra/SKILL.md", "---\nname: venta\ndescription: Three.\n---\n");
    let found = bucket.discover(None).await.unwrap();
    let of = |wanted: &str| -> Vec<String> {
        codes(&found).iter().filter(|(_, code)| *code == wanted).map(|(skill, _)| (*skill).to_owned()).collect()
    };
    assert_eq!(of("duplicate_mount_name"), ["a/venta"]);
    assert_eq!(of("duplicate_name"), ["a/venta"], "a third skill has the name, and another folder");
    assert_eq!(skills(&found).len(), 3);
    bucket.remove("c/otra/SKILL.md").await;
    let found = bucket.discover(None).await.unwrap();
    assert_eq!(
        codes(&found),
        [("a/venta", "duplicate_mount_name")],
        "the same pair by folder and by name is told once"
    );
}

#[tokio::test(start_paused = true)]
async fn a_skill_that_goes_away_after_the_listing_is_left_out_and_told() {
    let bucket = Bucket::new();
    bucket.skill("a", "One.");
    bucket.skill("b", "Two.");
    let remove = async {
        sleep(LATENCY + LATENCY / 2).await;
        bucket.remove("a/SKILL.md").await;
    };
    let (found, ()) = tokio::join!(bucket.discover(None), remove);
    let found = found.unwrap();
    assert_eq!((skills(&found), codes(&found)), (vec!["b"], vec![("a", "unreadable")]));
    assert_eq!(bucket.asked(), (1, 2));
}

#[tokio::test(start_paused = true)]
async fn a_store_that_fails_half_way_is_an_error_and_never_a_shorter_catalog() {
    for verb in [Verb::List, Verb::Get] {
        let bucket = Bucket::new();
        bucket.skill("a", "One.");
        bucket.skill("b", "Two.");
        (0..1000).for_each(|number| bucket.file(&format!("c/{number}"), ""));
        bucket.faulty.script(verb, [Fault::None, Fault::Refuse]);
        assert_eq!(bucket.discover(None).await.unwrap_err().code(), Code::StoreUnavailable, "{verb:?}");
        assert_eq!(bucket.discover(None).await.unwrap().view().entries.len(), 2);
    }
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

// S-CATALOG-5: A change by other S3 tools shows within 30 seconds of activity, and at once with `fresh=true`.
#[tokio::test(start_paused = true)]
async fn a_catalog_is_served_from_memory_and_looked_at_again_after_thirty_seconds_while_nobody_waits() {
    let bucket = Bucket::new();
    let catalogs = bucket.catalogs();
    bucket.skill("a", "One.");
    assert!(catalogs.cached_layer(&u1(), Layer::User).is_none());
    catalogs.view(&u1(), false).await.unwrap();
    assert_eq!(bucket.asked(), (1, 1));
    bucket.skill("b", "Two.");
    let spent = LATENCY * (3 + index_trips());
    sleep(FRESH.saturating_sub(spent)).await;
    assert_eq!(catalogs.view(&u1(), false).await.unwrap().entries.len(), 1);
    assert_eq!(bucket.asked(), (1, 1));
    sleep(spent + LATENCY).await;
    assert_eq!(bucket.asked(), (2, 2), "the unchanged skill is not read again");
    assert_eq!(at_once(&catalogs).await, 2);
    bucket.skill("c", "Three.");
    assert_eq!(catalogs.view(&u1(), true).await.unwrap().entries.len(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_catalog_is_looked_at_again_for_as_long_as_it_is_asked_for_and_no_longer() {
    let bucket = Bucket::new();
    let catalogs = bucket.catalogs();
    bucket.skill("a", "One.");
    for round in 1..=3 {
        catalogs.view(&u1(), false).await.unwrap();
        assert_eq!(bucket.asked().0, round);
        sleep(FRESH).await;
        sleep(LATENCY * 3).await;
    }
    sleep(FRESH * 100).await;
    assert_eq!(bucket.asked().0, 4, "the last call was followed by one look");
}

// S-CATALOG-10: After a pause the first answer may be as old as the pause, up to 5 minutes, and the next answer is
// fresh.
#[tokio::test(start_paused = true)]
async fn after_a_pause_what_is_younger_than_five_minutes_is_served_once_more_and_what_is_older_waits() {
    let bucket = Bucket::new();
    let catalogs = bucket.catalogs();
    bucket.skill("a", "One.");
    catalogs.view(&u1(), true).await.unwrap();
    let last_look = Instant::now() + FRESH;
    sleep_until(last_look + CATALOG_STALE.saturating_sub(LATENCY * 10)).await;
    bucket.skill("b", "Two.");
    assert_eq!(at_once(&catalogs).await, 1);
    sleep(LATENCY * 3).await;
    assert_eq!(at_once(&catalogs).await, 2);

    let last_look = Instant::now() + FRESH;
    sleep_until(last_look + CATALOG_STALE + LATENCY * 10).await;
    bucket.skill("c", "Three.");
    let begun = Instant::now();
    assert_eq!(catalogs.view(&u1(), false).await.unwrap().entries.len(), 3);
    assert_eq!(begun.elapsed(), LATENCY * 2);
}

#[tokio::test(start_paused = true)]
async fn whoever_listens_is_told_what_changed_and_nothing_else() {
    let bucket = Bucket::new();
    let catalogs = bucket.catalogs();
    let mut changes = catalogs.changes();
    bucket.skill("a", "One.");
    bucket.skill("b", "Two.");
    bucket.skill("c", "Three.");
    catalogs.view(&u1(), true).await.unwrap();
    catalogs.view(&u1(), true).await.unwrap();
    assert!(changes.try_recv().is_err(), "a first reading changes nothing, and nor does one that finds the same");

    bucket.skill("b", "Two, better.");
    bucket.file("c/more.md", "more");
    bucket.skill("d", "Four.");
    bucket.remove("a/SKILL.md").await;
    sleep(FRESH + LATENCY * 3).await;
    let change = changes.try_recv().expect("the look that nobody waited for tells it");
    let paths = |skills: &[SkillPath]| skills.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(paths(&change.difference.changed), ["b", "c", "d"]);
    assert_eq!(paths(&change.difference.removed), ["a"]);
    assert!(change.layer() == Layer::User && change.concerns(&(&u1()).into()));
    assert!(!change.concerns(&(&Id::parse("u10").unwrap()).into()));

    bucket.remove("d/SKILL.md").await;
    catalogs.view(&u1(), true).await.unwrap();
    assert_eq!(paths(&changes.try_recv().unwrap().difference.removed), ["d"]);
    assert!(changes.try_recv().is_err());
}

#[tokio::test(start_paused = true)]
async fn however_many_ask_at_once_the_store_is_asked_once() {
    let bucket = Bucket::new();
    let catalogs = bucket.catalogs();
    bucket.skill("a", "One.");
    let user = u1();
    let all = futures_util::future::join_all((0..1000).map(|_| catalogs.view(&user, false))).await;
    assert!(all.iter().all(|view| view.as_ref().unwrap().entries.len() == 1));
    assert_eq!(bucket.asked(), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn fresh_means_asked_after_the_call_and_shared_by_those_who_wait() {
    let bucket = Bucket::new();
    let catalogs = bucket.catalogs();
    bucket.skill("a", "One.");
    let user = u1();
    let late = async {
        // The first listing has been given, its GET is under way: what is put now it cannot see.
        sleep(LATENCY * index_trips() + LATENCY + LATENCY / 2).await;
        bucket.skill("b", "Two.");
        futures_util::future::join_all((0..10).map(|_| catalogs.view(&user, true))).await
    };
    let (early, late) = tokio::join!(catalogs.view(&user, false), late);
    assert_eq!(early.unwrap().entries.len(), 1);
    assert!(late.iter().all(|view| view.as_ref().unwrap().entries.len() == 2));
    assert_eq!(bucket.asked(), (2, 2));
}

#[tokio::test(start_paused = true)]
async fn while_the_store_is_down_an_older_catalog_is_served_for_five_minutes_and_errors_are_not_remembered() {
    let bucket = Bucket::new();
    let catalogs = bucket.catalogs();
    bucket.skill("a", "One.");
    let before = catalogs.view(&u1(), false).await.unwrap();
    bucket.faulty.set_down(true);
    let spent = LATENCY * (4 + index_trips());
    advance(CATALOG_STALE.saturating_sub(spent)).await;
    assert_eq!(catalogs.view(&u1(), false).await.unwrap().as_of, before.as_of);
    assert_eq!(catalogs.view(&u1(), true).await.unwrap_err().code(), Code::StoreUnavailable);
    advance(spent).await;
    assert_eq!(catalogs.view(&u1(), false).await.unwrap_err().code(), Code::StoreUnavailable);
    assert!(catalogs.cached_layer(&u1(), Layer::User).is_some());
    bucket.faulty.set_down(false);
    assert_eq!(catalogs.view(&u1(), false).await.unwrap().entries.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_caller_that_gives_up_leaves_the_reading_to_the_next() {
    let bucket = Bucket::new();
    let catalogs = bucket.catalogs();
    bucket.skill("a", "One.");
    assert!(tokio::time::timeout(LATENCY / 2, catalogs.view(&u1(), false)).await.is_err());
    assert_eq!(catalogs.view(&u1(), false).await.unwrap().entries.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn every_real_skill_is_discovered_or_reported() {
    let Some(skills) = real_skill_texts() else { return };
    let bucket = Bucket::new();
    for (path, text) in skills {
        bucket.inner.put_raw(&format!("u1/skills/{path}/SKILL.md"), text);
    }
    let found = bucket.discover(None).await.unwrap();
    let left_out: Vec<_> =
        found.view().diagnostics.iter().filter(|one| one.diagnostic.severity == Severity::Error).collect();
    assert_eq!((found.view().entries.len(), left_out), (130, vec![]));
}
