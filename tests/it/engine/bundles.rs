//! Archives of versions in the place of many small requests, and what happens without them.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use futures_util::future::join_all;
use skillmount::{
    handle::SessionBackend,
    limits::{BUNDLE_BYTES, BUNDLE_FILES, BUNDLE_READ_BYTES, BUNDLED_FILES, PARALLEL_GETS},
    path::{KeyPrefix, SkillPath},
    publish::{PublishOptions, UploadedSkill},
    skill::{Packer, Provenance},
    store::{DeleteOptions, MemoryStore, Requests, Verb, testing::Fault},
    wire::{BackendProtocol, CreateSession, GrepReply, Policy, PromptRequest, UnloadSkillRequest},
};
use tokio::time::Instant;

use crate::support::{
    encrypted::Encrypted,
    sabotage::indexes_are_sabotaged,
    world::{BackendExt, World, grep, id},
};

const MAIN: &str = "---\nname: big\ndescription: Holds many files.\n---\nneedle main\n";
const NONE: Requests = Requests { get: 0, put: 0, head: 0, list: 0, delete: 0 };
/// The latency of one request where round trips are counted.
const TRIP: Duration = Duration::from_secs(1);

/// A skill of this many files beside SKILL.md, published. Returns the key of its archive.
async fn published(world: &World, files: usize, size: usize) -> String {
    published_as(world, "big", files, size).await
}

async fn published_as(world: &World, name: &str, files: usize, size: usize) -> String {
    let text = |number: usize| Bytes::from(format!("needle {number}\n{}", "x".repeat(size)));
    let others = (0..files).map(|number| (format!("r/{number:03}.md"), text(number)));
    let main = MAIN.replace("big", name);
    let files = others.chain([("SKILL.md".to_owned(), main.into())]).collect();
    let skill = SkillPath::parse(name).unwrap();
    let options = PublishOptions::default();
    let reply = world
        .service
        .publisher()
        .publish_skill(&id("demo"), &skill, UploadedSkill::Files(files), options)
        .await
        .unwrap();
    format!("demo/.skillmount/versions/{name}/{}.zip", reply.digest.trim_start_matches("sha256:"))
}

/// A new process whose session has the skill loaded.
async fn fresh(world: &World) -> (World, SessionBackend) {
    let replica = world.replica();
    let agent = replica.agent();
    agent.unload_skill(UnloadSkillRequest { skill: "big".into() }).await.unwrap();
    agent.load("big").await.unwrap();
    (replica, agent)
}

async fn search(agent: &SessionBackend) -> GrepReply {
    agent.grep(grep("needle", Some("/skills/big"))).await.unwrap()
}

// S-BUNDLE-1: A search over a loaded published skill costs one GET, of the archive of its version.
#[tokio::test]
async fn a_cold_search_over_a_published_skill_is_one_request_and_a_warm_one_none() {
    let world = World::new();
    published(&world, 199, 1000).await;
    let (replica, agent) = fresh(&world).await;
    let (found, cost) = replica.cost(search(&agent)).await;
    assert_eq!(cost, Requests { get: 1, ..NONE });
    let (again, cost) = replica.cost(search(&agent)).await;
    assert_eq!((again, cost), (found.clone(), NONE));
    assert!(found.truncated || found.matches.is_some_and(|matches| matches.len() == 200));

    let (replica, agent) = fresh(&world).await;
    let every = async {
        for number in 0..199 {
            let text = agent.text(&format!("/skills/big/r/{number:03}.md")).await.unwrap();
            assert!(text.starts_with(&format!("needle {number}\n")));
        }
    };
    let ((), cost) = replica.cost(every).await;
    assert_eq!(cost, Requests { get: 1, ..NONE }, "the archive, for the first file");
    let (_, cost) = replica.cost(agent.text("/skills/big/r/007.md")).await;
    assert_eq!(cost, NONE);
}

/// A session of a new process that is in memory before anything is counted, and each request then takes a [`TRIP`].
async fn slow(world: &World) -> (World, SessionBackend) {
    let replica = world.replica();
    let agent = replica.agent_of("demo", "slow");
    agent.unload_skill(UnloadSkillRequest { skill: "big".into() }).await.unwrap();
    replica.faults.set_latency(TRIP);
    (replica, agent)
}

// S-BUNDLE-1: A search over a loaded published skill costs one GET, of the archive of its version.
// S-COST-5: `load_skill` is a LIST, a GET of SKILL.md and a GET of the head, all at once.
#[tokio::test(start_paused = true)]
async fn a_skill_of_200_files_is_loaded_in_three_requests_and_searched_or_read_whole_in_one_more() {
    let world = World::new();
    published(&world, 199, 1000).await;
    let (replica, agent) = slow(&world).await;
    let begun = Instant::now();
    let (loaded, cost) = replica.cost(agent.load("big")).await;
    assert_eq!((loaded.unwrap().files.len(), cost), (200, Requests { list: 1, get: 2, ..NONE }));
    assert_eq!(begun.elapsed(), 2 * TRIP, "one round trip for the skill, one to note it in the session");
    let begun = Instant::now();
    let (found, cost) = replica.cost(agent.hits("needle", Some("/skills/big"))).await;
    assert_eq!((found.unwrap().len(), cost, begun.elapsed()), (200, Requests { get: 1, ..NONE }, TRIP));

    let (replica, agent) = slow(&world).await;
    agent.load("big").await.unwrap();
    let begun = Instant::now();
    let every = async {
        agent.text("/skills/big/SKILL.md").await.unwrap();
        for number in 0..199 {
            agent.text(&format!("/skills/big/r/{number:03}.md")).await.unwrap();
        }
    };
    let ((), cost) = replica.cost(every).await;
    assert_eq!((cost, begun.elapsed()), (Requests { get: 1, ..NONE }, TRIP), "one file after the other");

    let (replica, agent) = slow(&world).await;
    agent.load("big").await.unwrap();
    let begun = Instant::now();
    let names: Vec<_> = (0..199).map(|number| format!("/skills/big/r/{number:03}.md")).collect();
    let (texts, cost) = replica.cost(join_all(names.iter().map(|name| agent.text(name)))).await;
    assert!(texts.iter().all(Result::is_ok));
    assert_eq!((cost, begun.elapsed()), (Requests { get: 1, ..NONE }, TRIP), "all at once");
}

// S-COST-3: `grep` over N files is the LIST requests of a `glob` and N GET, 64 at a time.
// S-BUNDLE-3: A skill of more than 32 files and up to 16 MiB that was never published gets a bundle after its second
// load in a process.
#[tokio::test(start_paused = true)]
async fn a_search_without_a_bundle_takes_a_round_trip_for_every_64_files_and_one_to_look_for_it() {
    for (files, look) in [(BUNDLED_FILES - 1, 0), (200, 1), (2 * PARALLEL_GETS, 1)] {
        let world = tagged_by_content();
        put_by_hand(&world, files).await;
        let (replica, agent) = slow(&world).await;
        agent.load("big").await.unwrap();
        let begun = Instant::now();
        let (found, cost) = replica.cost(agent.hits("needle", Some("/skills/big"))).await;
        assert_eq!(found.unwrap().len(), 1 + files);
        check_gets(cost, look + files, "SKILL.md is there from the load");
        let trips = u32::try_from(look + files.div_ceil(PARALLEL_GETS)).unwrap();
        assert_eq!(begun.elapsed(), trips * TRIP, "{files} files");
    }
}

/// A world with the published skills `a` and `b`, of almost 16 MiB each.
async fn two_of_16_mib() -> World {
    let world = World::new();
    let size = usize::try_from(BUNDLE_BYTES).unwrap() / 10 - 100;
    for name in ["a", "b"] {
        published_as(&world, name, 10, size).await;
    }
    world
}

/// A new process whose session has both skills loaded.
async fn both_loaded(world: &World) -> (World, SessionBackend) {
    let replica = world.replica();
    let agent = replica.agent();
    for name in ["a", "b"] {
        agent.load(name).await.unwrap();
    }
    (replica, agent)
}

// S-BUNDLE-1: A search over a loaded published skill costs one GET, of the archive of its version.
#[tokio::test]
async fn a_skill_of_up_to_16_mib_is_searched_in_one_request_whatever_was_searched_before() {
    let world = two_of_16_mib().await;
    let (replica, agent) = both_loaded(&world).await;
    for name in ["a", "b"] {
        let folder = format!("/skills/{name}");
        for expected in [Requests { get: 1, ..NONE }, NONE] {
            let (found, cost) = replica.cost(agent.hits("needle", Some(&folder))).await;
            assert_eq!((found.unwrap().len(), cost), (11, expected), "{name}");
        }
    }
    let replica = world.replica();
    let agent = replica.agent();
    let read = async |number: usize| agent.lines(&format!("/skills/a/r/{number:03}.md"), 0, 1).await.unwrap();
    read(0).await;
    let others = async {
        for number in 1..10 {
            read(number).await;
        }
    };
    let ((), cost) = replica.cost(others).await;
    assert_eq!(cost, Requests { get: 1, ..NONE }, "the first file is read by itself, and the archive for the second");
}

// S-BUNDLE-5: For single reads a process fetches an archive once an hour.
#[tokio::test]
async fn skills_that_drive_each_other_out_of_memory_have_their_archives_fetched_once_for_reads() {
    let world = two_of_16_mib().await;
    let (replica, agent) = both_loaded(&world).await;
    let before = replica.ledger.asked().len();
    for _ in 0..3 {
        for name in ["a", "b"] {
            for number in 0..10 {
                agent.lines(&format!("/skills/{name}/r/{number:03}.md"), 0, 1).await.unwrap();
            }
        }
    }
    let asked = replica.ledger.asked();
    let archives = asked.iter().skip(before).filter(|(_, key)| key.contains("/versions/")).count();
    assert_eq!(archives, 2, "one for each skill");
}

// S-COST-2: `read` of a small file is 1 GET, and pinned files, once read, cost nothing.
#[tokio::test]
async fn what_a_load_has_read_costs_no_archive() {
    let world = World::new();
    published(&world, 20, 10).await;
    let (replica, agent) = fresh(&world).await;
    let (text, cost) = replica.cost(agent.text("/skills/big/SKILL.md")).await;
    assert_eq!((text.unwrap().as_str(), cost), (MAIN, NONE));
    agent.catalog(false).await.unwrap();
    let wanted = PromptRequest::default();
    let (prompt, cost) = replica.cost(Box::pin(skillmount::prompt::for_session(&agent, &wanted))).await;
    assert!(prompt.unwrap().prompt.contains("needle main"));
    assert_eq!(cost, NONE);
}

// S-BUNDLE-4: Of a skill over 1 MiB, a process reads the first file by itself, and the archive serves the others.
#[tokio::test]
async fn one_file_of_a_larger_skill_is_read_by_itself_and_the_archive_comes_with_the_second() {
    let world = World::new();
    let bytes = usize::try_from(BUNDLE_READ_BYTES).unwrap();
    published(&world, 20, bytes / 20).await;
    let (replica, agent) = fresh(&world).await;
    let before = replica.ledger.counts();
    agent.text("/skills/big/r/000.md").await.unwrap();
    let spent = (replica.ledger.counts() - before).objects;
    assert_eq!(spent.requests, Requests { get: 1, ..NONE });
    assert!(spent.bytes_read < bytes as u64 / 10, "the file alone: {}", spent.bytes_read);
    let others = async {
        for number in 1..20 {
            agent.text(&format!("/skills/big/r/{number:03}.md")).await.unwrap();
        }
    };
    let ((), cost) = replica.cost(others).await;
    assert_eq!(cost, Requests { get: 1, ..NONE }, "the archive, for the second");
}

// S-BUNDLE-2: A missing, damaged or foreign archive changes no answer: the service reads the files one by one.
#[tokio::test]
async fn without_its_archive_a_skill_gives_the_same_answers() {
    let world = World::new();
    let archive = published(&world, 20, 10).await;
    let whole = world.bytes(&archive).await.unwrap();
    let (_, agent) = fresh(&world).await;
    let expected = search(&agent).await;
    let other = {
        let elsewhere = World::new();
        let other = published(&elsewhere, 20, 11).await;
        elsewhere.bytes(&other).await.unwrap()
    };
    let mut flipped = whole.clone();
    flipped[40] ^= 1;
    for damage in [Some(other), Some(flipped), Some(whole[..whole.len() / 2].to_vec()), Some(Vec::new()), None] {
        let key = KeyPrefix::all().key(&archive).unwrap();
        match damage {
            Some(bytes) => world.put(&archive, bytes).await,
            None => world.bucket.delete(&key, DeleteOptions::default()).await.unwrap(),
        }
        let (replica, agent) = fresh(&world).await;
        let (found, cost) = replica.cost(search(&agent)).await;
        assert_eq!((&found, cost.get), (&expected, 1 + 20), "the archive, then each file");
        let (again, cost) = replica.cost(search(&agent)).await;
        assert_eq!((again, cost), (found, NONE));
        assert_eq!(agent.text("/skills/big/r/003.md").await.unwrap(), format!("needle 3\n{}", "x".repeat(10)));
    }
}

// S-BUNDLE-1: A search over a loaded published skill costs one GET, of the archive of its version.
#[tokio::test]
async fn an_archive_that_a_store_did_not_give_is_asked_for_again() {
    let world = World::new();
    published(&world, 20, 10).await;
    for fault in [Fault::Refuse, Fault::SlowDown, Fault::Deny] {
        let (replica, agent) = fresh(&world).await;
        replica.faults.for_keys(Verb::Get, "/versions/", fault);
        for number in 0..3 {
            agent.text(&format!("/skills/big/r/{number:03}.md")).await.unwrap();
        }
        replica.faults.clear();
        let every = async {
            for number in 3..20 {
                agent.text(&format!("/skills/big/r/{number:03}.md")).await.unwrap();
            }
        };
        let ((), cost) = replica.cost(every).await;
        assert_eq!(cost, Requests { get: 1, ..NONE }, "{fault:?}");
    }
}

// S-BUNDLE-2: A missing, damaged or foreign archive changes no answer: the service reads the files one by one.
#[tokio::test]
async fn few_files_or_very_many_bytes_are_read_by_themselves() {
    let world = World::new();
    published(&world, BUNDLE_FILES - 2, 10).await;
    let (replica, agent) = fresh(&world).await;
    let (_, cost) = replica.cost(search(&agent)).await;
    assert_eq!(cost.get, BUNDLE_FILES as u64 - 2, "SKILL.md is there from the load");

    let world = World::new();
    let size = usize::try_from(BUNDLE_BYTES).unwrap() / BUNDLE_FILES;
    published(&world, BUNDLE_FILES, size).await;
    let (replica, agent) = fresh(&world).await;
    let (_, cost) = replica.cost(search(&agent)).await;
    assert_eq!(cost.get, BUNDLE_FILES as u64);
}

/// A world whose store tags objects by their bytes, as buckets do.
fn tagged_by_content() -> World {
    World::over(Arc::new(MemoryStore::tagged_by_content()))
}

/// A skill of this many files beside SKILL.md that another tool put there.
async fn put_by_hand(world: &World, files: usize) {
    world.put("demo/skills/big/SKILL.md", MAIN).await;
    for number in 0..files {
        world.put(&format!("demo/skills/big/r/{number:03}.md"), format!("needle {number}\n")).await;
    }
}

/// Checks what a search cost, where no saboteur decides that.
fn check_gets(cost: Requests, gets: usize, why: &str) {
    if !indexes_are_sabotaged() {
        assert_eq!(cost, Requests { get: gets as u64, ..NONE }, "{why}");
    }
}

/// The key of the one bundle there is, once it is there.
async fn bundle(world: &World) -> Option<String> {
    for _ in 0..200 {
        let keys = world.keys().await;
        if let Some(key) = keys.into_iter().find(|key| key.starts_with("demo/.skillmount/bundles/")) {
            return Some(key);
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    None
}

// S-BUNDLE-3: A skill of more than 32 files and up to 16 MiB that was never published gets a bundle after its second
// load in a process.
#[tokio::test]
async fn a_skill_of_many_files_that_is_loaded_twice_gets_a_bundle() {
    let world = tagged_by_content();
    put_by_hand(&world, BUNDLED_FILES).await;
    let (replica, agent) = fresh(&world).await;
    let (expected, cost) = replica.cost(search(&agent)).await;
    check_gets(cost, 1 + BUNDLED_FILES, "one look for a bundle, and all but SKILL.md, which the load has read");
    agent.load("big").await.unwrap();
    let Some(key) = bundle(&world).await else {
        assert!(indexes_are_sabotaged(), "the second load makes it");
        return;
    };
    let whole = world.bytes(&key).await.unwrap_or_default();

    let (replica, agent) = fresh(&world).await;
    let other = replica.service.session(id("demo"), id("other"));
    other.load("big").await.unwrap();
    // This process looks for the bundle behind its own second load.
    tokio::time::sleep(Duration::from_millis(100)).await;
    let (found, cost) = replica.cost(search(&agent)).await;
    assert_eq!(found, expected);
    check_gets(cost, 1, "the bundle alone");

    let mut flipped = whole.clone();
    flipped.iter_mut().skip(40).take(1).for_each(|byte| *byte ^= 1);
    for damage in [flipped, whole[..whole.len() / 2].to_vec(), Vec::new(), b"other".to_vec()] {
        world.put(&key, damage).await;
        let (_, agent) = fresh(&world).await;
        assert_eq!(search(&agent).await, expected);
        agent.load("big").await.unwrap();
    }
    world.bucket.delete(&KeyPrefix::all().key(&key).unwrap(), DeleteOptions::default()).await.unwrap();
    let (_, agent) = fresh(&world).await;
    assert_eq!(search(&agent).await, expected);
}

// S-BUNDLE-3: A skill of more than 32 files and up to 16 MiB that was never published gets a bundle after its second
// load in a process.
#[tokio::test]
async fn a_bundle_that_could_not_be_made_is_made_behind_a_later_load() {
    let world = tagged_by_content();
    put_by_hand(&world, BUNDLED_FILES).await;
    world.faults.for_keys(Verb::Put, "/bundles/", Fault::Deny);
    let (agent, other) = (world.agent(), world.agent_of("demo", "other"));
    agent.load("big").await.unwrap();
    other.load("big").await.unwrap();
    let is_tried = || world.ledger.asked().iter().any(|(verb, key)| *verb == Verb::Put && key.contains("/bundles/"));
    for _ in 0..1000 {
        if is_tried() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(is_tried(), "the second load makes it");
    world.faults.clear();
    for number in 0..20 {
        world.agent_of("demo", &format!("later-{number}")).load("big").await.unwrap();
        if bundle(&world).await.is_some() {
            return;
        }
    }
    panic!("no later load made it");
}

// S-BUNDLE-3: A skill of more than 32 files and up to 16 MiB that was never published gets a bundle after its second
// load in a process.
#[tokio::test]
async fn a_search_over_more_files_looks_for_the_bundle_and_what_has_moved_on_is_said_to() {
    let world = tagged_by_content();
    put_by_hand(&world, BUNDLED_FILES - 1).await;
    let (_, agent) = fresh(&world).await;
    agent.load("big").await.unwrap();
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(!world.keys().await.iter().any(|key| key.contains("/bundles/")), "32 files are read by themselves");

    let world = tagged_by_content();
    put_by_hand(&world, BUNDLED_FILES + 1).await;
    let (replica, agent) = fresh(&world).await;
    let (expected, cost) = replica.cost(search(&agent)).await;
    check_gets(cost, 1 + BUNDLED_FILES + 1, "one look, and the files");
    agent.load("big").await.unwrap();
    assert!(bundle(&world).await.is_some() || indexes_are_sabotaged());
    let (replica, agent) = fresh(&world).await;
    let (found, cost) = replica.cost(search(&agent)).await;
    assert_eq!(found, expected);
    check_gets(cost, 1, "in a process that knows nothing of it");

    // Nothing of it is in memory there, so the file is the one of the store, in whatever version.
    world.put("demo/skills/big/r/003.md", "changed").await;
    let there = world.replica();
    let error = there.agent().text("/skills/big/r/003.md").await.unwrap_err();
    assert_eq!(error.code(), skillmount::Code::SkillChanged);
}

/// A skill of 33 files beside SKILL.md and its bundle, which a process made that has ended.
async fn bundled() -> (World, String) {
    let world = tagged_by_content();
    put_by_hand(&world, BUNDLED_FILES + 1).await;
    for session in ["one", "two"] {
        world.agent_of("demo", session).load("big").await.unwrap();
    }
    let key = bundle(&world).await;
    assert!(key.is_some() || indexes_are_sabotaged());
    (world, key.unwrap_or_default())
}

/// Reads every file but SKILL.md, one after the other.
async fn read_all(agent: &SessionBackend) {
    for number in 0..=BUNDLED_FILES {
        let text = agent.text(&format!("/skills/big/r/{number:03}.md")).await.unwrap();
        assert_eq!(text, format!("needle {number}\n"));
    }
}

// S-BUNDLE-3: A skill of more than 32 files and up to 16 MiB that was never published gets a bundle after its second
// load in a process.
#[tokio::test]
async fn a_bundle_stands_in_for_files_that_are_read_one_by_one() {
    let (world, _) = bundled().await;
    let ((), cost) = world.cost(read_all(&world.agent_of("demo", "one"))).await;
    check_gets(cost, 1, "this process knows of it");
    let (replica, agent) = fresh(&world).await;
    let ((), cost) = replica.cost(read_all(&agent)).await;
    check_gets(cost, 2, "the first file, and the bundle for the second");

    let without = tagged_by_content();
    put_by_hand(&without, BUNDLED_FILES + 1).await;
    let (replica, agent) = fresh(&without).await;
    let ((), cost) = replica.cost(read_all(&agent)).await;
    check_gets(cost, 1 + BUNDLED_FILES + 1, "one look for a bundle, and the files");
    let (_, cost) = replica.cost(search(&agent)).await;
    check_gets(cost, 0, "nobody looks again");
}

// S-BUNDLE-2: A missing, damaged or foreign archive changes no answer: the service reads the files one by one.
#[tokio::test]
async fn who_can_write_bundles_alone_changes_no_answer() {
    let (world, key) = bundled().await;
    let (_, agent) = fresh(&world).await;
    let expected = search(&agent).await;
    let digest = key.rsplit('/').next().and_then(|name| name.strip_suffix(".zip")).unwrap_or_default();
    // A sound archive of files with the same names and sizes, whose record says what that of the bundle said.
    let mut packer = Packer::default();
    packer.add("SKILL.md", &Bytes::from(MAIN.replace("needle", "forged"))).unwrap();
    for number in 0..=BUNDLED_FILES {
        packer.add(&format!("r/{number:03}.md"), &Bytes::from(format!("forged {number}\n"))).unwrap();
    }
    let from = Provenance { at: jiff::Timestamp::now(), by: None, source: Some(format!("sha256:{digest}")) };
    let forged = packer.finish(&SkillPath::parse("big").unwrap(), &from).unwrap().zip;
    if !indexes_are_sabotaged() {
        world.put(&key, forged).await;
    }
    let (replica, agent) = fresh(&world).await;
    let (found, cost) = replica.cost(search(&agent)).await;
    assert_eq!(found, expected);
    check_gets(cost, 1 + BUNDLED_FILES + 1, "the bundle, and each file");
    read_all(&agent).await;
    // It is made anew, because it is wrong.
    agent.load("big").await.unwrap();
    for _ in 0..500 {
        let (replica, agent) = fresh(&world).await;
        let (found, cost) = replica.cost(search(&agent)).await;
        assert_eq!(found, expected);
        if cost == (Requests { get: 1, ..NONE }) || indexes_are_sabotaged() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("it was not made anew");
}

// S-BUNDLE-2: A missing, damaged or foreign archive changes no answer: the service reads the files one by one.
#[tokio::test]
async fn a_bundle_that_goes_or_is_damaged_is_made_anew_behind_the_next_load() {
    for damage in [Some("no archive"), None] {
        let (world, key) = bundled().await;
        if indexes_are_sabotaged() {
            return;
        }
        match damage {
            Some(text) => world.put(&key, text).await,
            None => {
                world.bucket.delete(&KeyPrefix::all().key(&key).unwrap(), DeleteOptions::default()).await.unwrap();
            }
        }
        let (_, cost) = world.cost(search(&world.agent_of("demo", "one"))).await;
        check_gets(cost, 1 + BUNDLED_FILES + 1, "the bundle, and each file");
        world.agent_of("demo", "three").load("big").await.unwrap();
        let is_anew = async || world.bytes(&key).await.is_some_and(|bytes| bytes.starts_with(b"PK"));
        for _ in 0..200 {
            if is_anew().await {
                break;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        assert!(is_anew().await, "{damage:?}");
    }
}

// S-BUNDLE-6: A skill has a bundle only if the etags that the session pinned name the bytes of its files.
#[tokio::test]
async fn a_store_whose_tags_say_nothing_of_bytes_has_no_bundles() {
    let world = World::new();
    put_by_hand(&world, BUNDLED_FILES + 1).await;
    for session in ["one", "two", "three"] {
        world.agent_of("demo", session).load("big").await.unwrap();
    }
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(!world.keys().await.iter().any(|key| key.contains("/bundles/")));
    let (replica, agent) = fresh(&world).await;
    let (_, cost) = replica.cost(search(&agent)).await;
    check_gets(cost, BUNDLED_FILES + 1, "none is looked for");
}

// S-BUNDLE-6: A skill has a bundle only if the etags that the session pinned name the bytes of its files.
#[tokio::test]
async fn a_store_whose_tags_only_look_like_an_md5_is_not_read_for_bundles() {
    let world = World::over(Encrypted::new(Arc::new(MemoryStore::tagged_by_content())));
    put_by_hand(&world, BUNDLED_FILES + 1).await;
    for session in ["one", "two", "three"] {
        world.agent_of("demo", session).load("big").await.unwrap();
    }
    tokio::time::sleep(Duration::from_millis(100)).await;
    let is_read = |(verb, key): &(Verb, String)| {
        (*verb == Verb::Get && key.contains("/skills/big/r/")) || key.contains("/bundles/")
    };
    assert!(!world.ledger.asked().iter().any(is_read), "SKILL.md, which the loads read, says enough");
    assert!(!world.keys().await.iter().any(|key| key.contains("/bundles/")));
}

// S-BUNDLE-3: A skill of more than 32 files and up to 16 MiB that was never published gets a bundle after its second
// load in a process.
#[tokio::test]
async fn sessions_that_begin_with_a_skill_count_as_loads_of_it() {
    let world = tagged_by_content();
    put_by_hand(&world, BUNDLED_FILES).await;
    for session in ["one", "two"] {
        let policy = Policy { preload: vec![SkillPath::parse("big").unwrap()].into(), ..Policy::default() };
        let wanted = CreateSession { policy: Some(policy), ..CreateSession::default() };
        assert!(world.service.create_session(&id("demo"), &id(session), wanted).await.unwrap().is_new);
    }
    assert!(bundle(&world).await.is_some() || indexes_are_sabotaged());
}
