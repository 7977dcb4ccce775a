//! Calls that a person approves first, over HTTP: who decides, what models read, and what the catalog shows of such skills.

use std::sync::Arc;

use reqwest::{Method, header};
use serde_json::{Value, json};
use skillmount::{
    access::{Callers, KeyEntry, Keys, Scope},
    audit::AuditMode,
    clock::SystemClock,
    http::HttpConfig,
    path::Id,
    store::MemoryStore,
};

use super::{Answer, Server, events::recording};

/// A server with a key of an agent and one of control.
struct Guarded {
    server: Server,
    agent: String,
    control: String,
}

impl Guarded {
    async fn start() -> Self {
        let user = Id::parse("u1").unwrap();
        let made = [Scope::Agent, Scope::Control]
            .map(|scope| KeyEntry::generate(&SystemClock::new(), Some(&user), vec![scope]));
        let file: String = made.iter().map(|(_, entry)| entry.to_toml().unwrap()).collect();
        let callers = Callers { keys: Keys::from_toml(&file).unwrap(), ..Callers::default() };
        let server = Server::with(HttpConfig { callers, ..HttpConfig::default() }).await;
        for skill in ["auto", "ask", "off", "no"] {
            let text = format!("---\nname: {skill}\ndescription: About {skill}\n---\n# {skill}\n");
            server.memory.put_raw(&format!("u1/skills/{skill}/SKILL.md"), text);
        }
        let [agent, control] = made.map(|(key, _)| key);
        Self { server, agent, control }
    }

    async fn call(&self, key: &str, method: Method, url: String, body: &Value) -> Answer {
        let request = self.server.client.request(method, url).bearer_auth(key).json(body);
        Answer::of(request.send().await.unwrap()).await
    }

    /// One operation of the agent.
    async fn op(&self, name: &str, body: Value) -> Answer {
        self.call(&self.agent, Method::POST, self.server.session(&format!("/{name}")), &body).await
    }

    async fn policy(&self, policy: Value) {
        self.call(&self.control, Method::PUT, self.server.user("/policy"), &policy).await.is(200);
    }

    async fn decide(&self, id: &str, body: Value) -> Answer {
        self.call(&self.control, Method::POST, self.server.session(&format!("/approvals/{id}")), &body).await
    }

    async fn waiting(&self) -> Vec<Value> {
        let list = self.call(&self.control, Method::GET, self.server.session("/approvals"), &Value::Null).await;
        list.is(200)["approvals"].as_array().unwrap().clone()
    }

    /// A file by its address.
    async fn file(&self, method: Method, conditions: &[(header::HeaderName, &str)], body: &'static str) -> Answer {
        let request = self.server.client.request(method, self.server.session("/files/workspace/a"));
        let request = conditions.iter().fold(request, |request, (name, value)| request.header(name, *value));
        Answer::of(request.bearer_auth(&self.agent).body(body).send().await.unwrap()).await
    }
}

fn id_of(answer: &Answer) -> String {
    answer.is_problem(403, "approval_required").json["approval_id"].as_str().unwrap().to_owned()
}

// S-APPROVAL-5: Only a key of scope `control` lists and decides, and an id counts in its session alone.
#[tokio::test]
async fn a_key_of_control_decides_and_nobody_else() {
    let world = Guarded::start().await;
    world.policy(json!({"skills_access": "write", "tools": {"*": "auto", "write": "ask"}})).await;
    let write = json!({"file_path": "/workspace/a", "content": "x"});
    let waits = id_of(&world.op("write", write.clone()).await);
    let url = world.server.session(&format!("/approvals/{waits}"));
    let allow = json!({"decision": "allow"});
    world.call(&world.agent, Method::POST, url, &allow).await.is_problem(403, "denied");
    let list = world.server.session("/approvals");
    world.call(&world.agent, Method::GET, list, &Value::Null).await.is_problem(403, "denied");
    let shown = world.waiting().await;
    assert_eq!((&shown[0]["approval_id"], &shown[0]["tool"]), (&json!(waits), &json!("write")));
    assert_eq!(shown[0]["input"], json!({"content": "x", "file_path": "/workspace/a", "overwrite": false}));
    for wrong in [json!({}), json!({"decision": "maybe"}), json!({"decision": "allow", "forever": true})] {
        world.decide(&waits, wrong).await.is_problem(400, "invalid_request");
    }
    let other = world.server.session("/approvals").replace("/s1/", "/s2/") + "/" + &waits;
    world.call(&world.control, Method::POST, other, &allow).await.is_problem(404, "approval_not_found");
    world.decide(&"0".repeat(32), allow.clone()).await.is_problem(404, "approval_not_found");
    assert_eq!(world.decide(&waits, allow).await.is(200)["session_id"], "s1");
    world.op("write", write).await.is(200);
    assert!(world.waiting().await.is_empty());
}

#[tokio::test]
async fn the_identical_call_is_so_whatever_its_order_its_nulls_and_its_defaults() {
    let world = Guarded::start().await;
    world.policy(json!({"tools": {"*": "ask"}})).await;
    let send = async |body: &'static str| {
        let request = world.server.client.post(world.server.session("/read")).bearer_auth(&world.agent);
        let request = request.header("content-type", "application/json").body(body);
        id_of(&Answer::of(request.send().await.unwrap()).await)
    };
    let one = send(r#"{"file_path": "/workspace/a", "offset": 0}"#).await;
    for same in [
        r#"{"file_path": "/workspace/a"}"#,
        r#"{"offset":0,"limit":2000,"file_path":"\/workspace\/a"}"#,
        r#"{"limit": null, "file_path": "/workspace/a", "offset": null}"#,
    ] {
        assert_eq!(send(same).await, one, "{same}");
    }
    assert_ne!(send(r#"{"file_path": "/workspace/a", "offset": 1}"#).await, one);
    let block = json!({"type": "tool_use", "id": "1", "name": "read", "input": {"file_path": "/workspace/a"}});
    world.op("tool_calls", json!({"content": [block]})).await.is(200);
    assert_eq!(world.waiting().await.len(), 2, "a tool is the same call");
}

#[tokio::test]
async fn a_model_reads_that_it_waits_and_then_the_result() {
    let world = Guarded::start().await;
    world.policy(json!({"skills_access": "write", "tools": {"*": "auto", "write": "ask"}})).await;
    let turn = async || {
        let input = json!({"file_path": "/workspace/a", "content": "x"});
        let block = json!({"type": "tool_use", "id": "1", "name": "write", "input": input});
        world.op("tool_calls", json!({"content": [block]})).await.is(200)["content"][0].clone()
    };
    let waits = turn().await;
    let text = "Error: the tool write needs a person's approval, which was asked for; wait, then make the identical call again";
    assert_eq!((&waits["is_error"], &waits["content"]), (&json!(true), &json!(text)));
    let id = world.waiting().await[0]["approval_id"].as_str().unwrap().to_owned();
    world.decide(&id, json!({"decision": "deny"})).await.is(200);
    let denied = turn().await;
    assert!(denied["content"].as_str().unwrap().starts_with("Error: a person denied the tool write"), "{denied}");
    world.decide(&id, json!({"decision": "allow"})).await.is(200);
    assert_eq!(turn().await["is_error"], Value::Null);
}

// S-TOOL-17: With the header `x-skillmount-result-details: true`, the result of a failed call has its `code`.
#[tokio::test]
async fn a_result_has_its_code_and_the_id_that_it_waits_under_for_programs_that_ask() {
    let world = Guarded::start().await;
    world.policy(json!({"tools": {"*": "auto", "write": "ask"}})).await;
    let inputs = [
        ("write", json!({"file_path": "/workspace/a", "content": "x"})),
        ("read", json!({"file_path": "/workspace/none"})),
        ("ls", json!({"path": "/"})),
    ];
    let block = |(name, input): &(&str, Value)| json!({"type": "tool_use", "id": name, "name": name, "input": input});
    let function = |(name, input): &(&str, Value)| json!({"type": "function", "id": name, "function": {"name": name, "arguments": input.to_string()}});
    let turn = async |details: Option<&str>, format: &str| {
        let calls = match format {
            "openai" => json!({ "tool_calls": inputs.iter().map(function).collect::<Vec<_>>() }),
            _ => json!({ "content": inputs.iter().map(block).collect::<Vec<_>>() }),
        };
        let url = world.server.session(&format!("/tool_calls?format={format}"));
        let request = world.server.client.post(url).bearer_auth(&world.agent).json(&calls);
        let request =
            details.into_iter().fold(request, |request, value| request.header("x-skillmount-result-details", value));
        Answer::of(request.send().await.unwrap()).await
    };
    for (format, list) in [("anthropic", "content"), ("openai", "messages")] {
        let answer = turn(Some("true"), format).await;
        let results = &answer.is(200)[list];
        let waits = world.waiting().await[0]["approval_id"].clone();
        let members = |at: usize| (results[at]["code"].clone(), results[at]["approval_id"].clone());
        assert_eq!(members(0), (json!("approval_required"), waits), "{format}");
        assert_eq!(members(1), (json!("file_not_found"), Value::Null), "{format}");
        assert_eq!(members(2), (Value::Null, Value::Null), "{format}");
        for plain in [None, Some("false")] {
            let answer = turn(plain, format).await;
            let results = answer.is(200)[list].as_array().unwrap();
            let extra = |result: &Value| result.get("code").or(result.get("approval_id")).is_some();
            assert!(!results.iter().any(extra), "APIs of models reject members that they do not know: {}", answer.json);
        }
        turn(Some("yes"), format).await.is_problem(400, "invalid_request");
    }
}

// S-APPROVAL-10: A denial may carry a text of the person, at most 1,000 characters.
#[tokio::test]
async fn a_denial_tells_the_model_what_the_person_says_and_no_record_has_it() {
    let memory = Arc::new(MemoryStore::new());
    let server = recording(AuditMode::Sync, &memory, memory.clone()).await;
    let policy = json!({"skills_access": "write", "tools": {"*": "auto", "delete": "ask"}});
    server.send(Method::PUT, &server.user("/policy"), &policy).await.is(200);
    let delete = async || server.send(Method::POST, &server.session("/delete"), &json!({"path": "/workspace/a"})).await;
    let decide = async |id: &str, body: Value| {
        server.send(Method::POST, &server.session(&format!("/approvals/{id}")), &body).await
    };
    let events = async |last: &str| {
        let request = server.client.get(server.session("/events")).header(header::ACCEPT, "application/json");
        Answer::of(request.header("last-event-id", last).send().await.unwrap()).await.is(200).clone()
    };
    let request = server.client.get(server.session("/events")).header(header::ACCEPT, "application/json");
    let begin = Answer::of(request.send().await.unwrap()).await.is(200)["next"].as_str().unwrap().to_owned();
    let id = id_of(&delete().await);
    let long = "ä".repeat(1001);
    for wrong in [
        json!({"decision": "allow", "message": "archive it instead"}),
        json!({"decision": "deny", "message": long}),
        json!({"decision": "deny", "message": 1}),
    ] {
        decide(&id, wrong).await.is_problem(400, "invalid_request");
    }
    let waiting = server.get(&server.session("/approvals")).await;
    let shown = &waiting.is(200)["approvals"][0];
    assert!((1..=300).contains(&shown["seconds_left"].as_u64().unwrap()), "{shown}");
    decide(&id, json!({"decision": "deny", "message": "archive it instead", "remember": true})).await.is(200);
    let denied = delete().await;
    let detail = denied.is_problem(403, "tool_blocked").json["detail"].as_str().unwrap().to_owned();
    assert!(detail.ends_with("go on without it. The person says: \"archive it instead\""), "{detail}");
    let told = events(&begin).await.to_string();
    assert!(told.contains("tool_result") && told.contains("tool_blocked") && !told.contains("archive"), "{told}");
    let audit = server.get(&server.user("/audit")).await.is(200).to_string();
    assert!(
        audit.contains("decide_approval") && audit.contains("tool_blocked") && !audit.contains("archive"),
        "{audit}"
    );
}

#[tokio::test]
async fn files_by_their_address_ask_too_and_a_conditional_call_asks_once() {
    let world = Guarded::start().await;
    world.server.memory.put_raw("u1/threads/s1/a", "text");
    world.policy(json!({"skills_access": "write", "tools": {"*": "ask"}})).await;
    let range = [(header::RANGE, "bytes=0-1")];
    let any = [(header::IF_MATCH, "*")];
    for (method, conditions, body, ok) in [
        (Method::GET, &[][..], "", 200),
        (Method::GET, &range, "", 206),
        (Method::PUT, &any, "new", 200),
        (Method::DELETE, &any, "", 204),
    ] {
        let waits = id_of(&world.file(method.clone(), conditions, body).await);
        world.decide(&waits, json!({"decision": "allow"})).await.is(200);
        world.file(method.clone(), conditions, body).await.is(ok);
        assert_ne!(id_of(&world.file(method.clone(), conditions, body).await), waits, "{method}");
    }
    let (one, other) = (world.file(Method::PUT, &[], "x").await, world.file(Method::PUT, &[], "y").await);
    assert_ne!(id_of(&one), id_of(&other), "other bytes are another call");
}

// S-POLICY-4: On the routes of the catalog an agent's key finds no blocked or disabled skill.
#[tokio::test]
async fn the_catalog_shows_an_agent_what_it_may_use_and_control_everything() {
    let world = Guarded::start().await;
    world.policy(json!({"skills": {"ask": "enabled", "off": "disabled", "no": "blocked"}})).await;
    let names = async |key: &str| {
        let list = world.call(key, Method::GET, world.server.user("/skills"), &Value::Null).await;
        let skills = list.is(200)["skills"].as_array().unwrap().clone();
        skills.into_iter().map(|skill| skill["skill"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let show = async |key: &str, skill: &str| {
        world.call(key, Method::GET, world.server.user(&format!("/skills/{skill}")), &Value::Null).await
    };
    let (agent, control) = (&world.agent, &world.control);
    for (key, count) in [(agent, 2), (control, 4)] {
        let refreshed = world.call(key, Method::POST, world.server.user("/catalog/refresh"), &Value::Null).await;
        assert_eq!(refreshed.is(200)["skills"], count);
    }
    assert_eq!(names(agent).await, ["ask", "auto"]);
    assert_eq!(names(control).await, ["ask", "auto", "no", "off"]);
    for skill in ["ask", "auto", "no", "off"] {
        assert!(show(control, skill).await.is(200)["body"].as_str().unwrap().contains(skill));
    }
    show(agent, "auto").await.is(200);
    for skill in ["no", "off"] {
        show(agent, skill).await.is_problem(404, "skill_not_found");
    }
    let asks = show(agent, "ask").await;
    assert_eq!(asks.is_problem(403, "approval_required").json["approval_id"], Value::Null);
    assert!(world.waiting().await.is_empty());
    let waits = id_of(&world.op("load_skill", json!({"skill": "ask"})).await);
    assert_eq!(world.waiting().await[0]["skill"], "ask");
    world.decide(&waits, json!({"decision": "allow"})).await.is(200);
    assert_eq!(world.op("load_skill", json!({"skill": "ask"})).await.is(200)["status"], "loaded");
}

#[tokio::test]
async fn no_implicit_data_sharing_network_skills_are_disabled_by_default() {
    let world = Guarded::start().await;
    for shared in ["_org/skills/shared/SKILL.md", "_teams/team/skills/theirs/SKILL.md", "u2/skills/other/SKILL.md"] {
        world.server.memory.put_raw(shared, "---\ndescription: Of others\n---\n# Of others\n");
    }
    for key in [&world.agent, &world.control] {
        let list = world.call(key, Method::GET, world.server.user("/skills"), &Value::Null).await;
        assert_eq!(list.is(200)["total"], 4, "{}", list.json);
    }
    for skill in ["shared", "theirs", "other"] {
        world.op("load_skill", json!({"skill": skill})).await.is_problem(404, "skill_not_found");
    }
}

#[tokio::test]
async fn data_minimization_only_scopes_that_are_necessary() {
    let world = Guarded::start().await;
    // A key of an agent works, and neither widens what it may do nor learns what others wait for.
    world.op("ls", json!({"path": "/"})).await.is(200);
    let policy = json!({"policy": {"skills_access": "write"}});
    world.call(&world.agent, Method::PATCH, world.server.session(""), &policy).await.is_problem(403, "denied");
    world.call(&world.agent, Method::PUT, world.server.user("/policy"), &json!({})).await.is_problem(403, "denied");
    world
        .call(&world.agent, Method::GET, world.server.session("/approvals"), &Value::Null)
        .await
        .is_problem(403, "denied");
}

fn skill_text(word: &str) -> Value {
    json!({"description": "About ask", "body": format!("Say {word}.\n")})
}

// S-APPROVAL-18: An approval of a load, also a remembered one, is for the files that the person saw.
#[tokio::test]
async fn a_skill_that_is_replaced_between_its_approval_and_its_load_is_asked_about_again() {
    for (remember, visibility) in [(false, "loaded"), (true, "loaded"), (true, "all")] {
        let world = Guarded::start().await;
        world.policy(json!({"skills": {"*": "auto_approve", "ask": "enabled"}})).await;
        let session = json!({"policy": {"visibility": visibility}});
        world.call(&world.control, Method::PUT, world.server.session(""), &session).await;
        let put = async |word: &str| {
            let put =
                world.call(&world.control, Method::PUT, world.server.user("/skills/ask"), &skill_text(word)).await;
            assert!([200, 201].contains(&put.status), "{}", put.json);
        };
        put("good").await;
        let load = json!({"skill": "ask"});
        let waits = id_of(&world.op("load_skill", load.clone()).await);
        world.decide(&waits, json!({"decision": "allow", "remember": remember})).await.is(200);
        if remember {
            let loaded = world.op("load_skill", load.clone()).await;
            assert!(loaded.is(200)["body"].as_str().unwrap().contains("good"));
        }
        put("evil").await;
        let asked = world.op("load_skill", load.clone()).await;
        assert_ne!(id_of(&asked), waits);
        assert!(
            asked.json["detail"].as_str().unwrap().contains("has changed since a person allowed it"),
            "{}",
            asked.json
        );
        let shown = world.waiting().await;
        let shown = shown.last().unwrap();
        assert!(shown["allowed_digest"].is_string() && shown["allowed_digest"] != shown["digest"], "{shown}");
        if remember {
            let read = world.op("read", json!({"file_path": "/skills/ask/SKILL.md"})).await;
            let text = read.is(200)["content"].as_str().unwrap().to_owned();
            assert!(text.contains("good") && !text.contains("evil"), "the session has what was allowed: {text}");
        }
        world.decide(&id_of(&asked), json!({"decision": "allow"})).await.is(200);
        assert!(world.op("load_skill", load).await.is(200)["body"].as_str().unwrap().contains("evil"));
    }
}

// S-APPROVAL-18: An approval of a load, also a remembered one, is for the files that the person saw.
// S-DRAFT-11: If a session repeats an approved `create_skill` with the same content, nobody is asked again.
#[tokio::test]
async fn a_draft_is_loaded_as_it_was_allowed_and_the_same_create_skill_asks_once() {
    let world = Guarded::start().await;
    world.policy(json!({"skills": {"*": "enabled"}})).await;
    let skill = json!({
        "name": "own", "description": "Writes letters to tenants in plain words.",
        "body": "Begin with the name of the tenant. Say what is due, and when.\n",
    });
    let waits = id_of(&world.op("create_skill", skill.clone()).await);
    world.decide(&waits, json!({"decision": "allow"})).await.is(200);
    let made = world.op("create_skill", skill.clone()).await.is(201).clone();
    for _ in 0..2 {
        assert_eq!(*world.op("create_skill", skill.clone()).await.is(201), made, "the same answer, and no question");
    }
    assert!(world.waiting().await.is_empty());
    let mut other = skill.clone();
    other["body"] = json!("Begin with the sum. Say what is due, and when, and to whom.\n");
    id_of(&world.op("create_skill", other).await);
    let elsewhere = world.server.session("/create_skill").replace("/s1/", "/s2/");
    id_of(&world.call(&world.agent, Method::POST, elsewhere, &skill).await);

    let load = json!({"skill": "own"});
    let waits = id_of(&world.op("load_skill", load.clone()).await);
    world.decide(&waits, json!({"decision": "allow", "remember": true})).await.is(200);
    world.op("load_skill", load.clone()).await.is(200);
    let body = json!({"body": "Begin with threats. Say what happens to those who do not pay.\n"});
    world.call(&world.control, Method::PATCH, world.server.user("/skills/own"), &body).await.is(200);
    id_of(&world.op("load_skill", load).await);
    world.policy(json!({"skills": {"*": "enabled"}, "tools": {"create_skill": "blocked"}})).await;
    world.op("create_skill", skill).await.is_problem(403, "tool_blocked");
}
