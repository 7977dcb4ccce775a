//! What keys of several teams and scopes see of events and of the state of the catalog: no skill that is hidden from them.

use std::{collections::BTreeSet, sync::Arc};

use jiff::Timestamp;
use reqwest::{Method, Response};
use serde_json::{Value, json};
use skillmount::{
    access::{Callers, KeyEntry, Keys, Scope},
    audit::{AuditMode, BatchName, Recorder},
    clock::SystemClock,
    handle::ServiceOptions,
    http::HttpConfig,
    path::{Id, Namespace},
    store::{MemoryStore, SharedStore},
};

use super::{
    Answer, Server,
    events::{recording, told, until},
};

/// A server with layers and records. User `u1` has the skill `gazelle` and a broken one, and team red has `turtle`.
struct World {
    server: Server,
    agent: String,
    control: String,
    other_agent: String,
    other_control: String,
}

impl World {
    async fn start(layers: bool) -> Self {
        let (memory, clock) = (Arc::new(MemoryStore::like_s3()), Arc::new(SystemClock::new()));
        let user = Id::parse("u1").unwrap();
        let key = |scope, team: Option<&str>| {
            let (key, entry) = KeyEntry::generate(&SystemClock::new(), Some(&user), vec![scope]);
            (key, KeyEntry { team: team.map(|team| Id::parse(team).unwrap()), ..entry })
        };
        let red = Some("red");
        let made =
            [key(Scope::Agent, red), key(Scope::Control, red), key(Scope::Agent, None), key(Scope::Control, None)];
        let callers = Callers { keys: Keys::new(&made.clone().map(|(_, entry)| entry)).unwrap(), ..Callers::default() };
        let recorder = Recorder::new(memory.clone(), Namespace::default(), AuditMode::Async, clock);
        let options =
            ServiceOptions { observer: Some(Arc::new(recorder.clone())), layers, ..ServiceOptions::default() };
        let config = HttpConfig { callers, audit: Some(recorder), ..HttpConfig::default() };
        memory.put_raw("u1/skills/gazelle/SKILL.md", "---\ndescription: Runs fast\n---\nRun.\n");
        memory.put_raw("u1/skills/broken/SKILL.md", "none");
        memory.put_raw("_teams/red/skills/turtle/SKILL.md", "---\ndescription: Goes slowly\n---\nGo.\n");
        let below = memory.clone() as SharedStore;
        let server = Server::over(config, options, memory, below).await;
        let [agent, control, other_agent, other_control] = made.map(|(key, _)| key);
        Self { server, agent, control, other_agent, other_control }
    }

    async fn call(&self, key: &str, method: Method, url: String, body: &Value) -> Answer {
        Answer::of(self.server.client.request(method, url).bearer_auth(key).json(body).send().await.unwrap()).await
    }

    async fn op(&self, name: &str, body: Value) -> Answer {
        self.call(&self.agent, Method::POST, self.server.session(&format!("/{name}")), &body).await
    }

    async fn policy(&self, policy: Value) {
        self.call(&self.control, Method::PATCH, self.server.session(""), &json!({ "policy": policy })).await.is(200);
    }

    async fn watch(&self, key: &str, url: String) -> Response {
        self.server.client.get(url).bearer_auth(key).header("accept", "text/event-stream").send().await.unwrap()
    }

    /// What happened since `from` as JSON, or the present position without one.
    async fn polled(&self, key: &str, from: Option<&str>) -> Value {
        // The records are written first, by whoever asks.
        let request = self.server.client.get(self.server.session("/events")).bearer_auth(key);
        let request = request.header("accept", "application/json");
        let request = from.into_iter().fold(request, |request, from| request.header("last-event-id", from));
        Answer::of(request.send().await.unwrap()).await.is(200).clone()
    }
}

fn ids(page: &Value) -> BTreeSet<String> {
    page["events"].as_array().unwrap().iter().map(|event| event["id"].as_str().unwrap().to_owned()).collect()
}

/// Asks for an approval to load `turtle`, loads it, reads a file of it and writes one beside it.
async fn use_turtle(world: &World) {
    world.policy(json!({"tools": {"load_skill": "ask"}})).await;
    world.op("load_skill", json!({"skill": "turtle"})).await.is_problem(403, "approval_required");
    world.policy(json!({})).await;
    world.op("load_skill", json!({"skill": "turtle"})).await.is(200);
    world.op("read", json!({"file_path": "/skills/turtle/SKILL.md"})).await.is(200);
    world.op("glob", json!({"pattern": "**/turtle/*", "path": "/"})).await.is(200);
    world.op("unload_skill", json!({"skill": "turtle"})).await.is(200);
    world.op("read", json!({"file_path": "/skills/turtle/SKILL.md"})).await.is_problem(404, "file_not_found");
    world.op("load_skill", json!({"skill": "gazelle"})).await.is(200);
    world.op("write", json!({"file_path": "/workspace/end", "content": "x"})).await.is(200);
}

// S-EVENT-11: An event names no skill that its watcher may not see now.
// S-SESSION-24: Once a caller may no longer see a skill, no answer names the skill to this caller.
#[tokio::test]
async fn missed_events_name_no_deleted_skill_to_an_agent_whose_session_has_it_no_more() {
    let world = World::start(false).await;
    let from = world.polled(&world.agent, None).await["next"].as_str().unwrap().to_owned();
    for (name, body) in [
        ("load_skill", json!({"skill": "gazelle"})),
        ("read", json!({"file_path": "/skills/gazelle/SKILL.md"})),
        ("unload_skill", json!({"skill": "gazelle"})),
    ] {
        world.op(name, body).await.is(200);
    }
    let missed = async |key: &str| world.polled(key, Some(&from)).await.to_string();
    assert!(missed(&world.agent).await.contains("Runs fast"));
    world.call(&world.control, Method::DELETE, world.server.user("/skills/gazelle"), &Value::Null).await.is(204);
    let text = missed(&world.agent).await;
    assert!(!text.contains("gazelle") && !text.contains("Runs fast"), "{text}");
    assert!(text.contains("tool_use_start") && text.contains("input_cut"), "{text}");
    assert!(missed(&world.control).await.contains("gazelle"), "who decides about skills reads what happened");
}

// S-EVENT-21: An event omits the members of `input` that name a hidden skill, and `input_cut` says so.
#[tokio::test]
async fn events_name_skills_of_a_team_to_its_members_alone() {
    let world = World::start(true).await;
    let from = world.polled(&world.other_agent, None).await["next"].as_str().unwrap().to_owned();
    let (session, user) = (world.server.session("/events"), world.server.user("/events"));
    let member = world.watch(&world.agent, session.clone()).await;
    let others = [world.watch(&world.other_agent, session).await, world.watch(&world.other_control, user).await];
    use_turtle(&world).await;
    let text = until(member, "\"path\":\"/workspace/end\"").await + "\n\n";
    let all = told(&text);
    let count = |events: &[(Option<String>, String, Value)], kind: &str| {
        events.iter().filter(|(_, name, _)| name == kind).count()
    };
    assert_eq!((count(&all, "skill_activated"), count(&all, "skill_unloaded")), (2, 1), "{text}");
    assert!(text.contains("Goes slowly") && text.contains("/skills/turtle"), "{text}");
    for other in others {
        let text = until(other, "\"path\":\"/workspace/end\"").await + "\n\n";
        assert!(!text.contains("turtle") && !text.contains("slowly"), "{text}");
        let seen = told(&text);
        for kind in ["tool_use_start", "tool_result", "permission_request"] {
            assert_eq!(count(&seen, kind), count(&all, kind), "{kind} is told without the name: {text}");
        }
        assert_eq!((count(&seen, "skill_activated"), count(&seen, "skill_unloaded")), (1, 0), "{text}");
        let asked = seen.iter().find(|(_, name, _)| name == "permission_request").unwrap();
        assert_eq!((&asked.2["input"]["input_cut"], &asked.2["input"]["skill"]), (&json!(true), &Value::Null));
    }
    let of_member = world.polled(&world.agent, Some(&from)).await;
    assert!(of_member.to_string().contains("Goes slowly"), "{of_member}");
    for key in [&world.other_agent, &world.other_control] {
        let page = world.polled(key, Some(&from)).await;
        let text = page.to_string();
        assert!(!text.contains("turtle") && !text.contains("slowly") && text.contains("Runs fast"), "{text}");
        assert!(ids(&page).is_subset(&ids(&of_member)) && page["events"].as_array().unwrap().len() > 10, "{text}");
    }
}

// S-EVENT-21: An event omits the members of `input` that name a hidden skill, and `input_cut` says so.
#[tokio::test]
async fn events_of_a_skill_that_policy_hides_since_are_told_to_keys_of_control_alone() {
    for layers in [false, true] {
        let world = World::start(layers).await;
        let from = world.polled(&world.agent, None).await["next"].as_str().unwrap().to_owned();
        world.op("load_skill", json!({"skill": "gazelle"})).await.is(200);
        world.op("read", json!({"file_path": "/skills/gazelle/SKILL.md"})).await.is(200);
        world.op("write", json!({"file_path": "/workspace/end", "content": "x"})).await.is(200);
        let before = world.polled(&world.agent, Some(&from)).await;
        assert!(before.to_string().contains("Runs fast") && before.to_string().contains("/skills/gazelle"), "{before}");
        world.policy(json!({"skills": {"gazelle": "blocked"}})).await;
        let text = world.polled(&world.agent, Some(&from)).await.to_string();
        assert!(!text.contains("gazelle") && !text.contains("fast") && text.contains("/workspace/end"), "{text}");
        for key in [&world.control, &world.other_control] {
            let text = world.polled(key, Some(&from)).await.to_string();
            assert!(text.contains("Runs fast") && text.contains("/skills/gazelle"), "{text}");
        }
    }
}

// S-EVENT-22: `input_names` in the record says which members are names, and the service searches no others.
#[tokio::test]
async fn of_a_record_of_an_earlier_version_only_those_are_told_the_input_who_see_every_skill() {
    for layers in [false, true] {
        let world = World::start(layers).await;
        world.op("write", json!({"file_path": "/workspace/begin", "content": "x"})).await.is(200);
        let from = world.polled(&world.agent, None).await["next"].as_str().unwrap().to_owned();
        let now = Timestamp::now();
        let record = |call: &str, more: Value| {
            let mut record = json!({"time": now, "operation": "read", "call": call, "session": "s1", "outcome": "ok"});
            record.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            record.to_string()
        };
        let input = json!({"file_path": "/skills/turtle/SKILL.md", "offset": 7});
        let lines = [
            "{\"format\":1}".to_owned(),
            record("earlier", json!({"subject": "/skills/turtle/SKILL.md", "input": input})),
            record("earliest", json!({"subject": "/skills/turtle/SKILL.md"})),
            record("now", json!({"input": input, "input_names": {"paths": ["file_path"]}})),
            record("other", json!({"input": {"category": "turtle"}, "input_names": {}})),
        ];
        let key = format!("u1/.skillmount/audit/{}", BatchName::new(now, "0a1b2c3d"));
        world.server.memory.put_raw(&key, lines.join("\n") + "\n");
        let inputs = async |key: &str| {
            let page = world.polled(key, Some(&from)).await;
            let of_batch = |event: &&Value| {
                let call = event["data"]["id"].as_str().unwrap_or_default();
                event["event"] == "tool_use_start" && ["earlier", "earliest", "now", "other"].contains(&call)
            };
            let starts = page["events"].as_array().unwrap().iter().filter(of_batch);
            starts.map(|event| event["data"]["input"].clone()).collect::<Vec<_>>()
        };
        let all = [
            input.clone(),
            json!({"subject": "/skills/turtle/SKILL.md"}),
            input.clone(),
            json!({"category": "turtle"}),
        ];
        let cut = json!({"input_cut": true});
        let kept = [cut.clone(), cut.clone(), json!({"offset": 7, "input_cut": true}), json!({"category": "turtle"})];
        assert_eq!(inputs(&world.other_agent).await, kept, "an agent reads no unknown name; layers: {layers}");
        assert_eq!(inputs(&world.other_control).await, if layers { kept } else { all }, "layers: {layers}");
    }
}

// S-POLICY-9: The state of the catalog counts for an agent only visible skills, and its `index` is null.
#[tokio::test]
async fn the_state_of_the_catalog_counts_for_an_agent_what_it_may_see_and_names_no_key_of_the_store() {
    let world = World::start(false).await;
    let state = async |key: &str| world.call(key, Method::GET, world.server.user("/catalog"), &Value::Null).await.json;
    world.call(&world.control, Method::POST, world.server.user("/catalog/rebuild"), &Value::Null).await.is(200);
    let all = state(&world.control).await;
    assert_eq!((&all["skills"], &all["errors"]), (&json!(1), &json!(1)), "{all}");
    let seen = state(&world.agent).await;
    assert_eq!((&seen["skills"], &seen["errors"], &seen["index"]), (&json!(1), &json!(1), &Value::Null), "{seen}");
    let policy = json!({"skills": {"*": "blocked"}});
    world.call(&world.control, Method::PUT, world.server.user("/policy"), &policy).await.is(200);
    let seen = state(&world.agent).await;
    assert_eq!((&seen["skills"], &seen["errors"], &seen["warnings"]), (&json!(0), &json!(0), &json!(0)), "{seen}");
    assert_eq!(state(&world.control).await["skills"], 1);
}

// S-EVENT-17: A client of JSON without an id gets no event, and in `next` the present position for its next request.
#[tokio::test]
async fn a_client_that_asks_for_json_learns_where_to_begin() {
    let memory = Arc::new(MemoryStore::like_s3());
    for (mode, has_position) in [(AuditMode::Async, true), (AuditMode::Off, false)] {
        let server = recording(mode, &memory, memory.clone()).await;
        let ask = async |from: Option<&str>| {
            let request = server.client.get(server.user("/events")).header("accept", "application/json");
            let request = from.into_iter().fold(request, |request, from| request.header("last-event-id", from));
            Answer::of(request.send().await.unwrap()).await.is(200).clone()
        };
        let first = ask(None).await;
        assert_eq!((&first["events"], first["next"].is_string()), (&json!([]), has_position), "{first}");
        let Some(position) = first["next"].as_str() else { continue };
        assert_eq!(ask(Some(position)).await, json!({"events": [], "next": null}));
        server.op("write", json!({"file_path": "/workspace/a", "content": "x"})).await.is(200);
        let page = ask(Some(position)).await;
        let names: Vec<_> = page["events"].as_array().unwrap().iter().map(|event| event["event"].clone()).collect();
        assert_eq!(
            (names, &page["next"]),
            (vec![json!("tool_use_start"), json!("tool_result"), json!("file_changed")], &Value::Null)
        );
    }
}
