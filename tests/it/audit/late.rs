//! Batches that come into the store late, and who resumes meanwhile. On a clock that goes with tokio's.

use std::{sync::Arc, time::Duration};

use jiff::Timestamp;
use serde_json::json;
use skillmount::{
    audit::{AuditMode, EventId, Events, Listener, Resume},
    clock::Clock,
    limits::{AUDIT_RETENTION_DAYS, EVENTS_PAGE_BYTES},
    store::{MemoryStore, Verb, testing::Fault},
    wire::{BackendProtocol as _, WriteRequest},
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
        Audited::at(memory.clone(), AuditMode::Async, clock)
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

/// Listens at `one` to its own event so many seconds after the beginning, and leaves.
async fn leave_after(seconds: u64, one: &Audited) -> EventId {
    let mut listener = one.events().listen(&user(), None, None).await.unwrap();
    sleep(Duration::from_secs(seconds)).await;
    one.session("s1").write(write("/workspace/own")).await.unwrap();
    let (_, last) = next_file(&mut listener).await;
    one.recorder.flush_all().await;
    last
}

/// Whoever comes back 30 s later is told of the other process's write.
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

// S-EVENT-15: A batch that reached the store later than 65 seconds after its name moves to a name of that moment.
#[tokio::test(start_paused = true)]
async fn a_batch_that_took_the_store_long_is_not_skipped_by_who_resumes() {
    // Put 60 s after the beginning, the batch is in the store too late for its name, or for the look of the first process at 64 s.
    for (put, leaves) in [(Duration::from_secs(12), 70), (Duration::from_millis(4_500), 66)] {
        let (one, two) = two_processes();
        two.session("s2").write(write("/workspace/late")).await.unwrap();
        two.faulty.script(Verb::Put, [Fault::SlowRequest(put)]);
        let last = leave_after(leaves, &one).await;
        is_told_of_the_late_write(&one, last).await;
        let records = one.records().await.into_iter();
        let calls: Vec<_> = records.filter(|record| record.session.as_deref() == Some("s2")).collect();
        assert_eq!(calls.len(), 1, "it lies in the store once: {calls:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_batch_whose_first_attempts_are_unknown_is_not_skipped_by_who_resumes() {
    let (one, two) = two_processes();
    two.session("s2").write(write("/workspace/late")).await.unwrap();
    two.faulty.every(Verb::Put, 1, Fault::LoseRequest);
    let last = leave_after(70, &one).await;
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

/// Two writes at `one`, of which no record comes into the store. The id of the first one's event.
async fn two_writes_that_are_lost(one: &Audited) -> EventId {
    let mut listener = one.events().listen(&user(), None, None).await.unwrap();
    one.faulty.for_keys(Verb::Put, "/audit/", Fault::Deny);
    for path in ["/workspace/first", "/workspace/second"] {
        one.session("s1").write(write(path)).await.unwrap();
    }
    next_file(&mut listener).await.1
}

async fn polled(events: &Events, from: impl Into<Resume>) -> Vec<String> {
    let missed = events.since(&user(), None, from.into(), (100, EVENTS_PAGE_BYTES)).await.unwrap();
    assert_eq!(missed.next, None);
    missed.events.into_iter().map(|event| event.event).collect()
}

// S-EVENT-18: Until 65 seconds after the name of a batch, its replica may still write it.
#[tokio::test(start_paused = true)]
async fn whoever_comes_back_at_once_after_a_crash_is_told_of_the_gap() {
    let (one, two) = two_processes();
    let first = two_writes_that_are_lost(&one).await;
    two.session("s2").write(write("/workspace/other")).await.unwrap();
    let events = two.events();
    let mut again = events.listen(&user(), None, Some(first.clone().into())).await.unwrap();
    assert_eq!(next_file(&mut again).await.0, "/workspace/other", "the stream goes on");
    assert_eq!(polled(&events, first.clone()).await, Vec::<String>::new(), "and who asks keeps its id");
    assert!(timeout(Duration::from_secs(50), again.next()).await.is_err(), "the other may still write it");
    let gap = timeout(Duration::from_secs(20), again.next()).await.expect("it does not").unwrap().unwrap();
    assert_eq!((gap.event.as_str(), &gap.data["after"]), ("gap", &json!(first.to_string())));
    assert!(timeout(Duration::from_mins(5), again.next()).await.is_err(), "it is told once");
    assert_eq!(polled(&events, first).await[0], "gap");
}

// S-EVENT-3: A client that returns with the id of its last event, to any replica, gets every missed event.
#[tokio::test(start_paused = true)]
async fn whoever_comes_back_before_the_batch_is_written_is_told_the_rest_of_it_and_of_no_gap() {
    let (one, two) = two_processes();
    let mut listener = one.events().listen(&user(), None, None).await.unwrap();
    for path in ["/workspace/first", "/workspace/second"] {
        one.session("s1").write(write(path)).await.unwrap();
    }
    let first = next_file(&mut listener).await.1;
    let mut again = two.events().listen(&user(), None, Some(first.clone().into())).await.unwrap();
    let mut told = Vec::new();
    while let Ok(event) = timeout(Duration::from_mins(3), again.next()).await {
        told.push(event.unwrap().unwrap());
    }
    assert!(told.iter().any(|event| event.data["path"] == "/workspace/second"), "{told:?}");
    assert!(told.iter().all(|event| event.event != "gap"), "{told:?}");
    assert!(!polled(&two.events(), first).await.contains(&"gap".to_owned()));
}

// S-EVENT-19: An id that is more than 65 seconds in the future gives `gap` at once.
#[tokio::test(start_paused = true)]
async fn an_id_from_the_future_gives_a_gap_at_once() {
    let (one, _) = two_processes();
    let future = EventId::parse("29990102T030405.000006Z-0a1b2c3d.1.5").unwrap();
    let mut listener = one.events().listen(&user(), None, Some(future.clone().into())).await.unwrap();
    let gap = timeout(Duration::from_secs(1), listener.next()).await.expect("at once").unwrap().unwrap();
    assert_eq!(gap.event, "gap");
    assert_eq!(polled(&one.events(), future).await, ["gap"]);
}

// S-EVENT-3: A client that returns with the id of its last event, to any replica, gets every missed event.
#[tokio::test(start_paused = true)]
async fn the_present_position_is_good_for_as_long_as_records_are_kept() {
    let (one, two) = two_processes();
    let position = one.events().position().unwrap();
    assert_eq!(polled(&two.events(), position.clone()).await, Vec::<String>::new());
    one.session("s1").write(write("/workspace/a")).await.unwrap();
    sleep(Duration::from_mins(10)).await;
    let told = polled(&two.events(), position.clone()).await;
    assert_eq!(told, ["tool_use_start", "tool_result", "file_changed"]);
    sleep(Duration::from_hours(24 * u64::from(AUDIT_RETENTION_DAYS))).await;
    assert_eq!(polled(&two.events(), position).await[0], "gap");
    let off = Audited::new(AuditMode::Off);
    assert_eq!(off.events().position(), None, "events without ids have no position");
}

// S-EVENT-4: If the records since an id are gone, the first event is `gap`.
#[tokio::test(start_paused = true)]
async fn what_names_the_rest_gives_a_gap_once_the_records_are_deleted() {
    let (one, two) = two_processes();
    let begin = one.events().position().unwrap();
    one.session("s1").write(write("/workspace/a")).await.unwrap();
    one.recorder.flush_all().await;
    let events = two.events();
    let one_event = async |from| events.since(&user(), None, from, (1, EVENTS_PAGE_BYTES)).await.unwrap();
    let rest = one_event(begin).await.next.unwrap();
    assert!(rest.begun.is_some() && one_event(rest.clone()).await.events[0].event == "tool_result");
    sleep(Duration::from_hours(24 * u64::from(AUDIT_RETENTION_DAYS + 1))).await;
    one.session("s1").write(write("/workspace/b")).await.unwrap();
    one.recorder.flush_all().await;
    sleep(Duration::from_secs(1)).await;
    assert_eq!(one_event(rest).await.events[0].event, "gap");
}

/// The id of the next event of a file that was changed, if it has one.
async fn id_of_next_file(listener: &mut Listener) -> Option<EventId> {
    loop {
        let event = listener.next().await.unwrap().unwrap();
        if event.event == "file_changed" {
            return event.id.map(|id| EventId::parse(&id).unwrap());
        }
    }
}

// S-EVENT-14: While a replica cannot read the records of others, its own events have no id, so a client resumes from an
// earlier event.
#[tokio::test(start_paused = true)]
async fn events_that_are_told_while_a_replica_cannot_read_those_of_others_are_none_to_go_on_from() {
    let (one, two) = two_processes();
    let mut listener = one.events().listen(&user(), None, None).await.unwrap();
    one.session("s1").write(write("/workspace/first")).await.unwrap();
    let first = id_of_next_file(&mut listener).await.unwrap();
    one.faulty.for_keys(Verb::List, "/audit/", Fault::Deny);
    two.session("s2").write(write("/workspace/late")).await.unwrap();
    two.recorder.flush_all().await;
    sleep(Duration::from_mins(5)).await;
    one.session("s1").write(write("/workspace/second")).await.unwrap();
    let last = id_of_next_file(&mut listener).await.unwrap_or(first);
    one.recorder.flush_all().await;
    is_told_of_the_late_write(&two, last).await;

    // Who stays is told too, and then events have their ids again.
    one.faulty.clear();
    assert_eq!(next_file(&mut listener).await.0, "/workspace/late");
    one.session("s1").write(write("/workspace/third")).await.unwrap();
    assert!(id_of_next_file(&mut listener).await.is_some());
}
