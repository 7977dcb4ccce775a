//! The bucket of S3, whose `ETag`s are digests of bytes: only such a store has bundles.

use std::sync::Arc;

use skillmount::{
    handle::ServiceOptions,
    store::{MemoryStore, Verb},
    wire::BackendProtocol as _,
};

use super::BUCKETS;
use crate::support::{
    SetClock,
    earlier::buckets,
    world::{World, files_below, grep, id},
};

const BUNDLES: &str = "eva/.skillmount/bundles/";

/// A bucket, and a second of a day after it was written.
fn restored(bucket: &str) -> (Arc<MemoryStore>, Arc<SetClock>) {
    let memory = Arc::new(MemoryStore::tagged_by_content());
    for (key, bytes) in files_below(&buckets().join(format!("{bucket}-s3"))) {
        memory.put_raw(&key, bytes);
    }
    (memory, SetClock::at("2026-11-30T12:00:00Z".parse::<jiff::Timestamp>().unwrap().as_second()))
}

#[tokio::test]
async fn a_bundle_of_then_saves_reading_the_files_of_a_skill() {
    for bucket in BUCKETS {
        let (memory, clock) = restored(bucket);
        let world = World::undisturbed(memory, ServiceOptions::default(), clock);
        let agent = world.agent_of("eva", "una");
        let found = agent.grep(grep("Año 19", Some("/skills/fichas"))).await.unwrap();
        assert_eq!(found.matches.map(|matches| matches.len()), Some(33));
        let asked = world.ledger.asked();
        let of_bundle = |(verb, key): &(Verb, String)| *verb == Verb::Get && key.starts_with(BUNDLES);
        assert_eq!(asked.iter().filter(|asked| of_bundle(asked)).count(), 1, "{asked:?}");
        assert!(!asked.iter().any(|(_, key)| key.starts_with("eva/skills/")), "{asked:?}");
    }
}

#[tokio::test]
async fn a_check_finds_nothing_in_it() {
    for bucket in BUCKETS {
        let (memory, clock) = restored(bucket);
        let world = World::undisturbed(memory, ServiceOptions::default(), clock);
        let report = world.service.upkeep().check_user(&id("eva"), false).await.unwrap();
        assert!(report.clean && report.findings.is_empty(), "{report:#?}");
    }
}
