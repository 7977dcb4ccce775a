//! Many files in one request.

use reqwest::multipart::{Form, Part};
use serde_json::json;
use skillmount::limits::{TRANSFER_FILES, UPLOAD_FILE_BYTES};

use super::{Answer, Server};

async fn upload(server: &Server, form: Form) -> Answer {
    Answer::of(
        server.client.post(server.session("/upload")).multipart(form.percent_encode_noop()).send().await.unwrap(),
    )
    .await
}

#[tokio::test]
async fn each_file_of_an_upload_has_its_own_outcome_in_order() {
    let server = Server::start().await;
    let form = Form::new()
        .part("/workspace/a", Part::bytes(vec![0, 1, 2]))
        .part("/workspace/../b", Part::bytes(vec![1]))
        .part("/skills/x", Part::bytes(vec![1]))
        .part("/workspace/too big", Part::bytes(vec![0; UPLOAD_FILE_BYTES + 1]))
        .part("/workspace/ñ", Part::bytes(vec![3]));
    let answer = upload(&server, form).await;
    let files = answer.is(200)["files"].as_array().unwrap();
    let errors: Vec<_> = files.iter().map(|file| file["error"].as_str().unwrap_or("")).collect();
    assert_eq!(errors, ["", "invalid_path", "read_only", "file_too_large", ""]);
    assert!(files[0]["etag"].is_string() && files[1]["etag"].is_null());
    assert_eq!(files[4]["path"], "/workspace/ñ");
    let got = server.client.get(server.session("/files/workspace/a")).send().await.unwrap();
    assert_eq!(&*got.bytes().await.unwrap(), [0, 1, 2]);
}

// S-TRANSFER-3: The name of an uploaded part is the file's path, however its client escapes a quote or a backslash in it.
#[tokio::test]
async fn a_part_arrives_under_the_name_that_was_meant() {
    let server = Server::start().await;
    for (written, meant) in [
        (r#"name="/workspace/q%22x.md""#, "/workspace/q\"x.md"),
        (r#"name="/workspace/q\"y.md"; filename="f""#, "/workspace/q\"y.md"),
        (r#"name="/workspace/a\b.md""#, "/workspace/a\\b.md"),
        (r#"name="/workspace/c\\d.md""#, "/workspace/c\\d.md"),
        (r#"filename="name=z"; name="/workspace/100%.md""#, "/workspace/100%.md"),
        (r"name*=utf-8''%2Fworkspace%2Fe%22%C3%B1.md", "/workspace/e\"ñ.md"),
    ] {
        let body = format!("--b\r\ncontent-disposition: form-data; {written}\r\n\r\n{meant}\r\n--b--\r\n");
        let request = server.client.post(server.session("/upload"));
        let request = request.header("content-type", "multipart/form-data; boundary=b").body(body);
        let answer = Answer::of(request.send().await.unwrap()).await;
        assert_eq!(
            (&answer.is(200)["files"][0]["path"], &answer.json["files"][0]["error"]),
            (&json!(meant), &json!(null))
        );
        let read = server.op("read", json!({"file_path": meant})).await;
        assert_eq!(read.is(200)["content"], meant, "{written}");
    }
}

#[tokio::test]
async fn an_upload_takes_so_many_files_and_no_more() {
    let server = Server::start().await;
    let form = |count: usize| (0..count).fold(Form::new(), |form, at| form.text(format!("/workspace/{at}"), ""));
    assert_eq!(upload(&server, form(TRANSFER_FILES)).await.is(200)["files"].as_array().unwrap().len(), TRANSFER_FILES);
    let refused = upload(&server, form(TRANSFER_FILES + 1)).await;
    refused.is_problem(413, "file_too_large");
    assert_eq!(refused.json["files"].as_array().unwrap().len(), TRANSFER_FILES, "it says what became of the others");
    assert_eq!(refused.json["outcome"], "partial", "all but the last are stored");
}

#[tokio::test]
async fn an_upload_that_is_none_or_breaks_off_is_refused() {
    let server = Server::start().await;
    server.op("upload", json!({})).await.is_problem(400, "invalid_request");
    let cut = "--b\r\ncontent-disposition: form-data; name=\"/workspace/a\"\r\n\r\nhalf";
    let request =
        server.client.post(server.session("/upload")).header("content-type", "multipart/form-data; boundary=b");
    let answer = Answer::of(request.body(cut).send().await.unwrap()).await;
    assert!(!answer.json["files"][0]["etag"].is_string(), "{}", answer.json);
    server.op("read", json!({"file_path": "/workspace/a"})).await.is_problem(404, "file_not_found");
}

#[tokio::test]
async fn a_download_has_a_part_for_each_path_in_order() {
    let server = Server::start().await;
    server.put("/workspace/a b", vec![0, 255, 10]).await;
    server.put("/workspace/empty", Vec::new()).await;
    let paths = json!({"paths": ["/workspace/a b", "/workspace/no", "/workspace/empty", "bad"]});
    let response = server.client.post(server.session("/download")).json(&paths).send().await.unwrap();
    let kind = response.headers()["content-type"].to_str().unwrap().to_owned();
    let boundary = kind.strip_prefix("multipart/mixed; boundary=").unwrap();
    let bytes = response.bytes().await.unwrap();
    let text: String = bytes.iter().map(|byte| char::from(*byte)).collect();
    let parts: Vec<_> = text.split(&format!("--{boundary}")).collect();
    assert_eq!((parts.len(), parts[0], parts[5]), (6, "", "--\r\n"));
    assert!(
        parts[1].contains("content-location: /workspace/a%20b\r\n") && parts[1].ends_with("\r\n\r\n\0\u{ff}\n\r\n"),
        "{text}"
    );
    assert!(parts[2].contains("x-error: file_not_found\r\n") && !parts[1].contains("x-error"));
    assert!(parts[3].contains("content-length: 0\r\n") && parts[3].ends_with("\r\n\r\n\r\n"));
    assert!(parts[4].contains("x-error: invalid_path\r\n"));
}

// S-TRANSFER-4: A download is `multipart/mixed`, or one JSON document with the bytes in base64 for a client that accepts
// `application/json`.
#[tokio::test]
async fn a_download_as_json_has_the_bytes_in_base64() {
    let server = Server::start().await;
    // More than one piece of base64, and an odd number of bytes.
    let large: Vec<u8> = (0..200_000_u32).map(|at| u8::try_from(at % 251).unwrap()).collect();
    for (path, bytes) in
        [("/workspace/a", vec![0, 255, 10, 7]), ("/workspace/empty", vec![]), ("/workspace/l", large.clone())]
    {
        server.put(path, bytes).await;
    }
    let paths = json!({"paths": ["/workspace/a", "/workspace/no \"x\"", "/workspace/empty", "/workspace/l", "bad"]});
    let ask = server.client.post(server.session("/download")).header("accept", "application/json").json(&paths);
    let answer = Answer::of(ask.send().await.unwrap()).await;
    assert_eq!((answer.header("content-type"), answer.header("vary")), ("application/json", "accept"));
    let files = answer.is(200)["files"].as_array().unwrap();
    let given: Vec<_> = files.iter().map(|file| file["path"].clone()).collect();
    assert_eq!(json!(given), paths["paths"]);
    assert_eq!((&files[0]["content"], &files[2]["content"]), (&json!("AP8KBw=="), &json!("")));
    assert!(files[0]["etag"].is_string() && files[0].get("error").is_none());
    assert_eq!((&files[1]["error"], &files[4]["error"]), (&json!("file_not_found"), &json!("invalid_path")));
    assert!(files[1]["detail"].is_string() && files[1].get("content").is_none());
    let text = files[3]["content"].as_str().unwrap();
    assert_eq!(text.len(), large.len().div_ceil(3) * 4);
    assert!(text.trim_end_matches('=').bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/".contains(&byte)));
    assert_eq!(base64_of(&large), text);
    let none = json!({"paths": []});
    let ask = server.client.post(server.session("/download")).header("accept", "application/json").json(&none);
    assert_eq!(Answer::of(ask.send().await.unwrap()).await.json, json!({"files": []}));
}

/// Base64 once more, so that the service is not held against its own crate.
fn base64_of(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let group = |group: &[u8]| {
        let bits = (0..3).fold(0_usize, |bits, at| bits << 8 | usize::from(group.get(at).copied().unwrap_or(0)));
        let digit = |at: usize| if at > group.len() { '=' } else { char::from(DIGITS[bits >> (18 - 6 * at) & 63]) };
        (0..4).map(digit).collect::<String>()
    };
    bytes.chunks(3).map(group).collect()
}

#[tokio::test]
async fn a_download_takes_so_many_paths_and_no_more() {
    let server = Server::start().await;
    let paths = |count: usize| json!({"paths": vec!["bad"; count]});
    let url = server.session("/download");
    assert_eq!(server.client.post(&url).json(&paths(TRANSFER_FILES)).send().await.unwrap().status(), 200);
    server.op("download", paths(TRANSFER_FILES + 1)).await.is_problem(400, "invalid_request");
}
