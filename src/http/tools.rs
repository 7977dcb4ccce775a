//! The loop of an agent: which tools it has, what becomes of its calls, and of what a person says to it.

use axum::{Extension, Json};
use utoipa_axum::{router::OpenApiRouter, routes};

use super::{
    body::{JsonBody, Parameters},
    call::SessionCall,
    problem::{Failure, Reply},
};
use crate::tools::{self, MessageReply, MessageRequest, ToolCallsRequest, ToolList, ToolListRequest, ToolResults};

/// What an agent framework calls in each turn.
pub(super) fn of_session() -> OpenApiRouter {
    OpenApiRouter::new().routes(routes!(list)).routes(routes!(answer_calls)).routes(routes!(read_message))
}

/// List the tools the session may use now. They may be others after each turn.
#[utoipa::path(get, path = "/tools", operation_id = "list_tools", tag = "tools", params(ToolListRequest),
    responses((status = 200, body = ToolList), Failure))]
async fn list(
    Extension(call): Extension<SessionCall>,
    Parameters(wanted): Parameters<ToolListRequest>,
) -> Reply<Json<ToolList>> {
    let tools = tools::for_session(&call.backend.in_mode(wanted.mode)).await?;
    Ok(Json(ToolList { tools: tools.iter().map(|tool| tool.in_shape(wanted.format)).collect() }))
}

/// Run the tool calls of one turn. The reply is the user message that answers them, with a result for each in their
/// order; a call that fails is a result with `is_error`, not a problem.
#[utoipa::path(post, path = "/tool_calls", operation_id = "run_tool_calls", tag = "tools", request_body = ToolCallsRequest,
    responses((status = 200, body = ToolResults), Failure))]
async fn answer_calls(
    Extension(call): Extension<SessionCall>,
    JsonBody(turn): JsonBody<ToolCallsRequest>,
) -> Reply<Json<ToolResults>> {
    let backend = call.backend.in_mode(turn.mode);
    Ok(Json(tools::run(&backend, turn.content, turn.result_tokens.into()).await?))
}

/// Run the slash command that a message may be: `/skill arguments` loads that skill. Any other text comes back unchanged.
#[utoipa::path(post, path = "/messages", operation_id = "send_message", tag = "tools", request_body = MessageRequest,
    responses((status = 200, body = MessageReply), Failure))]
async fn read_message(
    Extension(call): Extension<SessionCall>,
    JsonBody(message): JsonBody<MessageRequest>,
) -> Reply<Json<MessageReply>> {
    let backend = call.backend.in_mode(message.mode);
    Ok(Json(tools::run_message(&backend, &message.text, message.result_tokens.into()).await?))
}
