//! MCP by streamable HTTP, at one address for every user and at one for each session.
//!
//! The module `mcp` has the protocol itself. What is decided here is whose session a request is about, which a model has no say in.
//! A body is read once, and parsed once within the bounds of JSON; the library of the protocol takes bytes alone and parses them
//! again.

use axum::{
    Extension, Json,
    body::Body,
    extract::{MatchedPath, Request},
    http::{HeaderValue, StatusCode},
    response::{IntoResponse as _, Response},
};
use serde_json::{Value, json};

use super::{
    address::{MCP, MCP_SESSION, SESSION},
    body::parse,
    call::SessionCall,
    problem::HandlerResult,
    receive::read_whole,
    service,
};
use crate::{error::Error, limits::TEXT_BODY_BYTES, mcp::MessageKind};

/// Steps for each byte of JSON, as for other bodies.
const STEPS_PER_BYTE: u64 = 4;

/// Answers a request. A conversation that begins without a name is given one, which the host sends back.
pub(super) async fn answer(Extension(call): Extension<SessionCall>, request: Request) -> HandlerResult<Response> {
    let Some(transport) = call.user.app.mcp.clone() else { return Ok(service::unknown_route().await.into_response()) };
    let (parts, body) = request.into_parts();
    let is_in_path = parts.extensions.get::<MatchedPath>().is_some_and(|matched| matched.as_str() != MCP);
    let is_named = is_in_path || [SESSION, MCP_SESSION].iter().any(|name| parts.headers.contains_key(*name));
    let bytes = read_whole(Request::new(body), TEXT_BODY_BYTES).await?;
    let mut kind = MessageKind::Other;
    if !bytes.is_empty() {
        let steps = STEPS_PER_BYTE * bytes.len() as u64;
        let errand = call.user.app.service.workers().errand(call.user.user.as_str(), steps);
        let read = bytes.clone();
        match errand.run_sized(steps, move |_| parse(&read).map(|message: Value| MessageKind::read(&message))).await {
            Ok(read) => kind = read,
            Err(error) => return Ok(not_understood(&error)),
        }
    }
    let begins = kind == MessageKind::Beginning;
    let request = Request::from_parts(parts, Body::from(bytes));
    let mut response = Box::pin(transport.answer(call.backend.clone(), request, kind)).await?;
    if begins && !is_named && response.status().is_success() {
        let name = format!("mcp-{:032x}", call.user.app.clock.random());
        response.headers_mut().insert(MCP_SESSION, HeaderValue::try_from(name).map_err(Error::internal)?);
    }
    Ok(response)
}

/// The protocol's answer to a body that is no message of it.
fn not_understood(error: &Error) -> Response {
    let body = json!({ "jsonrpc": "2.0", "id": null, "error": { "code": -32700, "message": error.message() } });
    (StatusCode::BAD_REQUEST, Json(body)).into_response()
}
