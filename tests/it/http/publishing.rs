//! Publishing over HTTP: the forms a skill comes in, who may, and what is refused.

use std::{
    io::{Cursor, Read as _, Write as _},
    time::Duration,
};

use reqwest::{Method, multipart::Form};
use serde_json::{Value, json};
use skillmount::{
    access::{Callers, KeyEntry, Keys, Scope},
    clock::SystemClock,
    http::HttpConfig,
    limits::{PUBLISH_JSON_BYTES, SKILL_FILES, UPLOAD_FILE_BYTES, VERSION_UNPACKED_BYTES, VERSION_ZIP_BYTES},
    path::Id,
    store::{Verb, testing::Fault},
};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use zip::{ZipWriter, write::SimpleFileOptions};

use super::{Answer, Server};

const MAIN: &str = "---\nname: demo\ndescription: Shows how.\n---\nBody\n";

pub(super) fn zipped(files: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (path, text) in files {
        zip.start_file(*path, SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

async fn put_zip(server: &Server, only: Option<&str>, zip: Vec<u8>) -> Answer {
    let put =
        server.client.put(server.user("/skills/a/demo?source=git+main")).header("content-type", "application/zip");
    let put = only.into_iter().fold(put, |put, digest| put.header("if-match", format!("\"{digest}\"")));
    Answer::of(put.body(zip).send().await.unwrap()).await
}

// S-PUBLISH-10: A caller publishes a skill as JSON, as a zip archive of its folder or as a part for each file.
#[tokio::test]
async fn a_skill_comes_in_three_forms_and_is_the_same_skill() {
    let server = Server::start().await;
    let answer = put_zip(&server, None, zipped(&[("demo/SKILL.md", MAIN), ("demo/r/a.md", "text")])).await;
    let digest = answer.is(201)["digest"].as_str().unwrap().to_owned();
    assert_eq!(answer.header("etag"), format!("\"{digest}\""));
    assert_eq!((&answer.json["state"], &answer.json["complete"]), (&json!("published"), &json!(true)));

    let form = Form::new().percent_encode_noop().text("SKILL.md", MAIN).text("r/a.md", "text");
    let put = server.client.put(server.user("/skills/a/demo")).multipart(form);
    let again = Answer::of(put.send().await.unwrap()).await;
    assert_eq!((&again.is(200)["status"], &again.json["digest"]), (&json!("unchanged"), &json!(digest)));

    let text = json!({"description": "Shows how: \"this\".", "body": "Other\n", "files": {"r/a.md": "text"}});
    let third = server.send(Method::PUT, &server.user("/skills/a/demo"), &text).await;
    assert_eq!(third.is(200)["status"], "updated");
    let shown = server.get(&server.user("/skills/a/demo")).await;
    assert_eq!(
        (&shown.is(200)["description"], &shown.json["body"]),
        (&json!("Shows how: \"this\"."), &json!("\nOther\n"))
    );

    let old = server.op("load_skill", json!({"skill": "a/demo", "digest": digest})).await;
    assert_eq!((&old.is(200)["version"], &old.json["body"]), (&json!(digest), &json!("Body\n")));
    let read = server.op("read", json!({"file_path": "/skills/demo/SKILL.md"})).await;
    assert_eq!(read.is(200)["content"], MAIN);

    let listed = server.get(&server.user("/versions/a/demo?limit=1")).await;
    assert_eq!(listed.is(200)["versions"].as_array().unwrap().len(), 1);
    let next = listed.json["next_cursor"].as_str().unwrap();
    let rest = server.get(&server.user(&format!("/versions/a/demo?cursor={next}"))).await;
    assert_eq!(rest.is(200)["versions"][0]["source"], "git main");
    assert_eq!(rest.json["next_cursor"], Value::Null);
}

// S-PUBLISH-20: With `If-Match` only the first of concurrent publishers succeeds: the header names the version that the
// skill must have.
#[tokio::test]
async fn a_publish_over_another_version_than_it_names_is_a_conflict() {
    let server = Server::start().await;
    let first = put_zip(&server, None, zipped(&[("SKILL.md", MAIN)])).await.is(201)["digest"].clone();
    let first = first.as_str().unwrap();
    let second = put_zip(&server, Some(first), zipped(&[("SKILL.md", MAIN), ("b", "2")])).await;
    let second = second.is(200)["digest"].clone();
    let late = put_zip(&server, Some(first), zipped(&[("SKILL.md", MAIN), ("b", "3")])).await;
    late.is_problem(409, "version_conflict");
    assert_eq!((&late.json["current"], &late.json["outcome"]), (&second, &json!("not_applied")));
    put_zip(&server, Some("*"), zipped(&[("SKILL.md", MAIN)])).await.is_problem(400, "invalid_request");

    let delete = server.client.delete(server.user("/skills/a/demo")).header("if-match", format!("\"{first}\""));
    Answer::of(delete.send().await.unwrap()).await.is_problem(409, "version_conflict");
    let delete = server.client.delete(server.user("/skills/a/demo")).send().await.unwrap();
    assert_eq!(delete.status(), 204);
    server.get(&server.user("/skills/a/demo")).await.is_problem(404, "skill_not_found");
    let url = server.user("/rollback/a/demo");
    assert_eq!(server.send(Method::POST, &url, &json!({"digest": first})).await.is(201)["digest"], first);
    let absent = format!("sha256:{}", "0".repeat(64));
    server.send(Method::POST, &url, &json!({"digest": absent})).await.is_problem(404, "version_not_found");
    server.send(Method::POST, &url, &json!({"digest": "../x"})).await.is_problem(400, "invalid_request");
}

// S-PUBLISH-2: The service checks a whole skill before it stores anything: paths, size, secrets, and the errors of
// lint.
#[tokio::test]
async fn what_is_no_skill_is_refused_with_findings_and_nothing_is_stored() {
    let server = Server::start().await;
    for (zip, code) in [
        (zipped(&[("SKILL.md", MAIN), ("../x", "x")]), "path_invalid"),
        (zipped(&[("SKILL.md", MAIN), ("/etc/passwd", "x")]), "path_invalid"),
        (zipped(&[("SKILL.md", MAIN), ("a.md", "x"), ("A.md", "x")]), "path_twins"),
        (zipped(&[("SKILL.md", MAIN), (".env", "A=1")]), "secret_file"),
        (zipped(&[("SKILL.md", MAIN), (".git/config", "x")]), "path_invalid"),
        (zipped(&[("SKILL.md", MAIN), ("a/.skillmount.json", "{}")]), "path_invalid"),
        (zipped(&[("SKILL.md", MAIN), ("bin.theirs", "x")]), "merge_marks"),
        (zipped(&[("SKILL.md", MAIN), ("zeros", &"0".repeat(8 << 20))]), "archive_invalid"),
        (zipped(&[("readme.md", "x")]), "skill_file_missing"),
        (zipped(&[("SKILL.md", "none")]), "frontmatter_missing"),
        (b"no zip".to_vec(), "archive_invalid"),
    ] {
        let answer = put_zip(&server, None, zip).await;
        answer.is_problem(400, "invalid_skill");
        assert_eq!(answer.json["findings"][0]["code"], code, "{}", answer.json);
    }
    let url = server.user("/skills/a/demo");
    for wrong in [
        json!({"description": "d"}),
        json!({"description": "d", "body": "b", "frontmatter": {"description": "e"}}),
        json!({"description": "d", "body": "b", "files": {"SKILL.md": "x"}}),
        json!({"description": "d", "body": "b", "layer": "org"}),
        json!([]),
    ] {
        server.send(Method::PUT, &url, &wrong).await.is_problem(400, "invalid_request");
    }
    let plain = server.client.put(&url).header("content-type", "text/plain").body("x").send().await.unwrap();
    Answer::of(plain).await.is_problem(415, "invalid_request");
    let long = server.user(&format!("/skills/a/demo?source={}", "x".repeat(1025)));
    server.send(Method::PUT, &long, &json!({"description": "d", "body": "b"})).await.is_problem(400, "invalid_request");
    server.get(&server.user("/versions/a/demo")).await.is_problem(404, "skill_not_found");
}

// S-PUBLISH-17: Only a key of scope `control` publishes.
#[tokio::test]
async fn publishing_needs_control_and_the_version_keeps_the_name_of_the_key() {
    let user = Id::parse("u1").unwrap();
    let key = |scope| KeyEntry::generate(&SystemClock::new(), Some(&user), vec![scope]);
    let ((agent, one), (control, two)) = (key(Scope::Agent), key(Scope::Control));
    let file = one.to_toml().unwrap() + &two.to_toml().unwrap();
    let callers = Callers { keys: Keys::from_toml(&file).unwrap(), ..Callers::default() };
    let server = Server::with(HttpConfig { callers, ..HttpConfig::default() }).await;
    let put = |key: &str| {
        let put = server.client.put(server.user("/skills/a/demo")).bearer_auth(key);
        put.header("content-type", "application/zip").body(zipped(&[("SKILL.md", MAIN)])).send()
    };
    Answer::of(put(&agent).await.unwrap()).await.is_problem(403, "denied");
    Answer::of(put(&control).await.unwrap()).await.is(201);
    let listed = server.client.get(server.user("/versions/a/demo")).bearer_auth(&agent).send().await.unwrap();
    let listed = Answer::of(listed).await;
    assert!(listed.is(200)["versions"][0]["by"].as_str().is_some_and(|by| !by.is_empty() && !control.contains(by)));
}

// S-PUBLISH-18: A JSON body has up to 16 MiB, and the error about a longer body names the other forms.
#[tokio::test]
async fn json_is_taken_up_to_its_limits_and_refused_beyond_them() {
    let server = Server::start().await;
    let url = server.user("/skills/a/demo");
    let json = async |bytes: usize| {
        let mut body = json!({"description": "Shows how.", "body": "# One"}).to_string();
        body.push_str(&" ".repeat(bytes - body.len()));
        let put = server.client.put(&url).header("content-type", "application/json").body(body);
        Answer::of(put.send().await.unwrap()).await
    };
    json(PUBLISH_JSON_BYTES).await.is(201);
    let over = json(PUBLISH_JSON_BYTES + 1).await;
    let said = over.is_problem(413, "file_too_large").json["detail"].as_str().unwrap();
    for part in ["at most 16 MiB", "application/zip", "multipart/form-data"] {
        assert!(said.contains(part), "{said}");
    }
    assert_eq!(over.json["limit"], PUBLISH_JSON_BYTES);
    assert_eq!(server.service.memory().reserved(), 0);

    // Who waits for leave to send hears at once whether the body is too long.
    let announce = async |bytes: usize| {
        let address = server.base.trim_start_matches("http://");
        let mut line = tokio::net::TcpStream::connect(address).await.unwrap();
        let head = format!(
            "PUT {} HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\ncontent-length: {bytes}\r\nexpect: \
             100-continue\r\n\r\n",
            url.trim_start_matches(&server.base)
        );
        line.write_all(head.as_bytes()).await.unwrap();
        let mut answer = vec![0; 4096];
        let read = line.read(&mut answer).await.unwrap();
        String::from_utf8(answer[..read].to_vec()).unwrap()
    };
    let leave = announce(PUBLISH_JSON_BYTES).await;
    assert!(leave.starts_with("HTTP/1.1 100"), "{leave}");
    let over = announce(PUBLISH_JSON_BYTES + 1).await;
    assert!(over.starts_with("HTTP/1.1 413") && over.contains("at most 16 MiB"), "{over}");
}

// S-PUBLISH-10: A caller publishes a skill as JSON, as a zip archive of its folder or as a part for each file.
#[tokio::test]
async fn parts_are_taken_up_to_their_limits_and_refused_beyond_them() {
    let server = Server::start().await;
    let url = server.user("/skills/a/demo");
    let parts = async |sizes: &[usize]| {
        let mut body = Vec::new();
        for (number, bytes) in sizes.iter().enumerate() {
            write!(body, "--b\r\ncontent-disposition: form-data; name=\"{number}.bin\"\r\n\r\n").unwrap();
            // Zeros that are asked of the allocator, because a debug build would write 600 MiB byte by byte.
            body.append(&mut vec![0_u8; *bytes]);
            body.extend(b"\r\n");
        }
        body.extend(b"--b--\r\n");
        let put = server.client.put(&url).header("content-type", "multipart/form-data; boundary=b");
        Answer::of(put.body(body).send().await.unwrap()).await
    };
    let found = async |sizes: &[usize]| {
        let answer = parts(sizes).await;
        answer.is_problem(400, "invalid_skill").json["findings"][0]["code"].as_str().unwrap().to_owned()
    };
    let most = UPLOAD_FILE_BYTES;
    // Their bytes are taken, and then found to be no skill.
    assert_eq!(found(&[most, most, most, most]).await, "skill_file_missing");
    assert_eq!(found(&[most + 1]).await, "version_too_large");
    let over = parts(&[most, most, most, most, 1]).await;
    let said = over.is_problem(413, "file_too_large").json["detail"].as_str().unwrap();
    assert!(said.contains("at most 256 MiB unpacked"), "{said}");
    assert_eq!(over.json["limit"], VERSION_UNPACKED_BYTES);

    let files = |count: usize| (0..count).map(|_| 0).collect::<Vec<_>>();
    assert_eq!(found(&files(SKILL_FILES)).await, "skill_file_missing");
    let over = parts(&files(SKILL_FILES + 1)).await;
    over.is_problem(413, "file_too_large");
    assert_eq!(server.service.memory().reserved(), 0);
}

// S-LIMIT-1: Every limit stands in `crates/base/src/limits/`; the service takes n and refuses n + 1.
// S-PUBLISH-14: A version has up to 10,000 files, 64 MiB zipped and 256 MiB unpacked, and a file has up to 64 MiB.
#[tokio::test]
async fn an_archive_is_taken_up_to_its_limit_and_refused_beyond_it() {
    let server = Server::start().await;
    // Its bytes are taken, and then found to be no archive.
    let taken = put_zip(&server, None, vec![0; VERSION_ZIP_BYTES]).await;
    assert_eq!(taken.is_problem(400, "invalid_skill").json["findings"][0]["code"], "archive_invalid");
    let over = put_zip(&server, None, vec![0; VERSION_ZIP_BYTES + 1]).await;
    assert_eq!(over.is_problem(413, "file_too_large").json["limit"], VERSION_ZIP_BYTES);
    // What does not say how long it is, is cut when it has come so far.
    let piece = 1 << 20;
    let lengths = std::iter::repeat_n(piece, VERSION_ZIP_BYTES / piece).chain([1]);
    let pieces = lengths.map(|bytes| Ok::<_, std::io::Error>(vec![0_u8; bytes]));
    let body = reqwest::Body::wrap_stream(futures_util::stream::iter(pieces));
    let put = server.client.put(server.user("/skills/a/demo")).header("content-type", "application/zip").body(body);
    let over = Answer::of(put.send().await.unwrap()).await;
    assert_eq!(over.is_problem(413, "file_too_large").json["limit"], VERSION_ZIP_BYTES);
    assert_eq!(server.service.memory().reserved(), 0);
    server.get(&server.user("/skills/a/demo")).await.is_problem(404, "skill_not_found");
}

// S-PUBLISH-2: The service checks a whole skill before it stores anything: paths, size, secrets, and the errors of
// lint.
#[tokio::test]
async fn parts_are_held_to_what_archives_are() {
    let server = Server::start().await;
    for (path, code) in [
        ("../x", "path_invalid"),
        ("/etc/passwd", "path_invalid"),
        (".git/config", "path_invalid"),
        ("skill.md", "path_twins"),
        (".env", "secret_file"),
    ] {
        let form = Form::new().percent_encode_noop().text("SKILL.md", MAIN).text(path, "x");
        let answer = server.client.put(server.user("/skills/a/demo")).multipart(form).send().await.unwrap();
        let answer = Answer::of(answer).await;
        assert_eq!(answer.is_problem(400, "invalid_skill").json["findings"][0]["code"], code);
    }
    let twice = Form::new().percent_encode_noop().text("SKILL.md", MAIN).text("a", "1").text("a", "2");
    let answer = server.client.put(server.user("/skills/a/demo")).multipart(twice).send().await.unwrap();
    assert_eq!(Answer::of(answer).await.is_problem(400, "invalid_skill").json["findings"][0]["code"], "path_twins");
    // Half of a form: the line breaks in the middle of a part.
    let head = "--b\r\ncontent-disposition: form-data; name=\"SKILL.md\"\r\n\r\n";
    let pieces = [Ok(format!("{head}{MAIN}")), Err(std::io::Error::other("the line broke"))];
    let cut = server.client.put(server.user("/skills/a/demo"));
    let cut = cut.header("content-type", "multipart/form-data; boundary=b");
    let body = reqwest::Body::wrap_stream(futures_util::stream::iter(pieces));
    assert!(cut.body(body).send().await.is_err());
    let whole = server.client.put(server.user("/skills/a/demo"));
    let whole = whole.header("content-type", "multipart/form-data; boundary=b").body(format!("{head}{MAIN}"));
    Answer::of(whole.send().await.unwrap()).await.is_problem(400, "invalid_request");
    server.get(&server.user("/versions/a/demo")).await.is_problem(404, "skill_not_found");
    assert_eq!(server.service.memory().reserved(), 0);
}

// S-VERSION-4: A client that accepts `application/zip` gets a skill as a zip archive, and `digest` asks for one version
// of it in either form.
#[tokio::test]
async fn a_skill_is_sent_as_an_archive_as_it_is_and_in_each_version() {
    let server = Server::start().await;
    let url = server.user("/skills/a/demo");
    let get = |query: &str| server.client.get(format!("{url}{query}")).header("accept", "application/zip").send();
    let one = put_zip(&server, None, zipped(&[("SKILL.md", MAIN), ("r/a.md", "one")])).await.is(201)["digest"].clone();
    let one = one.as_str().unwrap();
    let two = put_zip(&server, None, zipped(&[("SKILL.md", MAIN), ("r/a.md", "two")])).await.is(200)["digest"].clone();
    let two = two.as_str().unwrap();
    let by_digest = format!("?digest={one}");
    for (query, digest, text) in [("", two, "two"), (by_digest.as_str(), one, "one")] {
        let sent = get(query).await.unwrap();
        assert_eq!(sent.headers()["etag"], format!("\"{digest}\""));
        assert_eq!(
            (&sent.headers()["content-type"], &sent.headers()["vary"]),
            (&"application/zip".parse().unwrap(), &"accept".parse().unwrap())
        );
        assert_eq!(unzipped(&sent.bytes().await.unwrap()), [("SKILL.md", MAIN), ("r/a.md", text)].map(owned));
        let shown = server.get(&format!("{url}{query}")).await;
        assert_eq!((&shown.is(200)["digest"], &shown.json["body"]), (&json!(digest), &json!("Body\n")));
    }
    // What no version is, is packed on the way: an empty file and one of several pieces among it.
    let long = "long ".repeat(300_000);
    for (path, text) in [("r/a.md", "three"), ("empty", ""), ("z.txt", &long)] {
        server.memory.put_raw(&format!("u1/skills/a/demo/{path}"), text.to_owned());
    }
    let sent = get("").await.unwrap();
    assert!(!sent.headers().contains_key("etag"));
    let found = unzipped(&sent.bytes().await.unwrap());
    assert_eq!(found, [("SKILL.md", MAIN), ("empty", ""), ("r/a.md", "three"), ("z.txt", &*long)].map(owned));
    let absent = format!("{url}?digest=sha256:{}", "0".repeat(64));
    server.get(&absent).await.is_problem(404, "version_not_found");
    server.get(&format!("{url}?digest=x")).await.is_problem(400, "invalid_request");
}

fn owned((path, text): (&str, &str)) -> (String, String) {
    (path.to_owned(), text.to_owned())
}

/// The files of an archive, by their paths.
fn unzipped(bytes: &[u8]) -> Vec<(String, String)> {
    let mut zip = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut files = Vec::new();
    for index in 0..zip.len() {
        let mut file = zip.by_index(index).unwrap();
        let path = file.name().unwrap().into_owned();
        let mut text = String::new();
        file.read_to_string(&mut text).unwrap();
        files.push((path, text));
    }
    files
}

// S-PUBLISH-20: With `If-Match` only the first of concurrent publishers succeeds: the header names the version that the
// skill must have.
#[tokio::test]
async fn a_rollback_is_done_only_if_the_skill_has_the_version_that_if_match_names() {
    let server = Server::start().await;
    let first = put_zip(&server, None, zipped(&[("SKILL.md", MAIN)])).await.is(201)["digest"].clone();
    let first = first.as_str().unwrap();
    let second = put_zip(&server, None, zipped(&[("SKILL.md", MAIN), ("b", "2")])).await.is(200)["digest"].clone();
    let second = second.as_str().unwrap();
    let back = async |tag: &str| {
        let call = server.client.post(server.user("/rollback/a/demo")).header("if-match", tag);
        Answer::of(call.json(&json!({"digest": first})).send().await.unwrap()).await
    };
    let stale = back(&format!("\"{first}\"")).await;
    stale.is_problem(409, "version_conflict");
    assert_eq!((&stale.json["current"], &stale.json["outcome"]), (&json!(second), &json!("not_applied")));
    back("*").await.is_problem(400, "invalid_request");
    assert_eq!(back(&format!("\"{second}\"")).await.is(200)["digest"], first);
}

// S-PUBLISH-3: Readers through the service see the version before a publish or the version after it, whatever fails
// meanwhile, and any server completes it.
#[tokio::test]
async fn a_server_writes_the_files_later_that_a_publish_could_not() {
    let server = Server::start().await;
    server.faulty.for_keys(Verb::Put, "skills/a/demo/SKILL.md", Fault::Refuse);
    let published = put_zip(&server, None, zipped(&[("demo/SKILL.md", MAIN)])).await;
    assert_eq!(published.is(201)["complete"], false);
    server.faulty.clear();
    for _ in 0..100 {
        let listed = server.get(&server.user("/skills")).await;
        if listed.is(200)["skills"][0]["skill"] == "a/demo" {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("nobody wrote SKILL.md");
}
