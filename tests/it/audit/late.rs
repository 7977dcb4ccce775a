//! Batches that come into the store late, and who resumes meanwhile. On a clock that goes with tokio's.

use std::{sync::Arc, time::Duration};

use jiff::Timestamp;
use serde_json::json;
use skillmount::{
    audit::{AuditMode, EventId, Listener},
    backend::BackendProtocol as _,
    clock::Clock,
    store::{MemoryStore, Verb, testing::Fault},
    wire::WriteRequest,
};
use tokio::time::{sleep, timeout};

use super::{Audited, user};
use crate::support::Wall;

/// The clock of one process, which has random numbers of its own.
#[derive(Debug)]
struct Process {
    wall: Wall,
    number: u128,
}

impl Clock for Process {
    fn now(&self) -> Timestamp {
        self.wall.now()
    }

    fn uptime(&self) -> Duration {
        self.wall.uptime()
    }

    fn random(&self) -> u128 {
        self.number
    }
}

fn write(path: &str) -> WriteRequest {
    serde_json::from_value(json!({"file_path": path, "content": "x", "overwrite": true})).unwrap()
}

fn two_processes() -> (Audited, Audited) {
    let memory = Arc::new(MemoryStore::like_s3());
    let process = |number| {
        let clock: Arc<dyn Clock> = Arc::new(Process { wall: Wall::ahead(Duration::from_hours(24 * 365)), number });
        Audited::at(memory.clone(), AuditMode::Relaxed, clock)
    };
    (process(1), process(2))
}

async fn next_file(listener: &mut Listener) -> (String, EventId) {
    loop {
        let event = listener.next().await.unwrap().unwrap();
        if event.event == "file_changed" {
            return (event.data["path"].as_str().unwrap().to_owned(), EventId::parse(&event.id.unwrap()).unwrap());
        }
    }
}

/// Listens at `one` to its own event 70 s after the beginning, and leaves.
async fn leave_after_70_seconds(one: &Audited) -> EventId {
    let mut listener = one.events().listen(&user(), None, None).await.unwrap();
    sleep(Duration::from_secs(70)).await;
    one.session("s1").write(write("/workspace/own")).await.unwrap();
    let (_, last) = next_file(&mut listener).await;
    one.recorder.flush_all().await;
    last
}

/// Whoever comes back 100 s after the beginning is told of the other process's write.
async fn is_told_of_the_late_write(one: &Audited, last: EventId) {
    sleep(Duration::from_secs(30)).await;
    let mut again = one.events().listen(&user(), None, Some(last.into())).await.unwrap();
    let told = async {
        loop {
            let (path, _) = next_file(&mut again).await;
            if path == "/workspace/late" {
                break;
            }
        }
    };
    timeout(Duration::from_secs(70), told).await.expect("a record whose batch came late is not skipped");
}

// S-EVENT-3: Whoever comes back with the id of its last event, to whichever replica, is told all that it missed.
#[tokio::test(start_paused = true)]
async fn a_batch_that_took_the_store_long_is_not_skipped_by_who_resumes() {
    let (one, two) = two_processes();
    two.session("s2").write(write("/workspace/late")).await.unwrap();
    two.faulty.script(Verb::Put, [Fault::SlowRequest(Duration::from_secs(12))]);
    let last = leave_after_70_seconds(&one).await;
    is_told_of_the_late_write(&one, last).await;
    let calls: Vec<_> =
        one.records().await.into_iter().filter(|record| record.session.as_deref() == Some("s2")).collect();
    assert_eq!(calls.len(), 1, "it lies in the store once: {calls:?}");
}

#[tokio::test(start_paused = true)]
async fn a_batch_whose_first_attempts_are_unknown_is_not_skipped_by_who_resumes() {
    let (one, two) = two_processes();
    two.session("s2").write(write("/workspace/late")).await.unwrap();
    two.faulty.every(Verb::Put, 1, Fault::LoseRequest);
    let last = leave_after_70_seconds(&one).await;
    sleep(Duration::from_secs(20)).await;
    two.faulty.clear();
    is_told_of_the_late_write(&one, last).await;
}

#[tokio::test(start_paused = true)]
async fn a_listener_whose_replica_had_no_store_for_long_is_told_of_what_came_meanwhile() {
    let (one, two) = two_processes();
    let mut listener = one.events().listen(&user(), None, None).await.unwrap();
    sleep(Duration::from_secs(10)).await;
    one.faulty.set_down(true);
    two.session("s2").write(write("/workspace/late")).await.unwrap();
    two.recorder.flush_all().await;
    sleep(Duration::from_mins(10)).await;
    one.faulty.set_down(false);
    let (path, _) = timeout(Duration::from_secs(70), next_file(&mut listener)).await.expect("it is told");
    assert_eq!(path, "/workspace/late");
}
