//! What a service writes to its log, read from stderr of the real binary.

use std::process::{Command, Stdio};

use serde_json::Value;

use super::{Home, server::Server};

/// The lines of requests in a log.
fn requests(log: &str) -> Vec<Value> {
    let lines = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap_or_else(|_| panic!("{line}")));
    lines.map(|line| line["fields"].clone()).filter(|fields| fields["message"] == "request").collect()
}

/// Sends a request with this path and these headers, and returns the bytes of the answer's body.
fn ask(server: &Server, path: &str, headers: &str) -> usize {
    answer(server, path, headers).len()
}

fn metrics(server: &Server) -> String {
    String::from_utf8(answer(server, "/metrics", "")).unwrap()
}

fn answer(server: &Server, path: &str, headers: &str) -> Vec<u8> {
    use std::io::{Read as _, Write as _};
    let address = server.url.strip_prefix("http://").unwrap();
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{headers}\r\n").unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let head = answer.windows(4).position(|window| window == b"\r\n\r\n").unwrap() + 4;
    answer.split_off(head)
}

// S-LOG-1: Each request leaves one line in the log: its id, method, route, status, milliseconds, bytes, and the
// client's address.
#[test]
fn a_request_leaves_one_line_that_says_who_asked_for_what_and_what_came() {
    let home = Home::new();
    let server = Server::start(&home, &["--drain", "0"]);
    let bytes =
        ask(&server, "/v1/users/me/sessions/s1/tools", "x-request-id: trace-1\r\nX-Forwarded-For: 10.9.8.7\r\n");
    ask(&server, "/v1/users/me/policy", "");
    ask(&server, "/v1/users/me/sessions/s1/files/workspace/none", "");
    ask(&server, "/v1/nothing", "");
    server.signal("TERM");
    let (_, log) = server.end();
    assert!(!log.contains("10.9.8.7"), "a header that anybody can write is believed: {log}");
    let lines = requests(&log);
    assert_eq!(lines.len(), 4, "{log}");
    let tools = &lines[0];
    assert_eq!((&tools["request_id"], &tools["method"]), (&"trace-1".into(), &"GET".into()));
    assert_eq!(tools["route"], "/v1/users/{user}/sessions/{session}/tools");
    assert_eq!((&tools["status"], &tools["bytes"]), (&200.into(), &bytes.into()));
    assert_eq!((&tools["user"], &tools["session"]), (&"me".into(), &"s1".into()));
    assert!((1000..).contains(&bytes), "{bytes}");
    for line in &lines {
        assert_eq!(line["client"], "127.0.0.1", "{line}");
        let ms = line["ms"].to_string();
        assert!(ms.split_once('.').is_none_or(|(_, digits)| digits.len() <= 3), "{ms}");
    }
    assert_eq!((&lines[1]["user"], &lines[1]["session"]), (&"me".into(), &Value::Null));
    assert_eq!((&lines[2]["status"], &lines[2]["session"]), (&404.into(), &"s1".into()));
    assert_eq!((&lines[3]["route"], &lines[3]["user"]), (&"unknown".into(), &Value::Null));
}

// S-LOG-2: The log has answers to probes at the level `debug` alone, unless they fail.
#[test]
fn probes_are_logged_only_if_details_are_asked_for() {
    let home = Home::new();
    for (filter, lines) in [("info", 0), ("info,skillmount=debug", 3)] {
        home.file("skillmount.toml", &format!("log = \"{filter}\"\n"));
        let server = Server::start(&home, &["--drain", "0"]);
        for path in ["/healthz", "/readyz", "/metrics"] {
            assert!(ask(&server, path, "") > 0);
        }
        server.signal("TERM");
        let (_, log) = server.end();
        assert_eq!(requests(&log).len(), lines, "{log}");
    }
}

// S-LOG-5: `/metrics` of a served store has its requests by verb and result, and the bytes they moved.
#[test]
fn requests_to_the_store_are_counted() {
    let home = Home::with_skills();
    let server = Server::start(&home, &[]);
    home.ok(&["--server", &server.url, "write", "/workspace/a.md", "12345678"]);
    home.ok(&["--server", &server.url, "skills", "list"]);
    let metrics = metrics(&server);
    let total = |name: &str| -> u64 {
        let line =
            metrics.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_else(|| panic!("{name}: {metrics}"));
        line.trim().parse().unwrap()
    };
    assert!(total(r#"skillmount_store_requests_total{verb="put",status="ok"}"#) >= 1, "{metrics}");
    assert!(total(r#"skillmount_store_requests_total{verb="list",status="ok"}"#) >= 1, "{metrics}");
    assert!(total(r#"skillmount_store_requests_total{verb="get",status="not_found"}"#) >= 1, "{metrics}");
    assert!(
        total("skillmount_store_written_bytes_total") >= 8 && total("skillmount_store_read_bytes_total") > 0,
        "{metrics}"
    );
}

#[test]
fn the_format_of_the_log_is_a_setting() {
    let home = Home::new();
    let server = Server::start(&home, &["--drain", "0", "--log-format", "text"]);
    ask(&server, "/v1/users/me/policy", "x-request-id: trace-2\r\n");
    server.signal("TERM");
    let (_, log) = server.end();
    let line = log.lines().find(|line| line.contains("trace-2")).unwrap_or_else(|| panic!("{log}"));
    assert!(
        line.contains("INFO") && line.contains("user=\"me\"") && !line.contains('\u{1b}') && !line.starts_with('{'),
        "{line}"
    );
    assert_eq!(home.refused(&["serve", "--log-format", "xml"]), (2, "invalid_request".into()));
}

// S-LOG-3: If the store fails, the log and the error say so in sentences of the service, never in those of an SDK.
#[cfg(feature = "s3")]
#[test]
fn credentials_that_are_missing_are_a_sentence_and_no_dump() {
    let home = Home::new();
    let mut command = Command::new(env!("CARGO_BIN_EXE_skillmount"));
    command.env_clear().env("HOME", home.path()).current_dir(home.path());
    // Nobody answers where a machine in the cloud asks for its credentials.
    command.env("AWS_EC2_METADATA_SERVICE_ENDPOINT", "http://127.0.0.1:9");
    command.args([
        "--store",
        "s3://agents",
        "--endpoint-url",
        "http://127.0.0.1:9",
        "serve",
        "--listen",
        "127.0.0.1:0",
    ]);
    for filter in ["", "info", "debug,hyper=off,hyper_util=off,rustls=off"] {
        let output = command.env("SKILLMOUNT_LOG", filter).stdin(Stdio::null()).output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(7), "{text}");
        assert!(text.contains("no credentials were found") && text.contains("aws configure"), "{text}");
        assert!(
            !text.contains("IMDS session token: dispatch") && !text.contains("\"target\":\"aws"),
            "{filter}: {text}"
        );
        assert!(text.lines().all(|line| line.len() < 400), "{text}");
    }
}

// S-LOG-1: Each request leaves one line in the log: its id, method, route, status, milliseconds, bytes, and the
// client's address.
#[test]
fn a_request_of_mcp_leaves_one_line_too() {
    use std::io::{Read as _, Write as _};
    let home = Home::new();
    let server = Server::start(&home, &["--drain", "0"]);
    let address = server.url.strip_prefix("http://").unwrap();
    let about = r#"{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"nosy","version":"1"}}"#;
    for (method, params) in [("initialize", about), ("tools/list", "{}")] {
        let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#);
        let mut stream = std::net::TcpStream::connect(address).unwrap();
        let head = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nConnection: close";
        let length = body.len();
        write!(stream, "POST /mcp HTTP/1.1\r\nHost: {address}\r\n{head}\r\nContent-Length: {length}\r\n\r\n{body}")
            .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }
    server.signal("TERM");
    let (_, log) = server.end();
    assert_eq!(requests(&log).len(), 2, "{log}");
    assert!(!log.contains("rmcp") && !log.contains("nosy"), "{log}");
}
