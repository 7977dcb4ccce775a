//! MCP by streamable HTTP, at one address for every user and at one for each session.
//!
//! The module `mcp` has the protocol itself. This module decides which user's session a request is about; a model has no
//! say in it. A body is read once, and parsed once within the bounds of JSON. The library of the protocol takes only bytes
//! and parses them again.

use axum::{
    Json,
    body::Body,
    extract::{MatchedPath, Request},
    http::{HeaderValue, StatusCode},
    response::{IntoResponse as _, Response},
};
use serde_json::{Value, json};

use super::service;
use crate::{
    error::Error,
    http::{
        body::{parse_for, read_whole},
        door::{HandlerResult, MCP, MCP_SESSION, SESSION, SessionCall},
    },
    limits::TEXT_BODY_BYTES,
    mcp::MessageKind,
    path::Id,
};

/// Answers a request. A conversation that begins without a name gets a new name, and the host sends the name back.
pub(crate) async fn answer(call: SessionCall, request: Request) -> HandlerResult<Response> {
    let Some(transport) = call.user.app.mcp.clone() else { return Ok(service::unknown_route().await.into_response()) };
    let (parts, body) = request.into_parts();
    let is_in_path = parts.extensions.get::<MatchedPath>().is_some_and(|matched| matched.as_str() != MCP);
    let is_named = is_in_path || [SESSION, MCP_SESSION].iter().any(|name| parts.headers.contains_key(*name));
    let bytes = read_whole(Request::new(body), TEXT_BODY_BYTES).await?;
    let mut kind = MessageKind::Other;
    if !bytes.is_empty() {
        match parse_for::<Value>(&call.user, bytes.clone()).await {
            Ok(message) => kind = MessageKind::read(&message),
            Err(error) => return Ok(not_understood(&error)),
        }
    }
    let begins = matches!(kind, MessageKind::Beginning(_));
    let request = Request::from_parts(parts, Body::from(bytes));
    let mut response = Box::pin(transport.answer(call.backend.clone(), request, kind)).await?;
    if begins && !is_named && response.status().is_success() {
        let name = format!("mcp-{:032x}", call.user.app.clock.random());
        transport.name_conversation(&call.backend, Id::parse(&name)?);
        response.headers_mut().insert(MCP_SESSION, HeaderValue::try_from(name).map_err(Error::internal)?);
    }
    Ok(response)
}

/// The protocol's answer to a body that is no message of it.
fn not_understood(error: &Error) -> Response {
    let body = json!({ "jsonrpc": "2.0", "id": null, "error": { "code": -32700, "message": error.message() } });
    (StatusCode::BAD_REQUEST, Json(body)).into_response()
}
