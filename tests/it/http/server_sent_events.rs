//! The table of the first design, "Server-Sent Events", and its sentence; and the three events that this service adds.
//!
//! Seven rows of the table are about what this service does not do, so they have no event here. It runs no model and no loop of
//! an agent: `text_delta`, `message_end` and `sub_agent_update` are the framework's own. It has no tools for lists of tasks,
//! questions and plans: `todo_update`, `ask_question` and `plan_proposed` belong to who has them, and plan mode is a policy here.
//! A file that an agent writes is told as `file_changed`, with path and version, in the place of `artifact_created`.

use std::{sync::Arc, time::Duration};

use futures_util::StreamExt as _;
use reqwest::Method;
use serde_json::{Value, json};
use skillmount::{limits::CALL_ID_BYTES, store::MemoryStore};

use super::{
    Server,
    events::{audited, told, until, watch},
};

const SKILL: &str = "---\nname: minutes\ndescription: Writes minutes\n---\nBegin.\n";

/// A server with a skill.
async fn with_skill() -> Server {
    let memory = Arc::new(MemoryStore::like_s3());
    memory.put_raw("u1/skills/minutes/SKILL.md", SKILL);
    audited(&memory).await
}

/// The payload of each event `name` that session `s1` is told while `work` runs, up to the event `last`.
async fn payloads(server: &Server, name: &str, last: &str, work: impl Future<Output = ()>) -> Vec<Value> {
    let stream = watch(server, &server.session("/events"), None).await;
    work.await;
    of(&until(stream, last).await, name)
}

/// The payload of each event `name` in a stream, without the member that the table does not have: which session it is about.
fn of(text: &str, name: &str) -> Vec<Value> {
    let events = told(&format!("{text}\n\n")).into_iter().filter(|(_, event, _)| event == name);
    let payloads = events.map(|(_, _, mut data)| {
        let session = data.as_object_mut().unwrap().remove("session");
        assert!(session.is_none_or(|session| session == "s1"), "{data}");
        data
    });
    payloads.collect()
}

fn members(value: &Value) -> Vec<&str> {
    let mut names: Vec<_> = value.as_object().unwrap().keys().map(String::as_str).collect();
    names.sort_unstable();
    names
}

async fn write(server: &Server, path: &str) {
    server.op("write", json!({"file_path": path, "content": "x"})).await.is(200);
}

#[tokio::test]
async fn tool_use_start_tool_execution_begins() {
    let server = with_skill().await;
    let begun = payloads(&server, "tool_use_start", "tool_result", write(&server, "/workspace/a")).await;
    assert_eq!((begun.len(), members(&begun[0])), (1, vec!["id", "input", "name"]));
    let input = json!({"file_path": "/workspace/a", "content": {"bytes": 1}, "overwrite": false});
    assert_eq!((&begun[0]["name"], &begun[0]["input"]), (&json!("write"), &input));
}

// S-EVENT-13: The `id` in the payload is the id that the model gave the call.
#[tokio::test]
async fn a_call_of_a_model_has_the_id_that_the_model_gave_it() {
    let server = with_skill().await;
    let longest = "é".repeat(CALL_ID_BYTES / 2);
    let call = |id: &str| json!({"type": "tool_use", "id": id, "name": "ls", "input": {"path": "/"}});
    let turn = json!({"content": [call("toolu_01"), call(&longest), call(&format!("{longest}a"))]});
    let function =
        json!({"id": "call_7", "type": "function", "function": {"name": "ls", "arguments": "{\"path\": \"/\"}"}});
    let functions = json!({"format": "openai", "tool_calls": [function]});
    let stream = watch(&server, &server.session("/events"), None).await;
    for turn in [turn, functions] {
        server.send(Method::POST, &server.session("/tool_calls"), &turn).await.is(200);
    }
    server.op("unload_skill", json!({"skill": "minutes"})).await;
    let text = until(stream, "unload_skill").await;
    for event in ["tool_use_start", "tool_result"] {
        let ids: Vec<_> = of(&text, event).iter().map(|data| data["id"].as_str().unwrap().to_owned()).collect();
        for (id, times) in [("toolu_01", 1), ("call_7", 1), (longest.as_str(), 2)] {
            assert_eq!(ids.iter().filter(|known| *known == id).count(), times, "{event} {id}: {ids:?}");
        }
    }
}

#[tokio::test]
async fn tool_result_tool_execution_completes() {
    let server = with_skill().await;
    let work = async {
        write(&server, "/workspace/a").await;
        server.op("read", json!({"file_path": "/workspace/none"})).await.is_problem(404, "file_not_found");
        server.op("load_skill", json!({"skill": "minutes"})).await.is(200);
    };
    let stream = watch(&server, &server.session("/events"), None).await;
    work.await;
    let text = until(stream, "skill_activated").await;
    let (begun, ended) = (of(&text, "tool_use_start"), of(&text, "tool_result"));
    assert_eq!((ended.len(), members(&ended[0])), (3, vec!["content", "id", "isError", "name"]));
    for (one, other) in begun.iter().zip(&ended) {
        assert_eq!((&one["id"], &one["name"]), (&other["id"], &other["name"]), "a result names its call");
    }
    let outcomes: Vec<_> = ended.iter().map(|data| (data["content"].clone(), data["isError"].clone())).collect();
    let ok = (json!("ok"), json!(false));
    assert_eq!(outcomes, [ok.clone(), (json!("file_not_found"), json!(true)), ok]);
}

#[tokio::test]
async fn skill_activated_skill_tool_invoked() {
    let server = with_skill().await;
    // Whatever the tool is called, by its route or among the calls of a model.
    let call =
        json!({"content": [{"type": "tool_use", "id": "1", "name": "load_skill", "input": {"skill": "minutes"}}]});
    let work = async {
        server.send(Method::POST, &server.session("/tool_calls"), &call).await.is(200);
    };
    let told = payloads(&server, "skill_activated", "skill_activated", work).await;
    let expected = json!({"skills": [{"id": "minutes", "name": "minutes", "description": "Writes minutes"}]});
    assert_eq!(told, [expected]);
}

#[tokio::test]
async fn permission_request_tool_requires_approval() {
    let server = with_skill().await;
    let policy = json!({"tools": {"write": "ask"}});
    server.send(Method::PUT, &server.user("/policy"), &policy).await.is(200);
    let mut id = Value::Null;
    let work = async {
        let asked = server.op("write", json!({"file_path": "/workspace/a", "content": "secret"})).await;
        id = asked.is_problem(403, "approval_required").json["approval_id"].clone();
    };
    let told = payloads(&server, "permission_request", "permission_request", work).await;
    let input = json!({"file_path": "/workspace/a", "content": {"bytes": 6}, "overwrite": false});
    assert_eq!(told, [json!({"requestId": id, "toolName": "write", "input": input})]);
}

#[tokio::test]
async fn events_are_emitted_in_real_time_as_the_agent_works() {
    let server = with_skill().await;
    write(&server, "/workspace/first").await;
    let mut pieces = watch(&server, &server.session("/events"), None).await.bytes_stream();
    server.faulty.set_latency(Duration::from_mins(1));
    let url = server.session("/write");
    let body = json!({"file_path": "/workspace/a", "content": "x"});
    let call = tokio::spawn(server.client.post(url).json(&body).send());
    let mut text = String::new();
    while !text.contains("tool_use_start") {
        let piece = tokio::time::timeout(Duration::from_secs(20), pieces.next()).await.expect("it is told at once");
        text += core::str::from_utf8(&piece.unwrap().unwrap()).unwrap();
    }
    assert!(!call.is_finished() && !text.contains("tool_result"), "the tool is at work: {text}");
    call.abort();
}

#[tokio::test]
async fn skill_unloaded_file_changed_and_catalog_changed_are_told_beside_those_of_the_table() {
    let server = with_skill().await;
    let work = async {
        server.op("load_skill", json!({"skill": "minutes"})).await.is(200);
        server.op("unload_skill", json!({"skill": "minutes"})).await.is(200);
    };
    let unloaded = payloads(&server, "skill_unloaded", "skill_unloaded", work).await;
    assert_eq!(unloaded[0]["skills"][0]["id"], "minutes");
    let changed = payloads(&server, "file_changed", "file_changed", write(&server, "/workspace/a")).await;
    assert_eq!((members(&changed[0]), &changed[0]["path"]), (vec!["etag", "path"], &json!("/workspace/a")));
    let work = async {
        let skill = json!({"description": "Takes notes. Use it in talks.", "body": "# notes\n\nBegin.\n"});
        server.send(Method::PUT, &server.user("/skills/notes"), &skill).await.is(201);
    };
    let catalog = payloads(&server, "catalog_changed", "catalog_changed", work).await;
    assert_eq!(catalog, [json!({"changed": 1, "removed": 0})]);
}
