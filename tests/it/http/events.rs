//! Events and audit records over HTTP.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use futures_util::StreamExt as _;
use jiff::{SignedDuration, Timestamp};
use reqwest::{Method, RequestBuilder, Response};
use serde_json::{Value, json};
use skillmount::{
    access::{Callers, KeyEntry, Keys, Scope},
    audit::{AuditMode, Recorder},
    clock::SystemClock,
    handle::ServiceOptions,
    http::HttpConfig,
    path::{Id, Namespace},
    store::{
        MemoryStore, SharedStore, Verb,
        testing::{Fault, Faulty},
    },
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpSocket,
    sync::watch::{self, Sender},
};

use super::{Answer, Server};

/// A server whose operations leave records.
pub(super) async fn audited(memory: &Arc<MemoryStore>) -> Server {
    recording(AuditMode::Async, memory, memory.clone()).await
}

/// As `audited`, in this mode, with records that go to `records`.
pub(super) async fn recording(mode: AuditMode, memory: &Arc<MemoryStore>, records: SharedStore) -> Server {
    recording_with(HttpConfig::default(), mode, memory, records).await
}

/// As `recording`, of a service that is configured so.
pub(super) async fn recording_with(
    config: HttpConfig,
    mode: AuditMode,
    memory: &Arc<MemoryStore>,
    records: SharedStore,
) -> Server {
    let store = memory.clone() as SharedStore;
    let recorder = Recorder::new(records, Namespace::default(), mode, Arc::new(SystemClock::new()));
    let options = ServiceOptions { observer: Some(Arc::new(recorder.clone())), ..ServiceOptions::default() };
    Server::over(HttpConfig { audit: Some(recorder), ..config }, options, memory.clone(), store).await
}

pub(super) async fn watch(server: &Server, url: &str, last: Option<&str>) -> Response {
    let request = server.client.get(url).header("accept", "text/event-stream");
    stream_of(last.into_iter().fold(request, |request, last| request.header("last-event-id", last))).await
}

async fn stream_of(request: RequestBuilder) -> Response {
    let response = request.send().await.unwrap();
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    response
}

/// The text of a stream until it has `end`, or all of it.
pub(super) async fn until(response: Response, end: &str) -> String {
    let mut text = String::new();
    let mut pieces = response.bytes_stream();
    while !text.contains(end) {
        match tokio::time::timeout(Duration::from_secs(20), pieces.next()).await.expect("an event comes") {
            Some(piece) => text += core::str::from_utf8(&piece.unwrap()).unwrap(),
            None => break,
        }
    }
    text
}

/// Id, name and payload of each event in a stream.
pub(super) fn told(text: &str) -> Vec<(Option<String>, String, Value)> {
    let of = |block: &str, name: &str| {
        let line = block.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        line.map(|value| value.trim().to_owned())
    };
    let blocks = text.split("\n\n").filter_map(|block| {
        Some((of(block, "id"), of(block, "event")?, serde_json::from_str(&of(block, "data")?).ok()?))
    });
    blocks.collect()
}

// S-EVENT-1: The service reports the work of agents as events, with the names and payloads of the contract.
#[tokio::test]
async fn a_client_is_told_what_happens_in_a_session_and_goes_on_from_its_last_event_elsewhere() {
    let memory = Arc::new(MemoryStore::like_s3());
    let (one, two) = (audited(&memory).await, audited(&memory).await);
    memory.put_raw("u1/skills/minutes/SKILL.md", "---\nname: minutes\ndescription: Writes minutes\n---\nBegin.\n");
    let stream = watch(&one, &one.session("/events"), None).await;
    one.op("write", json!({"file_path": "/workspace/a", "content": "secret"})).await.is(200);
    one.op("load_skill", json!({"skill": "minutes"})).await.is(200);
    one.op("unload_skill", json!({"skill": "minutes"})).await.is(200);
    let text = until(stream, "skill_unloaded").await + "\n\n";
    let events = told(&text);
    let names: Vec<_> = events.iter().map(|(_, name, _)| name.as_str()).collect();
    let tool = ["tool_use_start", "tool_result"];
    let expected = [&tool[..], &["file_changed"], &tool, &["skill_activated"], &tool, &["skill_unloaded"]].concat();
    assert_eq!(names, expected, "{text}");
    assert!(!text.contains("secret"), "{text}");
    let (_, _, data) = &events[5];
    assert_eq!(data["skills"], json!([{"id": "minutes", "name": "minutes", "description": "Writes minutes"}]));

    let last = events[2].0.clone().unwrap();
    one.get(&one.user("/audit")).await.is(200);
    let again = watch(&two, &two.user("/events"), Some(&last)).await;
    let again = told(&(until(again, "skill_unloaded").await + "\n\n"));
    let ids = |events: &[(Option<String>, String, Value)]| -> Vec<_> {
        events
            .iter()
            .filter_map(|(id, name, _)| Some((id.clone()?, name.clone())))
            .filter(|(_, name)| name != tool[0])
            .collect()
    };
    assert_eq!(ids(&again), ids(&events[3..]), "the same events have the same ids at another replica");

    let listed = two.client.get(two.session("/events")).header("accept", "application/json");
    let page = Answer::of(listed.header("last-event-id", last).send().await.unwrap()).await;
    assert_eq!(page.is(200)["events"].as_array().unwrap().last().unwrap()["event"], "skill_unloaded");
    let wrong = two.client.get(two.session("/events")).header("last-event-id", "x").send().await.unwrap();
    Answer::of(wrong).await.is_problem(400, "invalid_request");
}

#[tokio::test]
async fn whoever_does_not_ask_for_json_alone_is_sent_the_stream() {
    let server = audited(&Arc::new(MemoryStore::like_s3())).await;
    for url in [server.session("/events"), server.user("/events")] {
        for (accepted, sent) in [
            ("*/*", "text/event-stream"),
            ("text/event-stream", "text/event-stream"),
            ("application/json, text/event-stream", "text/event-stream"),
            ("application/json", "application/json"),
        ] {
            let response = server.client.get(&url).header("accept", accepted).send().await.unwrap();
            assert_eq!(
                (response.status().as_u16(), &response.headers()["content-type"]),
                (200, &sent.parse().unwrap())
            );
        }
    }
}

// S-EVENT-5: The service drops a listener that does not read, says so in the event `dropped`, and waits for no
// listener.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_client_that_never_reads_its_socket_is_dropped_and_can_go_on_while_another_misses_nothing() {
    const WRITES: usize = 400;
    let server = audited(&Arc::new(MemoryStore::like_s3())).await;
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    let mut stuck = socket.connect(server.base.strip_prefix("http://").unwrap().parse().unwrap()).await.unwrap();
    let ask =
        "GET /v1/users/u1/events HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\nconnection: close\r\n\r\n";
    stuck.write_all(ask.as_bytes()).await.unwrap();
    let mut first = [0; 12];
    stuck.read_exact(&mut first).await.unwrap();
    assert_eq!(&first, b"HTTP/1.1 200");

    // Long paths fill what the system keeps for a connection.
    let path = |number: usize| format!("/workspace/{}{number}", format!("{}/", "x".repeat(200)).repeat(3));
    let reading = watch(&server, &server.user("/events"), None).await;
    let last = path(WRITES - 1);
    let reading = tokio::spawn(async move { until(reading, &format!("\"path\":\"{last}\"")).await });
    for number in 0..WRITES {
        server.op("write", json!({"file_path": path(number), "content": "x"})).await.is(200);
    }
    let files = |text: &str| -> BTreeSet<String> {
        let files = told(text).into_iter().filter(|(_, name, _)| name == "file_changed");
        files.map(|(_, _, data)| data["path"].as_str().unwrap().to_owned()).collect()
    };
    let all = files(&(reading.await.unwrap() + "\n\n"));
    assert_eq!(all.len(), WRITES, "nobody waits for the other, and nothing is left out");

    let mut text = String::new();
    stuck.read_to_string(&mut text).await.unwrap();
    let (id, name, _) = told(&text).pop().unwrap();
    assert!(name == "dropped" && files(&text).len() < WRITES, "{name} after {} of {WRITES}", files(&text).len());
    let again = watch(&server, &server.user("/events"), id.as_deref()).await;
    let again = until(again, &format!("\"path\":\"{}\"", path(WRITES - 1))).await + "\n\n";
    assert!(all == &files(&text) | &files(&again), "it goes on where it was dropped");
}

// S-EVENT-20: A stream ends when the service begins to stop.
#[tokio::test]
async fn a_stream_ends_when_the_service_begins_to_stop() {
    let memory = Arc::new(MemoryStore::like_s3());
    let mut server = audited(&memory).await;
    let stream = watch(&server, &server.user("/events"), None).await;
    let began = tokio::time::Instant::now();
    server.stop();
    assert!(told(&until(stream, "never").await).is_empty());
    server.task.await.unwrap().unwrap();
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
}

// S-AUDIT-1: Every operation of an agent leaves a record of its caller, session, subject and outcome.
#[tokio::test]
async fn changes_beside_sessions_leave_records_too_and_are_listed_at_once() {
    let memory = Arc::new(MemoryStore::like_s3());
    let server = audited(&memory).await;
    let send =
        async |method: &str, url: String, body: Value| server.send(method.parse().unwrap(), &url, &body).await.status;
    assert_eq!(send("PUT", server.user("/policy"), json!({"plan_mode": false})).await, 200);
    assert_eq!(send("PUT", server.session(""), json!({})).await, 201);
    assert_eq!(send("PATCH", server.session(""), json!({"vars": {"ticket_id": "t1"}})).await, 200);
    let skill = json!({"description": "Writes minutes. Use it for meetings.", "body": "# minutes\n\nBegin.\n"});
    assert_eq!(send("PUT", server.user("/skills/minutes"), skill).await, 201);
    assert_eq!(send("DELETE", server.user("/skills/minutes"), Value::Null).await, 204);
    assert_eq!(send("DELETE", server.session(""), Value::Null).await, 204);
    let put = server.client.put(server.session("/files/workspace/b")).body("raw").send().await.unwrap();
    assert!(put.status().is_success());
    let page = server.get(&server.user("/audit")).await;
    let records = page.is(200)["records"].as_array().unwrap().clone();
    let names: Vec<_> = records.iter().map(|record| record["operation"].as_str().unwrap()).collect();
    let expected = [
        "set_user_policy",
        "create_session",
        "change_session",
        "publish_skill",
        "delete_skill",
        "forget_session",
        "write",
    ];
    assert_eq!(names, expected);
    assert!(records[3]["files"][0]["after"].as_str().unwrap().starts_with("sha256:"));
    assert_eq!(records[4]["catalog"], json!({"changed": 0, "removed": 1}));
    let only = server.get(&server.user("/audit?operation=publish_skill&limit=1")).await;
    assert_eq!(only.is(200)["records"].as_array().unwrap().len(), 1);
    server.get(&server.user("/audit?limit=0")).await.is_problem(400, "invalid_request");
    let metrics = server.client.get(format!("{}/metrics", server.base)).send().await.unwrap().text().await.unwrap();
    assert!(
        metrics.contains("skillmount_audit_records_total ")
            && metrics.contains("skillmount_audit_records_dropped_total 0")
    );
}

// S-AUDIT-1: Every operation of an agent leaves a record of its caller, session, subject and outcome.
#[tokio::test]
async fn a_decision_on_a_call_that_waits_leaves_a_record() {
    let memory = Arc::new(MemoryStore::like_s3());
    let server = audited(&memory).await;
    let send = async |method: &str, url: String, body: Value| server.send(method.parse().unwrap(), &url, &body).await;
    send("PUT", server.user("/policy"), json!({"tools": {"ls": "ask"}})).await.is(200);
    let asked = send("POST", server.session("/ls"), json!({"path": "/"})).await;
    let id = asked.json["approval_id"].as_str().unwrap().to_owned();
    let decision = json!({"decision": "allow"});
    send("POST", server.session(&format!("/approvals/{id}")), decision).await.is(200);
    let page = server.get(&server.user("/audit?operation=decide_approval")).await;
    let record = &page.is(200)["records"][0];
    assert_eq!((&record["subject"], &record["session"]), (&json!(format!("allow {id}")), &json!("s1")));
}

#[tokio::test]
async fn the_archive_of_a_user_has_the_records_that_waited() {
    let server = audited(&Arc::new(MemoryStore::like_s3())).await;
    server.op("write", json!({"file_path": "/workspace/a", "content": "x"})).await.is(200);
    let archive = server.client.get(server.user("/export")).send().await.unwrap().bytes().await.unwrap();
    let mut archive = tar::Archive::new(&*archive);
    let names = archive.entries().unwrap().map(|one| one.unwrap().path().unwrap().to_string_lossy().into_owned());
    assert_eq!(names.filter(|name| name.starts_with("u1/.skillmount/audit/")).count(), 1);
}

// S-AUDIT-3: In mode `sync` the service acknowledges a change after its record is in the store.
#[tokio::test]
async fn a_change_without_a_record_is_answered_with_what_is_known_of_its_parts() {
    let memory = Arc::new(MemoryStore::like_s3());
    let records = Arc::new(Faulty::new(memory.clone()));
    let server = recording(AuditMode::Sync, &memory, records.clone()).await;
    let skill = json!({"description": "Writes minutes. Use it for meetings.", "body": "# minutes\n\nBegin.\n"});
    let calls = [
        (Method::PUT, server.session(""), json!({}), "session"),
        (Method::PUT, server.user("/policy"), json!({"plan_mode": false}), "file"),
        (Method::PUT, server.user("/skills/minutes"), skill, "file"),
        (Method::POST, server.session("/write"), json!({"file_path": "/workspace/a", "content": "x"}), "file"),
        (Method::POST, server.session("/load_skill"), json!({"skill": "minutes"}), "session"),
        (Method::DELETE, server.user("/skills/minutes"), Value::Null, "file"),
    ];
    for (method, url, body, part) in calls {
        records.for_keys(Verb::Put, "/audit/", Fault::Deny);
        let answer = server.send(method.clone(), &url, &body).await;
        answer.is_problem(503, "store_unavailable");
        assert_eq!(answer.json["parts"], json!({part: "applied", "audit": "not_applied"}), "{method} {url}");
        records.clear();
    }
    server.op("write", json!({"file_path": "/workspace/b", "content": "x"})).await.is(200);
    let page = server.get(&server.user("/audit")).await;
    let known = page.is(200)["records"].as_array().unwrap().len();
    assert_eq!(known, 7, "none is given up, and whoever asks has all: {}", page.json);
}

/// A server with keys that can be replaced, and records.
async fn with_keys(entries: &[KeyEntry]) -> (Server, Sender<Callers>) {
    let (memory, clock) = (Arc::new(MemoryStore::like_s3()), Arc::new(SystemClock::new()));
    let recorder = Recorder::new(memory.clone(), Namespace::default(), AuditMode::Async, clock);
    let options = ServiceOptions { observer: Some(Arc::new(recorder.clone())), ..ServiceOptions::default() };
    let (changed, updates) = watch::channel(callers(entries));
    let config = HttpConfig {
        callers: callers(entries),
        caller_updates: Some(updates),
        audit: Some(recorder),
        ..HttpConfig::default()
    };
    let below = memory.clone() as SharedStore;
    (Server::over(config, options, memory, below).await, changed)
}

fn callers(entries: &[KeyEntry]) -> Callers {
    Callers { keys: Keys::new(entries).unwrap(), ..Callers::default() }
}

// S-EVENT-8: A stream of events ends if its key no longer lets the caller watch, or if a caller deletes the user.
#[tokio::test]
async fn a_stream_ends_with_the_right_of_its_key_and_one_whose_key_is_good_goes_on() {
    let (clock, user) = (SystemClock::new(), Id::parse("u1").unwrap());
    let make = || KeyEntry::generate(&clock, Some(&user), vec![Scope::Control]);
    let [good, revoked, weaker, bound, expiring] = [make(), make(), make(), make(), make()];
    let expires = Timestamp::now() + SignedDuration::from_secs(3);
    let expiring = (expiring.0, KeyEntry { expires: Some(expires), ..expiring.1 });
    let before = [&good, &revoked, &weaker, &bound, &expiring].map(|(_, entry)| entry.clone());
    let (server, changed) = with_keys(&before).await;
    let watched = async |key: &str, url: String| {
        stream_of(server.client.get(url).bearer_auth(key).header("accept", "text/event-stream")).await
    };
    let kept = watched(&good.0, server.user("/events")).await;
    // An agent may watch a session, so that a key which is one from now on watches it further.
    let still = watched(&weaker.0, server.session("/events")).await;
    let mut ending = Vec::new();
    for (key, _) in [&revoked, &weaker, &bound, &expiring] {
        ending.push(watched(key, server.user("/events")).await);
    }
    ending.push(watched(&revoked.0, server.session("/events")).await);

    let agent = KeyEntry { scopes: vec![Scope::Agent], ..weaker.1 };
    let narrow = KeyEntry { sessions: Some(vec!["s1".to_owned()]), ..bound.1 };
    changed.send(callers(&[good.1, agent, narrow, expiring.1])).unwrap();
    for key in [&revoked.0, &expiring.0] {
        while server.client.get(server.session("")).bearer_auth(key).send().await.unwrap().status() != 401 {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
    let write = json!({"file_path": "/workspace/a", "content": "x"});
    let written = server.client.post(server.session("/write")).bearer_auth(&good.0).json(&write).send().await.unwrap();
    assert_eq!(written.status(), 200);
    for (number, stream) in ending.into_iter().enumerate() {
        assert_eq!(until(stream, "event").await, "", "{number}");
    }
    for stream in [kept, still] {
        assert!(until(stream, "file_changed").await.contains("tool_use_start"));
    }
}

// S-EVENT-8: A stream of events ends if its key no longer lets the caller watch, or if a caller deletes the user.
#[tokio::test]
async fn a_stream_ends_when_its_user_is_deleted() {
    let memory = Arc::new(MemoryStore::like_s3());
    let server = audited(&memory).await;
    let streams =
        [watch(&server, &server.user("/events"), None).await, watch(&server, &server.session("/events"), None).await];
    let other = watch(&server, &format!("{}/v1/users/u10/events", server.base), None).await;
    server.op("write", json!({"file_path": "/workspace/a", "content": "x"})).await.is(200);
    server.send(Method::DELETE, &server.user(""), &Value::Null).await.is(202);
    for stream in streams {
        let text = until(stream, "never").await;
        assert!(text.contains("file_changed"), "what happened before is told: {text}");
    }
    let url = format!("{}/v1/users/u10/sessions/s1/write", server.base);
    server.send(Method::POST, &url, &json!({"file_path": "/workspace/a", "content": "x"})).await.is(200);
    assert!(until(other, "file_changed").await.contains("file_changed"), "and another user's goes on");
}

// S-EVENT-11: An event names no skill that its watcher may not see now.
#[tokio::test]
async fn a_stream_whose_key_becomes_an_agents_names_no_hidden_skill_from_then_on() {
    let user = Id::parse("u1").unwrap();
    let [good, weaker] = [(); 2].map(|()| KeyEntry::generate(&SystemClock::new(), Some(&user), vec![Scope::Control]));
    let (server, changed) = with_keys(&[good.1.clone(), weaker.1.clone()]).await;
    server.memory.put_raw("u1/skills/gazelle/SKILL.md", "---\ndescription: Runs fast\n---\nRun.\n");
    let call = async |method: Method, url: String, body: Value| {
        server.client.request(method, url).bearer_auth(&good.0).json(&body).send().await.unwrap().status()
    };
    let load = json!({"skill": "gazelle"});
    let policy = json!({"skills": {"gazelle": "blocked"}});
    assert_eq!(call(Method::PUT, server.user("/policy"), policy).await, 200);
    let watched = async || {
        let request = server.client.get(server.session("/events")).bearer_auth(&weaker.0);
        stream_of(request.header("accept", "text/event-stream")).await
    };
    let before = watched().await;
    let after = watched().await;
    assert_eq!(call(Method::POST, server.session("/load_skill"), load.clone()).await, 404);
    assert!(until(before, "tool_result").await.contains("gazelle"), "a key of control sees it");
    let agent = KeyEntry { scopes: vec![Scope::Agent], ..weaker.1.clone() };
    changed.send(callers(&[good.1.clone(), agent])).unwrap();
    let policy_of = async || server.client.get(server.user("/events")).bearer_auth(&weaker.0).send().await.unwrap();
    while policy_of().await.status() != 403 {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(call(Method::POST, server.session("/load_skill"), load).await, 404);
    let write = json!({"file_path": "/workspace/end", "content": "x"});
    assert_eq!(call(Method::POST, server.session("/write"), write).await, 200);
    let text = until(after, "\"path\":\"/workspace/end\"").await;
    let starts: Vec<_> = text.match_indices("tool_use_start").map(|(at, _)| at).collect();
    assert!(starts.len() == 3 && !text[starts[1]..].contains("gazelle"), "{text}");
}
