//! The OpenAPI document.

use std::{collections::BTreeSet, sync::LazyLock};

use reqwest::{
    Method,
    header::{HeaderMap, HeaderName},
};
use serde_json::{Value, json};
use skillmount::limits::SEARCH_RESULTS_MOST;

use super::Server;

/// Any change of the interface shows in a diff of this snapshot.
#[test]
fn the_document_is_the_snapshot() {
    insta::assert_snapshot!("openapi", serde_json::to_string_pretty(&skillmount::http::openapi()).unwrap());
}

#[tokio::test]
async fn the_service_serves_the_same_document() {
    let server = Server::start().await;
    let document = server.get(&format!("{}/openapi.json", server.base)).await;
    assert_eq!(*document.is(200), serde_json::to_value(skillmount::http::openapi()).unwrap());
    assert_eq!(document.json["openapi"], "3.1.0");
}

#[test]
fn every_operation_is_described_tagged_and_says_how_it_fails() {
    let document = serde_json::to_value(skillmount::http::openapi()).unwrap();
    let mut ids = BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        assert!(!path.contains('*'), "{path}");
        let parameters = item["parameters"].as_array().into_iter().flatten();
        let declared = parameters.filter(|parameter| parameter["in"] == "path").count();
        assert_eq!(path.matches('{').count(), declared, "{path}");
        for (method, operation) in item.as_object().unwrap().iter().filter(|(name, _)| *name != "parameters") {
            assert!(operation["summary"].is_string() && operation["tags"][0].is_string(), "{method} {path}");
            assert!(ids.insert(operation["operationId"].to_string()), "{method} {path}");
            assert!(operation["operationId"].as_str().unwrap().contains('_'), "{method} {path}: a verb and a noun");
            if path.starts_with("/v1/") {
                for status in ["400", "401", "403", "404", "409", "413", "429", "431", "500", "503"] {
                    let problem = &operation["responses"][status]["content"]["application/problem+json"];
                    assert!(problem.is_object(), "{method} {path} {status}");
                }
            }
        }
    }
}

/// Headers that belong to HTTP itself, to caches of what was negotiated, and to pages of other origins. The document has none.
const UNDECLARED: [&str; 8] =
    ["allow", "connection", "content-encoding", "content-length", "content-type", "date", "transfer-encoding", "vary"];

/// Fails if no operation at this address declares the status and the headers. Every answer that these tests get comes by here.
#[track_caller]
pub(super) fn is_declared(address: &str, status: u16, headers: &HeaderMap) {
    static DOCUMENT: LazyLock<Value> = LazyLock::new(|| serde_json::to_value(skillmount::http::openapi()).unwrap());
    let mut items = DOCUMENT["paths"].as_object().unwrap().iter().filter(|(path, _)| covers(path, address)).peekable();
    if items.peek().is_none() || status == 405 {
        return;
    }
    let operations = items.flat_map(|(_, item)| item.as_object().unwrap().values());
    let replies: Vec<_> = operations.map(|one| &one["responses"][status.to_string()]).collect();
    assert!(replies.iter().any(|reply| reply.is_object()), "{status} {address} is not declared");
    let declared: BTreeSet<_> = replies.iter().flat_map(|reply| names_of(reply)).collect();
    let sent = headers.keys().map(HeaderName::as_str);
    let is_missing =
        |name: &&str| !declared.contains(*name) && !UNDECLARED.contains(name) && !name.starts_with("access-control-");
    let missing: Vec<_> = sent.filter(is_missing).collect();
    assert!(missing.is_empty(), "{status} {address} does not declare {missing:?}");
}

/// The headers that a reply declares, in lower case.
fn names_of(reply: &Value) -> BTreeSet<String> {
    reply["headers"].as_object().into_iter().flatten().map(|(name, _)| name.to_lowercase()).collect()
}

/// Whether an address is one of a path.
fn covers(path: &str, address: &str) -> bool {
    let (mut wanted, mut given) = (path.split('/'), address.split('/'));
    loop {
        match (wanted.next(), given.next()) {
            (None, None) | (Some("{path}" | "{skill}"), Some(_)) => return true,
            (Some(wanted), Some(given)) if wanted == given || wanted.starts_with('{') => {}
            _ => return false,
        }
    }
}

#[test]
fn replies_say_what_they_are_and_which_headers_they_have() {
    let document = serde_json::to_value(skillmount::http::openapi()).unwrap();
    assert_eq!(document["info"]["license"]["identifier"], "Apache-2.0");
    for path in ["/docs", "/openapi.json", "/metrics"] {
        assert!(document["paths"][path].is_null(), "{path} is no call of a client");
    }
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap().iter().filter(|(name, _)| *name != "parameters") {
            for (status, reply) in operation["responses"].as_object().unwrap() {
                let place = format!("{method} {path} {status}");
                assert!(reply["description"].as_str().is_some_and(|about| !about.is_empty()), "{place}");
                let has = |name: &str| reply["headers"][name].is_object();
                assert!(has("x-request-id"), "{place}");
                assert_eq!(has("Retry-After"), ["429", "503"].contains(&status.as_str()), "{place}");
                let in_session = path.contains("{session}") && status.starts_with(['2', '3']);
                assert_eq!(has("x-skillmount-session-version"), in_session, "{place}");
            }
        }
    }
    let file = &document["paths"]["/v1/users/{user}/sessions/{session}/files/{path}"];
    let sent: Vec<_> = file["get"]["parameters"].as_array().unwrap().iter().map(|one| one["name"].clone()).collect();
    assert_eq!(sent, ["If-Match", "If-None-Match", "Range", "If-Range"]);
    assert!(file["get"]["responses"]["200"]["headers"]["ETag"].is_object());
}

#[test]
fn bytes_are_bytes_and_codes_are_an_enumeration() {
    let document = serde_json::to_value(skillmount::http::openapi()).unwrap();
    let file = &document["paths"]["/v1/users/{user}/sessions/{session}/files/{path}"];
    for bytes in [&file["put"]["requestBody"], &file["get"]["responses"]["200"]] {
        let schema = &bytes["content"]["application/octet-stream"]["schema"];
        assert_eq!((&schema["type"], &schema["format"]), (&"string".into(), &"binary".into()));
    }
    let schemas = &document["components"]["schemas"];
    let codes: Vec<_> =
        schemas["ErrorCode"]["enum"].as_array().unwrap().iter().map(|code| code.as_str().unwrap()).collect();
    assert_eq!(codes, skillmount::error::Code::ALL.iter().map(|code| code.as_str()).collect::<Vec<_>>());
    for (schema, member) in
        [("Problem", "code"), ("FailedFile", "code"), ("UploadedFile", "error"), ("DownloadedFile", "error")]
    {
        let member = schemas[schema]["properties"][member].to_string();
        assert!(member.contains("#/components/schemas/ErrorCode"), "{schema}: {member}");
    }
}

#[test]
fn the_limit_of_a_search_is_described_as_it_is_kept() {
    let document = serde_json::to_value(skillmount::http::openapi()).unwrap();
    let limit = &document["components"]["schemas"]["DiscoverRequest"]["properties"]["limit"];
    assert_eq!((limit["minimum"].as_u64(), limit["maximum"].as_u64()), (Some(1), Some(SEARCH_RESULTS_MOST as u64)));
}

#[test]
fn every_reference_leads_somewhere() {
    let document = serde_json::to_value(skillmount::http::openapi()).unwrap();
    let mut open = vec![&document];
    while let Some(value) = open.pop() {
        match value {
            Value::Object(members) => {
                if let Some(Value::String(reference)) = members.get("$ref") {
                    assert!(document.pointer(reference.trim_start_matches('#')).is_some(), "{reference}");
                }
                open.extend(members.values());
            }
            Value::Array(items) => open.extend(items),
            _ => {}
        }
    }
}

#[tokio::test]
async fn the_methods_that_a_route_allows_are_those_of_the_document() {
    let server = Server::start().await;
    let document = serde_json::to_value(skillmount::http::openapi()).unwrap();
    for (path, item) in document["paths"].as_object().unwrap() {
        let filled: Vec<_> = path.split('/').map(|part| if part.starts_with('{') { "a" } else { part }).collect();
        let url = format!("{}{}", server.base, filled.join("/"));
        let answer = server.client.request(Method::TRACE, url).send().await.unwrap();
        assert_eq!(answer.status(), 405, "{path}");
        let allowed = answer.headers()["allow"].to_str().unwrap();
        let mut allowed: BTreeSet<_> = allowed.split(',').map(|method| method.trim().to_lowercase()).collect();
        let mut named: BTreeSet<_> =
            item.as_object().unwrap().keys().filter(|name| *name != "parameters").cloned().collect();
        if path == "/v1/users/{user}/skills/download" {
            // A skill may be called so, and this is its page too.
            assert!(named.is_subset(&allowed));
            continue;
        }
        // Whatever can be read has a head.
        for methods in [&mut allowed, &mut named] {
            methods.remove("head");
        }
        assert_eq!(allowed, named, "{path}");
    }
}

// S-API-1: The OpenAPI document at `/openapi.json` has an example request and reply for every operation, and a server
// answers these requests with these replies.
#[tokio::test]
async fn replies_with_bytes_have_the_headers_that_the_document_declares_and_no_other() {
    let server = Server::with_skills().await;
    server.put("/workspace/a", "some bytes").await;
    let document = serde_json::to_value(skillmount::http::openapi()).unwrap();
    let (user, session) = ("/v1/users/{user}", "/v1/users/{user}/sessions/{session}");
    let skill = "escrituras/compraventa";
    let file = ("files/{path}", server.session("/files/workspace/a"));
    let of_skill = ("skill_files/{skill}", server.user(&format!("/skill_files/{skill}")));
    let zip = ("accept", "application/zip");
    let named = json!({"skills": [skill]});
    for (method, route, url, sent, body) in [
        (Method::GET, format!("{session}/{}", file.0), file.1.clone(), ("accept", "*/*"), Value::Null),
        (Method::GET, format!("{session}/{}", file.0), file.1.clone(), ("range", "bytes=0-1"), Value::Null),
        (Method::HEAD, format!("{session}/{}", file.0), file.1.clone(), ("accept", "*/*"), Value::Null),
        (Method::GET, format!("{session}/{}", file.0), file.1, ("if-none-match", "*"), Value::Null),
        (Method::GET, format!("{user}/{}", of_skill.0), of_skill.1.clone(), ("accept", "*/*"), Value::Null),
        (Method::GET, format!("{user}/{}", of_skill.0), of_skill.1, ("range", "bytes=0-1"), Value::Null),
        (Method::GET, format!("{user}/export"), server.user("/export"), ("accept", "*/*"), Value::Null),
        (Method::POST, format!("{user}/skills/download"), server.user("/skills/download"), zip, named),
        (Method::GET, format!("{user}/skills/{{skill}}"), server.user(&format!("/skills/{skill}")), zip, Value::Null),
        (Method::GET, format!("{session}/tools"), server.session("/tools"), ("accept", "*/*"), Value::Null),
    ] {
        let request = server.client.request(method.clone(), url).header(sent.0, sent.1);
        let request = if body.is_null() { request } else { request.json(&body) };
        let answer = request.send().await.unwrap();
        let status = answer.status().as_u16();
        let declared =
            names_of(&document["paths"][&route][method.as_str().to_lowercase()]["responses"][status.to_string()]);
        let keys = answer.headers().keys().map(|name| name.as_str().to_owned());
        let answered: BTreeSet<_> = keys.filter(|name| !UNDECLARED.contains(&name.as_str())).collect();
        // Those are absent unless the service knows them, and here nothing has published a version or asked for a prompt.
        let may_be_absent = |name: &String| {
            ["x-skillmount-prompt-tag", "x-skillmount-tools-tag", "content-length"].contains(&name.as_str())
                || (name == "etag" && route.ends_with("/skills/{skill}"))
        };
        let left: Vec<_> = declared.symmetric_difference(&answered).filter(|name| !may_be_absent(name)).collect();
        assert!(left.is_empty(), "{method} {route} {status}: {left:?}");
    }
}
