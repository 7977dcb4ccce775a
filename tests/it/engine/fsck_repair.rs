//! What a check mends, and what it leaves alone because it is in use or under way.

use std::{sync::Arc, time::Duration};

use jiff::{SignedDuration, Timestamp};
use skillmount::{
    handle::ServiceOptions,
    limits::{ORPHAN_AGE, SNAPSHOT_INLINE_FILES},
    path::{KeyPrefix, SkillPath},
    publish::{PublishOptions, UploadedSkill},
    store::{MemoryStore, Store as _, Verb, testing::Fault},
    wire::{BackendProtocol as _, FindingCode, FsckReport, UnloadSkillRequest},
};

use crate::support::{
    SetClock, clock,
    world::{BackendExt as _, World, code, id},
};

/// A process whose clock says that a little more than so much time has passed.
fn later(memory: &Arc<MemoryStore>, after: SignedDuration) -> World {
    let clock = SetClock::at((Timestamp::now() + after).as_second() + 1);
    World::undisturbed(memory.clone(), ServiceOptions::default(), clock)
}

fn now(memory: &Arc<MemoryStore>) -> World {
    World::undisturbed(memory.clone(), ServiceOptions::default(), clock())
}

async fn publish(world: &World, text: &str) -> skillmount::Result<()> {
    let main = format!("---\nname: minutes\ndescription: Takes minutes.\n---\n{text}\n");
    let files = UploadedSkill::Files([("SKILL.md".to_owned(), main.into())].into());
    let skill = SkillPath::parse("minutes").unwrap();
    world.service.publisher().publish_skill(&id("demo"), &skill, files, PublishOptions::default()).await.map(drop)
}

async fn check(world: &World, repair: bool) -> FsckReport {
    world.service.upkeep().check_everybody(repair).await.unwrap()
}

/// The findings of a code, and whether each was mended.
fn found(report: &FsckReport, code: FindingCode) -> Vec<bool> {
    report.findings.iter().filter(|found| found.code == code).map(|found| found.repaired).collect()
}

/// Checks that `world` finds this once, mends it, and then finds it no more.
async fn is_mended(world: &World, code: FindingCode) {
    assert_eq!(found(&check(world, false).await, code), [false], "{code:?}");
    assert_eq!(found(&check(world, true).await, code), [true], "{code:?}");
    let report = check(world, false).await;
    assert!(report.clean && found(&report, code).is_empty(), "{report:?}");
}

// S-FSCK-2: A repair deletes objects that the service can rebuild and objects that nothing has used for a day, and
// finishes begun changes.
#[tokio::test(start_paused = true)]
async fn a_publish_that_was_begun_is_finished() {
    let memory = Arc::new(MemoryStore::like_s3());
    let world = now(&memory);
    publish(&world, "one").await.unwrap();
    world.faults.for_keys(Verb::Put, "demo/skills/", Fault::Deny);
    publish(&world, "two").await.unwrap();
    drop(world);
    is_mended(&later(&memory, SignedDuration::from_mins(10)), FindingCode::UnfinishedPublish).await;
    let text = now(&memory).bytes("demo/skills/minutes/SKILL.md").await.unwrap();
    assert!(text.ends_with(b"two\n"));
}

// S-FSCK-2: A repair deletes objects that the service can rebuild and objects that nothing has used for a day, and
// finishes begun changes.
#[tokio::test(start_paused = true)]
async fn a_deletion_that_was_begun_is_finished() {
    let memory = Arc::new(MemoryStore::like_s3());
    memory.put_raw("u1/threads/s/x", "x");
    now(&memory).service.deletions().begin_deletion(&id("u1"), None).await.unwrap();
    let world = later(&memory, SignedDuration::from_mins(10));
    assert_eq!(found(&check(&world, false).await, FindingCode::UnfinishedDeletion), [false]);
    let mut mended = false;
    for _ in 0..3 {
        mended |= found(&check(&world, true).await, FindingCode::UnfinishedDeletion).contains(&true);
        tokio::time::sleep(Duration::from_mins(2)).await;
    }
    assert!(mended && world.bytes("u1/threads/s/x").await.is_none());
}

// S-FSCK-2: A repair deletes objects that the service can rebuild and objects that nothing has used for a day, and
// finishes begun changes.
#[tokio::test]
async fn what_a_probe_left_is_deleted_after_a_day() {
    let memory = Arc::new(MemoryStore::like_s3());
    memory.put_raw("_probe/result.json", "{}");
    for left in [".skillmount/probe-0123", "_probe/race-0123"] {
        memory.put_raw(left, "x");
        assert!(check(&now(&memory), true).await.findings.is_empty(), "{left}");
        is_mended(&later(&memory, ORPHAN_AGE), FindingCode::LeftoverProbe).await;
    }
}

/// A skill whose file list is too long for a session.
fn put_large(memory: &MemoryStore) {
    memory.put_raw("demo/skills/large/SKILL.md", "---\nname: large\ndescription: Has many files.\n---\nBody\n");
    for number in 0..=SNAPSHOT_INLINE_FILES {
        memory.put_raw(&format!("demo/skills/large/f{number}.md"), "x");
    }
}

async fn snapshots(world: &World) -> Vec<String> {
    world.keys().await.into_iter().filter(|key| key.contains("/snapshots/")).collect()
}

// S-FSCK-2: A repair deletes objects that the service can rebuild and objects that nothing has used for a day, and
// finishes begun changes.
#[tokio::test]
async fn a_file_list_that_no_session_uses_is_deleted_after_a_day() {
    let memory = Arc::new(MemoryStore::like_s3());
    put_large(&memory);
    let world = now(&memory);
    world.agent().load("large").await.unwrap();
    let day_after = later(&memory, ORPHAN_AGE);
    assert!(found(&check(&day_after, true).await, FindingCode::OrphanSnapshot).is_empty(), "a session uses it");
    world.agent().unload_skill(UnloadSkillRequest { skill: "large".into() }).await.unwrap();
    assert!(found(&check(&world, true).await, FindingCode::OrphanSnapshot).is_empty(), "it is young");
    is_mended(&day_after, FindingCode::OrphanSnapshot).await;
    assert!(snapshots(&world).await.is_empty());
}

// S-FSCK-3: A change during a check is no fault.
#[tokio::test]
async fn a_file_list_that_has_lain_for_long_is_put_again_before_a_session_names_it() {
    let memory = Arc::new(MemoryStore::like_s3());
    put_large(&memory);
    let world = now(&memory);
    world.agent().load("large").await.unwrap();
    let key = KeyPrefix::all().key(&snapshots(&world).await[0]).unwrap();
    let first = memory.head(&key).await.unwrap().modified_at;
    world.agent_of("demo", "young").load("large").await.unwrap();
    now(&memory).agent_of("demo", "elsewhere").load("large").await.unwrap();
    assert_eq!(memory.head(&key).await.unwrap().modified_at, first, "a young one is left as it is");
    later(&memory, ORPHAN_AGE / 2).agent_of("demo", "old").load("large").await.unwrap();
    assert!(memory.head(&key).await.unwrap().modified_at > first);
}

// S-FSCK-3: A change during a check is no fault.
#[tokio::test(start_paused = true)]
async fn what_is_published_and_loaded_while_a_check_goes_on_is_no_fault() {
    let memory = Arc::new(MemoryStore::like_s3());
    put_large(&memory);
    let world = now(&memory);
    publish(&world, "one").await.unwrap();
    world.agent().write(serde_json::from_str(r#"{"file_path":"/workspace/a","content":"x"}"#).unwrap()).await.unwrap();
    let checking = now(&memory);
    for part in ["/heads/", "/sessions/"] {
        checking.faults.for_keys(Verb::Get, part, Fault::SlowRequest(Duration::from_secs(10)));
    }
    let meanwhile = async {
        tokio::time::sleep(Duration::from_secs(5)).await;
        publish(&world, "two").await.unwrap();
        for skill in ["minutes", "large"] {
            world.agent().load(skill).await.unwrap();
        }
    };
    let (report, ()) = tokio::join!(check(&checking, false), meanwhile);
    for code in [FindingCode::MissingVersion, FindingCode::MissingSnapshot] {
        assert!(found(&report, code).is_empty(), "{report:?}");
    }
}

#[tokio::test]
async fn what_only_its_owner_can_settle_is_a_note() {
    let memory = Arc::new(MemoryStore::like_s3());
    let world = now(&memory);
    publish(&world, "one").await.unwrap();
    world.agent().load("minutes").await.unwrap();
    let head = KeyPrefix::all().key("demo/.skillmount/heads/minutes.json").unwrap();
    memory.delete(&head, skillmount::store::DeleteOptions::default()).await.unwrap();
    memory.put_raw("demo/a//b", "x");
    let world = later(&memory, SignedDuration::from_hours(24 * 40));
    let before = world.keys().await;
    let report = check(&world, true).await;
    for code in [FindingCode::OrphanVersion, FindingCode::UnnameableKey, FindingCode::ExpiredSession] {
        assert_eq!(found(&report, code), [false], "{report:?}");
    }
    assert_eq!(world.keys().await, before);
}

// S-LEAVE-3: During the deletion of a user, calls for the user are `denied`.
#[tokio::test(start_paused = true)]
async fn who_has_an_id_after_another_finds_nothing_of_the_other_in_a_process_that_knew_both() {
    let memory = Arc::new(MemoryStore::like_s3());
    put_large(&memory);
    let world = now(&memory);
    world.service.deletions().check_not_deleted(&id("demo")).await.unwrap();
    world.agent().load("large").await.unwrap();
    world.service.deletions().delete_user(&id("demo"), None).await.unwrap();
    for _ in 0..200 {
        tokio::time::sleep(Duration::from_secs(1)).await;
        if world.service.deletions().check_not_deleted(&id("demo")).await.is_ok() {
            break;
        }
    }
    tokio::time::sleep(Duration::from_secs(31)).await;
    assert_eq!(code(world.agent().load("large").await), skillmount::Code::SkillNotFound);
    put_large(&memory);
    world.service.catalogs().refresh(&id("demo")).await.unwrap();
    world.agent().load("large").await.unwrap();
    assert_eq!(snapshots(&world).await.len(), 1, "the file list is stored for its new owner");
}
