//! Session objects and policies that cannot be read: each costs itself.

use std::{sync::Arc, time::Duration};

use jiff::Timestamp;
use serde_json::{Value, json};
use skillmount::{
    Code,
    handle::ServiceOptions,
    limits::PARALLEL_GETS,
    session::{list_sessions, remove_idle_sessions},
    store::MemoryStore,
    wire::Policy,
};

use super::objects::{MONTH, stored, with_skills};
use crate::support::{
    SetClock,
    world::{BackendExt, World, code, id},
};

/// A session object in as many states as it should not be in.
fn damages(good: &Value) -> Vec<(&'static str, Vec<u8>)> {
    let text = good.to_string();
    let with = |path: &str, value: Value| {
        let mut bad = good.clone();
        *bad.pointer_mut(path).unwrap() = value;
        bad.to_string().into_bytes()
    };
    let listed = |path: &str| with(path, good.pointer(path).unwrap().as_object().unwrap().values().cloned().collect());
    let mut many = good.clone();
    many["loaded_skills"][0]["snapshot"]["digest"] = json!(format!("sha256:{:064}", 0));
    vec![
        ("empty", Vec::new()),
        ("cut", text.as_bytes()[..text.len() / 2].to_vec()),
        ("followed by more", format!("{text}{text}").into_bytes()),
        ("no text", vec![0xff; 64]),
        ("null", b"null".to_vec()),
        ("a number", b"7".to_vec()),
        ("an empty object", b"{}".to_vec()),
        ("an empty list", b"[]".to_vec()),
        ("a list of its values", listed("")),
        ("a list for a policy", with("/policy", json!([]))),
        ("a policy by position", with("/policy", json!(["write", "all"]))),
        ("a list for a loaded skill", listed("/loaded_skills/0")),
        ("a list for a snapshot", listed("/loaded_skills/0/snapshot")),
        ("a list for a file", listed("/loaded_skills/0/snapshot/files/0")),
        ("another id", with("/session_id", json!("other"))),
        ("another user", with("/user_id", json!("other"))),
        ("a number for a name", with("/loaded_skills/0/name", json!(7))),
        ("a mount that is none", with("/loaded_skills/0/mount", json!("a/../b"))),
        ("a time that is none", with("/updated_at", json!("yesterday"))),
        ("a version that is none", with("/version", json!(-1))),
        ("a life that is none", with("/life", json!("new\nline"))),
        ("a number for a rule", with("/policy/tools", json!({ "read": 7 }))),
        ("the digest of another snapshot", many.to_string().into_bytes()),
    ]
}

// S-SESSION-7: A session object that cannot be read costs that session and nothing else.
#[tokio::test]
async fn a_damaged_session_costs_itself_and_can_be_deleted() {
    let world = World::new();
    with_skills(&world, &["k0"]).await;
    world.agent_of("demo", "bad").load("k0").await.unwrap();
    world.agent_of("demo", "good").load("k0").await.unwrap();
    let good = stored(&world, "bad").await;
    for (damage, bytes) in damages(&good) {
        world.put("demo/.skillmount/sessions/bad.json", bytes).await;
        let replica = world.replica();
        let agent = replica.agent_of("demo", "bad");
        for refused in [agent.names("/").await.map(drop), agent.load("k0").await.map(drop)] {
            let error = refused.expect_err(damage);
            assert_eq!(error.code(), Code::ObjectDamaged, "{damage}");
            assert!(error.message().contains("the session bad is damaged"), "{damage}: {error}");
        }
        let sessions = replica.service.sessions();
        let page = list_sessions(sessions, &id("demo"), 10, None).await.unwrap();
        let names: Vec<_> = page.sessions.iter().map(|session| session.session_id.as_str()).collect();
        let damaged: Vec<_> = page.damaged.iter().map(|session| session.session_id.as_str()).collect();
        assert_eq!((names, damaged), (vec!["good"], vec!["bad"]), "{damage}");
        let collected = remove_idle_sessions(sessions, &id("demo")).await.unwrap();
        assert_eq!((collected.removed, collected.damaged.len()), (0, 1), "{damage}: a young one is reported");
        sessions.delete(&id("demo"), &id("bad")).await.unwrap();
        assert_eq!(agent.names("/").await.unwrap().len(), 2, "{damage}: it begins again");
        agent.load("k0").await.unwrap();
    }
}

#[tokio::test]
async fn sessions_that_were_idle_too_long_are_removed_and_damaged_ones_with_them() {
    let clock = SetClock::at(Timestamp::now().as_second());
    let world = World::at(Arc::new(MemoryStore::new()), ServiceOptions::default(), clock.clone());
    with_skills(&world, &["k0"]).await;
    world.agent_of("demo", "old").load("k0").await.unwrap();
    world.put("demo/.skillmount/sessions/broken.json", "{").await;
    clock.set(Timestamp::now().as_second() + MONTH);
    world.agent_of("demo", "young").load("k0").await.unwrap();
    let collected = remove_idle_sessions(world.service.sessions(), &id("demo")).await.unwrap();
    assert_eq!((collected.removed, collected.damaged), (2, Vec::new()));
    let page = list_sessions(world.service.sessions(), &id("demo"), 10, None).await.unwrap();
    assert_eq!((page.sessions.len(), page.damaged.len()), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn clearing_away_reads_many_sessions_at_once() {
    let (world, trip) = (World::new(), Duration::from_secs(1));
    let all = 2 * u32::try_from(PARALLEL_GETS).unwrap();
    for number in 0..all {
        world.put(&format!("demo/.skillmount/sessions/{number}.json"), "{").await;
    }
    world.faults.set_latency(trip);
    let begun = tokio::time::Instant::now();
    let collected = remove_idle_sessions(world.service.sessions(), &id("demo")).await.unwrap();
    assert_eq!((collected.removed, collected.damaged.len()), (0, all as usize));
    // The listing, and rounds of sessions: a user has a share of the requests that go at once.
    assert!(begun.elapsed() <= 5 * trip, "{:?}", begun.elapsed());
}

// S-ERROR-7: If a user's policy is not a readable object, the service refuses calls of that user, until a key of scope
// `control` sets another policy.
#[tokio::test]
async fn a_damaged_policy_of_a_user_forbids_everything_until_it_is_set_again() {
    for damage in ["[]", "", "{\"tools\": []}", "[\"write\", \"all\"]"] {
        let world = World::new();
        world.put("demo/.skillmount/policy.json", damage).await;
        assert_eq!(code(world.agent().names("/").await), Code::ObjectDamaged, "{damage}");
        world.service.sessions().set_user_policy(&id("demo"), Policy::default()).await.unwrap();
        assert_eq!(world.agent().names("/").await.unwrap().len(), 2, "{damage}");
    }
}
