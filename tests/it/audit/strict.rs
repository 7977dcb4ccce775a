//! Strict records: a change is acknowledged once its record is in the store.

use skillmount::{
    Outcome, Parts,
    audit::AuditMode,
    backend::BackendProtocol as _,
    error::Code,
    store::{Verb, testing::Fault},
    wire::WriteRequest,
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
