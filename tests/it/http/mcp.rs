//! MCP over HTTP: one address for every user, and whose session a request is about.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use skillmount::{
    access::{Callers, KeyEntry, Keys, Scope},
    clock::SystemClock,
    http::HttpConfig,
    mcp::McpOptions,
    path::Id,
};

use super::{Answer, Server};

pub(super) fn config() -> HttpConfig {
    HttpConfig { mcp: Some(McpOptions::default()), ..HttpConfig::default() }
}

pub(super) async fn send(server: &Server, headers: &[(&str, &str)], body: String) -> reqwest::Response {
    let mut request = server.client.post(format!("{}/mcp", server.base)).body(body);
    request =
        request.header("content-type", "application/json").header("accept", "application/json, text/event-stream");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.send().await.unwrap()
}

pub(super) async fn post(server: &Server, headers: &[(&str, &str)], body: String) -> Answer {
    Answer::of(send(server, headers, body).await).await
}

pub(super) fn message(method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string()
}

pub(super) async fn call(server: &Server, headers: &[(&str, &str)], method: &str, params: Value) -> Answer {
    post(server, headers, message(method, &params)).await
}

/// Whether a call failed, and its text. The answer is JSON, or the last of the events of a call with something beside it.
pub(super) async fn tool(server: &Server, headers: &[(&str, &str)], name: &str, input: Value) -> (bool, String) {
    let answer = send(server, headers, message("tools/call", &json!({"name": name, "arguments": input}))).await;
    assert_eq!(answer.status(), 200);
    let text = answer.text().await.unwrap();
    let last = text.lines().filter_map(|line| line.strip_prefix("data: ")).next_back().unwrap_or(&text);
    let answer: Value = serde_json::from_str(last).unwrap();
    let result = &answer["result"];
    (result["isError"] == true, result["content"][0]["text"].as_str().unwrap().to_owned())
}

fn hello() -> Value {
    json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}})
}

// S-MCP-5: `/mcp` serves every user. The user is the key's or that of `x-skillmount-user`, and the session that of
// `x-skillmount-session` or `mcp-session-id`. A conversation without a session gets a new `mcp-session-id`.
#[tokio::test]
async fn a_conversation_has_the_session_it_was_given_on_any_replica() {
    let server = Server::with(config()).await;
    server.memory.put_raw("me/skills/notas/SKILL.md", "---\nname: notas\ndescription: Toma notas.\n---\nPasos.\n");
    let begun = call(&server, &[], "initialize", hello()).await;
    assert!(begun.is(200)["result"]["instructions"].as_str().unwrap().contains("notas"));
    let session = begun.header("mcp-session-id").to_owned();
    assert!(session.starts_with("mcp-"), "{session}");
    let here = [("mcp-session-id", session.as_str())];
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string();
    assert_eq!(post(&server, &here, ready).await.status, 202);
    let tools = call(&server, &here, "tools/list", json!({})).await;
    assert!(tools.is(200)["result"]["tools"].to_string().contains("load_skill"));
    tool(&server, &here, "write", json!({"file_path": "/workspace/a", "content": "uno"})).await;
    assert!(tool(&server, &here, "read", json!({"file_path": "/workspace/a"})).await.1.contains("uno"));
    assert!(tool(&server, &[], "read", json!({"file_path": "/workspace/a"})).await.0, "the session mcp is another");
    let named = [("x-skillmount-user", "me"), ("x-skillmount-session", session.as_str())];
    assert!(tool(&server, &named, "read", json!({"file_path": "/workspace/a"})).await.1.contains("uno"));
    let stranger = [("x-skillmount-user", "u2"), ("mcp-session-id", session.as_str())];
    assert!(tool(&server, &stranger, "read", json!({"file_path": "/workspace/a"})).await.0);
}

#[tokio::test]
async fn a_load_over_http_reports_that_the_tools_changed() {
    let server = Server::with(config()).await;
    server.memory.put_raw("me/skills/notas/SKILL.md", "---\nname: notas\ndescription: Toma notas.\n---\nPasos.\n");
    let load = message("tools/call", &json!({"name": "load_skill", "arguments": {"skill": "notas"}}));
    let answer = send(&server, &[], load).await;
    assert_eq!(answer.headers()["content-type"], "text/event-stream");
    let events = answer.text().await.unwrap();
    assert!(events.contains("notifications/tools/list_changed") && events.contains("Pasos."), "{events}");
    assert!(tool(&server, &[], "ls", json!({"path": "/skills"})).await.1.contains("/skills/notas"));
}

#[tokio::test]
async fn a_host_of_the_stateless_version_is_not_promised_what_it_would_need_a_stream_for() {
    let server = Server::with(config()).await;
    server.memory.put_raw("me/skills/notas/SKILL.md", "---\nname: notas\ndescription: Toma notas.\n---\nPasos.\n");
    let stateless = |method: &'static str, name: Option<&'static str>| {
        let common = [("mcp-protocol-version", "2026-07-28"), ("mcp-method", method)];
        common.into_iter().chain(name.map(|name| ("mcp-name", name))).collect::<Vec<_>>()
    };
    let about = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
    });
    let discover = call(&server, &stateless("server/discover", None), "server/discover", json!({"_meta": about})).await;
    let offered = discover.is(200)["result"]["capabilities"].clone();
    assert!(offered["tools"].is_object() && offered["resources"].is_object(), "{offered}");
    assert!(!offered.to_string().contains("listChanged"), "{offered}");
    let load = json!({"name": "load_skill", "arguments": {"skill": "notas"}, "_meta": about});
    let headers = stateless("tools/call", Some("load_skill"));
    let answer = send(&server, &headers, message("tools/call", &load)).await.text().await.unwrap();
    assert!(answer.contains("Pasos.") && !answer.contains("list_changed"), "{answer}");

    let begun = call(&server, &[], "initialize", hello()).await;
    assert_eq!(begun.is(200)["result"]["capabilities"]["tools"]["listChanged"], true);
}

// S-MCP-13: A long search reports the number of searched files once a second, to a host that asked for reports.
#[tokio::test]
async fn a_long_search_reports_how_far_it_is() {
    let server = Server::with(config()).await;
    for number in 0..200 {
        let url = format!("{}/v1/users/me/sessions/mcp/files/workspace/f{number:03}", server.base);
        assert!(server.client.put(url).body("texto").send().await.unwrap().status().is_success());
    }
    server.faulty.set_latency(Duration::from_millis(600));
    let search = json!({"name": "grep", "arguments": {"pattern": "texto"}, "_meta": {"progressToken": "t"}});
    let answer = send(&server, &[], message("tools/call", &search)).await.text().await.unwrap();
    let events = answer.lines().filter_map(|line| line.strip_prefix("data: ")).filter(|data| !data.is_empty());
    let events: Vec<Value> = events.map(|data| serde_json::from_str(data).unwrap()).collect();
    let reports: Vec<&Value> = events.iter().filter(|event| event["method"] == "notifications/progress").collect();
    let done = |report: &Value| report["params"]["progress"].as_f64().unwrap();
    assert!(!reports.is_empty() && reports.is_sorted_by(|one, two| done(one) < done(two)), "{answer}");
    assert!(reports.iter().all(|report| report["params"]["progressToken"] == "t"));
    assert!(reports.iter().all(|report| report["params"]["total"] == 200.0 && done(report) <= 200.0), "{answer}");
    assert_eq!(events.last().unwrap()["result"]["isError"], false);
}

#[tokio::test]
async fn keys_decide_whose_skills_a_host_sees() {
    let clock = SystemClock::new();
    let user = Id::parse("u1").unwrap();
    let (own, own_entry) = KeyEntry::generate(&clock, Some(&user), vec![Scope::Agent]);
    let (any, any_entry) = KeyEntry::generate(&clock, None, vec![Scope::Control]);
    let keys = own_entry.to_toml().unwrap() + &any_entry.to_toml().unwrap();
    let callers = Callers { keys: Keys::from_toml(&keys).unwrap(), ..Callers::default() };
    let server = Server::with(HttpConfig { callers, ..config() }).await;
    server.memory.put_raw("u1/skills/notas/SKILL.md", "---\nname: notas\ndescription: Toma notas.\n---\nPasos.\n");
    let [own, any] = [own, any].map(|key| format!("Bearer {key}"));
    let (own, any) = (("authorization", own.as_str()), ("authorization", any.as_str()));
    let user = |name| ("x-skillmount-user", name);
    let list = async |headers: &[(&str, &str)]| call(&server, headers, "tools/list", json!({})).await;
    list(&[]).await.is_problem(401, "unauthenticated");
    assert!(tool(&server, &[own], "load_skill", json!({"skill": "notas"})).await.1.contains("Pasos."));
    assert!(tool(&server, &[any, user("u1")], "ls", json!({"path": "/skills"})).await.1.contains("/skills/notas"));
    list(&[own, user("u2")]).await.is_problem(403, "denied");
    list(&[any]).await.is_problem(400, "invalid_request");
    list(&[any, user("../u2")]).await.is_problem(400, "invalid_request");
    list(&[own, ("origin", "http://elsewhere.example")]).await.is_problem(403, "denied");
}

// S-MCP-4: Input of a host that is not the protocol ends nothing but its own call.
#[tokio::test]
async fn what_is_not_the_protocol_is_answered_in_its_words() {
    let server = Server::with(config()).await;
    for body in ["", "{", "[]", "\"x\"", "{\"jsonrpc\": \"2.0\"}"] {
        let answer = post(&server, &[], body.to_owned()).await;
        assert!((400..500).contains(&answer.status), "{body}: {}", answer.status);
    }
    let broken = post(&server, &[], "{".to_owned()).await;
    assert_eq!(broken.json["error"]["code"], -32700);
    let batch = json!((0..1000).map(|id| json!({"jsonrpc": "2.0", "id": id, "method": "ping"})).collect::<Vec<_>>());
    assert_eq!(post(&server, &[], batch.to_string()).await.json["error"]["code"], -32600);
    let none = post(&server, &[], "[1, 2]".to_owned()).await;
    assert!(none.is(200).as_array().unwrap().iter().all(|one| one["error"]["code"] == -32600), "{}", none.json);
    let unknown = call(&server, &[], "no/such", json!({})).await;
    assert_eq!(unknown.json["error"]["code"], -32601);
    let get =
        server.client.get(format!("{}/mcp", server.base)).header("accept", "text/event-stream").send().await.unwrap();
    assert_eq!(get.status(), 405);
    assert!(tool(&server, &[], "ls", json!({"path": "/"})).await.1.contains("/workspace"));
    let without = Server::start().await;
    without.send(Method::POST, &format!("{}/mcp", without.base), &json!({})).await.is_problem(404, "route_not_found");
}

// S-MCP-20: A result has 36,000 bytes at most, and 8,000 for VS Code, which puts longer ones into a file.
#[tokio::test]
async fn a_host_gets_results_of_its_size_by_the_name_of_its_client() {
    let server = Server::with(config()).await;
    let long = format!("{}\n", "a".repeat(99)).repeat(1000);
    let headers: &[(&str, &str)] = &[("x-skillmount-session", "s")];
    assert!(!tool(&server, headers, "write", json!({"file_path": "/workspace/a", "content": long})).await.0);
    for (client, most) in [("Visual Studio Code", 8000), ("claude-code", 36_000), ("someone", 36_000)] {
        let mut hello = hello();
        hello["clientInfo"]["name"] = client.into();
        call(&server, headers, "initialize", hello).await.is(200);
        let (_, text) = tool(&server, headers, "read", json!({"file_path": "/workspace/a"})).await;
        assert!((most - 1000..=most).contains(&text.len()), "{client}: {}", text.len());
    }
}

// S-MCP-20: A result has 36,000 bytes at most, and 8,000 for VS Code, which puts longer ones into a file.
#[tokio::test]
async fn hosts_of_one_user_that_begin_at_once_each_get_results_of_their_size() {
    let server = Server::with(config()).await;
    let long = format!("{}\n", "a".repeat(99)).repeat(1000);
    let conversation = async |at: usize| {
        let (client, most) = [("Visual Studio Code", 8000), ("claude-code", 36_000)][at % 2];
        let mut hello = hello();
        hello["clientInfo"]["name"] = client.into();
        let begun = call(&server, &[], "initialize", hello).await;
        let headers: &[(&str, &str)] = &[("mcp-session-id", begun.header("mcp-session-id"))];
        let path = format!("/workspace/{at}");
        assert!(!tool(&server, headers, "write", json!({"file_path": path, "content": long})).await.0);
        let (_, text) = tool(&server, headers, "read", json!({"file_path": path})).await;
        assert!((most - 1000..=most).contains(&text.len()), "{client}: {}", text.len());
    };
    futures_util::future::join_all((0..16).map(conversation)).await;
}

// S-MCP-19: The first result of a conversation says how to find and load skills, because hosts drop instructions. A
// later result names new skills, changed descriptions and removed skills, because hosts ignore notifications.
#[tokio::test]
async fn results_name_the_skills_that_changed_and_that_the_session_may_load() {
    let server = Server::with(config()).await;
    let publish = async |skill: &str, description: &str| {
        let url = format!("{}/v1/users/me/skills/{skill}", server.base);
        let put = server.send(Method::PUT, &url, &json!({"description": description, "body": "b"})).await;
        assert!(matches!(put.status, 200 | 201), "{}", put.json);
    };
    let policy = json!({"skills": {"secret/*": "blocked"}});
    server.send(Method::PUT, &format!("{}/v1/users/me/policy", server.base), &policy).await.is(200);
    publish("notes", "Takes notes.").await;
    call(&server, &[], "initialize", hello()).await.is(200);
    let ls = async || tool(&server, &[], "ls", json!({"path": "/workspace"})).await.1;
    assert!(ls().await.starts_with("No files found\n\n[Before you answer a request"), "the first result has the rule");
    assert_eq!(ls().await, "No files found");

    publish("leases", "Drafts leases.").await;
    publish("secret/plan", "Nothing to load here.").await;
    assert_eq!(ls().await, "No files found\n\n[New skills: leases (Drafts leases.).]");
    assert_eq!(ls().await, "No files found", "once");
    publish("leases", "Drafts leases of flats.").await;
    publish("secret/plan", "Nothing to load here either.").await;
    let url = format!("{}/v1/users/me/skills/notes", server.base);
    server.send(Method::DELETE, &url, &json!(null)).await.is(204);
    let told = tool(&server, &[], "read", json!({"file_path": "/workspace/none"})).await.1;
    let changed = "[Skills with another description: leases (Drafts leases of flats.). Skills that are gone: notes.]";
    assert!(told.starts_with("Error: ") && told.ends_with(changed), "{told}");
}

// S-MCP-22: Calls of one session that meet run in the order of their arrival, like the calls of a turn (S-TOOL-3).
#[tokio::test(flavor = "multi_thread")]
async fn a_call_over_http_waits_for_those_that_came_before_it() {
    let server = Server::with(config()).await;
    let path = json!({"file_path": "/workspace/a"});
    assert!(tool(&server, &[], "read", path.clone()).await.0);
    server.faulty.set_latency(Duration::from_millis(300));
    let write = tool(&server, &[], "write", json!({"file_path": "/workspace/a", "content": "one"}));
    let read = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        tool(&server, &[], "read", path).await
    };
    let (written, read) = tokio::join!(write, read);
    assert!(!written.0, "{}", written.1);
    assert_eq!(read, (false, "     1\tone".to_owned()));
}
