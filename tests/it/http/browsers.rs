//! Pages of other origins: what they are told, what they are refused, and both in a real browser.

use std::{process::Stdio, time::Duration};

use axum::{
    Router,
    response::Html,
    routing::{get, post},
};
use reqwest::{Method, header};
use serde_json::{Value, json};
use skillmount::{
    access::{Callers, Keys, PeerRules},
    http::HttpConfig,
    store::Verb,
};
use tokio::{
    net::TcpListener,
    process::Command,
    sync::{mpsc, watch},
};

use super::{Answer, Server, refusals};
use crate::support::{browser, packages::ready};

const APP: &str = "https://app.example.com";
const KEY: &str = "k";
/// Much longer than a browser takes to start on a busy machine.
const BROWSER_PATIENCE: Duration = Duration::from_mins(2);

fn peers(origins: &[&str]) -> PeerRules {
    PeerRules { origins: origins.iter().map(|origin| (*origin).to_owned()).collect(), ..PeerRules::default() }
}

/// A server with a key that pages of these origins may call.
async fn open_to(origins: &[&str]) -> Server {
    let keys = Keys::single(KEY).unwrap();
    Server::with(HttpConfig {
        callers: Callers { keys, peers: peers(origins), ..Callers::default() },
        ..HttpConfig::default()
    })
    .await
}

async fn from_page(server: &Server, origin: &str, method: Method, url: &str) -> Answer {
    let request = server.client.request(method, url).bearer_auth(KEY).header(header::ORIGIN, origin);
    Answer::of(request.send().await.unwrap()).await
}

async fn preflight(server: &Server, origin: &str, method: &str, url: &str) -> Answer {
    let request = server.client.request(Method::OPTIONS, url).header(header::ORIGIN, origin);
    let request = request.header(header::ACCESS_CONTROL_REQUEST_METHOD, method);
    let request = request.header(header::ACCESS_CONTROL_REQUEST_HEADERS, "authorization,content-type,x-anything");
    let response = request.send().await.unwrap();
    // No operation answers a preflight, so no operation declares its status.
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    let json: Value = serde_json::from_slice(&response.bytes().await.unwrap()).unwrap_or_default();
    refusals::count(json["code"].as_str());
    Answer { status, headers, json }
}

/// The parts of a header that is a list.
fn list<'a>(answer: &'a Answer, name: &str) -> Vec<&'a str> {
    let values = answer.headers.get_all(name).iter().map(|value| value.to_str().unwrap());
    values.flat_map(|value| value.split(',')).map(str::trim).collect()
}

/// That no header says anything of origins, but that caches keep answers to different ones apart.
#[track_caller]
fn says_nothing(answer: &Answer) {
    let said: Vec<_> = answer.headers.keys().filter(|name| name.as_str().starts_with("access-control-")).collect();
    assert!(said.is_empty(), "{said:?}");
}

// S-PEER-1: A page whose origin is in `origins` can make every call and read every answer, errors too.
#[tokio::test]
async fn a_page_of_a_listed_origin_reads_every_answer() {
    let server = open_to(&[APP, "https://other.example"]).await;
    let file = server.session("/files/workspace/a");
    let calls = [
        (Method::GET, format!("{}/healthz", server.base), 200),
        (Method::GET, server.session(""), 200),
        (Method::PUT, file.clone(), 200),
        (Method::GET, file.clone(), 200),
        (Method::GET, server.session("/files/workspace/none"), 404),
        (Method::GET, format!("{}/no/such/route", server.base), 404),
        (Method::POST, server.session(""), 405),
        (Method::GET, server.session("/files/workspace/a"), 503),
    ];
    for (method, url, status) in calls {
        server.faulty.set_down(status == 503);
        let answer = from_page(&server, APP, method.clone(), &url).await;
        assert_eq!(answer.status, status, "{method} {url}: {}", answer.json);
        assert_eq!(answer.header("access-control-allow-origin"), APP, "{method} {url}");
        assert!(list(&answer, "vary").contains(&"origin"), "{method} {url}");
        assert!(!answer.headers.contains_key("access-control-allow-credentials"));
        let exposed = list(&answer, "access-control-expose-headers");
        for name in ["etag", "retry-after", "content-range", "x-request-id", "x-skillmount-session-version"] {
            assert!(exposed.contains(&name), "{name}");
        }
    }
    let without_key = server.client.get(&file).header(header::ORIGIN, APP).send().await.unwrap();
    let without_key = Answer::of(without_key).await;
    assert_eq!((without_key.status, without_key.header("access-control-allow-origin")), (401, APP));
}

// S-PEER-2: A page of any other origin learns nothing about the permitted callers, and can read no answer.
#[tokio::test]
async fn a_page_of_another_origin_is_told_nothing() {
    let server = open_to(&[APP, "null"]).await;
    let url = server.session("");
    for origin in ["https://evil.example", "https://app.example.com.evil.example", "http://app.example.com", "null"] {
        let refused = from_page(&server, origin, Method::GET, &url).await;
        says_nothing(refused.is_problem(403, "denied"));
        says_nothing(preflight(&server, origin, "GET", &url).await.is_problem(403, "denied"));
    }
    let own = from_page(&server, &server.base, Method::GET, &url).await;
    own.is(200);
    says_nothing(&own);
    let no_page = server.client.get(&url).bearer_auth(KEY).send().await.unwrap();
    let no_page = Answer::of(no_page).await;
    says_nothing(&no_page);
    assert!(list(&no_page, "vary").contains(&"origin"), "a cache must not give this to a page that may read it");

    // Without keys a page of this machine is answered, and may not read that either unless it is listed.
    let open = Server::with(HttpConfig {
        callers: Callers { peers: peers(&["http://localhost:5173"]), ..Callers::default() },
        ..HttpConfig::default()
    })
    .await;
    for (origin, status) in [("http://localhost:3000", 405), ("http://localhost:5173", 200)] {
        let answer = from_page(&open, origin, Method::GET, &open.session("")).await;
        answer.is(200);
        let asked = preflight(&open, origin, "PUT", &open.session("")).await;
        assert_eq!(asked.status, status);
        if status == 405 {
            says_nothing(&answer);
            says_nothing(&asked);
        } else {
            assert_eq!(answer.header("access-control-allow-origin"), origin);
        }
    }
}

// S-PEER-3: A preflight needs no key and asks nothing of the store, on every route.
#[tokio::test]
async fn a_preflight_is_answered_for_every_route_and_asks_for_nothing() {
    let server = open_to(&[APP]).await;
    let document = serde_json::to_value(skillmount::http::openapi()).unwrap();
    let mut asked = 0;
    for (path, item) in document["paths"].as_object().unwrap() {
        for method in ["get", "head", "put", "post", "patch", "delete"].iter().filter(|of| item.get(**of).is_some()) {
            let method = method.to_uppercase();
            let answer = preflight(&server, APP, &method, &format!("{}{path}", server.base)).await;
            assert_eq!((answer.status, answer.header("access-control-allow-origin")), (200, APP), "{method} {path}");
            assert!(list(&answer, "access-control-allow-methods").contains(&&*method), "{method} {path}");
            assert_eq!(answer.header("access-control-max-age"), "7200");
            let headers = list(&answer, "access-control-allow-headers");
            for name in [
                "authorization",
                "content-type",
                "if-match",
                "if-none-match",
                "range",
                "x-request-id",
                "x-skillmount-session-version",
                "x-skillmount-call-id",
                "x-skillmount-result-details",
            ] {
                assert!(headers.contains(&name), "{name}");
            }
            assert!(!headers.contains(&"*") && !headers.contains(&"x-anything"), "{headers:?}");
            asked += 1;
        }
    }
    assert!(asked > 30, "{asked}");
    for verb in [Verb::Get, Verb::Put, Verb::Head, Verb::List, Verb::Delete] {
        assert_eq!(server.faulty.seen(verb), 0, "{verb:?}");
    }
}

// S-STOP-2: After SIGHUP the service reads the keys, hosts and origins again, and keeps the old ones if the new have a
// fault.
#[tokio::test]
async fn origins_that_change_count_at_once() {
    let keys = Keys::single(KEY).unwrap();
    let callers = |origins: &[&str]| Callers { keys: keys.clone(), peers: peers(origins), ..Callers::default() };
    let (change, changes) = watch::channel(callers(&[APP]));
    let config = HttpConfig {
        callers: Callers { keys: keys.clone(), peers: peers(&[APP]), ..Callers::default() },
        caller_updates: Some(changes),
        ..HttpConfig::default()
    };
    let server = Server::with(config).await;
    let url = server.session("");
    from_page(&server, APP, Method::GET, &url).await.is(200);
    let new = "https://new.example";
    from_page(&server, new, Method::GET, &url).await.is_problem(403, "denied");
    change.send(callers(&[new])).unwrap();
    while preflight(&server, new, "GET", &url).await.status != 200 {
        tokio::task::yield_now().await;
    }
    assert_eq!(from_page(&server, new, Method::GET, &url).await.header("access-control-allow-origin"), new);
    says_nothing(from_page(&server, APP, Method::GET, &url).await.is_problem(403, "denied"));
}

/// A page that calls the service as an application would, reports what it got to see, and goes on to `next`.
const PAGE: &str = r#"<!doctype html><meta charset="utf-8"><title>calls</title><script type="module">
const key = {authorization: "Bearer k"}, session = "{{session}}", seen = {};
try {
  const put = await fetch(session + "/files/workspace/a", {method: "PUT", body: "from a page",
    headers: {...key, "if-none-match": "*", "x-request-id": "page-1"}});
  seen.put = [put.status, put.headers.get("x-request-id"), !!put.headers.get("etag")];
  const version = put.headers.get("x-skillmount-session-version");
  const read = await fetch(session + "/read", {method: "POST", body: JSON.stringify({file_path: "/workspace/a"}),
    headers: {...key, "content-type": "application/json", "x-skillmount-session-version": version}});
  seen.read = (await read.json()).content;
  const part = await fetch(session + "/files/workspace/a", {headers: {...key, range: "bytes=0-3"}});
  seen.part = [await part.text(), part.headers.get("content-range")];
  seen.missing = (await (await fetch(session + "/files/workspace/b", {headers: key})).json()).code;
  seen.without_key = (await fetch(session)).status;
  const long = await fetch("{{base}}/openapi.json");
  seen.document = [(await long.json()).openapi, long.headers.get("content-encoding")];
} catch (error) { seen.error = String(error); }
await fetch("/report", {method: "POST", body: JSON.stringify(seen)});
if ("{{next}}") location.href = "{{next}}";
</script>"#;

/// Serves `page` on a port of its own and hands over what it reports.
fn serve_page(listener: TcpListener, page: String, reports: mpsc::UnboundedSender<Value>) {
    let report = move |text: String| async move { drop(reports.send(serde_json::from_str(&text).unwrap())) };
    let routes = Router::new().route("/", get(|| async { Html(page) })).route("/report", post(report));
    tokio::spawn(async move { axum::serve(listener, routes).await });
}

#[tokio::test]
async fn a_real_browser_lets_listed_pages_in_and_no_others() {
    let browser = tokio::task::spawn_blocking(browser::chromium).await.unwrap();
    let Some(browser) = ready("no browser called the service", browser, browser::HELP) else { return };
    let [listed, other] =
        [TcpListener::bind("127.0.0.1:0").await.unwrap(), TcpListener::bind("127.0.0.1:0").await.unwrap()];
    let origin = |listener: &TcpListener| format!("http://{}", listener.local_addr().unwrap());
    let (listed_origin, other_origin) = (origin(&listed), origin(&other));
    let server = open_to(&[&listed_origin]).await;
    let page = |session: &str, next: &str| {
        let session = server.session("").replace("/s1", session);
        PAGE.replace("{{session}}", &session).replace("{{base}}", &server.base).replace("{{next}}", next)
    };
    let (reports, mut seen) = mpsc::unbounded_channel();
    serve_page(listed, page("/s1", &other_origin), reports.clone());
    serve_page(other, page("/s2", ""), reports);

    let profile = tempfile::tempdir().unwrap();
    let mut running = Command::new(browser)
        .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-proxy-server"])
        .args(["--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(&listed_origin)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut report = async || tokio::time::timeout(BROWSER_PATIENCE, seen.recv()).await.expect("a report").unwrap();
    let expected = json!({
        "put": [201, "page-1", true],
        "read": "from a page",
        "part": ["from", "bytes 0-3/11"],
        "missing": "file_not_found",
        "without_key": 401,
        // A browser decodes before a page reads, and does not show it the coding.
        "document": ["3.1.0", null],
    });
    assert_eq!(report().await, expected);
    let refused = report().await;
    assert!(refused["error"].as_str().is_some_and(|error| error.starts_with("TypeError")), "{refused}");
    assert_eq!(refused.as_object().unwrap().len(), 1, "{refused}");
    running.kill().await.unwrap();
    let written = server.client.get(server.session("/files/workspace/a").replace("/s1", "/s2")).bearer_auth(KEY);
    assert_eq!(written.send().await.unwrap().status(), 404, "what the other page sent never arrived");
}
