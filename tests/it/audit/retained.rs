//! How records that are too old are deleted: so many at once, and again soon if some are left.

use std::{sync::Arc, time::Duration};

use jiff::Timestamp;
use serde_json::json;
use skillmount::{
    audit::{AuditMode, BatchName},
    limits::{AUDIT_PRUNED, AUDIT_PRUNED_AGAIN},
    store::{MemoryStore, Verb, testing::Fault},
    wire::BackendProtocol as _,
};
use tokio::time::sleep;

use super::{Audited, user};
use crate::support::Wall;

/// A process a year after so many batches were written.
fn with_old(batches: usize) -> Audited {
    let clock = Arc::new(Wall::ahead(Duration::from_hours(24 * 365)));
    let world = Audited::at(Arc::new(MemoryStore::like_s3()), AuditMode::Async, clock);
    for second in 0..batches {
        let name = BatchName::new(Timestamp::from_second(i64::try_from(second).unwrap()).unwrap(), "0a1b2c3d");
        world.memory.put_raw(&format!("u1/.skillmount/audit/{name}"), "{\"format\":1}\n");
    }
    world
}

/// Writes a record, and returns how many old batches are there a second later.
async fn left_after_a_record(world: &Audited) -> usize {
    let ls = serde_json::from_value(json!({"path": "/workspace"})).unwrap();
    world.session("s1").ls(ls).await.unwrap();
    world.recorder.flush(&user()).await.unwrap();
    sleep(Duration::from_secs(1)).await;
    world.batches().await.iter().filter(|key| key.as_str().contains("/audit/1970")).count()
}

// S-AUDIT-6: The service keeps records for 90 days, or as long as the operator configures.
// S-LIMIT-1: Every limit stands in `crates/base/src/limits/`; the service takes n and refuses n + 1.
#[tokio::test(start_paused = true)]
async fn so_many_old_batches_are_deleted_at_once_and_the_rest_soon_after() {
    let world = with_old(AUDIT_PRUNED + 1);
    assert_eq!(left_after_a_record(&world).await, 1);
    assert_eq!(left_after_a_record(&world).await, 1);
    sleep(AUDIT_PRUNED_AGAIN).await;
    assert_eq!(left_after_a_record(&world).await, 0);
}

// S-AUDIT-6: The service keeps records for 90 days, or as long as the operator configures.
#[tokio::test(start_paused = true)]
async fn old_batches_that_could_not_be_deleted_are_deleted_soon_after_and_not_at_once() {
    let world = with_old(1);
    world.faulty.for_keys(Verb::Delete, "/audit/", Fault::Deny);
    assert_eq!(left_after_a_record(&world).await, 1);
    world.faulty.clear();
    assert_eq!(left_after_a_record(&world).await, 1);
    sleep(AUDIT_PRUNED_AGAIN).await;
    assert_eq!(left_after_a_record(&world).await, 0);
}
