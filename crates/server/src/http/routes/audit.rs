//! The audit records of a user, and figures of use that are made from them.

use axum::Json;

use crate::{
    audit::{AuditLog, usage},
    http::{Failure, JsonReply, Parameters, UserCall},
    path::LayerOwner,
    wire::{AuditPage, AuditRequest, Usage, UsageRequest},
};

/// List the operations on a user's data, each with caller, session, paths and outcome. With `layer` they are the changes of the
/// skills of the key's team or of the organisation. Needs a key of scope `control`.
#[utoipa::path(get, path = "/audit", operation_id = "list_audit_records", tag = "service", params(AuditRequest),
    responses((status = 200, body = AuditPage), Failure))]
pub(crate) async fn list(call: UserCall, wanted: Parameters<AuditRequest>) -> JsonReply<AuditPage> {
    call.needs_control()?;
    let owner = call.publishes(wanted.layer)?;
    flush(&call, &owner).await;
    Ok(Json(AuditLog::for_service(&call.app.service).page(owner, &wanted).await?))
}

/// Return figures about how a user's conversations find and use skills, from the audit records. Needs a key of scope `control`.
#[utoipa::path(get, path = "/usage", operation_id = "get_usage", tag = "service", params(UsageRequest),
    responses((status = 200, body = Usage), Failure))]
pub(crate) async fn figures(call: UserCall, wanted: Parameters<UsageRequest>) -> JsonReply<Usage> {
    call.needs_control()?;
    flush(&call, &LayerOwner::from(&call.user)).await;
    Ok(Json(usage(&call.app.service, &call.user, &wanted).await?))
}

/// Writes what waits here, which is a part of the answer. If it cannot be written, the store says so when it is read.
pub(crate) async fn flush(call: &UserCall, owner: &LayerOwner) {
    if let Some(recorder) = &call.app.audit {
        let _ = recorder.flush(owner).await;
    }
}
