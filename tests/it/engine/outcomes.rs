//! What is said of changes of which a part fails: deletes of folders, uploads, sessions with preloads. Time is paused
//! throughout.

use std::sync::Arc;

use skillmount::{
    Code, Error, Outcome,
    limits::{DELETE_BEGINS, FAILED_FILES},
    session::CreatedSession,
    store::{MemoryStore, SharedStore, Verb, testing::Fault},
    wire::{BackendProtocol as _, CreateSession, Policy, UploadFile},
};
use tokio::time::Instant;

use super::parts::delete;
use crate::support::world::{World, id};

/// A world with this many files in `/workspace/f`.
async fn world_with_folder(bucket: SharedStore, files: usize) -> World {
    let world = World::over(bucket);
    for number in 0..files {
        world.put(&format!("demo/threads/s/f/{number:04}"), "x").await;
    }
    world
}

// S-DELETE-2: If the service cannot delete some files of a folder, the answer names each with its code and outcome.
#[tokio::test(start_paused = true)]
async fn a_folder_that_is_deleted_in_part_says_which_files_are_left() {
    for (fault, outcome) in [
        (Fault::Refuse, Outcome::NotApplied),
        (Fault::Deny, Outcome::NotApplied),
        (Fault::LoseRequest, Outcome::Unknown),
    ] {
        let world = world_with_folder(Arc::new(MemoryStore::new()), 20).await;
        let agent = world.agent();
        world.faults.for_keys(Verb::Delete, "/f/001", fault);
        let reply = delete(&agent, "/workspace/f").await.unwrap();
        assert_eq!((reply.deleted, reply.outcome, reply.more_failed), (10, Some(Outcome::Partial), 0), "{fault:?}");
        let named: Vec<_> = reply.failed.iter().map(|file| file.path.clone()).collect();
        assert_eq!(named, (10..20).map(|number| format!("/workspace/f/{number:04}")).collect::<Vec<_>>());
        assert!(reply.failed.iter().all(|file| (file.code.as_str(), file.outcome) == ("store_unavailable", outcome)));
        assert_eq!(world.keys().await.len(), 10);
        let error: Error = reply.failure().unwrap();
        assert_eq!((error.code(), error.outcome()), (Code::StoreUnavailable, Some(Outcome::Partial)));
        assert!(error.message().contains("10 files were deleted and 10 files"), "{error}");
        assert!(error.message().contains("/workspace/f/0010"), "{error}");

        world.faults.clear();
        let rest = delete(&agent, "/workspace/f").await.unwrap();
        assert_eq!((rest.deleted, rest.outcome, rest.failed), (10, None, vec![]));
        assert_eq!(world.keys().await, [""; 0]);
    }
}

// S-DELETE-4: If a delete removes no file and the reason is the same for all, the answer is that error.
#[tokio::test(start_paused = true)]
async fn a_delete_of_which_nothing_went_is_an_error_with_its_outcome() {
    for (fault, outcome) in [(Fault::Refuse, Outcome::NotApplied), (Fault::LoseRequest, Outcome::Unknown)] {
        for path in ["/workspace/f", "/workspace/f/0003"] {
            let world = world_with_folder(Arc::new(MemoryStore::new()), 5).await;
            world.faults.for_keys(Verb::Delete, "/f/", fault);
            let error = delete(&world.agent(), path).await.unwrap_err();
            assert_eq!((error.code(), error.outcome()), (Code::StoreUnavailable, Some(outcome)), "{path}: {fault:?}");
        }
    }
    let world = world_with_folder(Arc::new(MemoryStore::new()), 2).await;
    world.faults.for_keys(Verb::Delete, "0000", Fault::LoseRequest);
    world.faults.for_keys(Verb::Delete, "0001", Fault::Refuse);
    let reply = delete(&world.agent(), "/workspace/f").await.unwrap();
    assert_eq!((reply.deleted, reply.outcome, reply.failed.len()), (0, Some(Outcome::Unknown), 2));
}

#[tokio::test(start_paused = true)]
async fn a_delete_whose_reply_was_lost_is_looked_at_and_in_doubt_stays_so() {
    let world = world_with_folder(Arc::new(MemoryStore::new()), 1).await;
    world.faults.script(Verb::Delete, [Fault::LoseReply]);
    assert_eq!(delete(&world.agent(), "/workspace/f").await.unwrap().deleted, 1);

    let world = world_with_folder(Arc::new(MemoryStore::new()), 1).await;
    world.faults.script(Verb::Delete, [Fault::LoseReply]);
    world.faults.script(Verb::Head, [Fault::None, Fault::None, Fault::Deny]);
    let error = delete(&world.agent(), "/workspace/f").await.unwrap_err();
    assert_eq!(error.outcome(), Some(Outcome::Unknown), "{error:?}");
}

#[tokio::test(start_paused = true)]
async fn files_that_failed_are_named_up_to_the_limit_and_counted_beyond_it() {
    for (files, more) in [(FAILED_FILES, 0), (FAILED_FILES + 1, 1)] {
        let world = world_with_folder(Arc::new(MemoryStore::new()), files + 1).await;
        world.faults.for_keys(Verb::Delete, "/f/", Fault::Deny);
        world.faults.script(Verb::Delete, [Fault::None]);
        let reply = delete(&world.agent(), "/workspace/f").await.unwrap();
        assert_eq!((reply.deleted, reply.failed.len(), reply.more_failed), (1, FAILED_FILES, more));
    }
}

#[tokio::test(start_paused = true)]
async fn a_delete_that_takes_too_long_ends_in_time_and_says_what_was_not_begun() {
    let world = world_with_folder(Arc::new(MemoryStore::new()), 300).await;
    world.faults.set_latency(std::time::Duration::from_secs(4));
    let begun = Instant::now();
    let reply = delete(&world.agent(), "/workspace/f").await.unwrap();
    assert!(begun.elapsed() < DELETE_BEGINS * 2, "{:?}", begun.elapsed());
    assert!(reply.deleted > 0 && !reply.failed.is_empty(), "{reply:?}");
    assert_eq!(reply.deleted + reply.failed.len() as u64, 300);
    assert!(reply.failed.iter().all(|file| file.outcome == Outcome::NotApplied));
    world.faults.set_latency(std::time::Duration::ZERO);
    assert_eq!(delete(&world.agent(), "/workspace/f").await.unwrap().outcome, None);
}

// S-TRANSFER-1: `upload` and `download` carry any bytes and report on each file, in the given order.
#[tokio::test(start_paused = true)]
async fn each_file_of_an_upload_that_fails_has_its_outcome() {
    let world = World::new();
    let agent = world.agent();
    world.faults.for_keys(Verb::Put, "lost", Fault::LoseReply);
    world.faults.for_keys(Verb::Head, "lost", Fault::Deny);
    world.faults.for_keys(Verb::Put, "denied", Fault::Deny);
    let files = ["/workspace/lost", "/workspace/denied", "relative", "/skills/x"]
        .map(|path| UploadFile { path: path.into(), bytes: "x".into() });
    let outcomes = agent.upload(files.to_vec()).await.unwrap();
    let outcomes: Vec<_> = outcomes.into_iter().map(|one| one.result.unwrap_err().outcome().unwrap()).collect();
    assert_eq!(outcomes, [Outcome::Unknown, Outcome::NotApplied, Outcome::NotApplied, Outcome::NotApplied]);
}

// S-SESSION-11: If a preload fails, the service creates no session, and if it succeeds, the session takes one write.
#[tokio::test(start_paused = true)]
async fn a_session_is_made_with_all_its_preloads_or_not_at_all() {
    let world = World::new();
    world.put_skill("demo", "pub/open", "Open.", "x").await;
    let preload = |skills: &[&str]| {
        let preload =
            skills.iter().map(|skill| skillmount::path::SkillPath::parse(skill).unwrap()).collect::<Vec<_>>().into();
        let policy = Policy { preload, ..Policy::default() };
        CreateSession { policy: Some(policy), ..CreateSession::default() }
    };
    let (user, session) = (id("demo"), id("s"));
    let create = |wanted| world.service.create_session(&user, &session, wanted);
    for _ in 0..2 {
        let error = create(preload(&["pub/open", "pub/missing"])).await.unwrap_err();
        assert_eq!((error.code(), error.outcome()), (Code::SkillNotFound, Some(Outcome::NotApplied)));
        assert_eq!(world.agent().session().await.unwrap().version, 0);
        assert!(!world.keys().await.iter().any(|key| key.contains("/sessions/")));
    }
    world.put_skill("demo", "pub/missing", "Not any more.", "x").await;
    let before = world.ledger.counts();
    let CreatedSession { session, is_new, .. } = create(preload(&["pub/open", "pub/missing"])).await.unwrap();
    let loaded: Vec<_> = session.loaded_skills.iter().map(|loaded| loaded.skill.as_str()).collect();
    assert_eq!((is_new, session.version, loaded), (true, 1, vec!["pub/open", "pub/missing"]));
    assert_eq!(session.current_skill.as_ref().unwrap().as_str(), "pub/missing");
    assert_eq!((world.ledger.counts() - before).sessions.requests.put, 1);
    let CreatedSession { session, is_new, .. } = create(preload(&["pub/none"])).await.unwrap();
    assert_eq!((is_new, session.loaded_skills.len()), (false, 2), "one that exists is returned as it is");

    // Whoever loses the race gets the session there is, whole.
    let other = world.replica();
    other.agent_of("demo", "t").session().await.unwrap();
    world.service.create_session(&id("demo"), &id("t"), preload(&["pub/open"])).await.unwrap();
    let wanted = preload(&["pub/missing"]);
    let CreatedSession { session, is_new, .. } =
        other.service.create_session(&id("demo"), &id("t"), wanted).await.unwrap();
    let loaded: Vec<_> = session.loaded_skills.iter().map(|loaded| loaded.skill.as_str()).collect();
    assert_eq!((is_new, loaded), (false, vec!["pub/open"]));
}
