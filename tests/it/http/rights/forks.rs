//! A fork that may not load: every place names the skills that the fork began with, and no others.

use reqwest::Method;
use serde_json::{Value, json};
use skillmount::access::{KeyEntry, Scope};

use super::{
    World, key,
    places::{Place, places},
};

/// A skill of which the parent and the fork know nothing but that the catalog has it.
const OTHER: [&str; 3] = ["turtle", "slowly", "shell"];

async fn forked(world: &World) {
    let parent = json!({"policy": {"children": {"load": false, "create": true}}});
    world.manage(Method::PUT, "/sessions/parent", &parent).await;
    world.ask("parent", Method::POST, "{s}/load_skill", &json!({"skill": "gazelle"})).await;
    world.manage(Method::PUT, "/sessions/fork", &json!({"parent": "parent", "policy": {"visibility": "all"}})).await;
}

async fn asked(world: &World, place: &Place) -> String {
    let body = place.body.to_string().replace("{skill}", "ops/turtle").replace("{mount}", "turtle");
    let path = place.path.replace("{skill}", "ops/turtle").replace("{mount}", "turtle");
    let (status, text) = world.ask("fork", place.method.clone(), &path, &serde_json::from_str(&body).unwrap()).await;
    assert!(status < 500, "{} {path}: {text}", place.name);
    // The caller's own words come back in errors.
    if place.names_skill() { text.replace("ops/turtle", "").replace("turtle", "") } else { text }
}

async fn check(world: &World, places: &[Place]) {
    for place in places {
        let text = asked(world, place).await;
        for word in OTHER {
            assert!(!text.contains(word), "{} {} {}: {text}", place.name, place.path, place.body);
        }
    }
}

// S-SESSION-21: Without `load` a fork keeps the skills that it begins with and loads no other.
// S-SESSION-25: A fork without `load` finds only the skills that it has, at any place.
#[tokio::test]
async fn a_fork_without_load_reads_no_other_skill_by_resources_prompts_commands_hooks_or_files() {
    let world = World::start("ops/turtle?layer=team").await;
    forked(&world).await;
    let call = |method: &str, params: Value| json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let read = call("resources/read", json!({"uri": "skill://gazelle/SKILL.md"}));
    let (_, text) = world.ask("fork", Method::POST, "{s}/mcp", &read).await;
    assert!(text.contains("Run."), "the skill that it began with is there: {text}");
    let (_, prompts) = world.ask("fork", Method::POST, "{s}/mcp", &call("prompts/list", json!({}))).await;
    assert!(prompts.contains("\"prompts\":[]"), "a prompt is a load: {prompts}");
    let (_, text) = world.ask("parent", Method::POST, "{s}/mcp", &call("resources/list", json!({}))).await;
    assert!(text.contains("ops/turtle"), "the parent sees all: {text}");
    let in_session: Vec<_> = places().into_iter().filter(|place| place.is_of_session).collect();
    check(&world, &in_session).await;
}

// S-SESSION-25: A fork without `load` finds only the skills that it has, at any place.
#[tokio::test]
async fn a_fork_that_an_earlier_version_stored_is_held_to_it_too() {
    let world = World::start("ops/turtle?layer=team").await;
    forked(&world).await;
    let time = "2999-01-01T00:00:00Z";
    let stored = json!({
        "session_id": "old", "user_id": "u1", "policy": {"tools": {"load_skill": "blocked"}}, "parent": "parent", "version": 1,
        "created_at": time, "updated_at": time,
    });
    world.server.memory.put_raw("u1/.skillmount/sessions/old.json", stored.to_string());
    let read = json!({"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": "skill://ops/turtle/SKILL.md"}});
    let (_, text) = world.ask("old", Method::POST, "{s}/mcp", &read).await;
    assert!(text.contains("-32602") && !text.contains("shell"), "{text}");
}

// S-SESSION-26: A key that is bound to such forks by their ids finds no other skills on the routes of the catalog.
#[tokio::test]
async fn a_key_for_such_forks_alone_reads_no_archive_of_another_skill() {
    let mut world = World::start("ops/turtle?layer=team").await;
    forked(&world).await;
    let (agent, entry) = key(Scope::Agent, Some("red"));
    for (sessions, is_limited) in [(vec!["fork"], true), (vec!["fork", "parent"], false), (vec!["fork", "f*"], false)] {
        let sessions = Some(sessions.into_iter().map(str::to_owned).collect());
        let bound = KeyEntry { sessions, ..entry.clone() };
        world.set_keys(&[&bound, &world.control_entry]).await;
        world.agent.clone_from(&agent);
        let list = world.ask("fork", Method::GET, "/skills", &Value::Null).await.1;
        assert!(list.contains("gazelle") && list.contains("turtle") != is_limited, "{list}");
        let (status, _) = world.ask("fork", Method::GET, "/skills/ops/turtle?zip", &Value::Null).await;
        assert_eq!(status, if is_limited { 404 } else { 200 });
        if is_limited {
            let catalog: Vec<_> = places().into_iter().filter(|place| !place.is_of_session).collect();
            check(&world, &catalog).await;
        }
    }
}
