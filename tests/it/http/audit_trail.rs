//! The sentences of the first design, "Data Privacy", as far as they are about records: "Audit Trail - Log all tool executions for
//! user review".
//!
//! The others are shown elsewhere: "No Implicit Data Sharing" and "Data Minimization" in `approvals`, and "Explicit Consent" in
//! `session/approvals`, for the input of a call that waits: the service has no OAuth, and no skill of its own that uses a network.
//! "Local Processing - Use local models for sensitive operations when possible" is in `cli/encoder`: the service runs no model but
//! the encoder that an operator names. All four of its "Permission Model" are in `session/approvals`.

use std::{collections::BTreeMap, sync::Arc};

use jiff::{SignedDuration, Timestamp};
use reqwest::{Method, multipart::Form};
use serde_json::{Value, json};
use skillmount::{
    access::{Callers, KeyEntry, Keys, Scope},
    audit::{AuditMode, BatchName},
    clock::SystemClock,
    http::HttpConfig,
    limits::AUDIT_RETENTION_DAYS,
    path::{Id, KeyPrefix},
    store::{
        MemoryStore, StoreExt as _, Verb,
        testing::{Fault, Faulty},
    },
    wire::Operation,
};

use super::{
    Answer, Server,
    events::{audited, recording, recording_with},
};

/// What each tool is called with, in an order in which each call succeeds.
fn calls() -> Vec<(&'static str, Value)> {
    let body = "Say who was there, what was decided, and who does what until when.";
    vec![
        ("write", json!({"file_path": "/workspace/a", "content": "secret one"})),
        ("edit", json!({"file_path": "/workspace/a", "old_string": "one", "new_string": "two"})),
        ("read", json!({"file_path": "/workspace/a"})),
        ("ls", json!({"path": "/workspace"})),
        ("grep", json!({"pattern": "secret two"})),
        ("glob", json!({"pattern": "*"})),
        ("move", json!({"from": "/workspace/a", "to": "/workspace/b"})),
        ("download", json!({"paths": ["/workspace/b"]})),
        ("delete", json!({"path": "/workspace/b"})),
        ("discover_skills", json!({"query": "secret minutes"})),
        ("load_skill", json!({"skill": "minutes"})),
        ("unload_skill", json!({"skill": "minutes"})),
        ("create_skill", json!({"name": "notes", "description": "Writes secret notes in talks.", "body": body})),
    ]
}

async fn records(server: &Server) -> Vec<Value> {
    server.get(&server.user("/audit")).await.is(200)["records"].as_array().unwrap().clone()
}

async fn with_skill() -> Server {
    let memory = Arc::new(MemoryStore::like_s3());
    memory.put_raw("u1/skills/minutes/SKILL.md", "---\nname: minutes\ndescription: Writes minutes\n---\nBegin.\n");
    let server = audited(&memory).await;
    let policy = json!({"policy": {"tools": {"create_skill": "auto"}}});
    server.send(Method::PUT, &server.session(""), &policy).await.is(201);
    server
}

async fn upload(server: &Server) -> Answer {
    let form = Form::new().percent_encode_noop().text("/workspace/u", "secret");
    Answer::of(server.client.post(server.session("/upload")).multipart(form).send().await.unwrap()).await
}

// S-AUDIT-1: Every operation of an agent leaves a record of its caller, session, subject and outcome.
#[tokio::test]
async fn audit_trail_log_all_tool_executions_for_user_review() {
    let server = with_skill().await;
    upload(&server).await.is(200);
    for (name, body) in calls() {
        let answer = server.op(name, body).await;
        assert!((200..300).contains(&answer.status), "{name}: {}", answer.json);
    }
    let records = records(&server).await;
    let mut counts = BTreeMap::new();
    for record in &records {
        *counts.entry(record["operation"].as_str().unwrap()).or_insert(0) += 1;
        assert_eq!((&record["session"], &record["outcome"]), (&json!("s1"), &json!("ok")), "{record}");
        assert!(record["time"].is_string() && record["ms"].as_f64().is_some_and(|ms| ms >= 0.0), "{record}");
    }
    for operation in Operation::ALL {
        assert_eq!(counts.get(operation.name()), Some(&1), "{operation}: {counts:?}");
    }
    // The names of tools and files are for the person's eyes, and what was in them is not.
    assert!(!json!(records).to_string().contains("secret"), "{records:?}");
}

// S-AUDIT-16: Records of a user who never writes again go when an operator clears the user's idle sessions through a
// service.
#[tokio::test]
async fn old_records_of_a_user_who_never_comes_back_go_with_the_idle_sessions() {
    for mode in [AuditMode::Async, AuditMode::Off] {
        let memory = Arc::new(MemoryStore::like_s3());
        let server = recording(mode, &memory, memory.clone()).await;
        let [old, young] = [AUDIT_RETENTION_DAYS + 1, AUDIT_RETENTION_DAYS - 1].map(|days| {
            let time = Timestamp::now() - SignedDuration::from_hours(24 * i64::from(days));
            let key = format!("gone/.skillmount/audit/{}", BatchName::new(time, "0a1b2c3d"));
            memory.put_raw(&key, "{\"format\":1}\n");
            key
        });
        let url = format!("{}/v1/users/gone/session_gc", server.base);
        server.send(Method::POST, &url, &Value::Null).await.is(200);
        let prefix = KeyPrefix::all().folder("gone/.skillmount/audit").unwrap();
        let left: Vec<_> = memory.list_all(&prefix, 10).await.unwrap().0.into_iter().map(|entry| entry.key).collect();
        let expected = if mode == AuditMode::Off { vec![old, young] } else { vec![young] };
        assert_eq!(left, expected, "a service that keeps no records deletes none");
    }
}

#[tokio::test]
async fn audit_trail_a_tool_that_was_refused_asked_about_or_failed_is_logged_too() {
    let server = with_skill().await;
    let tools = json!({"policy": {"tools": {"write": "blocked", "ls": "ask"}}});
    server.send(Method::PATCH, &server.session(""), &tools).await.is(200);
    server.op("write", json!({"file_path": "/workspace/a", "content": "x"})).await.is_problem(403, "tool_blocked");
    server.op("ls", json!({"path": "/"})).await.is_problem(403, "approval_required");
    server.op("read", json!({"file_path": "/workspace/none"})).await.is_problem(404, "file_not_found");
    server.op("load_skill", json!({"skill": "none"})).await.is_problem(404, "skill_not_found");
    let records = records(&server).await;
    let said: Vec<_> =
        records.iter().map(|one| (one["operation"].as_str().unwrap(), one["outcome"].as_str().unwrap())).collect();
    let expected = [
        ("create_session", "ok"),
        ("change_session", "ok"),
        ("write", "tool_blocked"),
        ("ls", "approval_required"),
        ("read", "file_not_found"),
        ("load_skill", "skill_not_found"),
    ];
    assert_eq!(said, expected);
}

// S-AUDIT-10: A hook that stores a fact changes its session: the record is `create_session` if that creates the
// session.
// S-AUDIT-11: A parent created with its fork has its own `create_session`, and a session created by an operation has
// the operation's record.
#[tokio::test]
async fn a_session_that_a_hook_or_a_fork_of_it_made_has_the_record_of_one_that_was_asked_for() {
    let memory = Arc::new(MemoryStore::like_s3());
    memory.put_raw("u1/skills/minutes/SKILL.md", "---\nname: minutes\ndescription: Writes minutes\n---\nBegin.\n");
    let user = Id::parse("u1").unwrap();
    let (key, mut entry) = KeyEntry::generate(&SystemClock::new(), Some(&user), vec![Scope::Agent, Scope::Control]);
    entry.name = Some("desk".to_owned());
    let callers = Callers { keys: Keys::new(&[entry]).unwrap(), ..Callers::default() };
    let config = HttpConfig { callers, ..HttpConfig::default() };
    let server = recording_with(config, AuditMode::Async, &memory, memory.clone()).await;
    let send = async |method: Method, path: &str, body: Value| {
        let request = server.client.request(method, server.user(path)).bearer_auth(&key);
        let request = if body.is_null() { request } else { request.json(&body) };
        Answer::of(request.send().await.unwrap()).await
    };
    let start = json!({"hook_event_name": "SessionStart"});
    for _ in 0..2 {
        send(Method::POST, "/sessions/by-hook/hooks", start.clone()).await.is(200);
    }
    send(Method::PUT, "/sessions/asked-for", json!({})).await.is(201);
    send(Method::POST, "/sessions/asked-for/hooks", start).await.is(200);
    send(Method::POST, "/sessions/asked-for/load_skill", json!({"skill": "minutes"})).await.is(200);
    let compacted = json!({"hook_event_name": "SessionStart", "source": "compact"});
    for _ in 0..2 {
        send(Method::POST, "/sessions/asked-for/hooks", compacted.clone()).await.is(200);
    }
    let write = json!({"file_path": "/workspace/a", "content": "x"});
    send(Method::POST, "/sessions/parent/write", write).await.is(200);
    send(Method::PUT, "/sessions/fork", json!({"parent": "parent"})).await.is(201);
    let page = send(Method::GET, "/audit", Value::Null).await;
    let of = |record: &Value| ["operation", "session", "subject"].map(|name| record[name].as_str().unwrap().to_owned());
    let records = page.is(200)["records"].as_array().unwrap();
    assert_eq!(
        records.iter().map(of).collect::<Vec<_>>(),
        [
            ["create_session", "by-hook", ""],
            ["create_session", "asked-for", ""],
            ["change_session", "asked-for", "listing"],
            ["load_skill", "asked-for", "minutes"],
            ["change_session", "asked-for", "instructions"],
            ["write", "parent", "/workspace/a"],
            ["create_session", "parent", ""],
            ["create_session", "fork", ""],
        ]
    );
    for record in records {
        assert!(record["by"].as_str().unwrap().starts_with("desk ("), "{record}");
        assert_eq!(record["outcome"], "ok", "{record}");
    }
}

// S-AUDIT-15: In mode `sync` a hook waits for the record of its stored fact.
#[tokio::test]
async fn a_hook_waits_for_the_record_of_its_note_and_answers_if_there_can_be_none() {
    let memory = Arc::new(MemoryStore::like_s3());
    memory.put_raw("u1/skills/minutes/SKILL.md", "---\nname: minutes\ndescription: Writes minutes\n---\nBegin.\n");
    let store = Arc::new(Faulty::new(memory.clone()));
    let server = recording(AuditMode::Sync, &memory, store.clone()).await;
    let said = json!({"hook_event_name": "UserPromptSubmit", "prompt": "hello"});
    let prefix = KeyPrefix::all().folder("u1/.skillmount/audit").unwrap();
    let batches = async || memory.list_all(&prefix, 10).await.unwrap().0.len();

    let told = server.op("hooks", said.clone()).await.is(200)["hookSpecificOutput"]["additionalContext"].clone();
    assert!(told.as_str().unwrap().contains("minutes") && batches().await == 1, "{told}");

    store.for_keys(Verb::Put, "/audit/", Fault::Deny);
    let other = server.send(Method::POST, &server.user("/sessions/s2/hooks"), &said).await;
    assert_eq!(other.is(200)["hookSpecificOutput"]["additionalContext"], told);
    assert_eq!(batches().await, 1);
    store.clear();
    let sessions: Vec<_> = records(&server).await.iter().map(|record| record["session"].clone()).collect();
    assert_eq!(sessions, ["s1", "s2"], "a record that could not be written is not given up");
}

// S-AUDIT-17: The header `x-skillmount-call-id` is the id of a call by its own route.
#[tokio::test]
async fn the_id_of_a_call_comes_in_a_header_too() {
    let server = with_skill().await;
    let send = async |method: Method, path: &str, id: &str, body: Value| {
        let request = server.client.request(method, server.session(path)).header("x-skillmount-call-id", id);
        Answer::of(request.json(&body).send().await.unwrap()).await
    };
    for (name, input) in calls() {
        let answer = send(Method::POST, &format!("/{name}"), &format!("toolu {name}"), input).await;
        assert!(answer.status < 300, "{name}: {}", answer.json);
    }
    send(Method::PUT, "/files/workspace/whole", "toolu put", json!("whole")).await.is(200);
    send(Method::POST, "/read", &"x".repeat(128), json!({"file_path": "/workspace/none"})).await.is(404);
    let written = records(&server).await;
    for (name, _) in calls() {
        let record = written.iter().find(|record| record["call"] == format!("toolu {name}"));
        assert_eq!(record.unwrap_or_else(|| panic!("{name} has no record"))["operation"], name);
    }
    assert!(written.iter().any(|record| record["call"] == "toolu put"), "a file at its address is a call too");
    assert!(written.iter().any(|record| record["call"] == "x".repeat(128)));
    let count = written.len();
    for wrong in [String::new(), "x".repeat(129), "a\tb".to_owned(), "caf\u{e9}".to_owned()] {
        let answer = send(Method::POST, "/ls", &wrong, json!({"path": "/"})).await;
        answer.is_problem(400, "invalid_request");
        assert!(answer.json["detail"].as_str().unwrap().contains("x-skillmount-call-id"), "{wrong:?}");
    }
    assert_eq!(records(&server).await.len(), count, "a call that is rejected has no record");
}
