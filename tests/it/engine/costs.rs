//! The request budgets, exactly as the ledger counts them, and round trips as a clock that stands still counts them.

use std::{sync::Arc, time::Duration};

use skillmount::{
    limits::{CHUNK_BYTES, FIRST_CHUNK_BYTES, LIST_OBJECTS, PARALLEL_GETS, SCAN_BYTES},
    session::Change,
    store::{MemoryStore, Requests, Verb, testing::Fault},
    wire::{BackendProtocol, DeleteRequest, GlobRequest, LsRequest, PromptRequest, Visibility},
};
use tokio::time::Instant;

use super::publishing::{FOLDER, publish, version};
use crate::support::world::{BackendExt, World, grep, id};

const NONE: Requests = Requests { get: 0, put: 0, head: 0, list: 0, delete: 0 };
/// The latency of one request where round trips are counted.
const TRIP: Duration = Duration::from_secs(1);

/// A world whose session and policy are in memory already, so that only the operation itself is counted.
async fn warm_world() -> World {
    let world = World::new();
    world.agent().names("/").await.unwrap();
    world
}

async fn with_files(count: usize) -> World {
    let world = warm_world().await;
    for number in 0..count {
        world.put(&format!("demo/threads/s/f{number:04}.txt"), format!("needle {number}\n")).await;
    }
    world
}

// S-COST-1: `ls` and `glob` of K files in a mount are K/1000 LIST requests, rounded up, and one HEAD at most if nothing
// is there.
#[tokio::test]
async fn listing_costs_a_request_a_thousand_entries() {
    for (files, list) in [(1, 1), (1000, 1), (1001, 2)] {
        let world = with_files(files).await;
        let agent = world.agent();
        let (listed, cost) = world.cost(agent.ls(LsRequest { path: "/workspace".into() })).await;
        assert_eq!((listed.unwrap().entries.len(), cost), (files, Requests { list, ..NONE }));
        let pattern = GlobRequest { pattern: "*.txt".into(), path: Some("/workspace".into()) };
        let (found, cost) = world.cost(agent.glob(pattern)).await;
        assert_eq!((found.unwrap().matches.len(), cost), (files, Requests { list, ..NONE }));
    }
    let world = warm_world().await;
    let (_, cost) = world.cost(world.agent().names("/workspace/absent")).await;
    assert_eq!(cost, Requests { list: 1, head: 1, ..NONE });
    let (_, cost) = world.cost(world.agent().names("/workspace")).await;
    assert_eq!(cost, Requests { list: 1, ..NONE });
}

#[tokio::test(start_paused = true)]
async fn a_search_from_the_root_lists_each_mount_and_a_bounded_number_at_once() {
    let world = warm_world().await;
    let shown = PARALLEL_GETS;
    for number in 0..shown {
        world.put_skill("demo", &format!("many/s{number:03}"), "One of many.", "x").await;
    }
    world.put_skill("demo", "loaded", "Loaded.", "x").await;
    let agent = world.agent();
    agent.load("loaded").await.unwrap();
    let (user, session) = (id("demo"), id("s"));
    let update = world.service.sessions().update(&user, &session, |session| {
        session.policy.visibility = Visibility::All;
        Ok(Change::Save(()))
    });
    update.await.unwrap();
    agent.names("/").await.unwrap();
    world.faults.set_latency(TRIP);
    let begun = Instant::now();
    let (found, cost) = world.cost(agent.find("SKILL.md")).await;
    assert_eq!(found.unwrap().len(), shown + 1);
    assert_eq!(
        cost,
        Requests { list: shown as u64 + 2, get: 2 * shown as u64, ..NONE },
        "each skill that is not loaded as a load sees it, /workspace and /ticket"
    );
    assert_eq!(begun.elapsed(), 2 * TRIP, "one more than are listed at once");
}

#[tokio::test]
async fn all_mounts_share_one_limit_of_listed_objects() {
    let store = Arc::new(MemoryStore::new());
    let world = World::over(store.clone());
    for number in 0..=LIST_OBJECTS / 2 {
        store.put_raw(&format!("demo/threads/s/{number}"), "");
        store.put_raw(&format!("demo/tickets/s/{number}"), "");
    }
    let agent = world.agent();
    for (path, truncated) in [("/", true), ("/workspace", false), ("/ticket", false)] {
        let request = GlobRequest { pattern: "none".into(), path: Some(path.into()) };
        assert_eq!(agent.glob(request).await.unwrap().truncated, truncated, "{path}");
    }
}

// S-COST-2: `read` of a small file is 1 GET, and pinned files, once read, cost nothing.
#[tokio::test]
async fn reading_a_small_file_is_one_request_and_a_pinned_one_is_none() {
    let world = with_files(1).await;
    world.put_skill("demo", "a/venta", "Sells.", "Body\n").await;
    world.put("demo/skills/a/venta/more.md", "more\n").await;
    let agent = world.agent();
    for _ in 0..2 {
        let (read, cost) = world.cost(agent.text("/workspace/f0000.txt")).await;
        assert_eq!((read.unwrap().as_str(), cost), ("needle 0\n", Requests { get: 1, ..NONE }));
    }
    agent.load("a/venta").await.unwrap();
    let (_, cost) = world.cost(agent.text("/skills/venta/more.md")).await;
    assert_eq!(cost, Requests { get: 1, ..NONE });
    let warm = async {
        agent.text("/skills/venta/more.md").await.unwrap();
        agent.text("/skills/venta/SKILL.md").await.unwrap();
        agent.names("/skills/venta").await.unwrap();
        agent.hits("more", Some("/skills")).await.unwrap();
        agent.glob(GlobRequest { pattern: "*".into(), path: Some("/skills".into()) }).await.unwrap();
    };
    assert_eq!(world.cost(warm).await.1, NONE);
}

#[tokio::test]
async fn a_fresh_read_of_what_is_known_moves_no_bytes() {
    let world = with_files(1).await;
    let agent = world.agent();
    agent.text("/workspace/f0000.txt").await.unwrap();
    let before = world.ledger.counts();
    agent.text("/workspace/f0000.txt").await.unwrap();
    let spent = (world.ledger.counts() - before).objects;
    assert_eq!((spent.requests.get, spent.bytes_read), (1, 0));
}

// S-COST-3: `grep` over N files is the LIST requests of a `glob` and N GET, 64 at a time.
#[tokio::test(start_paused = true)]
async fn grep_is_a_listing_and_a_request_a_file_in_parallel() {
    let world = with_files(100).await;
    let agent = world.agent();
    world.faults.set_latency(TRIP);
    let begun = Instant::now();
    let (hits, cost) = world.cost(agent.hits("needle", Some("/workspace"))).await;
    assert_eq!((hits.unwrap().len(), cost), (100, Requests { list: 1, get: 100, ..NONE }));
    assert_eq!(begun.elapsed().as_secs(), 1 + 2, "one round trip for the listing, ceil(100 / 64) for the files");

    world.faults.set_latency(Duration::ZERO);
    world.put("demo/threads/s/f0007.txt", "needle changed\n").await;
    let (hits, cost) = world.cost(agent.hits("needle", Some("/workspace"))).await;
    assert_eq!((hits.unwrap().len(), cost), (100, Requests { list: 1, get: 1, ..NONE }), "only what changed");
}

#[tokio::test]
async fn grep_stops_asking_once_it_has_enough() {
    let world = with_files(500).await;
    let agent = world.agent();
    let request = skillmount::wire::GrepRequest { max_count: Some(3), ..grep("needle", None) };
    let (found, cost) = world.cost(agent.grep(request)).await;
    let found = found.unwrap();
    assert_eq!((found.matches.unwrap().len(), found.truncated), (3, true));
    assert!(cost.get < 200, "asked for {} of 500 files", cost.get);
}

// S-COST-4: `write` is 1 PUT, and `edit` 1 GET and 1 PUT, or 1 PUT if the file is known.
#[tokio::test]
async fn writing_is_one_request_and_editing_what_is_known_too() {
    let world = warm_world().await;
    let agent = world.agent();
    let (_, cost) = world.cost(agent.create("/workspace/a.md", "one two")).await;
    assert_eq!(cost, Requests { put: 1, ..NONE });
    let (_, cost) = world.cost(agent.replace("/workspace/a.md", "one", "1")).await;
    assert_eq!(cost, Requests { put: 1, ..NONE });
    let (_, cost) = world.cost(agent.overwrite("/workspace/a.md", "one two")).await;
    assert_eq!(cost, Requests { put: 1, ..NONE });

    world.put("demo/threads/s/b.md", "one two").await;
    let (_, cost) = world.cost(agent.replace("/workspace/b.md", "one", "1")).await;
    assert_eq!(cost, Requests { get: 1, put: 1, ..NONE });
    let (_, cost) = world.cost(agent.replace("/workspace/b.md", "two", "2")).await;
    assert_eq!(cost, Requests { put: 1, ..NONE });
}

// S-COST-5: `load_skill` is a LIST, a GET of SKILL.md and a GET of the head, all at once.
#[tokio::test(start_paused = true)]
async fn loading_is_three_requests_in_one_round_trip() {
    let world = warm_world().await;
    world.put_fixtures().await;
    let agent = world.agent();
    agent.catalog(true).await.unwrap();
    world.faults.set_latency(TRIP);
    let begun = Instant::now();
    let (_, cost) = world.cost(agent.load("escrituras/compraventa")).await;
    assert_eq!(cost, Requests { list: 1, get: 2, ..NONE });
    assert_eq!(begun.elapsed().as_secs(), 1 + 1, "one round trip for the skill, one to note it in the session");

    let (_, cost) = world.cost(agent.load("escrituras/compraventa")).await;
    assert_eq!(cost, Requests { list: 1, get: 2, ..NONE }, "again, to see whether it changed");
}

// S-COST-8: If a skill was never published and the process has not read the catalog, a load also takes one HEAD for
// each folder above it.
#[tokio::test(start_paused = true)]
async fn loading_before_any_discovery_also_asks_whether_the_folder_lies_inside_a_skill() {
    let world = warm_world().await;
    world.put_fixtures().await;
    world.faults.set_latency(TRIP);
    let begun = Instant::now();
    let (_, cost) = world.cost(world.agent().load("escrituras/compraventa")).await;
    assert_eq!(cost, Requests { list: 1, get: 2, head: 1, ..NONE });
    assert_eq!(begun.elapsed(), (1 + 1 + 1) * TRIP, "the skill, then the folder above it, then the session");
}

// S-PATH-2: A malformed path costs no request to the store.
#[tokio::test]
async fn a_malformed_path_costs_nothing_at_all() {
    let world = World::new();
    let agent = world.agent();
    let long = format!("/workspace/{}", "x".repeat(3000));
    let bad = ["", "a", "/workspace/../x", "/workspace//x", "/workspace/./x", "/workspace/\0", "/workspace/\n", &long];
    for path in bad {
        for refused in [
            agent.names(path).await.map(|_| ()),
            agent.text(path).await.map(|_| ()),
            agent.hits("x", Some(path)).await.map(|_| ()),
            agent.glob(GlobRequest { pattern: "*".into(), path: Some(path.into()) }).await.map(|_| ()),
            agent.create(path, "x").await.map(|_| ()),
            agent.replace(path, "x", "y").await.map(|_| ()),
            agent.delete(DeleteRequest { path: path.into() }).await.map(|_| ()),
            agent.files().stat(path).await.map(|_| ()),
        ] {
            assert_eq!(refused.unwrap_err().code(), skillmount::Code::InvalidPath, "{path:?}");
        }
    }
    assert_eq!(world.ledger.asked(), []);
}

#[tokio::test]
async fn a_skill_that_is_not_loaded_costs_nothing() {
    let world = warm_world().await;
    world.put_fixtures().await;
    let agent = world.agent();
    let peek = async {
        for path in ["/skills", "/skills/compraventa", "/skills/compraventa/SKILL.md", "/skills/nothing"] {
            agent.names(path).await.unwrap_err();
            agent.text(path).await.unwrap_err();
            assert!(agent.hits(".", Some(path)).await.unwrap().is_empty());
            agent.create(path, "x").await.unwrap_err();
            agent.replace(path, "x", "y").await.unwrap_err();
            agent.remove(path).await.unwrap_err();
        }
    };
    assert_eq!(world.cost(peek).await.1, NONE);
}

// S-READ-6: A window anywhere in a large file moves at most twice its bytes, after the first scan of the file.
#[tokio::test]
async fn a_window_of_a_scanned_large_file_is_one_request_of_its_own_size() {
    let world = warm_world().await;
    let line = format!("{}\n", "x".repeat(79));
    let lines = 3 * usize::try_from(CHUNK_BYTES).unwrap() / line.len();
    world.put("demo/threads/s/big.log", line.repeat(lines)).await;
    let agent = world.agent();
    let last = lines as u64 - 1;
    let before = world.ledger.counts();
    agent.lines("/workspace/big.log", last, 1).await.unwrap();
    let scan = (world.ledger.counts() - before).objects;
    let pieces = (lines as u64 * 80 - FIRST_CHUNK_BYTES).div_ceil(SCAN_BYTES);
    assert_eq!(scan.requests, Requests { get: 1 + pieces, ..NONE });
    for offset in [200, 1_000, 100_001, 250_000, last - 200] {
        let before = world.ledger.counts();
        let read = agent.lines("/workspace/big.log", offset, 200).await.unwrap();
        let spent = (world.ledger.counts() - before).objects;
        assert_eq!((read.content.len(), read.start_line), (200 * 80, Some(offset + 1)));
        assert_eq!(spent.requests, Requests { get: 1, ..NONE });
        assert!(spent.bytes_read <= 2 * 200 * 80, "{} bytes for a window of {}", spent.bytes_read, 200 * 80);
    }
}

#[tokio::test]
async fn a_cold_prompt_and_cold_tools_ask_for_the_session_once() {
    let world = World::new();
    world.put_skill("demo", "pdf", "d", "").await;
    world.agent().load("pdf").await.unwrap();
    let of_prompt = world.replica();
    skillmount::prompt::for_session(&of_prompt.agent(), &PromptRequest::default()).await.unwrap();
    let of_tools = world.replica();
    skillmount::tools::for_session(&of_tools.agent()).await.unwrap();
    for cold in [of_prompt, of_tools] {
        let asked = cold.ledger.asked();
        let of_session: Vec<_> = asked.iter().filter(|(_, key)| key.ends_with("sessions/s.json")).collect();
        assert_eq!(of_session.len(), 1, "{asked:?}");
    }
}

// S-COST-9: A load of a skill whose folder differs from its head takes two more round trips.
#[tokio::test(start_paused = true)]
async fn loading_a_skill_that_another_tool_changed_takes_two_more_round_trips() {
    let world = World::new();
    publish(&world, &version(1, &["b.md"])).await;
    let agent = world.agent();
    agent.names("/").await.unwrap();
    world.put(&format!("{FOLDER}b.md"), "by hand").await;
    world.faults.set_latency(TRIP);
    let begun = Instant::now();
    let (reply, cost) = world.cost(agent.load("a/demo")).await;
    assert_eq!(reply.unwrap().version, None);
    assert_eq!(cost, Requests { list: 2, get: 4, ..NONE }, "the folder and the head, the folder again, the head again");
    assert_eq!(begun.elapsed(), (1 + 2 + 1) * TRIP, "and one to note it in the session");
}

// S-COST-10: A load of a skill during its publish takes the archive of its version.
#[tokio::test(start_paused = true)]
async fn loading_a_skill_that_is_just_being_published_takes_its_archive() {
    let world = World::new();
    publish(&world, &version(1, &["b.md"])).await;
    let agent = world.agent();
    agent.names("/").await.unwrap();
    world.faults.for_keys(Verb::Put, FOLDER, Fault::Deny);
    let reply = publish(&world, &version(2, &["b.md"])).await;
    assert!(!reply.complete);
    world.faults.set_latency(TRIP);
    let (begun, asked) = (Instant::now(), world.ledger.asked().len());
    assert_eq!(agent.load("a/demo").await.unwrap().version, Some(reply.digest));
    assert_eq!(begun.elapsed(), (1 + 1 + 1) * TRIP, "the folder and the head, the archive, and the session");
    let asked = world.ledger.asked().split_off(asked);
    let files = asked.iter().filter(|(verb, key)| *verb == Verb::Get && key.starts_with(FOLDER));
    assert_eq!(files.count(), 1, "SKILL.md, and no other plain file: {asked:?}");
}
