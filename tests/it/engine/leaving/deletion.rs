//! The end of a user.

use std::{sync::Arc, time::Duration};

use skillmount::{
    Code, Outcome,
    limits::{DELETIONS_KNOWN, DELETIONS_RENEWED},
    store::{MemoryStore, Verb, testing::Fault},
    wire::{Amount, BackendProtocol as _, Deletion, DeletionState, EditRequest},
};
use tokio::time::sleep;

use super::over;
use crate::support::world::{BackendExt as _, World, code, id};

/// Objects of `u1` in four areas, and of users with similar names.
fn filled(memory: &MemoryStore) {
    for key in ["u1/skills/a/SKILL.md", "u1/threads/s/x", "u1/threads/s/y", "u1/.skillmount/sessions/s.json", "u1/top"]
    {
        memory.put_raw(key, "12345");
    }
    for key in ["u10/threads/s/x", "u/threads/s/x", "_org/skills/a/SKILL.md"] {
        memory.put_raw(key, "stays");
    }
}

async fn left(world: &World) -> Vec<String> {
    let mut keys = world.keys().await;
    keys.retain(|key| !key.starts_with("_deleted/.receipts/"));
    keys
}

/// Waits, on a paused clock, until the deletion is done.
async fn done(world: &World) -> Deletion {
    for _ in 0..1000 {
        let deletion = world.service.deletions().deletion(&id("u1")).await.unwrap();
        if deletion.state == DeletionState::Deleted && !world.keys().await.contains(&"_deleted/u1".to_owned()) {
            return deletion;
        }
        sleep(Duration::from_secs(1)).await;
    }
    panic!("the deletion did not end");
}

// S-LEAVE-4: A deletion removes everything of the user at once, and a minute later everything written meanwhile.
#[tokio::test(start_paused = true)]
async fn two_sweeps_remove_everything_and_the_receipt_counts_it() {
    let memory = Arc::new(MemoryStore::like_s3());
    filled(&memory);
    let (world, user) = (over(&memory), id("u1"));
    assert_eq!(code(world.service.deletions().deletion(&user).await), Code::DeletionNotFound);
    let begun = world.service.deletions().delete_user(&user, Some("k".to_owned())).await.unwrap();
    assert_eq!((begun.state, begun.requested_by.as_deref()), (DeletionState::Deleting, Some("k")));
    assert_eq!(code(world.service.deletions().check_not_deleted(&user).await), Code::Denied);
    sleep(Duration::from_secs(1)).await;
    assert_eq!(left(&world).await, ["_deleted/u1", "_org/skills/a/SKILL.md", "u/threads/s/x", "u10/threads/s/x"]);
    // Another process has not seen the tombstone yet.
    memory.put_raw("u1/threads/s/late", "123");
    let again = world.service.deletions().delete_user(&user, None).await.unwrap();
    assert_eq!(again.requested_at, begun.requested_at, "it goes on as it began");

    let Deletion { sweeps, finished_at, .. } = done(&world).await;
    assert_eq!(left(&world).await, ["_org/skills/a/SKILL.md", "u/threads/s/x", "u10/threads/s/x"]);
    assert!(finished_at.is_some());
    assert_eq!(sweeps[0].total, Amount { objects: 5, bytes: 25 });
    let areas: Vec<_> = sweeps[0].areas.iter().map(|(area, amount)| (area.as_str(), amount.objects)).collect();
    assert_eq!(areas, [("other", 1), ("sessions", 1), ("skills", 1), ("workspace", 2)]);
    assert_eq!((sweeps.len(), sweeps[1].total), (2, Amount { objects: 1, bytes: 3 }));
    assert_eq!((sweeps[0].left, sweeps[0].interrupted, &sweeps[0].versions_left), (0, 0, &None));
    world.service.deletions().check_not_deleted(&user).await.unwrap();
    world.service.deletions().check_not_deleted(&id("u10")).await.unwrap();

    // The id may be used again, and deleted again.
    memory.put_raw("u1/threads/s/new", "1");
    world.service.deletions().delete_user(&user, None).await.unwrap();
    sleep(Duration::from_secs(1)).await;
    assert_eq!(done(&world).await.sweeps[0].total.objects, 1);
}

// S-LEAVE-8: The service refuses writes of earlier admitted calls, once its process knows of the deletion.
#[tokio::test(start_paused = true)]
async fn a_write_that_is_held_over_the_first_sweep_is_refused() {
    let memory = Arc::new(MemoryStore::like_s3());
    filled(&memory);
    over(&memory).agent_of("u1", "t").overwrite("/workspace/x", "before").await.unwrap();
    let (world, user) = (over(&memory), id("u1"));
    world.service.deletions().check_not_deleted(&user).await.unwrap();
    // The edit reads the file, and the answer takes its time.
    world.faults.for_keys(Verb::Get, "threads/t/x", Fault::SlowReply(Duration::from_secs(10)));
    let agent = world.agent_of("u1", "t");
    let edit = serde_json::json!({"file_path": "/workspace/x", "old_string": "before", "new_string": "after"});
    let edit: EditRequest = serde_json::from_value(edit).unwrap();
    let held = tokio::spawn(async move { agent.edit(edit).await });
    sleep(Duration::from_secs(1)).await;
    world.service.deletions().delete_user(&user, None).await.unwrap();
    let refused = held.await.unwrap().unwrap_err();
    assert_eq!((refused.code(), refused.outcome()), (Code::Denied, Some(Outcome::NotApplied)));
    assert_eq!(left(&world).await, ["_deleted/u1", "_org/skills/a/SKILL.md", "u/threads/s/x", "u10/threads/s/x"]);
    let sweeps = done(&world).await.sweeps;
    assert_eq!(sweeps[1].total.objects, 0, "{sweeps:?}");
}

// S-LEAVE-8: The service refuses writes of earlier admitted calls, once its process knows of the deletion.
#[tokio::test(start_paused = true)]
async fn a_process_that_lets_nobody_in_any_more_looks_before_it_writes() {
    let memory = Arc::new(MemoryStore::like_s3());
    filled(&memory);
    let (world, replica, user) = (over(&memory), over(&memory), id("u1"));
    replica.service.deletions().check_not_deleted(&user).await.unwrap();
    world.service.deletions().begin_deletion(&user, None).await.unwrap();
    world.service.deletions().advance_deletion(&user).await.unwrap();
    // Within its 30 s the replica may not know yet, and the second sweep takes what it writes.
    let agent = replica.agent_of("u1", "t");
    agent.overwrite("/workspace/early", "x").await.unwrap();
    sleep(DELETIONS_KNOWN + Duration::from_secs(1)).await;
    assert_eq!(code(agent.overwrite("/workspace/late", "x").await), Code::Denied);
    let sweeps = done(&world).await.sweeps;
    assert!(sweeps[1].total.objects >= 1, "{sweeps:?}");
    assert_eq!(left(&world).await, ["_org/skills/a/SKILL.md", "u/threads/s/x", "u10/threads/s/x"]);
}

// S-LEAVE-4: A deletion removes everything of the user at once, and a minute later everything written meanwhile.
#[tokio::test(start_paused = true)]
async fn a_put_that_is_on_its_way_during_the_first_sweep_is_taken_by_the_second() {
    let memory = Arc::new(MemoryStore::like_s3());
    filled(&memory);
    let (world, user) = (over(&memory), id("u1"));
    world.faults.for_keys(Verb::Put, "threads/t/x", Fault::SlowRequest(Duration::from_secs(10)));
    let agent = world.agent_of("u1", "t");
    let put = tokio::spawn(async move { agent.overwrite("/workspace/x", "late").await });
    sleep(Duration::from_secs(1)).await;
    world.service.deletions().delete_user(&user, None).await.unwrap();
    put.await.unwrap().unwrap();
    let sweeps = done(&world).await.sweeps;
    assert!(sweeps[1].total.objects >= 1, "{sweeps:?}");
    assert_eq!(left(&world).await, ["_org/skills/a/SKILL.md", "u/threads/s/x", "u10/threads/s/x"]);
}

// S-LEAVE-6: A deletion removes earlier versions in a versioned bucket too, if the bucket lets the service remove them.
#[tokio::test(start_paused = true)]
async fn earlier_versions_go_too_or_the_receipt_says_why_not() {
    let memory = Arc::new(MemoryStore::versioned());
    filled(&memory);
    filled(&memory);
    let world = over(&memory);
    world.service.deletions().delete_user(&id("u1"), None).await.unwrap();
    let sweeps = done(&world).await.sweeps;
    assert_eq!((sweeps[0].total.objects, sweeps[0].versions.objects), (5, 5));
    assert_eq!(memory.earlier_versions_below("u1/"), 0);
    assert_eq!(memory.earlier_versions_below("u10/"), 1);

    filled(&memory);
    world.faults.every(Verb::Purge, 1, Fault::Deny);
    world.service.deletions().delete_user(&id("u1"), None).await.unwrap();
    let sweeps = done(&world).await.sweeps;
    assert_eq!((sweeps[0].total.objects, sweeps[0].versions.objects), (5, 0));
    assert!(sweeps[0].versions_left.as_ref().unwrap().contains("did not remove versions"), "{sweeps:?}");
    assert!(memory.earlier_versions_below("u1/") > 0);
}

#[tokio::test(start_paused = true)]
async fn keys_that_no_path_can_name_are_purged_or_counted() {
    let memory = Arc::new(MemoryStore::like_s3());
    memory.put_raw("u1/a//b", "x");
    let world = over(&memory);
    world.faults.every(Verb::Purge, 1, Fault::Deny);
    world.service.deletions().delete_user(&id("u1"), None).await.unwrap();
    assert_eq!(done(&world).await.sweeps[0].left, 1);
    world.faults.clear();
    world.service.deletions().delete_user(&id("u1"), None).await.unwrap();
    let sweeps = done(&world).await.sweeps;
    assert_eq!((sweeps[0].total.objects, sweeps[0].left), (1, 0));
}

// S-LEAVE-5: A deletion survives its process: any process that sees a tombstone without a worker continues the
// deletion.
#[tokio::test(start_paused = true)]
async fn another_process_ends_what_one_began() {
    let memory = Arc::new(MemoryStore::like_s3());
    filled(&memory);
    over(&memory).service.deletions().begin_deletion(&id("u1"), None).await.unwrap();
    let replica = over(&memory);
    assert_eq!(code(replica.service.deletions().check_not_deleted(&id("u1")).await), Code::Denied);
    replica.service.deletions().check_not_deleted(&id("u10")).await.unwrap();
    assert_eq!(done(&replica).await.sweeps[0].total.objects, 5);
    replica.service.deletions().check_not_deleted(&id("u1")).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_sweep_that_the_store_stopped_is_taken_up_again() {
    let memory = Arc::new(MemoryStore::like_s3());
    filled(&memory);
    let world = over(&memory);
    world.faults.script(Verb::Purge, [Fault::Refuse]);
    world.service.deletions().delete_user(&id("u1"), None).await.unwrap();
    sleep(Duration::from_secs(5)).await;
    assert!(left(&world).await.contains(&"u1/top".to_owned()));
    assert_eq!(code(world.service.deletions().check_not_deleted(&id("u1")).await), Code::Denied);
    let sweeps = done(&world).await.sweeps;
    assert_eq!((sweeps[0].total.objects, sweeps[0].interrupted), (5, 1));
    assert!(!left(&world).await.contains(&"u1/top".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn a_person_without_a_service_does_each_sweep_when_it_is_due() {
    let memory = Arc::new(MemoryStore::like_s3());
    filled(&memory);
    let world = over(&memory);
    world.service.deletions().begin_deletion(&id("u1"), None).await.unwrap();
    let first = world.service.deletions().advance_deletion(&id("u1")).await.unwrap();
    assert_eq!((first.state, first.sweeps.len(), first.sweeps[0].total.objects), (DeletionState::Deleting, 1, 5));
    let early = world.service.deletions().advance_deletion(&id("u1")).await.unwrap();
    assert_eq!(early, first, "the second is not due");
}

// S-LEAVE-3: During the deletion of a user, calls for the user are `denied`.
// S-COST-7: To deny deleted users costs a process one LIST in 20 to 30 seconds of activity, however many users it
// serves.
#[tokio::test(start_paused = true)]
async fn a_process_finds_out_within_thirty_seconds_and_asks_once_for_all_users() {
    let memory = Arc::new(MemoryStore::like_s3());
    let (world, other) = (over(&memory), over(&memory));
    world.service.deletions().check_not_deleted(&id("u1")).await.unwrap();
    other.service.deletions().begin_deletion(&id("u1"), None).await.unwrap();
    let mut denied_after = Duration::ZERO;
    while world.service.deletions().check_not_deleted(&id("u1")).await.is_ok() {
        for user in ["u2", "u3", "u4"] {
            world.service.deletions().check_not_deleted(&id(user)).await.unwrap();
        }
        sleep(Duration::from_secs(1)).await;
        denied_after += Duration::from_secs(1);
    }
    assert!(denied_after <= DELETIONS_KNOWN, "{denied_after:?}");
    assert!(denied_after >= DELETIONS_RENEWED);
    let lists = world.ledger.asked().iter().filter(|(verb, _)| *verb == Verb::List).count();
    assert_eq!(lists, 2);
}

#[tokio::test(start_paused = true)]
async fn a_store_that_is_down_keeps_nobody_waiting_for_who_is_deleted() {
    let memory = Arc::new(MemoryStore::like_s3());
    let world = over(&memory);
    world.faults.set_down(true);
    let began = tokio::time::Instant::now();
    world.service.deletions().check_not_deleted(&id("u1")).await.unwrap();
    world.faults.set_latency(Duration::from_mins(1));
    sleep(DELETIONS_KNOWN).await;
    world.service.deletions().check_not_deleted(&id("u1")).await.unwrap();
    assert!(began.elapsed() < DELETIONS_KNOWN + Duration::from_secs(3));
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_read_as_a_tombstone_counts_as_one() {
    let memory = Arc::new(MemoryStore::like_s3());
    memory.put_raw("_deleted/u1", "{");
    memory.put_raw("_deleted/u2", r#"{"format": 99}"#);
    let world = over(&memory);
    for user in ["u1", "u2"] {
        assert_eq!(code(world.service.deletions().check_not_deleted(&id(user)).await), Code::Denied);
        let error = world.service.deletions().deletion(&id(user)).await.unwrap_err();
        assert_eq!(error.code(), Code::ObjectDamaged);
    }
}

// S-LEAVE-11: The receipt of a finished deletion looks at the store at each request, and `found_now` says whether
// anything is there.
#[tokio::test(start_paused = true)]
async fn a_receipt_says_whether_anything_came_after_the_second_sweep() {
    let memory = Arc::new(MemoryStore::like_s3());
    filled(&memory);
    let (world, user) = (over(&memory), id("u1"));
    world.service.deletions().delete_user(&user, None).await.unwrap();
    sleep(Duration::from_secs(1)).await;
    assert_eq!(world.service.deletions().deletion(&user).await.unwrap().found_now, None);
    assert_eq!(done(&world).await.found_now, Some(false));
    memory.put_raw("u1/threads/s/very-late", "x");
    assert_eq!(world.service.deletions().deletion(&user).await.unwrap().found_now, Some(true));
    world.service.deletions().delete_user(&user, None).await.unwrap();
    sleep(Duration::from_secs(1)).await;
    assert_eq!(done(&world).await.found_now, Some(false));
}
