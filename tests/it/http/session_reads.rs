//! How often one call reads its session and the policy of its user: every operation, in the library, over HTTP and over MCP.
//!
//! The numbers may only fall. The goal is one read of each. A change to a loaded skill has a second one behind its lane.

use reqwest::{
    Method,
    multipart::{Form, Part},
};
use serde_json::{Value, json};
use skillmount::{
    Result,
    access::{Callers, KeyEntry, Keys, Scope},
    clock::SystemClock,
    handle::SessionBackend,
    http::HttpConfig,
    path::Id,
    session::Change,
    wire::{BackendProtocol as _, SkillsAccess, ToolRule, UploadFile},
};

use super::{Answer, Server, mcp};

/// Reads of sessions and of policies by one call.
type Reads = (u64, u64);

/// An operation, its input, and the reads of one call: in the library, over HTTP, and over MCP if it is a tool there.
type Row = (&'static str, Value, Reads, Reads, Option<Reads>);

const FILE: &str = "/workspace/a.md";
const IN_SKILL: &str = "/skills/compraventa/resources/ejemplo.md";

fn table() -> Vec<Row> {
    let draft = json!({
        "name": "notas", "description": "Takes notes in a conversation.",
        "body": "Write down what was said, who said it, and what follows from it."
    });
    let overwrite = json!({"file_path": FILE, "content": "two\n", "overwrite": true});
    let edit = |path: &str| json!({"file_path": path, "old_string": "un", "new_string": "dos"});
    let files = json!({"paths": [FILE]});
    vec![
        ("discover_skills", json!({"query": "compraventa"}), (1, 1), (1, 1), Some((1, 1))),
        ("load_skill", json!({"skill": "arrendamiento"}), (1, 1), (1, 1), Some((1, 1))),
        ("unload_skill", json!({"skill": "compraventa"}), (1, 1), (1, 1), Some((1, 1))),
        ("create_skill", draft, (1, 1), (1, 1), Some((1, 1))),
        ("ls", json!({"path": "/workspace"}), (1, 1), (1, 1), Some((1, 1))),
        ("read", json!({"file_path": FILE}), (1, 1), (1, 1), Some((1, 1))),
        ("grep", json!({"pattern": "un"}), (1, 1), (1, 1), Some((1, 1))),
        ("glob", json!({"pattern": "*.md"}), (1, 1), (1, 1), Some((1, 1))),
        ("write", overwrite, (1, 1), (1, 1), Some((1, 1))),
        ("edit", edit(FILE), (1, 1), (1, 1), Some((1, 1))),
        ("move", json!({"from": FILE, "to": "/workspace/b.md"}), (1, 1), (1, 1), Some((1, 1))),
        ("delete", json!({"path": FILE}), (1, 1), (1, 1), Some((1, 1))),
        ("upload", files.clone(), (1, 1), (1, 1), None),
        ("download", files, (1, 1), (1, 1), None),
        ("write", json!({"file_path": IN_SKILL, "content": "x", "overwrite": true}), (2, 2), (2, 2), Some((2, 2))),
        ("edit", edit(IN_SKILL), (2, 2), (2, 2), Some((2, 2))),
        ("delete", json!({"path": IN_SKILL}), (2, 2), (2, 2), Some((2, 2))),
    ]
}

/// The session `s1` of user `u1` with a loaded skill that it may change, all of it in memory.
async fn prepared() -> Server {
    let server = Server::with(mcp::config()).await;
    server.put_skills();
    server.memory.put_raw("u1/threads/s1/a.md", "uno\n");
    let agent = agent(&server);
    let furnish = |session: &mut skillmount::session::Session| {
        session.policy.skills_access = SkillsAccess::Write;
        session.policy.tools.insert("create_skill".to_owned(), ToolRule::Auto);
        Ok(Change::Save(()))
    };
    server.service.sessions().update(agent.user(), agent.session_id(), furnish).await.unwrap();
    called(&agent, "load_skill", json!({"skill": "escrituras/compraventa"})).await.unwrap();
    called(&agent, "ls", json!({"path": "/skills"})).await.unwrap();
    server
}

fn agent(server: &Server) -> SessionBackend {
    server.service.session(Id::parse("u1").unwrap(), Id::parse("s1").unwrap())
}

/// Calls an operation in the library.
async fn called(agent: &SessionBackend, operation: &str, input: Value) -> Result<()> {
    macro_rules! call {
        ($method:ident) => {
            agent.$method(serde_json::from_value(input).unwrap()).await.map(drop)
        };
    }
    match operation {
        "discover_skills" => call!(discover_skills),
        "load_skill" => call!(load_skill),
        "unload_skill" => call!(unload_skill),
        "create_skill" => call!(create_skill),
        "ls" => call!(ls),
        "read" => call!(read),
        "grep" => call!(grep),
        "glob" => call!(glob),
        "write" => call!(write),
        "edit" => call!(edit),
        "move" => call!(move_path),
        "delete" => call!(delete),
        "upload" => {
            let file = UploadFile { path: FILE.to_owned(), bytes: "two".into() };
            agent.upload(vec![file]).await?.remove(0).result.map(drop)
        }
        "download" => agent.download(vec![FILE.to_owned()]).await?.remove(0).result.map(drop),
        other => panic!("{other} is no operation"),
    }
}

/// Calls an operation over HTTP.
async fn sent(server: &Server, operation: &str, input: Value) -> Answer {
    match operation {
        "upload" => {
            let form = Form::new().part(FILE, Part::text("two")).percent_encode_noop();
            Answer::of(server.client.post(server.session("/upload")).multipart(form).send().await.unwrap()).await
        }
        "download" => {
            let request = server.client.post(server.session("/download")).header("accept", "application/json");
            Answer::of(request.json(&input).send().await.unwrap()).await
        }
        other => server.op(other, input).await,
    }
}

/// The reads while `work` runs.
async fn reads<T>(server: &Server, work: impl Future<Output = T>) -> (T, Reads) {
    let before = server.service.sessions().read_counts();
    let done = work.await;
    let after = server.service.sessions().read_counts();
    (done, (after.sessions - before.sessions, after.policies - before.policies))
}

#[tokio::test]
async fn a_call_reads_its_session_and_policy_as_often_as_the_table_says() {
    let mut found = Vec::new();
    for (operation, input, _, _, tool) in table() {
        let server = prepared().await;
        let (done, library) = reads(&server, called(&agent(&server), operation, input.clone())).await;
        done.unwrap();
        let server = prepared().await;
        let (answer, http) = reads(&server, sent(&server, operation, input.clone())).await;
        assert!((200..300).contains(&answer.status), "{operation}: {}", answer.json);
        let mut over_mcp = None;
        if tool.is_some() {
            let server = prepared().await;
            let headers = [("x-skillmount-user", "u1"), ("x-skillmount-session", "s1")];
            let ((is_error, text), mcp) = reads(&server, mcp::tool(&server, &headers, operation, input.clone())).await;
            assert!(!is_error, "{operation}: {text}");
            over_mcp = Some(mcp);
        }
        found.push((operation, input, library, http, over_mcp));
    }
    let shown = |rows: Vec<Row>| -> Vec<String> { rows.iter().map(|row| format!("{row:?}")).collect() };
    assert_eq!(shown(found), shown(table()));
}

#[tokio::test]
async fn a_file_by_its_address_is_read_and_written_with_so_many_reads() {
    let url = |server: &Server| server.session(&format!("/files{FILE}"));
    for (method, header, expected) in [
        (Method::GET, None, (1, 1)),
        (Method::HEAD, None, (1, 1)),
        (Method::GET, Some(("range", "bytes=0-1")), (1, 1)),
        (Method::PUT, None, (1, 1)),
        (Method::PUT, Some(("if-none-match", "*")), (1, 1)),
        (Method::DELETE, None, (1, 1)),
    ] {
        let server = prepared().await;
        let mut request = server.client.request(method.clone(), url(&server)).body("two");
        if let Some((name, value)) = header {
            request = request.header(name, value);
        }
        let (_, seen) = reads(&server, async { Answer::of(request.send().await.unwrap()).await }).await;
        assert_eq!(seen, expected, "{method} {header:?}");
    }
}

#[tokio::test]
async fn a_call_that_a_person_approves_has_so_many_reads() {
    let server = prepared().await;
    let agent = agent(&server);
    let asks = |session: &mut skillmount::session::Session| {
        session.policy.tools.insert("glob".to_owned(), ToolRule::Ask);
        Ok(Change::Save(()))
    };
    server.service.sessions().update(agent.user(), agent.session_id(), asks).await.unwrap();
    let glob = || server.op("glob", json!({"pattern": "*.md"}));
    let (waits, seen) = reads(&server, glob()).await;
    waits.is_problem(403, "approval_required");
    assert_eq!(seen, (1, 1), "the call waits");
    let id = waits.json["approval_id"].as_str().unwrap();
    let url = server.session(&format!("/approvals/{id}"));
    server.send(Method::POST, &url, &json!({"decision": "allow"})).await.is(200);
    let (done, seen) = reads(&server, glob()).await;
    done.is(200);
    assert_eq!(seen, (1, 1), "the call was approved");
}

#[tokio::test]
async fn a_bound_caller_has_so_many_reads() {
    let user = Id::parse("u1").unwrap();
    let (key, entry) = KeyEntry::generate(&SystemClock::new(), Some(&user), vec![Scope::Agent]);
    let entry = KeyEntry { sessions: Some(vec!["s1".to_owned()]), ..entry };
    let keys = Keys::from_toml(&entry.to_toml().unwrap()).unwrap();
    let config = HttpConfig { callers: Callers { keys, ..Callers::default() }, ..HttpConfig::default() };
    let server = Server::with(config).await;
    let list = || {
        let request = server.client.post(server.session("/ls")).bearer_auth(&key).json(&json!({"path": "/workspace"}));
        async { Answer::of(request.send().await.unwrap()).await }
    };
    list().await.is(200);
    let (done, seen) = reads(&server, list()).await;
    done.is(200);
    assert_eq!(seen, (1, 1));
}

#[tokio::test]
async fn a_step_in_the_loop_of_an_agent_has_one_read() {
    let calls = json!({"content": [{"type": "tool_use", "id": "c1", "name": "ls", "input": {"path": "/workspace"}}]});
    for (method, route, body) in [
        (Method::GET, "/prompt", Value::Null),
        (Method::GET, "/tools", Value::Null),
        (Method::POST, "/tool_calls", calls),
        (Method::POST, "/messages", json!({"text": "/compraventa"})),
    ] {
        let server = prepared().await;
        let url = server.session(route);
        let (answer, seen) = reads(&server, server.send(method, &url, &body)).await;
        answer.is(200);
        assert_eq!(seen, (1, 1), "{route}");
    }
}
