//! The loop of an agent over HTTP: its tools, a turn of its calls, slash commands, finding skills; and whose skills a key
//! lets it see.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use skillmount::{
    access::{Callers, KeyEntry, Keys, Scope},
    clock::SystemClock,
    handle::ServiceOptions,
    http::HttpConfig,
    path::Id,
    store::{Verb, testing::Fault},
};

use super::{Answer, Server};

fn call(id: &str, name: &str, input: &Value) -> Value {
    json!({ "type": "tool_use", "id": id, "name": name, "input": input })
}

fn writes(names: &[&str]) -> Value {
    let write = |name: &&str| call(name, "write", &json!({"file_path": format!("/workspace/{name}"), "content": "x"}));
    json!({ "content": names.iter().map(write).collect::<Vec<_>>() })
}

fn skills(answer: &Answer) -> Vec<(&str, &str)> {
    let skills = answer.is(200)["skills"].as_array().unwrap();
    skills.iter().map(|skill| (skill["skill"].as_str().unwrap(), skill["layer"].as_str().unwrap())).collect()
}

#[tokio::test]
async fn a_turn_is_answered_by_one_message_in_the_order_of_its_calls() {
    let server = Server::with_skills().await;
    let content = json!([
        {"type": "thinking", "thinking": "…"},
        call("a", "write", &json!({"file_path": "/workspace/a", "content": "uno\n"})),
        {"type": "text", "text": "Then I read it."},
        call("b", "read", &json!({"file_path": "/workspace/none"})),
        call("c", "read", &json!({"file_path": "/workspace/a"})),
        call("d", "load_skill", &json!({"skill": "compraventa"})),
        call("e", "glob", &json!({"pattern": "*.md"})),
        call("f", "bash", &json!({"command": "ls"})),
    ]);
    let answer = server.op("tool_calls", json!({ "content": content })).await;
    assert_eq!(answer.is(200)["role"], "user");
    let results = answer.json["content"].as_array().unwrap();
    let outcomes: Vec<_> = results
        .iter()
        .map(|one| (one["type"] == "tool_result", one["tool_use_id"].as_str().unwrap(), &one["is_error"] == true))
        .collect();
    let wanted = [("a", false), ("b", true), ("c", false), ("d", false), ("e", false), ("f", true)];
    assert_eq!(outcomes, wanted.map(|(id, is_error)| (true, id, is_error)));
    let text = |at: usize| results[at]["content"].as_str().unwrap();
    assert!(text(1).starts_with("Error: ") && text(2).contains("uno"), "{}", answer.json);
    assert!(text(4).contains("/skills/compraventa/SKILL.md"), "what was loaded before is found: {}", text(4));
    assert!(results[0].get("is_error").is_none(), "absent where nothing failed");
    assert!(answer.header("x-skillmount-session-version").ends_with(".1"));
}

#[tokio::test]
async fn calls_that_do_not_touch_run_at_once() {
    let server = Server::start().await;
    let names = ["a", "b", "c", "d"];
    server.faulty.script(Verb::Put, names.map(|_| Fault::SlowRequest(Duration::from_secs(1))));
    let turn = tokio::spawn(server.client.post(server.session("/tool_calls")).json(&writes(&names)).send());
    while server.faulty.seen(Verb::Put) < 4 && !turn.is_finished() {
        tokio::task::yield_now().await;
    }
    let files = server.op("glob", json!({"pattern": "*", "path": "/workspace"})).await;
    assert_eq!(files.is(200)["matches"], json!([]), "all four are on their way before one has arrived");
    assert_eq!(turn.await.unwrap().unwrap().status(), 200);
    let files = server.op("glob", json!({"pattern": "*", "path": "/workspace"})).await;
    assert_eq!(files.is(200)["matches"].as_array().unwrap().len(), 4);
}

#[tokio::test]
async fn tools_come_in_three_shapes() {
    let server = Server::with_skills().await;
    let tools = async |query: &str| {
        let answer = server.get(&server.session(&format!("/tools{query}"))).await;
        assert_eq!(answer.header("x-skillmount-session-version"), "0");
        answer.is(200)["tools"].as_array().unwrap().clone()
    };
    let (plain, openai, mcp) = (tools("").await, tools("?format=openai").await, tools("?format=mcp").await);
    assert_eq!(tools("?format=anthropic").await, plain);
    assert!(plain.iter().any(|tool| tool["name"] == "load_skill") && plain.len() == openai.len());
    for ((plain, openai), mcp) in plain.iter().zip(&openai).zip(&mcp) {
        let (name, schema) = (&plain["name"], &plain["input_schema"]);
        assert_eq!(schema["type"], "object");
        assert_eq!((&openai["type"], &openai["function"]["name"]), (&json!("function"), name));
        assert_eq!(&openai["function"]["parameters"], schema);
        assert_eq!((&mcp["name"], &mcp["inputSchema"]), (name, schema));
        assert!(mcp["annotations"]["readOnlyHint"].is_boolean());
    }

    server.send(Method::PUT, &server.user("/policy"), &json!({"tools": {"write": "blocked"}})).await.is(200);
    assert!(!tools("").await.iter().any(|tool| tool["name"] == "write"), "only what the session may use");
}

#[tokio::test]
async fn a_slash_command_loads_its_skill_and_other_text_comes_back() {
    let server = Server::with_skills().await;
    let other = server.op("messages", json!({"text": "/etc/passwd is a file"})).await;
    assert_eq!(*other.is(200), json!({"command": null, "text": "/etc/passwd is a file", "loaded": null}));
    assert_eq!(other.header("x-skillmount-session-version"), "0");

    let reply = server.op("messages", json!({"text": "/compraventa Ana"})).await;
    assert_eq!(reply.is(200)["command"], json!({"skill": "escrituras/compraventa", "arguments": "Ana"}));
    assert!(reply.json["text"].as_str().unwrap().starts_with("<command-name>/compraventa</command-name>\n"));
    let session = server.get(&server.session("")).await;
    assert_eq!(reply.json["loaded"], session.is(200)["loaded_skills"][0]);
    assert_eq!(reply.json["loaded"]["mount"], "/skills/compraventa");
}

#[tokio::test]
async fn skills_are_found_and_not_loaded_by_it() {
    let server = Server::with_skills().await;
    let found = server.op("discover_skills", json!({"query": "redacta una compraventa"})).await;
    assert_eq!(skills(&found), [("escrituras/compraventa", "user")]);
    assert_eq!(found.json["total"], 1);
    assert!(found.json["message"].as_str().unwrap().contains("load_skill"));
    server.op("read", json!({"file_path": "/skills/compraventa/SKILL.md"})).await.is_problem(404, "file_not_found");
    let none = server.op("discover_skills", json!({"query": "redacta", "category": "contratos"})).await;
    assert!(none.is(200)["message"].as_str().unwrap().contains("escrituras"), "{}", none.json);
}

#[tokio::test]
async fn a_refresh_sees_a_change_at_once() {
    let server = Server::with_skills().await;
    let refresh = async || server.send(Method::POST, &server.user("/catalog/refresh"), &Value::Null).await;
    let counts = |answer: &Answer| ["skills", "changed", "removed"].map(|name| answer.is(200)[name].as_u64().unwrap());
    assert_eq!(counts(&refresh().await), [2, 2, 0], "everything is new to a server that has read nothing");
    assert_eq!(counts(&refresh().await), [2, 0, 0]);

    server.memory.put_raw("u1/skills/nuevo/SKILL.md", "---\ndescription: x\n---\n");
    server.memory.put_raw("u1/skills/contratos/arrendamiento/SKILL.md", "sin frontmatter\n");
    server.memory.put_raw("u1/skills/escrituras/compraventa/resources/otro.md", "más\n");
    let old = [("contratos/arrendamiento", "user"), ("escrituras/compraventa", "user")];
    assert_eq!(skills(&server.get(&server.user("/skills")).await), old, "a catalog is believed for a while");
    let refreshed = refresh().await;
    assert_eq!(counts(&refreshed), [2, 2, 1]);
    let now = server.get(&server.user("/skills")).await;
    assert_eq!(skills(&now), [("escrituras/compraventa", "user"), ("nuevo", "user")]);
    assert_eq!(now.json["as_of"], refreshed.json["as_of"]);

    server.send(Method::PUT, &server.user("/policy"), &json!({"skills": {"nuevo": "blocked"}})).await.is(200);
    server.memory.put_raw("u1/skills/nuevo/SKILL.md", "---\ndescription: y\n---\n");
    assert_eq!(counts(&refresh().await), [2, 1, 0], "control is told of what the policy hides from agents");
}

#[tokio::test]
async fn requests_of_the_loop_that_are_not_what_they_should_be_are_refused() {
    let server = Server::start().await;
    for (name, body) in [
        ("tool_calls", json!({})),
        ("tool_calls", json!({"content": "x"})),
        ("tool_calls", json!({"content": [], "role": "assistant"})),
        ("tool_calls", json!({"content": [{"type": "tool_use", "name": "ls"}]})),
        ("messages", json!({"text": 1})),
        ("messages", json!({"text": "x", "team": "notaries"})),
        ("discover_skills", json!({"query": "x", "team": "notaries"})),
        ("discover_skills", json!({"query": "x", "limit": 0})),
    ] {
        server.op(name, body).await.is_problem(400, "invalid_request");
    }
    for query in ["?format=xml", "?team=notaries"] {
        server.get(&server.session(&format!("/tools{query}"))).await.is_problem(400, "invalid_request");
    }
    server.get(&server.user("/skills?team=notaries")).await.is_problem(400, "invalid_request");
}

/// A server with layers on, and the keys of user `u1`: one in the team `notaries`, one in none.
async fn layered() -> (Server, String, String) {
    let user = Id::parse("u1").unwrap();
    let made = || KeyEntry::generate(&SystemClock::new(), Some(&user), vec![Scope::Control]);
    let ((notary, entry), (loner, alone)) = (made(), made());
    let entry = KeyEntry { team: Some(Id::parse("notaries").unwrap()), ..entry };
    let keys = Keys::from_toml(&(entry.to_toml().unwrap() + &alone.to_toml().unwrap())).unwrap();
    let options = ServiceOptions { layers: true, ..ServiceOptions::default() };
    let server = Server::serving(
        HttpConfig { callers: Callers { keys, ..Callers::default() }, ..HttpConfig::default() },
        options,
    )
    .await;
    for owner in ["u1/skills/propia", "_teams/notaries/skills/turno", "_org/skills/turno", "_teams/other/skills/ajena"]
    {
        let text = format!("---\ndescription: Reparto del turno\n---\nCuerpo de {owner}.\n");
        server.memory.put_raw(&format!("{owner}/SKILL.md"), text);
    }
    (server, notary, loner)
}

#[tokio::test]
async fn the_team_of_the_key_decides_whose_skills_are_seen() {
    let (server, notary, loner) = layered().await;
    let send = async |key: &str, method: Method, url: String, body: Value| {
        Answer::of(server.client.request(method, url).bearer_auth(key).json(&body).send().await.unwrap()).await
    };
    for (key, layer, shadows) in [(&notary, "team", json!(["org"])), (&loner, "org", json!([]))] {
        let listed = send(key, Method::GET, server.user("/skills"), Value::Null).await;
        assert_eq!(skills(&listed), [("propia", "user"), ("turno", layer)]);
        assert_eq!(listed.json["skills"][1]["shadows"], shadows);
        let owner = if layer == "team" { "_teams/notaries" } else { "_org" };
        let shown = send(key, Method::GET, server.user("/skills/turno"), Value::Null).await;
        assert_eq!(shown.is(200)["body"], format!("Cuerpo de {owner}/skills/turno.\n"));
        send(key, Method::GET, server.user("/skills/ajena"), Value::Null).await.is_problem(404, "skill_not_found");

        let session = |rest: &str| server.user(&format!("/sessions/{layer}{rest}"));
        let found = send(key, Method::POST, session("/discover_skills"), json!({"query": "turno"})).await;
        assert!(skills(&found).contains(&("turno", layer)), "{}", found.json);
        let loaded = send(key, Method::POST, session("/load_skill"), json!({"skill": "turno"})).await;
        assert_eq!(loaded.is(200)["body"], format!("Cuerpo de {owner}/skills/turno.\n"));
        let preloaded = server.user(&format!("/sessions/preloaded-{layer}"));
        let wanted = json!({"policy": {"preload": ["turno"]}});
        let made = send(key, Method::PUT, preloaded, wanted).await;
        assert_eq!(made.is(201)["loaded_skills"][0]["digest"], loaded.json["digest"], "{layer}");
        let refreshed = send(key, Method::POST, server.user("/catalog/refresh"), Value::Null).await;
        assert_eq!((&refreshed.is(200)["skills"], &refreshed.json["changed"]), (&json!(2), &json!(0)));
    }
    let refused = json!({"policy": {}, "team": "notaries"});
    send(&loner, Method::PUT, server.user("/sessions/x"), refused).await.is_problem(400, "invalid_request");
}

#[tokio::test]
async fn the_mode_of_the_prompt_and_the_length_of_a_result_are_the_callers() {
    let server = Server::with_skills().await;
    let load = json!([call("a", "load_skill", &json!({"skill": "compraventa"}))]);
    let text = async |body: Value| server.op("tool_calls", body).await.is(200)["content"][0]["content"].clone();
    let in_prompt = text(json!({ "content": load })).await;
    assert!(in_prompt.as_str().unwrap().contains("in the system prompt now"), "{in_prompt}");
    let here = text(json!({ "content": load, "mode": "listing" })).await;
    assert!(here.as_str().unwrap().contains("Follow its instructions:"), "{here}");
    let cut = text(json!({ "content": load, "mode": "listing", "result_tokens": 1 })).await;
    assert!(cut.as_str().unwrap().contains("; for the rest load escrituras/compraventa again with offset 1 "), "{cut}");
    server.op("tool_calls", json!({ "content": load, "result_tokens": 0 })).await.is(400);

    let tools = server.get(&server.session("/tools?mode=discover")).await;
    assert!(tools.is(200)["tools"].as_array().unwrap().len() > 1, "a skill is loaded");
    let fresh = server.get(&server.user("/sessions/fresh/tools?mode=discover")).await;
    assert_eq!(fresh.is(200)["tools"].as_array().unwrap().len(), 1);
}
