//! Events without records.

use serde_json::json;
use skillmount::{
    audit::AuditMode,
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
    assert_eq!(world.recorder.counts(), skillmount::audit::AuditCounts::default());
}
