//! Calls that wait for a person's approval, and the decisions about them.

use axum::Json;

use super::{
    super::{Failure, JsonBody, JsonReply, SessionCall},
    sessions::seen_by,
};
use crate::wire::{ApprovalList, DecideApproval, SessionSummary};

/// List the calls of a session that wait for approval, the oldest first. Needs a key of scope `control`.
#[utoipa::path(get, path = "/approvals", operation_id = "list_approvals", tag = "sessions",
    responses((status = 200, body = ApprovalList), Failure))]
pub(crate) async fn list(call: SessionCall) -> JsonReply<ApprovalList> {
    call.user.needs_control()?;
    Ok(Json(call.backend.approvals().waiting_calls().await?))
}

/// Decide about a call that waits for approval. Allowed, it runs once, when it is made again within five minutes; with
/// `remember`, so does every call of its tool, or every load of its skill, in this session. Needs a key of scope `control`.
#[utoipa::path(post, path = "/approvals/{approval_id}", operation_id = "decide_approval", tag = "sessions",
    request_body = DecideApproval, responses((status = 200, body = SessionSummary), Failure))]
pub(crate) async fn decide(
    call: SessionCall,
    JsonBody(decision): JsonBody<DecideApproval>,
) -> JsonReply<SessionSummary> {
    call.user.needs_control()?;
    let user_policy = call.user.app.service.sessions().user_policy(&call.user.user).await?;
    let id = call.user.rest.as_str();
    let session = call.backend.approvals().decide_approval(id, decision).await?;
    Ok(Json(seen_by(call.backend.summary_of(&session, &user_policy), &call.user)))
}
