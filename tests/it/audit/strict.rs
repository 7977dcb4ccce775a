//! Strict records: a change is acknowledged once its record is in the store.

use std::time::Duration;

use skillmount::{
    Error, Outcome, Parts,
    audit::AuditMode,
    backend::BackendProtocol as _,
    error::Code,
    limits::{AUDIT_RETRY, AUDIT_WAITING_BYTES},
    store::{GetOptions, Store as _, Verb, testing::Fault},
    wire::{ReadRequest, WriteRequest},
};

use super::{Audited, digest};

fn write(path: &str, content: &str) -> WriteRequest {
    serde_json::from_value(serde_json::json!({"file_path": path, "content": content})).unwrap()
}

// S-AUDIT-3: In strict mode a change is acknowledged once its record is in the store.
#[tokio::test]
async fn a_change_is_acknowledged_once_its_record_is_in_the_store() {
    let world = Audited::new(AuditMode::Strict);
    world.session("s1").write(write("/workspace/a", "one")).await.unwrap();
    let records = world.records().await;
    assert_eq!((records.len(), &records[0].files[0].after), (1, &Some(digest("one"))));

    world.faulty.for_keys(Verb::Put, "/audit/", Fault::Deny);
    let error = world.session("s1").write(write("/workspace/b", "two")).await.unwrap_err();
    assert_eq!(error.code(), Code::StoreUnavailable);
    let parts = Parts { file: Some(Outcome::Applied), session: None, audit: Some(Outcome::NotApplied) };
    assert_eq!((error.parts(), error.outcome()), (Some(parts), Some(Outcome::Partial)));
    world.session("s1").ls(skillmount::wire::LsRequest { path: "/workspace".to_owned() }).await.unwrap();

    world.faulty.clear();
    world.recorder.flush_all().await;
    let records = world.records().await;
    assert_eq!(records[1].files[0].after, Some(digest("two")), "a record that could not be written is not given up");
    assert_eq!(records.len(), 3);
}

/// That a file was changed without a record that is known to be in the store.
#[track_caller]
fn is_unrecorded(error: &Error, audit: Outcome) {
    assert_eq!(error.code(), Code::StoreUnavailable, "{error:?}");
    let parts = Parts { file: Some(Outcome::Applied), session: None, audit: Some(audit) };
    assert_eq!(error.parts(), Some(parts), "{error:?}");
}

/// The paths of the files in all records.
async fn recorded(world: &Audited) -> Vec<String> {
    world.records().await.into_iter().flat_map(|record| record.files).map(|file| file.path).collect()
}

// S-AUDIT-3: In strict mode a change is acknowledged once its record is in the store.
#[tokio::test(start_paused = true)]
async fn a_record_whose_put_has_an_unknown_outcome_is_said_to_be_unknown_and_is_there_once_in_the_end() {
    let hour = Duration::from_hours(1);
    for (fault, is_there) in [
        (Fault::LoseReply, true),
        (Fault::LoseRequest, false),
        (Fault::SlowReply(hour), true),
        (Fault::SlowRequest(hour), false),
    ] {
        let world = Audited::new(AuditMode::Strict);
        world.faulty.for_keys(Verb::Put, "/audit/", fault);
        // Nor can the store be asked what became of it.
        for verb in [Verb::Get, Verb::Head] {
            world.faulty.for_keys(verb, "/audit/", Fault::Refuse);
        }
        is_unrecorded(&world.session("s1").write(write("/workspace/a", "one")).await.unwrap_err(), Outcome::Unknown);
        assert_eq!(recorded(&world).await.len(), usize::from(is_there), "{fault:?}");

        world.faulty.clear();
        tokio::time::sleep(2 * AUDIT_RETRY).await;
        assert_eq!(recorded(&world).await, ["/workspace/a"], "{fault:?}: it is tried again, and is not there twice");
        world.session("s1").write(write("/workspace/b", "two")).await.unwrap();
        assert_eq!(recorded(&world).await, ["/workspace/a", "/workspace/b"], "{fault:?}");
        assert_eq!(world.recorder.counts().waiting, 0);
    }
}

/// The text of all batches.
async fn stored(world: &Audited) -> String {
    let mut text = String::new();
    for batch in world.batches().await {
        let object = world.memory.get(&batch, GetOptions::default()).await.unwrap();
        text.push_str(std::str::from_utf8(&object.bytes).unwrap());
    }
    text
}

// S-AUDIT-4: Memory for records that wait is bounded; what does not fit is dropped and counted.
#[tokio::test]
async fn a_change_whose_record_has_no_room_to_wait_is_not_acknowledged() {
    let world = Audited::new(AuditMode::Strict);
    world.faulty.for_keys(Verb::Put, "/audit/", Fault::Deny);
    let agent = world.session("s1");
    // Five segments, because one has 255 bytes at most.
    let long = vec!["x".repeat(200); 5].join("/");
    while world.recorder.counts().dropped == 0 {
        let reads = (0..500).map(|_| agent.read(ReadRequest::new(format!("/workspace/{long}"))));
        futures_util::future::join_all(reads).await;
    }
    assert!(world.recorder.counts().waiting <= AUDIT_WAITING_BYTES as u64);
    // A record of this size is dropped now, and so is the one of a change.
    let path = format!("/workspace/{long}/a");
    let dropped = world.recorder.counts().dropped;
    is_unrecorded(&agent.write(write(&path, "one")).await.unwrap_err(), Outcome::NotApplied);
    assert_eq!(world.recorder.counts().dropped, dropped + 1);
    // What changes nothing is answered all the same.
    assert_eq!(
        agent.read(ReadRequest::new(format!("/workspace/{long}/b"))).await.unwrap_err().code(),
        Code::FileNotFound
    );

    world.faulty.clear();
    world.recorder.flush_all().await;
    assert!(!stored(&world).await.contains(&path), "it was counted, and is not made up later");
    agent.write(write("/workspace/b", "two")).await.unwrap();
    assert!(stored(&world).await.contains("/workspace/b"), "with room, a change has its record");
}
