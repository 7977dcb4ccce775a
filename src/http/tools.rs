//! The loop of an agent: which tools it has, what becomes of its calls, and of what a person says to it.

use std::num::NonZeroUsize;

use axum::{Extension, Json};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

use super::{
    body::{JsonBody, Parameters},
    call::SessionCall,
    problem::{Failure, Reply},
    sessions::LoadedSkillReply,
};
use crate::{
    limits::TOOL_RESULT_TOKENS,
    session::{LoadedSummary, PromptMode},
    tools::{self, Command, Shape, ToolOptions, ToolResults},
};

/// What an agent framework calls in each turn.
pub(super) fn of_session() -> OpenApiRouter {
    OpenApiRouter::new().routes(routes!(list)).routes(routes!(answer_calls)).routes(routes!(read_message))
}

/// How to write the tools.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct ListParameters {
    /// The family of models they are for.
    #[serde(default)]
    #[param(inline)]
    format: Shape,
    /// The mode the prompt is asked for in, where that is not the policy's.
    mode: Option<PromptMode>,
}

/// The tools a session may use now.
#[derive(Debug, Serialize, ToSchema)]
struct ToolList {
    /// In an order that never changes, each as the format has it.
    #[schema(value_type = Vec<Object>)]
    tools: Vec<Value>,
}

/// List the tools the session may use now. They may be others after each turn.
#[utoipa::path(get, path = "/tools", operation_id = "list_tools", tag = "tools", params(ListParameters),
    responses((status = 200, body = ToolList), Failure))]
async fn list(
    Extension(call): Extension<SessionCall>,
    Parameters(parameters): Parameters<ListParameters>,
) -> Reply<Json<ToolList>> {
    let tools = tools::for_session(&call.backend.in_mode(parameters.mode)).await?;
    Ok(Json(ToolList { tools: tools.iter().map(|tool| tool.in_shape(parameters.format)).collect() }))
}

/// What a model said in one turn.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ToolCallsRequest {
    /// The blocks of its message: those of type `tool_use` are run, others are passed over.
    #[schema(value_type = Vec<Object>)]
    content: Vec<Value>,
    /// The mode the prompt is asked for in, where that is not the policy's: the instructions of a loaded skill are in the
    /// result or in the prompt, never in both.
    mode: Option<PromptMode>,
    /// How long one result may be, in tokens of four bytes; 25,000 where absent.
    #[schema(value_type = Option<usize>, minimum = 1)]
    result_tokens: Option<NonZeroUsize>,
}

/// How results are written.
fn options(result_tokens: Option<NonZeroUsize>) -> ToolOptions {
    ToolOptions { result_tokens: result_tokens.map_or(TOOL_RESULT_TOKENS, NonZeroUsize::get) }
}

/// Run the tool calls of one turn. The reply is the user message that answers them, with a result for each in their
/// order; a call that fails is a result with `is_error`, not a problem.
#[utoipa::path(post, path = "/tool_calls", operation_id = "tool_calls", tag = "tools", request_body = ToolCallsRequest,
    responses((status = 200, body = ToolResults), Failure))]
async fn answer_calls(
    Extension(call): Extension<SessionCall>,
    JsonBody(request): JsonBody<ToolCallsRequest>,
) -> Reply<Json<ToolResults>> {
    let options = options(request.result_tokens);
    Ok(Json(tools::run(&call.backend.in_mode(request.mode), request.content, options).await?))
}

/// What a person says to the agent.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct MessageRequest {
    /// The text as it was typed.
    text: String,
    /// The mode the prompt is asked for in, where that is not the policy's: the instructions of a loaded skill are in the
    /// result or in the prompt, never in both.
    mode: Option<PromptMode>,
    /// How long one result may be, in tokens of four bytes; 25,000 where absent.
    #[schema(value_type = Option<usize>, minimum = 1)]
    result_tokens: Option<NonZeroUsize>,
}

/// What became of a message.
#[derive(Debug, Serialize, ToSchema)]
struct MessageReply {
    /// The slash command it was; null where it was none.
    command: Option<Command>,
    /// The text for the model; of a message that is no command, the very text.
    text: String,
    /// The skill that is loaded because of it.
    loaded: Option<LoadedSkillReply>,
}

/// Run the slash command that a message may be: `/skill arguments` loads that skill. Any other text comes back unchanged.
#[utoipa::path(post, path = "/messages", operation_id = "message", tag = "tools", request_body = MessageRequest,
    responses((status = 200, body = MessageReply), Failure))]
async fn read_message(
    Extension(call): Extension<SessionCall>,
    JsonBody(request): JsonBody<MessageRequest>,
) -> Reply<Json<MessageReply>> {
    let options = options(request.result_tokens);
    let reply = tools::run_message(&call.backend.in_mode(request.mode), &request.text, options).await?;
    let loaded = reply.loaded.as_ref().map(LoadedSummary::from).map(LoadedSkillReply::from);
    Ok(Json(MessageReply { command: reply.command, text: reply.text, loaded }))
}
