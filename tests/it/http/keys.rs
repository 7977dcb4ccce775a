//! Who is let in: Hosts, Origins, keys and scopes.

use reqwest::{Method, header};
use serde_json::{Value, json};
use skillmount::{
    access::{Callers, KeyEntry, Keys, PeerRules, Scope},
    clock::SystemClock,
    http::HttpConfig,
    path::Id,
};

use super::{Answer, Server};

/// A server with keys, and the keys: of agent and control of `u1`, and of control of everybody.
async fn guarded() -> (Server, [String; 3]) {
    let clock = SystemClock::new();
    let user = Id::parse("u1").unwrap();
    let made = [
        KeyEntry::generate(&clock, Some(&user), vec![Scope::Agent]),
        KeyEntry::generate(&clock, Some(&user), vec![Scope::Agent, Scope::Control]),
        KeyEntry::generate(&clock, None, vec![Scope::Control]),
    ];
    let file: String = made.iter().map(|(_, entry)| entry.to_toml().unwrap()).collect();
    let keys = Keys::from_toml(&file).unwrap();
    let server =
        Server::with(HttpConfig { callers: Callers { keys, ..Callers::default() }, ..HttpConfig::default() }).await;
    (server, made.map(|(key, _)| key))
}

async fn call(server: &Server, key: Option<&str>, method: Method, url: &str, body: &Value) -> Answer {
    let mut request = server.client.request(method, url).json(body);
    if url.ends_with("/events") {
        // A stream would not end.
        request = request.header("accept", "application/json");
    }
    if let Some(key) = key {
        request = request.bearer_auth(key);
    }
    Answer::of(request.send().await.unwrap()).await
}

/// Routes that are not about one user's data. `users::calls_about_all_users_need_control_of_all` calls them.
const ABOUT_ALL_USERS: usize = 3;

/// One call on every route below a user: (method, path below the user, body, whether it takes scope `control`).
fn calls() -> Vec<(Method, &'static str, Value, bool)> {
    let (get, put, post) = (Method::GET, Method::PUT, Method::POST);
    vec![
        (put.clone(), "/sessions/s", json!({}), false),
        (put.clone(), "/sessions/s", json!({"policy": {}}), true),
        (get.clone(), "/sessions/s", Value::Null, false),
        (Method::PATCH, "/sessions/s", json!({"current_skill": null}), false),
        (Method::PATCH, "/sessions/s", json!({"policy": {}}), true),
        (Method::PATCH, "/sessions/s", json!({"vars": {"ticket_id": "t1"}}), true),
        (put.clone(), "/sessions/s", json!({"vars": {"ticket_id": "t1"}}), true),
        (get.clone(), "/sessions/s/approvals", Value::Null, true),
        (post.clone(), "/sessions/s/approvals/0", json!({"decision": "deny"}), true),
        (get.clone(), "/sessions", Value::Null, false),
        (get.clone(), "/policy", Value::Null, false),
        (put.clone(), "/policy", json!({}), true),
        (get.clone(), "/export", Value::Null, true),
        (get.clone(), "/audit", Value::Null, true),
        (get.clone(), "/usage", Value::Null, true),
        (get.clone(), "/events", Value::Null, true),
        (get.clone(), "/sessions/s/events", Value::Null, false),
        (post.clone(), "/sessions/s/create_skill", json!({"name": "n", "description": "", "body": ""}), false),
        (Method::PATCH, "/skills/a", json!({"description": "d"}), true),
        (get.clone(), "/skills", Value::Null, false),
        (get.clone(), "/skills/a", Value::Null, false),
        (get.clone(), "/skill_files/a", Value::Null, false),
        (post.clone(), "/skills/download", json!({"skills": []}), false),
        (post.clone(), "/catalog/refresh", Value::Null, false),
        (get.clone(), "/catalog", Value::Null, false),
        (get.clone(), "/lint", Value::Null, false),
        (post.clone(), "/catalog/rebuild", Value::Null, true),
        (post.clone(), "/session_gc", Value::Null, true),
        (post.clone(), "/sessions/s/discover_skills", json!({"query": "a"}), false),
        (get.clone(), "/sessions/s/tools", Value::Null, false),
        (post.clone(), "/sessions/s/tool_calls", json!({"content": [{"type": "tool_use", "id": "1"}]}), false),
        (post.clone(), "/sessions/s/messages", json!({"text": "a"}), false),
        (post.clone(), "/sessions/s/hooks", json!({"hook_event_name": "SessionStart"}), false),
        (post.clone(), "/sessions/s/ls", json!({"path": "/"}), false),
        (post.clone(), "/sessions/s/read", json!({"file_path": "/workspace/a"}), false),
        (post.clone(), "/sessions/s/grep", json!({"pattern": "a"}), false),
        (post.clone(), "/sessions/s/glob", json!({"pattern": "a"}), false),
        (post.clone(), "/sessions/s/write", json!({"file_path": "/workspace/a", "content": ""}), false),
        (
            post.clone(),
            "/sessions/s/edit",
            json!({"file_path": "/workspace/a", "old_string": "a", "new_string": "b"}),
            false,
        ),
        (post.clone(), "/sessions/s/move", json!({"from": "/workspace/a", "to": "/workspace/m"}), false),
        (post.clone(), "/sessions/s/delete", json!({"path": "/workspace/a"}), false),
        (post.clone(), "/sessions/s/load_skill", json!({"skill": "a"}), false),
        (post.clone(), "/sessions/s/unload_skill", json!({"skill": "a"}), false),
        (post.clone(), "/sessions/s/upload", Value::Null, false),
        (post, "/sessions/s/download", json!({"paths": []}), false),
        (put.clone(), "/skills/a", json!({"description": "d", "body": "b"}), true),
        (get.clone(), "/versions/a", Value::Null, false),
        (get.clone(), "/diff/a", Value::Null, false),
        (Method::POST, "/rollback/a", json!({"digest": format!("sha256:{}", "0".repeat(64))}), true),
        (Method::DELETE, "/skills/a", Value::Null, true),
        (get.clone(), "/sessions/s/prompt", Value::Null, false),
        (put, "/sessions/s/files/workspace/b", Value::Null, false),
        (get, "/sessions/s/files/workspace/b", Value::Null, false),
        (Method::HEAD, "/sessions/s/files/workspace/b", Value::Null, false),
        (Method::DELETE, "/sessions/s/files/workspace/b", Value::Null, false),
        (Method::DELETE, "/sessions/s", Value::Null, true),
    ]
}

#[tokio::test]
async fn every_route_asks_for_a_key_of_the_right_user_and_scope() {
    let (server, [agent, control, everybody]) = guarded().await;
    for (method, path, body, needs_control) in calls() {
        let what = format!("{method} {path} {body}");
        let (mine, theirs) = (server.user(path), format!("{}/v1/users/u10{path}", server.base));
        for key in [None, Some("smk_unknown")] {
            let answer = call(&server, key, method.clone(), &mine, &body).await;
            assert_eq!((answer.status, answer.header("www-authenticate").is_empty()), (401, false), "{what}");
        }
        for key in [&agent, &control] {
            assert_eq!(call(&server, Some(key), method.clone(), &theirs, &body).await.status, 403, "{what}");
        }
        let by_agent = call(&server, Some(&agent), method.clone(), &mine, &body).await;
        assert_eq!(by_agent.json["code"] == "denied", needs_control, "{what}: {}", by_agent.json);
        for (key, url) in [(&control, &mine), (&everybody, &mine), (&everybody, &theirs)] {
            let answer = call(&server, Some(key), method.clone(), url, &body).await;
            assert!(![401, 403, 405].contains(&answer.status), "{what}: {} {}", answer.status, answer.json);
        }
    }
}

#[tokio::test]
async fn the_matrix_of_keys_misses_no_route() {
    let document = serde_json::to_value(skillmount::http::openapi()).unwrap();
    let items = document["paths"].as_object().unwrap().iter().filter(|(path, _)| path.starts_with("/v1/"));
    let known = ["get", "put", "post", "patch", "delete", "head"];
    let count: usize = items.map(|(_, item)| known.iter().filter(|method| item.get(**method).is_some()).count()).sum();
    let mut covered: Vec<_> = calls().into_iter().map(|(method, path, ..)| format!("{method} {path}")).collect();
    covered.sort();
    covered.dedup();
    assert_eq!(covered.len() + ABOUT_ALL_USERS, count, "{covered:?}");
}

#[tokio::test]
async fn service_routes_need_no_key_and_tell_no_secrets() {
    let (server, [agent, ..]) = guarded().await;
    call(&server, Some(&agent), Method::GET, &server.user("/sessions"), &Value::Null).await.is(200);
    for path in ["/healthz", "/readyz", "/metrics", "/openapi.json", "/docs", "/guide/", "/guide/search?q=key"] {
        let response = server.client.get(format!("{}{path}", server.base)).send().await.unwrap();
        assert_eq!(response.status(), 200, "{path}");
        let text = response.text().await.unwrap();
        assert!(!text.contains(&agent) && !text.contains("u1/"), "{path}");
    }
}

#[tokio::test]
async fn without_keys_other_hosts_and_origins_are_turned_away_on_every_route() {
    let server = Server::start().await;
    for path in ["/healthz", "/metrics", "/openapi.json", "/docs", "/guide/", "/v1/users/u1/sessions", "/no/such/route"]
    {
        for (name, value) in [
            (header::HOST, "evil.example"),
            (header::HOST, "127.0.0.1.evil.example"),
            (header::ORIGIN, "https://evil.example"),
            (header::ORIGIN, "null"),
        ] {
            let request = server.client.get(format!("{}{path}", server.base)).header(&name, value);
            Answer::of(request.send().await.unwrap()).await.is_problem(403, "denied");
        }
        let request =
            server.client.get(format!("{}{path}", server.base)).header(header::ORIGIN, "http://localhost:3000");
        assert_ne!(request.send().await.unwrap().status(), 403, "{path}");
    }
}

#[tokio::test]
async fn with_keys_hosts_and_origins_follow_the_lists() {
    let peers = PeerRules { hosts: vec!["127.0.0.1".to_owned()], origins: vec!["https://app.example.com".to_owned()] };
    let server = Server::with(HttpConfig {
        callers: Callers { keys: Keys::single("k").unwrap(), peers, ..Callers::default() },
        ..HttpConfig::default()
    })
    .await;
    let status = async |name: header::HeaderName, value: &str| {
        let request = server.client.get(server.session("")).bearer_auth("k").header(name, value);
        request.send().await.unwrap().status().as_u16()
    };
    assert_eq!(status(header::ORIGIN, "https://app.example.com").await, 200);
    assert_eq!(status(header::ORIGIN, &server.base).await, 200, "the service's own page");
    assert_eq!(status(header::ORIGIN, "https://evil.example").await, 403);
    assert_eq!(status(header::HOST, "other.example").await, 403);
}
