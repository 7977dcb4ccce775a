//! Archives of versions in the place of many small requests, and what happens without them.

use bytes::Bytes;
use skillmount::{
    backend::{BackendProtocol, PublishOptions, SkillBackend, UploadedSkill},
    limits::{BUNDLE_BYTES, BUNDLE_FILES, BUNDLE_READ_BYTES, BUNDLED_FILES},
    path::{KeyPrefix, SkillPath},
    prompt::PromptRequest,
    store::{DeleteOptions, Requests, Verb, testing::Fault},
    wire::{GrepReply, UnloadSkillRequest},
};

use crate::support::{
    saboteur::indexes_are_sabotaged,
    world::{BackendExt, World, grep, id},
};

const MAIN: &str = "---\nname: big\ndescription: Holds many files.\n---\nneedle main\n";
const NONE: Requests = Requests { get: 0, put: 0, head: 0, list: 0, delete: 0 };

/// A skill of this many files beside SKILL.md, published. Returns the key of its archive.
async fn published(world: &World, files: usize, size: usize) -> String {
    let text = |number: usize| Bytes::from(format!("needle {number}\n{}", "x".repeat(size)));
    let others = (0..files).map(|number| (format!("r/{number:03}.md"), text(number)));
    let files = others.chain([("SKILL.md".to_owned(), Bytes::from_static(MAIN.as_bytes()))]).collect();
    let skill = SkillPath::parse("big").unwrap();
    let options = PublishOptions::default();
    let reply = world.service.publish_skill(&id("demo"), &skill, UploadedSkill::Files(files), options).await.unwrap();
    format!("demo/.skillmount/versions/big/{}.zip", reply.digest.trim_start_matches("sha256:"))
}

/// A new process whose session has the skill loaded.
async fn fresh(world: &World) -> (World, SkillBackend) {
    let replica = world.replica();
    let agent = replica.agent();
    agent.unload_skill(UnloadSkillRequest { skill: "big".into() }).await.unwrap();
    agent.load("big").await.unwrap();
    (replica, agent)
}

async fn search(agent: &SkillBackend) -> GrepReply {
    agent.grep(grep("needle", Some("/skills/big"))).await.unwrap()
}

// S-BUNDLE-1: A search over a loaded skill that was published costs one GET, of the archive of its version.
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

// S-COST-2: `read` of a small file is 1 GET, and pinned files once read cost nothing.
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

// S-BUNDLE-1: A search over a loaded skill that was published costs one GET, of the archive of its version.
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

// S-BUNDLE-2: An archive that is gone, damaged or another's changes no answer: the files are read one by one.
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

// S-BUNDLE-1: A search over a loaded skill that was published costs one GET, of the archive of its version.
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

// S-BUNDLE-2: An archive that is gone, damaged or another's changes no answer: the files are read one by one.
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
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    None
}

// S-BUNDLE-3: A skill of more than 32 files that was never published gets a bundle behind its second load in a process.
#[tokio::test]
async fn a_skill_of_many_files_that_is_loaded_twice_gets_a_bundle() {
    let world = World::new();
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
    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
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

// S-BUNDLE-3: A skill of more than 32 files that was never published gets a bundle behind its second load in a process.
#[tokio::test]
async fn a_bundle_that_could_not_be_made_is_made_behind_a_later_load() {
    let world = World::new();
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
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
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

// S-BUNDLE-3: A skill of more than 32 files that was never published gets a bundle behind its second load in a process.
#[tokio::test]
async fn a_search_over_more_files_looks_for_the_bundle_and_what_has_moved_on_is_said_to() {
    let world = World::new();
    put_by_hand(&world, BUNDLED_FILES - 1).await;
    let (_, agent) = fresh(&world).await;
    agent.load("big").await.unwrap();
    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    assert!(!world.keys().await.iter().any(|key| key.contains("/bundles/")), "32 files are read by themselves");

    let world = World::new();
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
