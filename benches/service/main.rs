//! What the service costs: `cargo bench --bench service`.
//!
//! In the order in which the figures deserve trust: memory, requests by the ledger, and time as multiples of what the SDK
//! alone takes for the same requests in the same run. Milliseconds are those of short commands alone, and none is to be
//! compared with another machine's.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a benchmark prints, and fails by panicking"
)]

mod latency;
mod memory;
mod mixed;
#[cfg(target_os = "linux")]
#[path = "../../tests/it/cli/peak_memory.rs"]
mod peak_memory;
#[allow(dead_code, reason = "the tests use the rest of it")]
#[path = "../../tests/it/support/s3_in_process.rs"]
mod s3_in_process;
#[allow(dead_code, reason = "the tests use the rest of it")]
#[path = "../../tests/it/support/s3_script.rs"]
mod s3_script;
#[cfg(target_os = "linux")]
mod start;

use std::sync::Arc;

use skillmount::{
    clock::Clock,
    handle::{Service, ServiceOptions},
    limits::CONTENT_CACHE_BYTES,
    path::{Id, KeyPrefix},
    store::{CachingStore, CountingStore, PutOptions, RequestCounts, SharedStore},
};

#[tokio::main(worker_threads = 2)]
async fn main() {
    // First, while nothing else has been in memory.
    memory::large_object().await;
    mixed::session().await;
    latency::against_the_sdk().await;
    #[cfg(target_os = "linux")]
    start::on_an_empty_store().await;
}

/// A service that remembers nothing yet, as it is served: cache over ledger over `store`.
fn service(store: SharedStore, clock: Arc<dyn Clock>) -> (Service, Arc<RequestCounts>) {
    let ledger = Arc::new(RequestCounts::new());
    let metered = Arc::new(CountingStore::new(store, ledger.clone()));
    let cached = Arc::new(CachingStore::new(metered, CONTENT_CACHE_BYTES, clock.clone()));
    (Service::new(cached, ServiceOptions::default(), clock), ledger)
}

/// Puts 100 skills and 100 files of session `s` of user `demo` there.
async fn fill(bucket: &SharedStore) {
    for number in 0..100 {
        let name = format!("skill-{number:02}");
        let purpose = "Prepares what a file of this kind needs, with an example and a list of what to check.";
        let text = format!("---\nname: {name}\ndescription: {purpose}\n---\n{}", "One step of the work.\n".repeat(80));
        put(bucket, &format!("demo/skills/group-{}/{name}/SKILL.md", number % 10), text).await;
        put(bucket, &format!("demo/threads/s/{number:02}.md"), mixed::text(0)).await;
    }
}

async fn put(bucket: &SharedStore, key: &str, text: String) {
    bucket.put(&KeyPrefix::all().key(key).unwrap(), text.into(), PutOptions::default()).await.unwrap();
}

fn id(text: &str) -> Id {
    Id::parse(text).unwrap()
}

/// What to print behind a figure that has a goal.
fn verdict(meets: bool) -> &'static str {
    if meets { "meets" } else { "misses" }
}
