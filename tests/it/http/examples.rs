//! The examples of the OpenAPI document: one conversation, played on a server in its order.

use std::collections::{BTreeMap, BTreeSet};

use reqwest::{Method, multipart::Form};
use serde::Deserialize;
use serde_json::Value;

use super::{Answer, Server};

/// Members whose value is another on every server and at every time.
const VOLATILE: [&str; 18] = [
    "approval_id",
    "as_of",
    "at",
    "context_saved_tokens",
    "created_at",
    "digest",
    "etag",
    "expires_at",
    "index",
    "loaded_at",
    "modified_at",
    "published_at",
    "request_id",
    "requested_at",
    "seconds_left",
    "second_sweep_at",
    "sweeps",
    "updated_at",
];

/// A record of an earlier call, as it lies in a bucket.
const RECORD: &str = r#"{"time":"2026-01-02T03:04:05.123456789Z","operation":"edit","call":"5f0c3a9be1d27846","by":"desk (9f86d081884c7d65)",
"session":"chat-7","subject":"/workspace/draft.md","outcome":"ok","changed":null,"ms":12.5,"files":[{"path":"/workspace/draft.md",
"before":"3858f62230ac3c915f300c664312c63f","after":"sha256:b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c",
"etag":"d3b07384d113edec49eaa6238ad5ff00"}]}"#;

#[derive(Deserialize)]
struct Conversation {
    parameters: BTreeMap<String, String>,
    calls: Vec<Call>,
}

#[derive(Deserialize)]
struct Call {
    operation: String,
    request: Option<Value>,
    status: u16,
    reply: Option<Value>,
}

fn conversation() -> Conversation {
    serde_json::from_str(include_str!("../../../crates/server/src/http/openapi/examples.json")).unwrap()
}

// S-API-1: The OpenAPI document at `/openapi.json` has an example request and reply for every operation, and a server
// answers these requests with these replies.
#[tokio::test]
async fn a_server_answers_the_examples_as_they_say() {
    let (server, Conversation { mut parameters, calls }) = (Server::with_skills().await, conversation());
    let routes = routes();
    server.memory.put_raw(
        "u1/.skillmount/audit/20260102T030405.000006Z-0a1b2c3d",
        format!("{{\"format\":1}}\n{}\n", RECORD.replace('\n', "")),
    );
    for Call { operation, request, status, reply } in calls {
        let (method, path) = &routes[&operation];
        let path =
            parameters.iter().fold(path.clone(), |path, (name, value)| path.replace(&format!("{{{name}}}"), value));
        let call = server.client.request(method.clone(), format!("{}{path}", server.base));
        let call = call.header("accept", "application/json");
        // One operation has its user and session in headers.
        let named = ["user", "session"].map(|name| (format!("x-skillmount-{name}"), &parameters[name]));
        let call = named.into_iter().fold(call, |call, (header, id)| call.header(header, id));
        let call = match (operation.as_str(), request) {
            (_, None) => call,
            ("upload_files", Some(Value::Object(files))) => call.multipart(
                files
                    .into_iter()
                    .fold(Form::new(), |form, (name, text)| form.text(name, text.as_str().unwrap().to_owned())),
            ),
            (_, Some(Value::String(bytes))) => call.header("content-type", "application/octet-stream").body(bytes),
            (_, Some(json)) => call.json(&json),
        };
        let response = call.send().await.unwrap();
        if let Some(Value::String(begun)) = reply.clone().filter(|_| operation == "export_user") {
            // The rest of an archive has the times of that server.
            let bytes = response.bytes().await.unwrap();
            assert!(bytes.starts_with(begun.as_bytes()), "{operation}");
            continue;
        }
        if let Some(Value::String(bytes)) = reply {
            assert_eq!((response.status().as_u16(), response.text().await.unwrap()), (status, bytes), "{operation}");
            continue;
        }
        let answer = Answer::of(response).await;
        let answered = answer.is(status);
        if let Some(waits) = answered.pointer("/approvals/0/approval_id") {
            parameters.insert("approval_id".to_owned(), waits.as_str().unwrap().to_owned());
        }
        if let Some(reply) = reply {
            is_as_said(&reply, answered, &operation);
        }
    }
}

#[test]
fn every_operation_has_an_example() {
    let played: BTreeSet<_> = conversation().calls.into_iter().map(|call| call.operation).collect();
    assert_eq!(played, routes().into_keys().collect());
    let document = serde_json::to_value(skillmount::http::openapi()).unwrap();
    for item in document["paths"].as_object().unwrap().values() {
        for operation in item.as_object().unwrap().values().filter(|operation| operation["operationId"].is_string()) {
            let has_example =
                |content: &Value| content.as_object().unwrap().values().any(|one| !one["example"].is_null());
            let id = &operation["operationId"];
            assert!(operation["requestBody"].is_null() || has_example(&operation["requestBody"]["content"]), "{id}");
            let mut replies =
                operation["responses"].as_object().unwrap().iter().filter(|(status, _)| status.starts_with('2'));
            let has_content = replies.clone().any(|(_, reply)| reply["content"].is_object());
            assert!(
                !has_content
                    || replies.any(|(_, reply)| reply["content"].is_object() && has_example(&reply["content"])),
                "{id}"
            );
        }
    }
}

/// Method and path of each operation.
fn routes() -> BTreeMap<String, (Method, String)> {
    let document = serde_json::to_value(skillmount::http::openapi()).unwrap();
    let mut routes = BTreeMap::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            if let Some(id) = operation["operationId"].as_str() {
                routes.insert(id.to_owned(), (method.to_uppercase().parse().unwrap(), path.clone()));
            }
        }
    }
    routes
}

/// That a reply is what the example says. The example may leave out the end of a list.
fn is_as_said(example: &Value, reply: &Value, place: &str) {
    match (example, reply) {
        (Value::Object(said), Value::Object(got)) => {
            assert_eq!(said.keys().collect::<BTreeSet<_>>(), got.keys().collect::<BTreeSet<_>>(), "{place}");
            for (name, said) in said {
                let place = format!("{place}.{name}");
                if VOLATILE.contains(&name.as_str()) {
                    assert_eq!(said.is_string(), got[name].is_string(), "{place}");
                } else {
                    is_as_said(said, &got[name], &place);
                }
            }
        }
        (Value::Array(said), Value::Array(got)) => {
            assert!(said.len() <= got.len() && (said.is_empty() == got.is_empty()), "{place}: {reply}");
            for (at, (said, got)) in said.iter().zip(got).enumerate() {
                is_as_said(said, got, &format!("{place}[{at}]"));
            }
        }
        (said, got) => assert_eq!(said, got, "{place}"),
    }
}
