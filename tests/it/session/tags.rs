//! The tag of session objects.

use std::sync::Arc;

use skillmount::{
    handle::ServiceOptions,
    limits::LIST_OBJECTS,
    session::{TaggingReport, remove_idle_sessions, session_tags, tag_sessions},
    store::{MemoryStore, Tags, Verb, testing::Fault},
    wire::Policy,
};

use crate::support::{
    clock,
    world::{BackendExt, World, id},
};

// S-SESSION-16: Session objects carry the tag `skillmount=session`, by which one rule of the bucket expires the
// sessions of all users.
#[tokio::test]
async fn sessions_are_written_with_their_tag_and_nothing_else_is() {
    let memory = Arc::new(MemoryStore::like_s3());
    let world = World::undisturbed(memory.clone(), ServiceOptions::default(), clock());
    world.put_skill("demo", "a", "d", "b").await;
    let agent = world.agent();
    agent.load("a").await.unwrap();
    agent.overwrite("/workspace/x", "x").await.unwrap();
    world.service.sessions().set_user_policy(&id("demo"), Policy::default()).await.unwrap();
    world.service.sessions().flush_all().await;
    for key in world.keys().await {
        let expected = if key.contains("/sessions/") { session_tags() } else { Tags::new() };
        assert_eq!(memory.tags_of(&key).unwrap(), expected, "{key}");
    }
    assert_eq!(session_tags().into_iter().collect::<Vec<_>>(), [("skillmount".to_owned(), "session".to_owned())]);
}

// S-LIMIT-2: Every limited answer says so and how to get the rest.
#[tokio::test]
async fn more_sessions_than_a_listing_may_have_are_all_cleared_away_and_tagged() {
    let memory = Arc::new(MemoryStore::like_s3());
    let last = LIST_OBJECTS as u64 + 1;
    for number in 1..=last {
        memory.put_raw(&format!("demo/.skillmount/sessions/{number}.json"), "{}");
    }
    let world = World::undisturbed(memory.clone(), ServiceOptions::default(), clock());
    let sessions = world.service.sessions();
    assert_eq!(remove_idle_sessions(sessions, &id("demo")).await.unwrap().damaged.len() as u64, last);
    assert_eq!(tag_sessions(sessions, &id("demo")).await.unwrap(), TaggingReport { tagged: last, untagged: None });
}

#[tokio::test]
async fn sessions_without_a_tag_are_given_it_as_they_lie() {
    let memory = Arc::new(MemoryStore::like_s3());
    for session in ["one", "two"] {
        memory.put_raw(&format!("demo/.skillmount/sessions/{session}.json"), "{}");
    }
    let world = World::undisturbed(memory.clone(), ServiceOptions::default(), clock());
    let sessions = world.service.sessions();
    let tagged = tag_sessions(sessions, &id("demo")).await.unwrap();
    assert_eq!(tagged, TaggingReport { tagged: 2, untagged: None });
    assert_eq!(memory.tags_of("demo/.skillmount/sessions/one.json").unwrap(), session_tags());
    assert_eq!(world.bytes("demo/.skillmount/sessions/one.json").await.unwrap(), b"{}");
    world.faults.every(Verb::Tag, 1, Fault::Deny);
    let refused = tag_sessions(sessions, &id("demo")).await.unwrap();
    assert!(refused.tagged == 0 && refused.untagged.is_some(), "{refused:?}");
}
