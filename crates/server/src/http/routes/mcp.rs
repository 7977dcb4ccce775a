//! MCP by streamable HTTP, at one address for every user and at one for each session.
//!
//! The module `mcp` has the protocol itself. This module decides which user's session a request is about; a model has no
//! say in it. A body is read once, and parsed once within the bounds of JSON. The library of the protocol takes only bytes
//! and parses them again.

use axum::{
    Json,
    body::{Body, Bytes, to_bytes},
    extract::{MatchedPath, Request},
    http::{HeaderValue, Method, StatusCode, header::CONTENT_LENGTH, request::Parts},
    response::{IntoResponse as _, Response},
};
use serde_json::{Value, json};

use super::service;
use crate::{
    error::Error,
    http::{
        body::{parse_value_for, read_whole},
        door::{HandlerResult, MCP, MCP_SESSION, SESSION, SessionCall},
    },
    limits::{TEXT_BODY_BYTES, TOOL_CALLS},
    mcp::{HttpTransport, MessageKind},
    path::Id,
};

/// The last version of the protocol with batches. A request without a version counts as one of it.
const BATCHES: &str = "2025-03-26";
/// Names the version of the protocol that a host speaks.
const VERSION: &str = "mcp-protocol-version";
/// The code of JSON-RPC for text that is no JSON.
const NO_JSON: i64 = -32700;
/// The code of JSON-RPC for JSON that is no message.
const NO_MESSAGE: i64 = -32600;

/// Answers a request. A conversation that begins without a name gets a new name, and the host sends the name back.
pub(crate) async fn answer(call: SessionCall, request: Request) -> HandlerResult<Response> {
    let Some(transport) = call.user.app.mcp.clone() else { return Ok(service::unknown_route().await.into_response()) };
    let (parts, body) = request.into_parts();
    let bytes = read_whole(Request::new(body), TEXT_BODY_BYTES).await?;
    if parts.method != Method::POST {
        let request = Request::from_parts(parts, Body::from(bytes));
        return Ok(transport.answer(call.backend, request, MessageKind::Other, &call.session).await?);
    }
    if bytes.is_empty() {
        return Ok(refusal(&failure(&Value::Null, NO_JSON, "the body is empty: send a JSON-RPC message")));
    }
    let message = match parse_value_for(&call.user, bytes.clone()).await {
        Ok(message) => message,
        Err(error) => return Ok(refusal(&failure(&Value::Null, NO_JSON, error.message()))),
    };
    let version = parts.headers.get(VERSION).and_then(|version| version.to_str().ok()).unwrap_or(BATCHES);
    match (message, version) {
        (Value::Array(messages), BATCHES) => answer_batch(&transport, &call, &parts, messages).await,
        (message, _) => match fault(&message) {
            Some(why) => Ok(refusal(&failure(message.get("id").unwrap_or(&Value::Null), NO_MESSAGE, why))),
            None => answer_one(&transport, &call, parts, &message, bytes).await,
        },
    }
}

async fn answer_one(
    transport: &HttpTransport,
    call: &SessionCall,
    parts: Parts,
    message: &Value,
    bytes: Bytes,
) -> HandlerResult<Response> {
    let is_in_path = parts.extensions.get::<MatchedPath>().is_some_and(|matched| matched.as_str() != MCP);
    let is_named = is_in_path || [SESSION, MCP_SESSION].iter().any(|name| parts.headers.contains_key(*name));
    let kind = MessageKind::read(message);
    // A conversation begins under its own name, because others of the user may begin at once.
    let name = match kind {
        MessageKind::Beginning(_) if !is_named => {
            Some(Id::parse(&format!("mcp-{:032x}", call.user.app.clock.random()))?)
        }
        _ => None,
    };
    let session = name.as_ref().unwrap_or(&call.session);
    let mut parts = parts;
    if let Some(place) = transport.arrive(&call.backend, message) {
        parts.extensions.insert(place);
    }
    let request = Request::from_parts(parts, Body::from(bytes));
    let mut response = Box::pin(transport.answer(call.backend.clone(), request, kind, session)).await?;
    if let Some(name) = name
        && response.status().is_success()
    {
        response.headers_mut().insert(MCP_SESSION, HeaderValue::try_from(name.as_str()).map_err(Error::internal)?);
    }
    Ok(response)
}

/// Answers the messages of a batch one after the other. The answer is the list of their answers, without those to notifications.
async fn answer_batch(
    transport: &HttpTransport,
    call: &SessionCall,
    parts: &Parts,
    messages: Vec<Value>,
) -> HandlerResult<Response> {
    if messages.is_empty() || messages.len() > TOOL_CALLS {
        let why = format!("a batch has 1 to {TOOL_CALLS} messages, and this one {}", messages.len());
        return Ok(refusal(&failure(&Value::Null, NO_MESSAGE, &why)));
    }
    let mut answers = Vec::new();
    for message in messages {
        let begins = matches!(MessageKind::read(&message), MessageKind::Beginning(_));
        let why = fault(&message).or_else(|| begins.then_some("a conversation does not begin in a batch"));
        if let Some(why) = why {
            answers.push(failure(message.get("id").unwrap_or(&Value::Null), NO_MESSAGE, why));
            continue;
        }
        let mut parts = parts.clone();
        parts.headers.remove(CONTENT_LENGTH);
        let bytes = Bytes::from(message.to_string());
        let response = answer_one(transport, call, parts, &message, bytes).await?;
        let bytes = to_bytes(response.into_body(), usize::MAX).await.map_err(Error::internal)?;
        answers.extend(answer_in(&bytes));
    }
    Ok(if answers.is_empty() { StatusCode::ACCEPTED.into_response() } else { Json(answers).into_response() })
}

/// The answer in a body: the JSON, or the last of its events. A notification has none.
fn answer_in(body: &[u8]) -> Option<Value> {
    let text = std::str::from_utf8(body).ok()?;
    let last = text.lines().filter_map(|line| line.strip_prefix("data:")).next_back();
    serde_json::from_str(last.unwrap_or(text).trim()).ok()
}

/// The reason why JSON is no message of the protocol; `None` if it is one.
fn fault(message: &Value) -> Option<&'static str> {
    let has_text = |member: &str| message.get(member).is_some_and(Value::is_string);
    match message {
        Value::Array(_) => Some("batches are of version 2025-03-26 alone: send each message by itself"),
        Value::Object(_) if message.get("jsonrpc") != Some(&json!("2.0")) => Some("`jsonrpc` must be \"2.0\""),
        Value::Object(members) if has_text("method") && members.get("id").is_some_and(|id| !is_request_id(id)) => {
            Some("the `id` of a request is text or a whole number")
        }
        Value::Object(members)
            if has_text("method") || ["result", "error"].iter().any(|one| members.contains_key(*one)) =>
        {
            None
        }
        Value::Object(_) => Some("a message has a `method`, a `result` or an `error`"),
        _ => Some("a message of JSON-RPC is an object"),
    }
}

fn is_request_id(id: &Value) -> bool {
    id.is_string() || id.is_i64()
}

fn failure(id: &Value, code: i64, message: &str) -> Value {
    let id = if id.is_string() || id.is_number() { id } else { &Value::Null };
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
}

/// The answer to a body that is no message of the protocol.
fn refusal(failure: &Value) -> Response {
    (StatusCode::BAD_REQUEST, Json(failure)).into_response()
}
