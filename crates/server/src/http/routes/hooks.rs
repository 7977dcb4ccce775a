//! Hooks: questions of a host at certain moments of a conversation. Body and reply have the form of Claude's hooks, so the
//! service itself can be one.

use axum::Json;

use crate::{
    hooks::{self},
    http::{Failure, JsonBody, JsonReply, SessionCall},
    wire::{HookInput, HookOutput},
};

/// Answer a hook: the listing of skills when a conversation begins, the skills that a message or a command calls for, and those
/// for a sub-agent. The reply is `{}` if there is nothing to say. It never decides about a call.
#[utoipa::path(post, path = "/hooks", operation_id = "answer_hook", tag = "tools", request_body = HookInput,
    responses((status = 200, body = HookOutput), Failure))]
pub(crate) async fn answer(call: SessionCall, JsonBody(input): JsonBody<HookInput>) -> JsonReply<HookOutput> {
    Ok(Json(hooks::answer(&call.backend, &input).await?))
}

/// Answer a hook of the user and session in the headers. It is for hosts with one address for every user in their settings.
#[utoipa::path(post, path = "/hooks/claude", operation_id = "answer_claude_hook", tag = "tools",
    params(
        ("x-skillmount-user" = String, Header, description = "The user's id."),
        ("x-skillmount-session" = String, Header, description = "The session's id.")),
    request_body = HookInput, responses((status = 200, body = HookOutput), Failure))]
pub(crate) async fn answer_claude(call: SessionCall, input: JsonBody<HookInput>) -> JsonReply<HookOutput> {
    answer(call, input).await
}
