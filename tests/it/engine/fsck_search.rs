//! The check of what searches go by: vectors of skills, and loads that followed questions.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use skillmount::{
    encoder::{Encoder, EncoderError, TextRole},
    handle::ServiceOptions,
    path::KeyPrefix,
    store::{DeleteOptions, MemoryStore},
    wire::{BackendProtocol as _, DiscoverRequest, FindingCode, FsckReport, SearchRanking},
};

use crate::support::{
    clock,
    world::{World, id},
};

const VECTORS: &str = "demo/.skillmount/vectors";
const FEEDBACK: &str = "demo/.skillmount/feedback.json";
const SKILL: &str = "demo/skills/writing/minutes/SKILL.md";

/// An encoder that goes by the first letters of a text.
#[derive(Debug)]
struct Letters(&'static str);

#[async_trait]
impl Encoder for Letters {
    fn identity(&self) -> &str {
        self.0
    }

    async fn encode(&self, texts: Vec<String>, _: TextRole) -> Result<Vec<Vec<f32>>, EncoderError> {
        Ok(texts.iter().map(|text| text.bytes().take(4).map(f32::from).chain([1.0; 4]).take(4).collect()).collect())
    }
}

fn over(memory: &Arc<MemoryStore>, encoder: Option<&'static str>) -> World {
    let encoder = encoder.map(|name| Arc::new(Letters(name)) as Arc<dyn Encoder>);
    World::undisturbed(memory.clone(), ServiceOptions { index: true, encoder, ..ServiceOptions::default() }, clock())
}

/// A user with a skill and its vector.
async fn encoded() -> Arc<MemoryStore> {
    let memory = Arc::new(MemoryStore::like_s3());
    memory.put_raw(SKILL, "---\ndescription: Takes minutes.\n---\n");
    let world = over(&memory, Some("one"));
    for _ in 0..600 {
        let found = world.agent().discover_skills(DiscoverRequest::new("minutes")).await.unwrap();
        if found.ranking == SearchRanking::Fused && world.bytes(VECTORS).await.is_some() {
            return memory;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the vectors were never made");
}

async fn check(world: &World, repair: bool) -> FsckReport {
    world.service.upkeep().check_user(&id("demo"), repair).await.unwrap()
}

fn codes(report: &FsckReport) -> Vec<FindingCode> {
    report.findings.iter().map(|found| found.code).collect()
}

async fn delete(world: &World, key: &str) {
    let key = KeyPrefix::all().key(key).unwrap();
    world.bucket.delete(&key, DeleteOptions::default()).await.unwrap();
}

// S-SEARCH-15: `fsck` checks the vectors of skills and the loads that followed questions.
#[tokio::test(flavor = "multi_thread")]
async fn vectors_that_are_of_no_use_are_found_and_removed() {
    for (damage, encoder, code, is_clean) in [
        ("", Some("one"), None, true),
        ("", None, None, true),
        ("no vectors", Some("one"), Some(FindingCode::DamagedVectors), false),
        ("", Some("two"), Some(FindingCode::ForeignVectors), true),
        ("skill", Some("one"), Some(FindingCode::OrphanVectors), true),
    ] {
        let memory = encoded().await;
        let world = over(&memory, encoder);
        match damage {
            "" => {}
            "skill" => delete(&world, SKILL).await,
            text => drop(memory.put_raw(VECTORS, text)),
        }
        let report = check(&world, false).await;
        assert_eq!((codes(&report), report.clean), (code.into_iter().collect(), is_clean), "{report:?}");
        assert!(world.bytes(VECTORS).await.is_some());
        let mended = check(&world, true).await;
        assert!(mended.clean && mended.findings.iter().all(|found| found.repaired), "{mended:?}");
        assert_eq!(world.bytes(VECTORS).await.is_some(), code.is_none(), "{code:?}");
        assert_eq!(codes(&check(&world, false).await), []);
    }
}

#[tokio::test]
async fn loads_that_cannot_be_read_are_found_and_removed() {
    let memory = Arc::new(MemoryStore::like_s3());
    let world = over(&memory, None);
    memory.put_raw(FEEDBACK, r#"{"loads": []}"#);
    assert_eq!(codes(&check(&world, false).await), []);
    memory.put_raw(FEEDBACK, "{");
    let report = check(&world, false).await;
    assert_eq!((codes(&report), report.clean), (vec![FindingCode::DamagedFeedback], false));
    assert!(check(&world, true).await.clean && world.bytes(FEEDBACK).await.is_none());
}
