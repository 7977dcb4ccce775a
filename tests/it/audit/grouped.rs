//! How many batches strict records take if many callers of one user work at once: 10,000 operations, on a clock that goes with
//! tokio's. So the figure is the same on every machine, however fast it is and whatever else it does.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use skillmount::{
    audit::AuditMode, clock::Clock, handle::SessionBackend, store::MemoryStore, wire::BackendProtocol as _,
};
use tokio::time::sleep;

use super::{Audited, user};
use crate::support::Wall;

const CALLERS: u64 = 64;
/// Rounds of each caller, and the operations of a round: half of them read, as agents do.
const ROUNDS: u64 = 10;
const STEPS: u64 = 16;
/// How long the store takes for a request.
const LATENCY: Duration = Duration::from_millis(20);

/// A clock that goes with tokio's, with a number that it counts on in the place of random ones.
#[derive(Debug)]
struct Counting(Wall, AtomicU64);

impl Clock for Counting {
    fn now(&self) -> Timestamp {
        self.0.now()
    }

    fn uptime(&self) -> Duration {
        self.0.uptime()
    }

    fn random(&self) -> u128 {
        self.1.fetch_add(1, Ordering::Relaxed).into()
    }
}

fn wanted<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).unwrap()
}

/// One round of a caller.
async fn round(agent: &SessionBackend, round: u64) {
    let path = format!("/workspace/{round}");
    let moved = format!("{path}-moved");
    let edit = |from: &str, to: &str| wanted(json!({"file_path": path, "old_string": from, "new_string": to}));
    let write = |text: &str| wanted(json!({"file_path": path, "content": text, "overwrite": true}));
    let read = |path: &str| wanted(json!({ "file_path": path }));
    agent.write(write("one")).await.unwrap();
    agent.edit(edit("one", "two")).await.unwrap();
    agent.read(read(&path)).await.unwrap();
    agent.load_skill(wanted(json!({"skill": "minutes"}))).await.unwrap();
    agent.write(write("three")).await.unwrap();
    agent.ls(wanted(json!({"path": "/workspace"}))).await.unwrap();
    agent.ls(wanted(json!({"path": "/"}))).await.unwrap();
    agent.glob(wanted(json!({"pattern": "*", "path": "/workspace"}))).await.unwrap();
    agent.grep(wanted(json!({"pattern": "three", "path": path}))).await.unwrap();
    agent.read(read(&path)).await.unwrap();
    agent.discover_skills(wanted(json!({"query": "minutes"}))).await.unwrap();
    agent.edit(edit("three", "four")).await.unwrap();
    agent.move_path(wanted(json!({"from": path, "to": moved}))).await.unwrap();
    agent.read(read(&moved)).await.unwrap();
    agent.delete(wanted(json!({"path": moved}))).await.unwrap();
    agent.unload_skill(wanted(json!({"skill": "minutes"}))).await.unwrap();
}

// S-AUDIT-3: In mode `sync` the service acknowledges a change after its record is in the store.
#[tokio::test(start_paused = true)]
async fn the_records_of_64_callers_take_a_tenth_of_a_request_for_each_of_10_000_operations() {
    let clock = Arc::new(Counting(Wall::new(), AtomicU64::new(1)));
    let world = Audited::at(Arc::new(MemoryStore::like_s3()), AuditMode::Sync, clock);
    world.memory.put_raw("u1/skills/minutes/SKILL.md", "---\ndescription: Writes minutes.\n---\nSteps.");
    world.faulty.set_latency(LATENCY);
    let callers = (0..CALLERS).map(|number| {
        let agent = world.session(&format!("s{number}"));
        tokio::spawn(async move {
            for done in 0..ROUNDS {
                // They do not go in step.
                sleep(Duration::from_millis((7 * number + 13 * done) % 50)).await;
                round(&agent, done).await;
            }
        })
    });
    for caller in callers.collect::<Vec<_>>() {
        caller.await.unwrap();
    }
    world.recorder.flush(&user()).await.unwrap();
    let (counts, operations) = (world.recorder.counts(), CALLERS * ROUNDS * STEPS);
    assert!(operations >= 10_000 && counts.records == operations, "{counts:?}");
    println!("{operations} operations of {CALLERS} callers, {} batches", counts.batches);
    assert!(counts.batches * 10 <= operations, "{} batches for {operations} operations", counts.batches);
}
