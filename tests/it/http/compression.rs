//! Answers in gzip, and what is never in it.

use std::io::Read as _;

use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use reqwest::{Method, Response, header};
use serde_json::{Value, json};

use super::{Answer, Server};

const LINES: usize = 2_000;

/// A server with a long text at `/workspace/long`.
async fn with_long_file() -> Server {
    let server = Server::with_skills().await;
    server.put("/workspace/long", "a line of text\n".repeat(LINES)).await;
    server
}

async fn ask(server: &Server, method: Method, url: &str, accept: &str) -> Response {
    let request = server.client.request(method, url).header(header::ACCEPT_ENCODING, accept);
    request.json(&json!({"file_path": "/workspace/long"})).send().await.unwrap()
}

fn header<'a>(response: &'a Response, name: &str) -> &'a str {
    response.headers().get(name).map_or("", |value| value.to_str().unwrap())
}

/// The text of an answer that is in gzip, with its length as announced.
async fn unpacked(response: Response) -> String {
    assert_eq!(header(&response, "content-encoding"), "gzip");
    let announced: usize = header(&response, "content-length").parse().unwrap();
    let bytes = response.bytes().await.unwrap();
    assert_eq!(bytes.len(), announced);
    let mut text = String::new();
    GzDecoder::new(&*bytes).read_to_string(&mut text).unwrap();
    text
}

// S-ENCODING-1: An answer of JSON or text of at least 1 KiB comes in gzip if the request's `accept-encoding` prefers
// that.
#[tokio::test]
async fn documents_are_compressed_for_those_who_ask_and_say_the_same() {
    let server = with_long_file().await;
    let read = server.session("/read");
    let plain: Value = ask(&server, Method::POST, &read, "identity").await.json().await.unwrap();
    let small = ask(&server, Method::POST, &read, "br, gzip").await;
    assert!(header(&small, "content-length").parse::<usize>().unwrap() < LINES);
    assert_eq!(header(&small, "vary"), "accept-encoding");
    assert_eq!(serde_json::from_str::<Value>(&unpacked(small).await).unwrap(), plain);
    while server.service.memory().reserved() > 0 {
        tokio::task::yield_now().await;
    }
    // What cannot be served at all is answered as it is: the call has run, and its answer must not hide that.
    for accept in ["identity", "br", "gzip;q=0", "identity;q=0", "*;q=0"] {
        let answer = ask(&server, Method::POST, &read, accept).await;
        assert_eq!((answer.status().as_u16(), header(&answer, "content-encoding")), (200, ""), "{accept}");
        assert_eq!(answer.json::<Value>().await.unwrap(), plain);
    }
    let short = ask(&server, Method::GET, &format!("{}/healthz", server.base), "gzip").await;
    assert_eq!(header(&short, "content-encoding"), "");
    for (path, part) in
        [("/openapi.json", "\"openapi\":\"3.1.0\""), ("/docs", "<!doctype html>"), ("/guide/", "<!doctype html>")]
    {
        let url = format!("{}{path}", server.base);
        let plain = ask(&server, Method::GET, &url, "identity").await;
        assert_eq!((header(&plain, "content-encoding"), header(&plain, "vary")), ("", "accept-encoding"), "{path}");
        assert!(plain.text().await.unwrap().contains(part), "{path}");
        let text = unpacked(ask(&server, Method::GET, &url, "gzip").await).await;
        assert!(text.contains(part), "{path}");
    }
}

// S-ENCODING-2: The bytes of a file come as they are, whatever `accept-encoding` says, and so does every other answer
// with a strong ETag.
#[tokio::test]
async fn files_keep_their_bytes_their_tags_and_their_ranges() {
    let server = with_long_file().await;
    let url = server.session("/files/workspace/long");
    let get = async |name: header::HeaderName, value: &str| {
        let request = server.client.get(&url).header(header::ACCEPT_ENCODING, "gzip").header(name, value);
        request.send().await.unwrap()
    };
    let whole = get(header::ACCEPT, "*/*").await;
    let tag = header(&whole, "etag").to_owned();
    assert!(tag.starts_with('"') && header(&whole, "content-encoding").is_empty(), "{tag}");
    assert_eq!((header(&whole, "content-length"), header(&whole, "accept-ranges")), ("30000", "bytes"));
    assert_eq!(whole.bytes().await.unwrap().len(), 30_000);
    let part = get(header::RANGE, "bytes=0-9999").await;
    assert_eq!((part.status().as_u16(), header(&part, "content-encoding")), (206, ""));
    assert_eq!(part.bytes().await.unwrap().len(), 10_000);
    assert_eq!(get(header::IF_NONE_MATCH, &tag).await.status(), 304);
    let paths = json!({"paths": ["/workspace/long"]});
    let many = server.client.post(server.session("/download")).header(header::ACCEPT_ENCODING, "gzip").json(&paths);
    assert_eq!(header(&many.send().await.unwrap(), "content-encoding"), "");
    let name = "n".repeat(250);
    let deep = server.session(&format!("/files/workspace/{name}/{name}/{name}/{}", &name[30..]));
    let put = server.client.put(deep).header(header::ACCEPT_ENCODING, "gzip").body("x").send().await.unwrap();
    assert!(header(&put, "etag").starts_with('"') && header(&put, "content-encoding").is_empty());
}

// S-ENCODING-4: The tags of a prompt and of the tools are weak, and the same with and without gzip.
#[tokio::test]
async fn a_prompt_has_one_weak_tag_however_it_travels() {
    let server = Server::start().await;
    for n in 0..30 {
        let skill = format!("---\nname: s{n}\ndescription: What skill number {n} is for, at some length\n---\n# S\n");
        server.memory.put_raw(&format!("u1/skills/s{n}/SKILL.md"), skill);
    }
    let url = server.session("/prompt");
    let plain = ask(&server, Method::GET, &url, "identity").await;
    let tag = header(&plain, "etag").to_owned();
    assert!(tag.starts_with("W/\""), "{tag}");
    let plain = plain.text().await.unwrap();
    let small = ask(&server, Method::GET, &url, "gzip").await;
    assert_eq!(header(&small, "etag"), tag);
    assert_eq!(unpacked(small).await, plain);
    let again = server.client.get(&url).header(header::ACCEPT_ENCODING, "gzip").header(header::IF_NONE_MATCH, &tag);
    let again = again.send().await.unwrap();
    assert_eq!((again.status().as_u16(), header(&again, "etag")), (304, &*tag));
    assert!(header(&again, "vary").contains("accept-encoding"));
}

// S-ENCODING-3: The service refuses a request with a `content-encoding` with 415, so no body grows on its way in.
#[tokio::test]
async fn a_compressed_body_is_refused_and_not_stored_as_if_it_were_the_file() {
    let server = Server::start().await;
    let mut bomb = GzEncoder::new(Vec::new(), Compression::best());
    std::io::copy(&mut std::io::repeat(b' ').take(64 << 20), &mut bomb).unwrap();
    let bomb = bomb.finish().unwrap();
    for (method, path) in [(Method::POST, "/read"), (Method::PUT, "/files/workspace/a"), (Method::POST, "/upload")] {
        let request = server.client.request(method, server.session(path)).header(header::CONTENT_ENCODING, "gzip");
        let request = request.header(header::CONTENT_TYPE, "application/json").body(bomb.clone());
        Answer::of(request.send().await.unwrap()).await.is_problem(415, "invalid_request");
    }
    assert_eq!(server.faulty.seen(skillmount::store::Verb::Put), 0);
    let named = server.client.put(server.session("/files/workspace/a")).header(header::CONTENT_ENCODING, "identity");
    assert_eq!(named.body("x").send().await.unwrap().status(), 200);
}
