//! Requests that are not what they should be, and what surrounds every request.

use std::time::Duration;

use reqwest::{Method, header};
use serde_json::json;
use skillmount::limits::{HEADER_BYTES, JSON_BODY_BYTES};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use super::{Answer, Server};

#[tokio::test]
async fn bad_paths_are_refused_and_the_store_is_never_asked() {
    use skillmount::store::Verb;
    const VERBS: [Verb; 5] = [Verb::Get, Verb::Put, Verb::Head, Verb::List, Verb::Delete];
    let server = Server::start().await;
    // Which users are being deleted is looked at now and then, whatever is called.
    server.get(&server.user("/sessions")).await.is(200);
    let before = VERBS.map(|verb| server.faulty.seen(verb));
    let too_long = format!("/workspace/{}", "a/".repeat(1100));
    for path in
        ["", "relative", "/../u2", "/workspace/../x", "/a//b", "/./a", "/workspace/\0", "/workspace/a\nb", &too_long]
    {
        server.op("ls", json!({"path": path})).await.is_problem(400, "invalid_path");
        server.op("read", json!({"file_path": path})).await.is_problem(400, "invalid_path");
        server.op("write", json!({"file_path": path, "content": ""})).await.is_problem(400, "invalid_path");
    }
    for path in [
        "workspace%2F%2Fa",
        "workspace/..%2F..%2Fu2",
        "workspace/%2e%2e%2fx",
        "workspace//a",
        "workspace/%00",
        "workspace/%ff",
        "workspace/%zz",
    ] {
        raw(&server, "GET", &format!("/v1/users/u1/sessions/s1/files/{path}")).await.contains_problem("invalid_path");
    }
    raw(&server, "GET", "/v1/users/u1/sessions/s1/files/workspace/../x").await.contains_problem("invalid_path");
    for id in ["..", "%2e%2e", "a%20b", "*", "_org"] {
        raw(&server, "GET", &format!("/v1/users/{id}/sessions")).await.contains_problem("invalid_request");
        raw(&server, "GET", &format!("/v1/users/u1/sessions/{id}")).await.contains_problem("invalid_request");
    }
    for address in ["..%2Fu2/sessions", "u1/sessions/s1%2Fls", "u1/sessions/s1%2F..%2F..%2Fu2"] {
        raw(&server, "GET", &format!("/v1/users/{address}")).await.contains_problem("invalid_path");
    }
    let not_found = server.get(&format!("{}/v1/users/u1/sessions/s1/files%2Fworkspace/a", server.base)).await;
    not_found.is_problem(404, "route_not_found");
    // It names a user as a whole, and what is done with one is no GET.
    let of_user = format!("{}/v1/users/u1%2Fsessions", server.base);
    server.get(&of_user).await.is_problem(405, "method_not_allowed");
    server.send(Method::DELETE, &of_user, &json!(null)).await.is_problem(400, "invalid_path");
    assert_eq!(VERBS.map(|verb| server.faulty.seen(verb)), before);
}

// S-PATH-8: In the address of a file or a skill, `%2F` is a `/`; in an id it is `invalid_path`.
#[tokio::test]
async fn an_encoded_slash_in_the_path_of_a_file_is_a_slash() {
    let server = Server::start().await;
    server.put("/workspace/a/b", "x").await;
    for path in ["workspace/a/b", "workspace%2Fa%2fb", "workspace/a%2Fb"] {
        let got = server.client.get(server.session(&format!("/files/{path}"))).send().await.unwrap();
        assert_eq!(got.text().await.unwrap(), "x", "{path}");
    }
    // Decoded once, and by its own parser then: what was encoded twice is a name, and nothing leaves the session.
    server.get(&server.session("/files/workspace/a%252Fb")).await.is_problem(404, "file_not_found");
    for path in ["%2Fworkspace%2Fa%2Fb", "workspace%2F..%2F..%2Fu2", "workspace%2Fa%2F%2Fb"] {
        server.get(&server.session(&format!("/files/{path}"))).await.is_problem(400, "invalid_path");
    }
    let other = server.get(&server.user("/sessions/s1%2Ffiles%2Fworkspace%2Fa%2Fb")).await;
    other.is_problem(400, "invalid_path");
}

// S-ERROR-3: An unknown field or a wrong type in a request is `invalid_request`.
#[tokio::test]
async fn bodies_that_do_not_parse_are_refused_with_the_place() {
    let server = Server::start().await;
    let post = async |body: &[u8], content_type: &str| {
        let request = server.client.post(server.session("/ls")).header(header::CONTENT_TYPE, content_type);
        Answer::of(request.body(body.to_vec()).send().await.unwrap()).await
    };
    let nested = format!("{{\"path\": {}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
    for (body, words) in [
        (&br#"{"path": "/", "recursive": true}"#[..], "unknown field `recursive`"),
        (br#"{"path": 7}"#, "expected a string at line 1 column 10"),
        (br#"{"path""#, "EOF"),
        (br"{}", "missing field `path`"),
        (b"", "JSON object"),
        (br#"["/"]"#, "JSON object"),
        (b"{\"path\": \"\xc3\x28\"}", "unicode"),
        (br#"{"path": "/", "path": "/"}"#, "duplicate field"),
        (nested.as_bytes(), "line 1"),
    ] {
        let answer = post(body, "application/json").await;
        let detail = answer.is_problem(400, "invalid_request").json["detail"].as_str().unwrap();
        assert!(detail.contains(words), "{detail}");
    }
    post(b"{\"path\": \"/\"}", "application/json; charset=utf-8").await.is(200);
    post(b"{\"path\": \"/\"}", "text/plain").await.is_problem(415, "invalid_request");
    for query in ["?limit=x", "?limit=-1", "?limt=1", "?limit=99999999999999999999"] {
        server.get(&server.user(&format!("/sessions{query}"))).await.is_problem(400, "invalid_request");
    }
}

#[tokio::test]
async fn patterns_and_numbers_out_of_bounds_are_refused_at_once() {
    let server = Server::start().await;
    server.op("grep", json!({"pattern": "(a{1000}){1000}"})).await.is_problem(400, "invalid_pattern");
    server.op("glob", json!({"pattern": "{a,b}".repeat(20)})).await.is_problem(400, "invalid_pattern");
    server.op("glob", json!({"pattern": "../**"})).await.is_problem(400, "invalid_pattern");
    server.op("read", json!({"file_path": "/workspace/a", "offset": -1})).await.is_problem(400, "invalid_request");
    server.put("/workspace/a", "x\n").await;
    let far = json!({"file_path": "/workspace/a", "offset": u64::MAX, "limit": u64::MAX});
    server.op("read", far).await.is_problem(400, "offset_out_of_range");
    let made = server.send(Method::PUT, &server.session(""), &json!({"vars": {"skills": "x"}})).await;
    made.is_problem(400, "invalid_request");
}

#[tokio::test]
async fn a_json_body_is_taken_at_the_limit_and_refused_beyond_it() {
    let server = Server::start().await;
    let post = async |bytes: usize| {
        let frame = br#"{"path":"/"}"#.len();
        let body = format!("{{\"path\":\"/\"{}}}", " ".repeat(bytes - frame));
        let request = server.client.post(server.session("/ls")).header(header::CONTENT_TYPE, "application/json");
        Answer::of(request.body(body).send().await.unwrap()).await
    };
    post(JSON_BODY_BYTES).await.is(200);
    let refused = post(JSON_BODY_BYTES + 1).await;
    assert_eq!(refused.is_problem(413, "file_too_large").json["limit"], JSON_BODY_BYTES);
}

#[tokio::test]
async fn headers_are_taken_at_the_limit_and_refused_beyond_it() {
    let server = Server::start().await;
    let host = server.base.strip_prefix("http://").unwrap().to_owned();
    let frame = "/healthz".len() + "host".len() + host.len() + 4 + "x-filler".len() + 4;
    let head = |bytes: usize| {
        let filler = "a".repeat(bytes - frame);
        format!("GET /healthz HTTP/1.1\r\nHost: {host}\r\nx-filler: {filler}\r\n\r\n")
    };
    assert!(exchange(&server, &head(HEADER_BYTES)).await.starts_with("HTTP/1.1 200"));
    let refused = exchange(&server, &head(HEADER_BYTES + 1)).await;
    assert!(refused.starts_with("HTTP/1.1 431") && refused.contains("application/problem+json"), "{refused}");
    assert!(exchange(&server, &head(4 * HEADER_BYTES)).await.starts_with("HTTP/1.1 431"));
}

// S-ERROR-5: An address that is no route is `route_not_found`, and a method that a route does not have is
// `method_not_allowed`, with `Allow`.
#[tokio::test]
async fn unknown_routes_and_methods_are_problems_too() {
    let server = Server::start().await;
    for path in ["/", "/v1", "/v1/users/u1/nothing", "/v2/users/u1/sessions"] {
        server.get(&format!("{}{path}", server.base)).await.is_problem(404, "route_not_found");
    }
    let of_user = server.get(&format!("{}/v1/users/u1", server.base)).await;
    assert_eq!(of_user.is_problem(405, "method_not_allowed").header("allow"), "DELETE");
    let wrong = server.send(Method::DELETE, &server.session("/ls"), &json!({})).await;
    assert_eq!(wrong.is_problem(405, "method_not_allowed").header("allow"), "POST");
}

#[tokio::test]
async fn every_reply_has_a_request_id_and_a_sane_one_is_kept() {
    let server = Server::start().await;
    let id_of = async |given: &str| {
        let request = server.client.get(format!("{}/healthz", server.base)).header("x-request-id", given);
        Answer::of(request.send().await.unwrap()).await.header("x-request-id").to_owned()
    };
    assert_eq!(id_of("trace-1.a_b").await, "trace-1.a_b");
    assert_eq!(id_of("a\"b{}").await.len(), 32);
    let (one, two) = (server.get(&server.session("")).await, server.get(&server.session("")).await);
    assert_ne!(one.header("x-request-id"), two.header("x-request-id"));
}

#[tokio::test]
async fn requests_that_contradict_themselves_are_refused() {
    let server = Server::start().await;
    for head in [
        "GET /healthz HTTP/1.1\r\n\r\n",
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n",
        "GET http://evil.example/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "POST /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\nx: a\r\n folded\r\n\r\n",
    ] {
        let answer = exchange(&server, head).await;
        assert!(answer.starts_with("HTTP/1.1 400"), "{head:?}: {answer}");
    }
}

// S-FAIR-7: If the service answers a call before its body has come, it reads the rest for up to 5 seconds, and the
// connection continues. If the body does not end by then, the answer says `connection: close`.
#[tokio::test]
async fn a_connection_goes_on_behind_a_refused_call_whose_body_comes_late() {
    const REFUSED: &str = "POST /v1/users/*/sessions/s1/ls HTTP/1.1\r\nHost: localhost\r\n\
                           Content-Type: application/json\r\nContent-Length: 13\r\n\r\n";
    let server = Server::start().await;
    let connect = || TcpStream::connect(server.base.strip_prefix("http://").unwrap());
    let mut stream = connect().await.unwrap();
    for _ in 0..3 {
        stream.write_all(REFUSED.as_bytes()).await.unwrap();
        // The refusal is made before the body is sent.
        tokio::time::sleep(Duration::from_millis(100)).await;
        stream.write_all(br#"{"path": "/"}"#).await.unwrap();
        let answer = answer_on(&mut stream).await;
        assert!(answer.starts_with("HTTP/1.1 400") && !answer.contains("connection: close"), "{answer}");
    }
    stream.write_all(REFUSED.as_bytes()).await.unwrap();
    let answer = answer_on(&mut stream).await;
    assert!(answer.starts_with("HTTP/1.1 400") && answer.contains("connection: close"), "{answer}");
    assert!(matches!(stream.read(&mut [0; 1]).await, Ok(0)), "it is closed");
    // A client that waits to be asked for its body is not asked.
    let mut asked = connect().await.unwrap();
    let head = REFUSED.replace("Content-Length", "Expect: 100-continue\r\nContent-Length");
    asked.write_all(head.as_bytes()).await.unwrap();
    let answer = answer_on(&mut asked).await;
    assert!(answer.starts_with("HTTP/1.1 400") && answer.contains("connection: close"), "{answer}");
}

/// The next answer on a connection, with its body.
async fn answer_on(stream: &mut TcpStream) -> String {
    let mut answer = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let read = stream.read(&mut buffer).await.unwrap();
        assert!(read > 0, "closed after {:?}", String::from_utf8_lossy(&answer));
        answer.extend_from_slice(&buffer[..read]);
        let text = String::from_utf8_lossy(&answer);
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or_default();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok());
        if length == Some(body.len()) {
            return text.into_owned();
        }
    }
}

/// What the server says to these very bytes, up to where it pauses or closes.
async fn exchange(server: &Server, request: &str) -> String {
    let mut stream = TcpStream::connect(server.base.strip_prefix("http://").unwrap()).await.unwrap();
    // The server may answer and close before it has read everything.
    let _ = stream.write_all(request.as_bytes()).await;
    let mut answer = Vec::new();
    let mut buffer = [0; 4096];
    while let Ok(read @ 1..) = stream.read(&mut buffer).await {
        answer.extend_from_slice(&buffer[..read]);
        if answer.windows(4).any(|window| window == b"\r\n\r\n") && !answer.ends_with(b"\r\n\r\n")
            || read < buffer.len()
        {
            break;
        }
    }
    String::from_utf8_lossy(&answer).into_owned()
}

/// A request whose path reaches the server as it is written here; client libraries would tidy it.
async fn raw(server: &Server, method: &str, path: &str) -> Raw {
    let host = server.base.strip_prefix("http://").unwrap();
    Raw(exchange(server, &format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\n\r\n")).await)
}

struct Raw(String);

impl Raw {
    #[track_caller]
    fn contains_problem(&self, code: &str) {
        let Self(text) = self;
        assert!(text.starts_with("HTTP/1.1 400") && text.contains(&format!("\"code\":\"{code}\"")), "{text}");
    }
}

// S-BUDGET-1: Long work runs in a bounded pool, of which one user holds at most half.
#[tokio::test]
async fn a_long_body_is_parsed_by_a_worker_and_a_short_one_at_once() {
    let server = Server::start().await;
    let write = |bytes: usize| json!({"file_path": "/workspace/a", "content": "x".repeat(bytes), "overwrite": true});
    for (bytes, by_worker) in [(1 << 10, 0), (1 << 20, 1)] {
        let before = server.service.workers().begun();
        server.op("write", write(bytes)).await.is(200);
        assert_eq!(server.service.workers().begun() - before, by_worker, "{bytes}");
    }
}
