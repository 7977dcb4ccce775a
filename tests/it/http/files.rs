//! Files: the operations and the raw bytes.

use std::sync::Arc;

use reqwest::{Method, StatusCode};
use serde_json::json;
use skillmount::{
    handle::ServiceOptions,
    http::HttpConfig,
    limits::UPLOAD_FILE_BYTES,
    store::{CountingStore, MemoryStore, RequestCounts, Verb},
};

use super::{Answer, Server};

#[tokio::test]
async fn every_operation_answers_as_the_contract_says() {
    let server = Server::start().await;
    let root = server.op("ls", json!({"path": "/"})).await;
    let paths: Vec<_> = root.is(200)["entries"].as_array().unwrap().iter().map(|entry| entry["path"].clone()).collect();
    assert_eq!(paths, [json!("/workspace"), json!("/ticket")]);

    let written = server.op("write", json!({"file_path": "/workspace/a.md", "content": "one\ntwo\n"})).await;
    assert_eq!((&written.is(200)["bytes"], &written.json["created"]), (&json!(8), &json!(true)));
    server.op("write", json!({"file_path": "/workspace/a.md", "content": ""})).await.is_problem(409, "already_exists");

    let edited = json!({"file_path": "/workspace/a.md", "old_string": "two", "new_string": "zwei"});
    assert_eq!(server.op("edit", edited.clone()).await.is(200)["occurrences"], 1);
    server.op("edit", edited).await.is_problem(409, "old_string_not_found");

    let read = server.op("read", json!({"file_path": "/workspace/a.md", "offset": 1})).await;
    assert_eq!((&read.is(200)["content"], &read.json["start_line"]), (&json!("zwei\n"), &json!(2)));

    let hits = server.op("grep", json!({"pattern": "zw.i", "path": "/workspace"})).await;
    assert_eq!(hits.is(200)["matches"][0]["line"], 2);
    let files = server.op("grep", json!({"pattern": "one", "output_mode": "files"})).await;
    assert_eq!(files.is(200)["files"], json!(["/workspace/a.md"]));
    let found = server.op("glob", json!({"pattern": "*.md"})).await;
    assert_eq!(found.is(200)["matches"][0]["path"], "/workspace/a.md");

    assert_eq!(server.op("delete", json!({"path": "/workspace/a.md"})).await.is(200)["deleted"], 1);
    server.op("read", json!({"file_path": "/workspace/a.md"})).await.is_problem(404, "file_not_found");
}

// S-TRANSFER-2: The service streams a file over HTTP with Range and ETag, as an attachment that no browser runs.
#[tokio::test]
async fn raw_bytes_come_back_as_they_went_in_and_as_an_attachment() {
    let server = Server::start().await;
    let bytes: Vec<u8> = (0..=255).collect();
    let url = server.session("/files/workspace/odd%20%5B...slug%5D%20caf%C3%A9.bin");
    let put = server.client.put(&url).body(bytes.clone()).send().await.unwrap();
    let tag = put.headers()["etag"].clone();
    let got = server.client.get(&url).send().await.unwrap();
    let headers = got.headers().clone();
    assert_eq!(headers["etag"], tag);
    assert_eq!(headers["content-length"], "256");
    assert_eq!(headers["content-disposition"], "attachment; filename*=UTF-8''odd%20%5B...slug%5D%20caf%C3%A9.bin");
    assert_eq!(headers["content-type"], "application/octet-stream");
    assert_eq!(headers["x-content-type-options"], "nosniff");
    assert!(headers["content-security-policy"].to_str().unwrap().contains("sandbox"));
    assert!(headers["last-modified"].to_str().unwrap().ends_with(" GMT"));
    assert_eq!(headers["x-skillmount-session-version"], "0");
    assert_eq!(got.bytes().await.unwrap(), bytes);

    let head = server.client.head(&url).send().await.unwrap();
    assert_eq!(
        (head.headers()["content-length"].clone(), head.headers()["etag"].clone()),
        ("256".parse().unwrap(), tag)
    );
    assert!(head.bytes().await.unwrap().is_empty());

    assert_eq!(server.client.delete(&url).send().await.unwrap().status(), 204);
    server.get(&url).await.is_problem(404, "file_not_found");
}

// S-TRANSFER-2: The service streams a file over HTTP with Range and ETag, as an attachment that no browser runs.
#[tokio::test]
async fn ranges_give_the_bytes_they_name() {
    let server = Server::start().await;
    let tag = server.put("/workspace/a", "0123456789").await;
    let url = server.session("/files/workspace/a");
    let get = async |range: &str, if_range: Option<&str>| {
        let mut request = server.client.get(&url).header("range", range);
        if let Some(tag) = if_range {
            request = request.header("if-range", tag);
        }
        let response = request.send().await.unwrap();
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let range = headers.get("content-range").map(|value| value.to_str().unwrap().to_owned());
        (status, range, response.text().await.unwrap())
    };
    let part = |range: &str, text: &str| (206, Some(range.to_owned()), text.to_owned());
    assert_eq!(get("bytes=0-0", None).await, part("bytes 0-0/10", "0"));
    assert_eq!(get("bytes=7-", None).await, part("bytes 7-9/10", "789"));
    assert_eq!(get("bytes=-2", None).await, part("bytes 8-9/10", "89"));
    assert_eq!(get("bytes=5-99999999999999999999", None).await, part("bytes 5-9/10", "56789"));
    assert_eq!(get("bytes=1-2", Some(&tag)).await, part("bytes 1-2/10", "12"));
    assert_eq!(get("bytes=1-2", Some("\"other\"")).await, (200, None, "0123456789".to_owned()));
    assert_eq!(get("bytes=2-1", None).await.0, 200, "a malformed range is passed over");
    for outside in ["bytes=10-", "bytes=18446744073709551615-", "bytes=-0"] {
        let request = server.client.get(&url).header("range", outside);
        let answer = Answer::of(request.send().await.unwrap()).await;
        answer.is_problem(416, "offset_out_of_range");
        assert_eq!(answer.header("content-range"), "bytes */10");
    }
}

#[tokio::test]
async fn conditions_are_honoured_on_reading_and_writing() {
    let server = Server::start().await;
    let url = server.session("/files/workspace/a");
    let with = async |method: Method, name: &str, value: &str| {
        let request = server.client.request(method, &url).header(name, value).body("new");
        Answer::of(request.send().await.unwrap()).await
    };
    with(Method::PUT, "if-match", "*").await.is_problem(412, "precondition_failed");
    with(Method::PUT, "if-match", "\"x\"").await.is_problem(412, "precondition_failed");
    with(Method::PUT, "if-none-match", "*").await.is(201);
    with(Method::PUT, "if-none-match", "*").await.is_problem(412, "precondition_failed");
    with(Method::PUT, "if-none-match", "\"x\"").await.is_problem(400, "invalid_request");
    let tag = with(Method::PUT, "if-match", "*").await.header("etag").to_owned();

    for method in [Method::GET, Method::HEAD] {
        let unchanged = with(method, "if-none-match", &format!("\"x\", W/{tag}")).await;
        assert_eq!((unchanged.status, unchanged.header("etag")), (304, tag.as_str()));
    }
    with(Method::GET, "if-none-match", "\"x\"").await.is(200);
    with(Method::GET, "if-match", "\"x\"").await.is_problem(412, "precondition_failed");
    with(Method::GET, "if-match", &tag).await.is(200);

    let newer = with(Method::PUT, "if-match", &tag).await;
    newer.is(200);
    with(Method::PUT, "if-match", &tag).await.is_problem(412, "precondition_failed");
    with(Method::DELETE, "if-match", &tag).await.is_problem(412, "precondition_failed");
    with(Method::DELETE, "if-match", newer.header("etag")).await.is(204);
}

#[tokio::test]
async fn a_write_under_a_condition_looks_once_and_writes_once() {
    let (memory, ledger) = (Arc::new(MemoryStore::like_s3()), Arc::new(RequestCounts::recording()));
    let metered = Arc::new(CountingStore::new(memory.clone(), ledger.clone()));
    let server = Server::over(HttpConfig::default(), ServiceOptions::default(), memory, metered).await;
    let mut tag = server.put("/workspace/a", "old").await;
    for condition in ["*", "TAG", "\"other\", TAG"] {
        let before = ledger.asked().len();
        let put = server.client.put(server.session("/files/workspace/a")).body(condition);
        let put = put.header("if-match", condition.replace("TAG", &tag)).send().await.unwrap();
        assert_eq!(put.status(), 200, "{condition}");
        tag = put.headers()["etag"].to_str().unwrap().to_owned();
        let asked: Vec<_> = ledger.asked()[before..].iter().map(|(verb, _)| *verb).collect();
        assert_eq!(asked, [Verb::Head, Verb::Put], "{condition}");
    }
}

#[tokio::test]
async fn a_write_under_a_condition_needs_no_leave_to_read() {
    let server = Server::start().await;
    server.put("/workspace/a", "old").await;
    let policy = json!({"tools": {"*": "auto", "read": "blocked"}});
    server.send(Method::PUT, &server.user("/policy"), &policy).await.is(200);
    let put = server.client.put(server.session("/files/workspace/a")).header("if-match", "*").body("new");
    Answer::of(put.send().await.unwrap()).await.is(200);
}

#[tokio::test]
async fn a_file_is_taken_at_the_upload_limit_and_refused_beyond_it() {
    let server = Server::start().await;
    let url = server.session("/files/workspace/big");
    let put = async |bytes: usize| Answer::of(server.client.put(&url).body(vec![7; bytes]).send().await.unwrap()).await;
    put(UPLOAD_FILE_BYTES + 1).await.is_problem(413, "file_too_large");
    put(UPLOAD_FILE_BYTES).await.is(200);
    let got = server.client.get(&url).send().await.unwrap();
    assert_eq!(got.bytes().await.unwrap().len(), UPLOAD_FILE_BYTES);
}

#[tokio::test]
async fn a_download_that_fails_on_the_way_is_cut_and_not_passed_off_as_whole() {
    let server = Server::start().await;
    // More than the sockets between the two ends can hold, so that the store is still needed when it goes down.
    server.put("/workspace/big", vec![1; 48 << 20]).await;
    let response = server.client.get(server.session("/files/workspace/big")).send().await.unwrap();
    assert_eq!((response.status(), response.content_length()), (StatusCode::OK, Some(48 << 20)));
    server.faulty.set_down(true);
    assert!(response.bytes().await.is_err());
}
