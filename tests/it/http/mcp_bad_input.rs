//! What a host over HTTP sends that is wrong, too large or too much, and what becomes of everybody else meanwhile.

use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use serde_json::{Value, json};
use skillmount::limits::TEXT_BODY_BYTES;
use tokio::{io::AsyncWriteExt as _, net::TcpStream, time::timeout};

use super::{
    Server,
    mcp::{call, config, message, post, tool},
};
use crate::support::wrong_calls::{wrong_calls, wrong_inputs};

/// That another user's call is answered.
async fn others_go_on(server: &Server) {
    let other = [("x-skillmount-user", "u2")];
    let answered = timeout(Duration::from_mins(1), tool(server, &other, "ls", json!({"path": "/"}))).await;
    assert!(answered.unwrap().1.contains("/workspace"));
}

// S-MCP-4: Input of a host that is not the protocol ends nothing but its own call.
#[tokio::test]
async fn each_wrong_request_has_the_protocols_error() {
    let server = Server::with(config()).await;
    for (method, params, code) in wrong_calls() {
        let answer = call(&server, &[], method, params).await;
        assert_eq!(answer.json["error"]["code"], code, "{method}: {}", answer.json);
    }
    for input in wrong_inputs() {
        assert!(tool(&server, &[], "read", input).await.0);
    }
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let wide = format!("{{{}\"a\": 1}}", "\"a\": 1, ".repeat(100_000));
    for body in [
        deep.as_str(),
        wide.as_str(),
        "\u{0}",
        "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"tools/call\", \"params\": []}",
    ] {
        let answer = post(&server, &[], body.to_owned()).await;
        assert!((400..500).contains(&answer.status), "{}", answer.status);
    }
    others_go_on(&server).await;
}

// S-MCP-4: Input of a host that is not the protocol ends nothing but its own call. Over HTTP the status is 400.
#[tokio::test]
async fn json_that_is_no_message_has_the_code_of_json_rpc_for_it() {
    let server = Server::with(config()).await;
    for (body, code) in [
        ("", -32700),
        ("{\"jsonrpc\": \"2.0\", \"id\": 1, \"meth", -32700),
        ("\u{feff}", -32700),
        // S-ERROR-8: A member that stands twice in one object of a request is an error, at any depth.
        (r#"{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"a": {"b": 1, "b": 2}}}"#, -32700),
        ("[]", -32600),
        ("3", -32600),
        ("null", -32600),
        ("\"tools/list\"", -32600),
        ("{}", -32600),
        ("{\"id\": 1, \"method\": \"tools/list\"}", -32600),
        ("{\"jsonrpc\": \"1.0\", \"id\": 1, \"method\": \"tools/list\"}", -32600),
        ("{\"jsonrpc\": \"2.0\", \"id\": 1}", -32600),
        ("{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": 3}", -32600),
        ("{\"jsonrpc\": \"2.0\", \"id\": {}, \"method\": \"tools/list\"}", -32600),
        ("{\"jsonrpc\": \"2.0\", \"id\": null, \"method\": \"tools/list\"}", -32600),
        ("{\"jsonrpc\": \"2.0\", \"id\": 1.5, \"method\": \"tools/list\"}", -32600),
    ] {
        let answer = post(&server, &[], body.to_owned()).await;
        assert_eq!((answer.status, &answer.json["error"]["code"]), (400, &json!(code)), "{body}: {}", answer.json);
        assert_eq!(answer.json["jsonrpc"], "2.0");
    }
    others_go_on(&server).await;
}

// S-MCP-21: A batch of messages gets an answer in a session of version 2025-03-26, which alone has batches, and for a
// request that names no version.
#[tokio::test]
async fn a_batch_is_answered_in_the_version_that_has_batches() {
    let server = Server::with(config()).await;
    let of =
        |id: u64, method: &str, params: Value| json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
    let write = json!({"name": "write", "arguments": {"file_path": "/workspace/a", "content": "one"}});
    let read = json!({"name": "read", "arguments": {"file_path": "/workspace/a"}});
    let batch = json!([
        of(1, "tools/call", write),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        of(2, "tools/call", read),
        {"id": 3},
        of(4, "no/such", json!({})),
        of(5, "initialize", json!({})),
    ]);
    for headers in [&[][..], &[("mcp-protocol-version", "2025-03-26")]] {
        let answer = post(&server, headers, batch.to_string()).await;
        let answers = answer.is(200).as_array().unwrap();
        let ids: Vec<_> = answers.iter().map(|one| one["id"].as_u64().unwrap()).collect();
        assert_eq!(ids, [1, 2, 3, 4, 5], "{answers:?}");
        assert!(answers[1]["result"]["content"][0]["text"].as_str().unwrap().starts_with("     1\tone"), "{answers:?}");
        assert_eq!([2, 3, 4].map(|at| answers[at]["error"]["code"].as_i64().unwrap()), [-32600, -32601, -32600]);
    }
    let silent = json!([{"jsonrpc": "2.0", "method": "notifications/initialized"}]);
    assert_eq!(post(&server, &[], silent.to_string()).await.status, 202);
    for (headers, body) in [
        (&[("mcp-protocol-version", "2025-06-18")][..], batch.to_string()),
        (&[], json!(vec![of(1, "ping", json!({})); 129]).to_string()),
    ] {
        let refused = post(&server, headers, body).await;
        assert_eq!((refused.status, &refused.json["error"]["code"]), (400, &json!(-32600)), "{}", refused.json);
    }
}

// S-MCP-4: Input of a host that is not the protocol ends nothing but its own call.
#[tokio::test]
async fn foreign_names_are_turned_away_before_anything_is_read() {
    let server = Server::with(config()).await;
    let ls = || message("tools/call", &json!({"name": "ls", "arguments": {"path": "/"}}));
    for header in
        [("host", "skills.example.com"), ("origin", "https://elsewhere.example"), ("host", "127.0.0.1.example.com")]
    {
        post(&server, &[header], ls()).await.is_problem(403, "denied");
    }
    let port = server.base.rsplit_once(':').unwrap().1;
    let named = format!("localhost:{port}");
    assert_eq!(post(&server, &[("host", named.as_str())], ls()).await.status, 200);
}

// S-MCP-4: Input of a host that is not the protocol ends nothing but its own call.
#[tokio::test(flavor = "multi_thread")]
async fn a_large_request_is_taken_or_refused_and_nobody_else_waits() {
    let server = Server::with(config()).await;
    let large = "x".repeat(10 << 20);
    let written = tool(&server, &[], "write", json!({"file_path": "/workspace/large", "content": large}));
    let (written, ()) = tokio::join!(written, others_go_on(&server));
    assert!(!written.0, "{}", written.1);
    let nonsense = post(&server, &[], format!("{{{large}"));
    let (nonsense, ()) = tokio::join!(nonsense, others_go_on(&server));
    assert_eq!(nonsense.json["error"]["code"], -32700);
    let over = post(&server, &[], "x".repeat(TEXT_BODY_BYTES + 1));
    let (over, ()) = tokio::join!(over, others_go_on(&server));
    over.is_problem(413, "file_too_large");
}

// S-MCP-4: Input of a host that is not the protocol ends nothing but its own call.
#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_calls_at_once_are_answered_and_nobody_else_waits_for_them() {
    let server = Server::with(config()).await;
    let batch = json!((0..1000).map(|id| json!({"jsonrpc": "2.0", "id": id, "method": "ping"})).collect::<Vec<_>>());
    assert_eq!(post(&server, &[], batch.to_string()).await.json["error"]["code"], -32600);
    let calls = (0..1000).map(|id: u64| {
        let mut ls: Value =
            serde_json::from_str(&message("tools/call", &json!({"name": "ls", "arguments": {"path": "/"}}))).unwrap();
        ls["id"] = json!(id);
        let server = &server;
        async move { (id, post(server, &[], ls.to_string()).await) }
    });
    let all = stream::iter(calls).buffer_unordered(200).collect::<Vec<_>>();
    let others = async {
        for _ in 0..10 {
            others_go_on(&server).await;
        }
    };
    let (all, ()) = tokio::join!(all, others);
    for (id, answer) in all {
        // A user who asks for too much at once is told to wait.
        match answer.status {
            429 => assert_eq!(answer.json["code"], "rate_limited"),
            status => assert_eq!((status, &answer.json["id"]), (200, &json!(id)), "{}", answer.json),
        }
    }
}

// S-MCP-4: Input of a host that is not the protocol ends nothing but its own call.
#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_never_reads_holds_nobody_up() {
    let server = Server::with(config()).await;
    let url = format!("{}/v1/users/me/sessions/mcp/files/workspace/large", server.base);
    assert!(server.client.put(url).body("line\n".repeat(100_000)).send().await.unwrap().status().is_success());
    let body = message("tools/call", &json!({"name": "grep", "arguments": {"pattern": "line", "max_count": 1000}}));
    let address = server.base.strip_prefix("http://").unwrap();
    let mut open = Vec::new();
    for _ in 0..64 {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all(format!("{head}{body}").as_bytes()).await.unwrap();
        open.push(stream);
    }
    for _ in 0..10 {
        others_go_on(&server).await;
    }
    drop(open);
    assert!(tool(&server, &[], "ls", json!({"path": "/"})).await.1.contains("/workspace"));
}
