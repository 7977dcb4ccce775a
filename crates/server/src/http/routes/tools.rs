//! The loop of an agent: its tools, the results of its calls, and the messages of a person.

use axum::{
    Json,
    http::{HeaderMap, HeaderValue},
    response::{IntoResponse as _, Response},
};

use crate::{
    error::Result,
    http::{Failure, HandlerResult, JsonBody, JsonReply, Parameters, SessionCall, unless_known},
    tools::{self, MessageReply, MessageRequest},
    wire::{ToolCallsRequest, ToolList, ToolListRequest, TurnParameters, TurnReply, headers::RESULT_DETAILS},
};

/// List the tools the session may use now. They may be others after each turn; the ETag stays while they do.
#[utoipa::path(get, path = "/tools", operation_id = "list_tools", tag = "tools", params(ToolListRequest), responses(
    (status = 200, body = ToolList, headers(("ETag" = String, description = "It stays while the tools do."),
        ("Cache-Control" = String, description = "`private, no-cache`."))),
    (status = 304, description = "The tools are still those of `if-none-match`.",
        headers(("ETag" = String, description = "It stays while the tools do."),
            ("Cache-Control" = String, description = "`private, no-cache`."))), Failure))]
pub(crate) async fn list(
    call: SessionCall,
    wanted: Parameters<ToolListRequest>,
    headers: HeaderMap,
) -> HandlerResult<Response> {
    let tools = tools::for_session(&call.backend.in_mode(wanted.mode)).await?;
    let list = ToolList { tools: tools.iter().map(|tool| tool.in_shape(wanted.format)).collect() };
    Ok(unless_known(&headers, &list.etag(), || Json(&list).into_response()))
}

/// Run the tool calls of one turn. The reply holds a result for each in their order, in the shape of the calls: the user
/// message that answers `tool_use` blocks, or the `tool` messages that answer `tool_calls`. A call that fails is a result
/// that begins with `Error: `, not a problem.
#[utoipa::path(post, path = "/tool_calls", operation_id = "run_tool_calls", tag = "tools",
    params(TurnParameters, ("x-skillmount-result-details" = Option<bool>, Header,
        description = "Whether results of failed calls have `code`, and `approval_id` if they wait for a person. APIs of models reject both.")),
    request_body = ToolCallsRequest,
    responses((status = 200, description = "The results of the calls, in the shape of the calls.", body = TurnReply), Failure))]
pub(crate) async fn answer_calls(
    call: SessionCall,
    asked: Parameters<TurnParameters>,
    headers: HeaderMap,
    JsonBody(turn): JsonBody<ToolCallsRequest>,
) -> JsonReply<TurnReply> {
    let turn = ToolCallsRequest { format: turn.format.or(asked.format), ..turn };
    let details = wants_details(&headers)?;
    Ok(Json(tools::run_turn(&call.backend.in_mode(turn.mode), turn, details).await?))
}

/// Whether results of failed calls have their details.
fn wants_details(headers: &HeaderMap) -> Result<bool> {
    match headers.get(RESULT_DETAILS).map(HeaderValue::as_bytes) {
        None | Some(b"false") => Ok(false),
        Some(b"true") => Ok(true),
        Some(_) => Err(invalid!("the header {RESULT_DETAILS} is `true` or `false`; send one of them, or leave it out")),
    }
}

/// Run the slash command that a message may be: `/skill arguments` loads that skill. Any other text comes back unchanged.
#[utoipa::path(post, path = "/messages", operation_id = "send_message", tag = "tools", request_body = MessageRequest,
    responses((status = 200, body = MessageReply), Failure))]
pub(crate) async fn read_message(
    call: SessionCall,
    JsonBody(message): JsonBody<MessageRequest>,
) -> JsonReply<MessageReply> {
    let backend = call.backend.in_mode(message.mode);
    Ok(Json(tools::run_message(&backend, &message.text, message.result_tokens.into()).await?))
}
