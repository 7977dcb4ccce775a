//! Whose session a request of MCP is about: by its address, in both versions of the protocol.

use serde_json::{Value, json};
use skillmount::{
    access::{Callers, KeyEntry, Keys, Scope},
    clock::SystemClock,
    http::HttpConfig,
    path::Id,
};

use super::{
    Answer, Server,
    mcp::{call, config},
};

const OF_BOB: &str = "/v1/users/bob/sessions/s1/mcp";
const STATELESS: &str = "2026-07-28";

/// Sends a request to an address of the service, in this version of the protocol.
async fn ask(
    server: &Server,
    to: &str,
    version: &str,
    headers: &[(&str, &str)],
    (method, params): (&str, Value),
) -> Answer {
    let mut params = params;
    let mut request = server.client.post(format!("{}{to}", server.base)).header("mcp-protocol-version", version);
    if version == STATELESS {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
        });
        request = request.header("mcp-method", method);
        if let Some(name) = params["name"].as_str() {
            request = request.header("mcp-name", name);
        }
    }
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let request = request.header("accept", "application/json, text/event-stream").json(&message);
    Answer::of(request.send().await.unwrap()).await
}

#[expect(clippy::needless_pass_by_value, reason = "callers write it where they call")]
fn tool(name: &str, input: Value) -> (&'static str, Value) {
    ("tools/call", json!({"name": name, "arguments": input}))
}

fn read() -> (&'static str, Value) {
    tool("read", json!({"file_path": "/workspace/a"}))
}

/// Whether a call of a tool succeeded.
#[track_caller]
fn succeeds(answer: &Answer) -> bool {
    assert!(answer.is(200)["result"]["content"][0]["text"].is_string(), "{}", answer.json);
    answer.json["result"]["isError"] != true
}

// S-MCP-25: `/v1/users/{user}/sessions/{session}/mcp` is `/mcp` for the user and the session in the path. The service
// refuses a query at `/mcp`.
#[tokio::test]
async fn an_address_names_the_user_and_the_session() {
    for version in ["2025-06-18", STATELESS] {
        let server = Server::with(config()).await;
        let write = tool("write", json!({"file_path": "/workspace/a", "content": "uno"}));
        assert!(succeeds(&ask(&server, OF_BOB, version, &[], write).await), "{version}");
        let named = [("x-skillmount-user", "bob"), ("x-skillmount-session", "s1")];
        assert!(succeeds(&ask(&server, "/mcp", version, &named, read()).await), "{version}");
        // The path is what counts.
        let other = [("x-skillmount-user", "me"), ("x-skillmount-session", "s2")];
        assert!(succeeds(&ask(&server, OF_BOB, version, &other, read()).await), "{version}");
        for address in ["/v1/users/me/sessions/s1/mcp", "/v1/users/bob/sessions/s2/mcp", "/mcp"] {
            assert!(!succeeds(&ask(&server, address, version, &[], read()).await), "{version} {address}");
        }
        for query in ["?user=bob&session=s1", "?session=s1", "?"] {
            let refused = ask(&server, &format!("/mcp{query}"), version, &[], read()).await;
            refused.is_problem(400, "invalid_request");
            let said = refused.json["detail"].as_str().unwrap();
            assert!(said.contains("/v1/users/USER/sessions/SESSION/mcp"), "{said}");
        }
        ask(&server, "/v1/users/bob%2Fx/sessions/s1/mcp", version, &[], read()).await.is_problem(400, "invalid_path");
        ask(&server, "/v1/users/bob/mcp", version, &[], read()).await.is_problem(404, "route_not_found");
    }
}

#[tokio::test]
async fn a_conversation_at_the_address_of_a_session_is_given_no_other() {
    let server = Server::with(config()).await;
    server.memory.put_raw("bob/skills/notas/SKILL.md", "---\nname: notas\ndescription: Toma notas.\n---\nPasos.\n");
    let hello =
        json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let begun = ask(&server, OF_BOB, "2025-06-18", &[], ("initialize", hello)).await;
    assert!(begun.is(200)["result"]["instructions"].as_str().unwrap().contains("notas"), "{}", begun.json);
    assert_eq!(begun.header("mcp-session-id"), "");
    let discovered = ask(&server, OF_BOB, STATELESS, &[], ("server/discover", json!({}))).await;
    assert!(discovered.is(200)["result"]["capabilities"]["tools"].is_object(), "{}", discovered.json);
    assert_eq!(discovered.header("mcp-session-id"), "");
}

#[tokio::test]
async fn a_key_of_another_user_is_refused_at_an_address() {
    let clock = SystemClock::new();
    let bob = Id::parse("bob").unwrap();
    let (own, own_entry) = KeyEntry::generate(&clock, Some(&bob), vec![Scope::Agent]);
    let (any, any_entry) = KeyEntry::generate(&clock, None, vec![Scope::Control]);
    let keys = own_entry.to_toml().unwrap() + &any_entry.to_toml().unwrap();
    let callers = Callers { keys: Keys::from_toml(&keys).unwrap(), ..Callers::default() };
    let server = Server::with(HttpConfig { callers, ..config() }).await;
    let [own, any] = [own, any].map(|key| format!("Bearer {key}"));
    let (own, any) = ([("authorization", own.as_str())], [("authorization", any.as_str())]);
    let list = || tool("ls", json!({"path": "/"}));
    for version in ["2025-06-18", STATELESS] {
        let other = "/v1/users/anna/sessions/s1/mcp";
        ask(&server, OF_BOB, version, &[], list()).await.is_problem(401, "unauthenticated");
        ask(&server, other, version, &own, list()).await.is_problem(403, "denied");
        assert!(succeeds(&ask(&server, OF_BOB, version, &own, list()).await));
        assert!(succeeds(&ask(&server, other, version, &any, list()).await));
    }
}

#[tokio::test]
async fn parameters_that_a_method_does_not_take_are_no_unknown_method() {
    let server = Server::with(config()).await;
    for (method, params) in [
        ("skills/get", json!({})),
        ("tools/call", json!({})),
        ("tools/call", json!({"name": 3})),
        ("prompts/get", json!({"name": []})),
        ("resources/read", json!({})),
        ("tools/list", json!({"cursor": "x"})),
        ("prompts/list", json!({"cursor": "x"})),
        ("resources/templates/list", json!({"cursor": "x"})),
        ("prompts/get", json!({"name": "none"})),
    ] {
        let answer = call(&server, &[], method, params.clone()).await;
        assert_eq!(answer.json["error"]["code"], -32602, "{method} {params}: {}", answer.json);
    }
}
