//! Events without records.

use std::sync::Arc;

use serde_json::json;
use skillmount::{
    audit::{AuditCounts, AuditMode, Recorder},
    clock::SystemClock,
    handle::{OpenStore, ServiceOptions},
    observer::Observer,
    path::Id,
    store::{ReadOnly, S3Options, StoreAddress, WriteAccess},
    wire::{BackendProtocol as _, WriteRequest},
};

use super::{Audited, user};

// S-EVENT-7: Without stored records a replica still reports its own events as they happen.
#[tokio::test]
async fn without_records_events_are_told_as_they_happen_and_have_no_ids() {
    let world = Audited::new(AuditMode::Off);
    let mut listener = world.events().listen(&user(), None, None).await.unwrap();
    let write = json!({"file_path": "/workspace/a", "content": "x"});
    world.session("s1").write(serde_json::from_value::<WriteRequest>(write).unwrap()).await.unwrap();
    let mut told = Vec::new();
    while told.len() < 3 {
        let event = listener.next().await.unwrap().unwrap();
        assert_eq!((event.id, event.session.as_deref()), (None, Some("s1")));
        told.push(event.event);
    }
    assert_eq!(told, ["tool_use_start", "tool_result", "file_changed"]);
    world.recorder.flush_all().await;
    assert!(world.batches().await.is_empty());
    assert_eq!(world.recorder.counts(), AuditCounts::default());
}

// S-STORE-22: If a store denies writes at start, the service tries one small write each 30 seconds.
#[tokio::test]
async fn records_begin_once_the_store_takes_writes() {
    let clock = Arc::new(SystemClock::new());
    let store = OpenStore::open(StoreAddress::Memory, S3Options::default(), clock).await.unwrap();
    let access = WriteAccess::from(ReadOnly::from("its store does not let it write"));
    let recorder = Recorder::for_store(&store, AuditMode::Sync, access.clone());
    let observer = Some(Arc::new(recorder.clone()) as Arc<dyn Observer>);
    let service = store.service(ServiceOptions { observer, access: access.clone(), ..ServiceOptions::default() });
    let session = service.session(user(), Id::parse("s1").unwrap());
    session.write(WriteRequest::new("/workspace/a", "x")).await.unwrap_err();
    recorder.flush_all().await;
    assert_eq!(recorder.counts(), AuditCounts::default());
    access.set(None);
    session.write(WriteRequest::new("/workspace/a", "x")).await.unwrap();
    assert_eq!(recorder.counts().records, 1);
}
