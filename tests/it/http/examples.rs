//! The examples of the OpenAPI document: one conversation, played on a server in its order.

use std::collections::{BTreeMap, BTreeSet};

use reqwest::{Method, multipart::Form};
use serde::Deserialize;
use serde_json::Value;

use super::{Answer, Server};

/// Members whose value is another on every server and at every time.
const VOLATILE: [&str; 10] = [
    "as_of",
    "created_at",
    "digest",
    "etag",
    "expires_at",
    "loaded_at",
    "modified_at",
    "published_at",
    "request_id",
    "updated_at",
];

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
    serde_json::from_str(include_str!("../../../src/http/openapi/examples.json")).unwrap()
}

// S-API-1: The OpenAPI document at `/openapi.json` has an example of a request and a reply for every operation, and a
// server answers these requests with these replies.
#[tokio::test]
async fn a_server_answers_the_examples_as_they_say() {
    let (server, Conversation { parameters, calls }) = (Server::with_skills().await, conversation());
    let routes = routes();
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
        if let Some(Value::String(bytes)) = reply {
            assert_eq!((response.status().as_u16(), response.text().await.unwrap()), (status, bytes), "{operation}");
            continue;
        }
        let answer = Answer::of(response).await;
        let answered = answer.is(status);
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
