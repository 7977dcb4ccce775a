//! The memory of calls: what they reserve, that they wait for it, and that waiting is all it takes.

use reqwest::{Method, header};
use serde_json::{Value, json};
use skillmount::{
    context::Budgets,
    handle::ServiceOptions,
    http::HttpConfig,
    limits::{DOWNLOAD_WINDOW_BYTES, JSON_BODY_BYTES, MEMORY_LEAST_BYTES, TEXT_BODY_BYTES, UPLOAD_WINDOW_BYTES},
};
use tempfile::TempDir;
use tokio::task::JoinSet;

use super::{Answer, Server};

const MIB: usize = 1 << 20;

/// A server with the least memory that can be configured: 104 MiB for calls, 26 for those of one user.
async fn small_server() -> Server {
    let budgets = Budgets { memory: MEMORY_LEAST_BYTES, ..Budgets::default() };
    Server::serving(HttpConfig::default(), ServiceOptions { budgets, ..ServiceOptions::default() }).await
}

/// The answers to as many calls at once.
async fn at_once<F>(calls: usize, call: impl Fn(usize) -> F) -> Vec<Answer>
where
    F: Future<Output = Answer> + Send + 'static,
{
    let mut all = JoinSet::new();
    for n in 0..calls {
        all.spawn(call(n));
    }
    all.join_all().await
}

/// That the calls really shared what there is, and gave all of it back.
async fn has_shared(server: &Server, at_least: u64) {
    let memory = server.service.memory();
    assert!((at_least..=memory.capacity()).contains(&memory.peak()), "{}", memory.peak());
    while memory.reserved() > 0 {
        tokio::task::yield_now().await;
    }
}

fn post(server: &Server, operation: &str, body: &Value) -> impl Future<Output = Answer> + Send + use<> {
    let request = server.client.post(server.session(&format!("/{operation}"))).json(body);
    async move { Answer::of(request.send().await.unwrap()).await }
}

fn put(server: &Server, path: &str, bytes: Vec<u8>) -> impl Future<Output = Answer> + Send + use<> {
    let request = server.client.put(server.session(&format!("/files{path}"))).body(bytes);
    async move { Answer::of(request.send().await.unwrap()).await }
}

// S-BUDGET-3: A request reserves its memory once its body has come.
#[tokio::test]
async fn large_bodies_wait_for_each_other_and_none_is_refused() {
    let server = small_server().await;
    let text = "x".repeat(3 * MIB);
    let write = |n| post(&server, "write", &json!({"file_path": format!("/workspace/{n}"), "content": text}));
    for answer in at_once(16, write).await {
        answer.is(200);
    }
    has_shared(&server, 3 * 3 * MIB as u64).await;
    let mut blocks: Vec<Value> = (0..50).map(|n| json!({"type": "text", "text": "x".repeat(40_000), "n": n})).collect();
    blocks.push(json!({"type": "tool_use", "id": "1", "name": "none"}));
    for answer in at_once(12, |_| post(&server, "tool_calls", &json!({"content": blocks}))).await {
        answer.is(200);
    }
    has_shared(&server, 24 * MIB as u64).await;

    // Each line break takes two bytes in JSON. The call takes more than twice the part of its user.
    let large = "\n".repeat(9 * MIB);
    let write = |n| post(&server, "write", &json!({"file_path": format!("/workspace/large-{n}"), "content": large}));
    for answer in at_once(3, write).await {
        answer.is(200);
    }
}

#[tokio::test]
async fn searches_wait_for_each_other_and_none_is_refused() {
    let server = small_server().await;
    for n in 0..4 {
        server.put(&format!("/workspace/{n}"), "a line\n".repeat(100_000)).await;
    }
    let grep = json!({"pattern": "no such", "path": "/workspace"});
    for answer in at_once(24, |_| post(&server, "grep", &grep)).await {
        assert_eq!(answer.is(200)["matches"], json!([]));
    }
    has_shared(&server, 16 * MIB as u64).await;
}

// S-MEMORY-1: An upload over 1 MiB waits on disk for memory, and then is one PUT.
#[tokio::test]
async fn many_large_uploads_at_once_all_arrive() {
    let server = small_server().await;
    let size = 5 * MIB;
    let file = |n: usize| (0..size).map(move |at| u8::try_from((at * 7 + n) % 251).unwrap()).collect::<Vec<_>>();
    for answer in at_once(24, |n| put(&server, &format!("/workspace/{n}"), file(n))).await {
        answer.is(200);
    }
    has_shared(&server, size as u64).await;
    for n in [0, 23] {
        let got = server.client.get(server.session(&format!("/files/workspace/{n}"))).send().await.unwrap();
        assert!(got.bytes().await.unwrap() == file(n), "{n}");
    }
    assert_eq!(server.faulty.seen(skillmount::store::Verb::Put), 24, "one PUT each");
    let form = (0..3).fold(reqwest::multipart::Form::new(), |form, n| {
        form.part(format!("/ticket/{n}"), reqwest::multipart::Part::bytes(file(n)))
    });
    let uploaded = Answer::of(
        server.client.post(server.session("/upload")).multipart(form.percent_encode_noop()).send().await.unwrap(),
    )
    .await;
    for file in uploaded.is(200)["files"].as_array().unwrap() {
        assert!(file["error"].is_null(), "{file}");
    }
    has_shared(&server, size as u64).await;
}

#[tokio::test]
async fn an_upload_goes_to_disk_above_its_window_whether_its_length_is_known_or_not() {
    let folder = TempDir::new().unwrap();
    let spool = Some(folder.path().join("not there"));
    let server = Server::with(HttpConfig { spool, ..HttpConfig::default() }).await;
    let window = usize::try_from(UPLOAD_WINDOW_BYTES).unwrap();
    put(&server, "/workspace/a", vec![0; window]).await.is(200);
    let refused = put(&server, "/workspace/b", vec![0; window + 1]).await;
    assert_eq!(refused.is_problem(503, "store_unavailable").json["outcome"], "not_applied");
    let unknown = async |bytes: usize| {
        let pieces = futures_util::stream::iter([Ok::<_, std::io::Error>(vec![0; bytes])]);
        let put = server.client.put(server.session("/files/workspace/c")).body(reqwest::Body::wrap_stream(pieces));
        Answer::of(put.send().await.unwrap()).await
    };
    unknown(window).await.is(200);
    unknown(window + 1).await.is_problem(503, "store_unavailable");
    server.op("read", json!({"file_path": "/workspace/b"})).await.is_problem(404, "file_not_found");
}

#[tokio::test]
async fn a_slow_upload_holds_disk_and_no_memory() {
    let server = small_server().await;
    let (more, pieces) = tokio::sync::mpsc::unbounded_channel::<Result<Vec<u8>, std::io::Error>>();
    let pieces = futures_util::stream::unfold(pieces, |mut pieces| async { Some((pieces.recv().await?, pieces)) });
    let request = server.client.put(server.session("/files/workspace/a")).body(reqwest::Body::wrap_stream(pieces));
    let sent = tokio::spawn(async move { Answer::of(request.send().await.unwrap()).await });
    more.send(Ok(vec![1; 3 * MIB])).unwrap();
    while server.service.memory().peak() == 0 || server.service.memory().reserved() > 0 {
        tokio::task::yield_now().await;
    }
    assert!(metrics(&server).await.contains("skillmount_calls 1\n"), "the call goes on");
    assert!(server.service.memory().peak() <= MIB as u64, "its first MiB was in memory");
    more.send(Ok(vec![2; 3 * MIB])).unwrap();
    drop(more);
    assert_eq!(sent.await.unwrap().is(200)["bytes"], 6 * MIB);
    assert_eq!(server.service.memory().peak(), 6 * MIB as u64);
}

async fn metrics(server: &Server) -> String {
    server.client.get(format!("{}/metrics", server.base)).send().await.unwrap().text().await.unwrap()
}

// S-MEMORY-2: A download holds one piece of a file at a time, and the next download of its user waits for it.
#[tokio::test]
async fn downloads_that_nobody_reads_hold_their_windows_and_others_wait() {
    let server = small_server().await;
    server.put("/workspace/big", vec![1; 24 * MIB]).await;
    let url = server.session("/files/workspace/big");
    let each = 2 * DOWNLOAD_WINDOW_BYTES + (256 << 10);
    let fit = usize::try_from(server.service.memory().shares().part() / each).unwrap();
    let mut unread = Vec::new();
    for _ in 0..fit {
        unread.push(server.client.get(&url).send().await.unwrap());
    }
    assert_eq!(server.service.memory().reserved(), fit as u64 * each);
    let next = tokio::spawn(server.client.get(&url).send());
    let others = url.replace("/u1/", "/u2/");
    Answer::of(server.client.get(others).send().await.unwrap()).await.is_problem(404, "file_not_found");
    assert!(!next.is_finished());
    assert_eq!(server.service.memory().reserved(), fit as u64 * each);
    drop(unread.pop());
    let read = next.await.unwrap().unwrap();
    assert_eq!(read.status(), 200);
    assert_eq!(read.bytes().await.unwrap().len(), 24 * MIB);
    drop(unread);
    has_shared(&server, fit as u64 * each).await;
}

// S-LIMIT-1: Every limit stands in `crates/base/src/limits/`; the service takes n and refuses n + 1.
#[tokio::test]
async fn only_calls_that_carry_the_text_of_files_take_long_bodies() {
    let server = Server::start().await;
    let padded = |body: Value, bytes: usize| {
        let text = body.to_string();
        let end = " ".repeat(bytes - text.len());
        format!("{}{end}}}", &text[..text.len() - 1])
    };
    let send = async |operation: &str, body: String| {
        let request = server.client.request(Method::POST, server.session(&format!("/{operation}")));
        Answer::of(request.header(header::CONTENT_TYPE, "application/json").body(body).send().await.unwrap()).await
    };
    let write = json!({"file_path": "/workspace/a", "content": "x", "overwrite": true});
    let edit = json!({"file_path": "/workspace/a", "old_string": "x", "new_string": "x"});
    for (operation, body) in [("write", write), ("edit", edit), ("tool_calls", json!({"content": []}))] {
        assert_ne!(send(operation, padded(body.clone(), TEXT_BODY_BYTES)).await.status, 413, "{operation}");
        let refused = send(operation, padded(body, TEXT_BODY_BYTES + 1)).await;
        assert_eq!(refused.is_problem(413, "file_too_large").json["limit"], TEXT_BODY_BYTES, "{operation}");
    }
    let read = json!({"file_path": "/workspace/a"});
    send("read", padded(read.clone(), JSON_BODY_BYTES)).await.is(200);
    send("read", padded(read, JSON_BODY_BYTES + 1)).await.is_problem(413, "file_too_large");
}
