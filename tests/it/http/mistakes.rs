//! The mistakes that programmers and models make over HTTP, and what each is told: the table here, the answers in a snapshot.

use std::fmt::Write as _;

use reqwest::Method;
use serde_json::{Value, json};
use skillmount::{
    access::{Callers, KeyEntry, Keys, Scope},
    clock::SystemClock,
    http::HttpConfig,
    path::Id,
};

use super::{Answer, Server};

const JSON: &str = "content-type: application/json";

/// What is wrong; the call, with `{u}` for the user's address and `{s}` for the session's; a header; the body.
const MISTAKES: &[(&str, &str, &str, &str)] = &[
    ("an address that is no route", "GET {u}/nothing", "", ""),
    ("a method that the route does not have", "GET {s}/ls", "", ""),
    ("JSON that breaks off", "POST {s}/ls", JSON, r#"{"path""#),
    ("a body that is no object", "POST {s}/ls", JSON, r#"["/"]"#),
    ("a body of another type", "POST {s}/ls", "content-type: text/plain", r#"{"path": "/"}"#),
    ("a compressed body", "POST {s}/ls", "content-encoding: gzip", "?"),
    ("a field with a typo", "POST {s}/ls", JSON, r#"{"path": "/", "recursiv": true}"#),
    ("a field of the wrong type", "POST {s}/ls", JSON, r#"{"path": 7}"#),
    ("a field that is missing", "POST {s}/read", JSON, "{}"),
    ("a parameter with a typo", "GET {u}/sessions?limt=1", "", ""),
    ("a parameter of the wrong type", "GET {u}/sessions?limit=all", "", ""),
    ("a format that is none", "GET {s}/prompt?format=html", "", ""),
    ("a user who is no id", "GET /v1/users/a%20b/sessions", "", ""),
    ("a slash in an id", "GET /v1/users/u1%2Fs1/sessions", "", ""),
    ("a session's version that no reply gave", "GET {s}", "x-skillmount-session-version: latest", ""),
    ("a relative path", "POST {s}/read", JSON, r#"{"file_path": "notes.md"}"#),
    ("a path with ..", "POST {s}/ls", JSON, r#"{"path": "/workspace/../skills"}"#),
    ("a file that is not there", "POST {s}/read", JSON, r#"{"file_path": "/workspace/b.md"}"#),
    ("reading a folder", "POST {s}/read", JSON, r#"{"file_path": "/workspace/d"}"#),
    ("listing a file", "POST {s}/ls", JSON, r#"{"path": "/workspace/a.md"}"#),
    ("reading bytes as text", "POST {s}/read", JSON, r#"{"file_path": "/workspace/x.bin"}"#),
    ("a line beyond the end", "POST {s}/read", JSON, r#"{"file_path": "/workspace/a.md", "offset": 9}"#),
    ("a range beyond the end", "GET {s}/files/workspace/a.md", "range: bytes=99-", ""),
    ("a skill that is not loaded", "POST {s}/ls", JSON, r#"{"path": "/skills/arrendamiento"}"#),
    ("writing over a file", "POST {s}/write", JSON, r#"{"file_path": "/workspace/a.md", "content": ""}"#),
    ("writing into a skill", "POST {s}/write", JSON, r#"{"file_path": "/skills/compraventa/a.md", "content": ""}"#),
    (
        "replacing nothing",
        "POST {s}/edit",
        JSON,
        r#"{"file_path": "/workspace/a.md", "old_string": "", "new_string": "x"}"#,
    ),
    (
        "replacing what is not there",
        "POST {s}/edit",
        JSON,
        r#"{"file_path": "/workspace/a.md", "old_string": "two", "new_string": "x"}"#,
    ),
    (
        "replacing what is there twice",
        "POST {s}/edit",
        JSON,
        r#"{"file_path": "/workspace/a.md", "old_string": "one", "new_string": "x"}"#,
    ),
    ("a regular expression that does not parse", "POST {s}/grep", JSON, r#"{"pattern": "("}"#),
    ("a glob that leaves the session", "POST {s}/glob", JSON, r#"{"pattern": "../**"}"#),
    ("deleting a mount", "POST {s}/delete", JSON, r#"{"path": "/workspace"}"#),
    ("moving out of the session's folders", "POST {s}/move", JSON, r#"{"from": "/workspace/a.md", "to": "/a.md"}"#),
    ("loading a skill with a typo", "POST {s}/load_skill", JSON, r#"{"skill": "comprventa"}"#),
    ("showing a skill by a part of its path", "GET {u}/skills/compraventa", "", ""),
    ("showing a skill that is broken", "GET {u}/skills/roto", "", ""),
    ("a search for no skill", "POST {s}/discover_skills", JSON, r#"{"query": "x", "limit": 0}"#),
    ("a version that is old", "PUT {s}/files/workspace/a.md", "if-match: \"old\"", "x"),
    ("making a file that exists", "PUT {s}/files/workspace/a.md", "if-none-match: *", "x"),
    ("an upload that is no form", "POST {s}/upload", JSON, "{}"),
    (
        "calls of OpenAI in the place of Anthropic's",
        "POST {s}/tool_calls",
        JSON,
        r#"{"content": [{"type": "function", "id": "1"}]}"#,
    ),
    ("a turn without calls", "POST {s}/tool_calls", JSON, r#"{"content": []}"#),
    ("a variable that no mount has", "PATCH {s}", JSON, r#"{"vars": {"skills": "x"}}"#),
    ("a current skill by hand", "PATCH {s}", JSON, r#"{"current_skill": "compraventa"}"#),
    ("a parent that is not there", "PUT {u}/sessions/s2", JSON, r#"{"parent": "nobody"}"#),
    (
        "writing in plan mode",
        "POST {u}/sessions/plan/write",
        JSON,
        r#"{"file_path": "/workspace/a.md", "content": ""}"#,
    ),
    ("a tool that is blocked", "POST {u}/sessions/plan/grep", JSON, r#"{"pattern": "x"}"#),
    ("another Host", "GET {s}", "host: skills.example.com", ""),
    ("a page of another origin", "GET {s}", "origin: https://evil.example", ""),
];

/// The same of a server with keys; the header's value is the name of a key.
const OF_KEYS: &[(&str, &str, &str, &str)] = &[
    ("no key", "GET {s}", "", ""),
    ("a key that is unknown", "GET {s}", "authorization: Bearer wrong", ""),
    ("a key in another form", "GET {s}", "authorization: Basic dTpw", ""),
    ("the data of another user", "GET /v1/users/u2/sessions", "authorization: Bearer {agent}", ""),
    ("an agent that changes its policy", "PUT {u}/policy", "authorization: Bearer {agent}", "{}"),
];

async fn told(server: &Server, (what, call, header, body): (&str, &str, &str, &str)) -> String {
    let address = call.replace("{s}", "/v1/users/u1/sessions/s1").replace("{u}", "/v1/users/u1");
    let (method, path) = address.split_once(' ').unwrap();
    let mut request = server.client.request(method.parse().unwrap(), format!("{}{path}", server.base));
    if let Some((name, value)) = header.split_once(": ") {
        request = request.header(name, value);
    }
    if header.starts_with("authorization") && !body.is_empty() {
        request = request.header("content-type", "application/json");
    }
    let answer = Answer::of(request.body(body.to_owned()).send().await.unwrap()).await;
    answer.is_problem(answer.status, answer.json["code"].as_str().unwrap_or("none"));
    let mut problem = answer.json.as_object().unwrap().clone();
    let mut member = |name: &str| problem.shift_remove(name).unwrap();
    let (code, detail) = (member("code"), member("detail"));
    for name in ["type", "title", "status", "request_id", "retryable"] {
        member(name);
    }
    let code = code.as_str().unwrap();
    let mut text = format!("## {what}\n{call}\n{} {code}: {}\n", answer.status, detail.as_str().unwrap());
    if !problem.is_empty() {
        let _ = writeln!(text, "{}", Value::Object(problem));
    }
    text
}

// S-ERROR-2: No client sees the cause of an internal error.
#[tokio::test]
async fn what_each_mistake_is_told_is_as_reviewed() {
    let server = Server::with_skills().await;
    server.put("/workspace/a.md", "one one\n").await;
    server.put("/workspace/d/b.md", "x").await;
    server.put("/workspace/x.bin", vec![0; 8]).await;
    server.op("load_skill", json!({"skill": "compraventa"})).await.is(200);
    let plan = json!({"policy": {"plan_mode": true, "tools": {"grep": "blocked"}}});
    server.send(Method::PUT, &server.user("/sessions/plan"), &plan).await.is(201);
    let mut text = String::new();
    for mistake in MISTAKES {
        let _ = writeln!(text, "{}", told(&server, *mistake).await);
    }

    let (key, entry) = KeyEntry::generate(&SystemClock::new(), Some(&Id::parse("u1").unwrap()), vec![Scope::Agent]);
    let keys = Keys::from_toml(&entry.to_toml().unwrap()).unwrap();
    let config = HttpConfig { callers: Callers { keys, ..Callers::default() }, ..HttpConfig::default() };
    let server = Server::with(config).await;
    for (what, call, header, body) in OF_KEYS {
        let header = header.replace("{agent}", &key);
        let _ = writeln!(text, "{}", told(&server, (what, call, &header, body)).await);
    }
    // Tags hold the time of the write.
    insta::with_settings!({ filters => [(r#""etag":"[^"]*""#, r#""etag":"[tag]""#), (r"now, [^;]*;", "now, [tag];")] }, {
        insta::assert_snapshot!("mistakes", text);
    });
}
