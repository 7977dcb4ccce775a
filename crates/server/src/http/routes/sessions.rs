//! Sessions and policies.

use std::{collections::BTreeMap, sync::Arc};

use axum::{Json, http::StatusCode};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::{
    context::Action,
    error::Result,
    http::{Failure, HandlerResult, JsonBody, JsonReply, OptionalJsonBody, Parameters, SessionCall, UserCall},
    limits::PAGE_ENTRIES,
    observer::Effects,
    path::Id,
    session::{CreatedSession, is_session_within},
    wire::{ChangeSession, CreateSession, Policy, SessionListRequest, SessionPage, SessionSummary},
};

/// The session as this caller may see it.
pub(crate) fn seen_by(session: SessionSummary, call: &UserCall) -> SessionSummary {
    SessionSummary { policy: shown(&session.policy, call), ..session }
}

/// A policy as this caller may see it: rules for skills name them.
fn shown(policy: &Policy, call: &UserCall) -> Policy {
    if call.needs_control().is_ok() { policy.clone() } else { policy.for_agent() }
}

/// Make a session; one that exists is returned as it is, with the names of the members of the request that differ from it.
#[utoipa::path(put, path = "", operation_id = "create_session", tag = "sessions", request_body = Option<CreateSession>,
    responses((status = 201, description = "Made.", body = SessionSummary), (status = 200, description = "It existed.", body = SessionSummary), Failure))]
pub(crate) async fn create(
    call: SessionCall,
    OptionalJsonBody(request): OptionalJsonBody<CreateSession>,
) -> HandlerResult<(StatusCode, Json<SessionSummary>)> {
    if request.policy.is_some() {
        call.user.needs_control()?;
    }
    call.user.may_set(&request.vars)?;
    let user_policy = call.user.app.service.sessions().user_policy(&call.user.user).await?;
    let sets_policy = request.policy.is_some();
    let CreatedSession { session, is_new, unchanged } = call.user.create_session(&call.session, request).await?;
    let status = if is_new { StatusCode::CREATED } else { StatusCode::OK };
    let session = seen_by(call.backend.summary_of(&session, &user_policy), &call.user);
    let session = SessionSummary { unchanged, ..session };
    Ok((status, Json(if sets_policy && is_new { with_unmatched_rules(session, &call.user).await } else { session })))
}

/// Show a session; one that does not exist is shown as it would begin.
#[utoipa::path(get, path = "", operation_id = "show_session", tag = "sessions", responses((status = 200, body = SessionSummary), Failure))]
pub(crate) async fn show(call: SessionCall) -> JsonReply<SessionSummary> {
    Ok(Json(seen_by(call.backend.summary().await?, &call.user)))
}

/// How to forget a session.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ForgetParameters {
    /// `delete`: the files of its workspace are deleted with it. They stay otherwise.
    #[param(inline)]
    workspace: Option<WorkspaceFate>,
}

/// What becomes of the workspace of a session that is forgotten.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum WorkspaceFate {
    /// Its files are deleted.
    Delete,
}

/// Forget a session; its workspace stays, unless the request says otherwise and no other session shares it. Needs a key of
/// scope `control`.
#[utoipa::path(delete, path = "", operation_id = "forget_session", tag = "sessions", params(ForgetParameters),
    responses((status = 204, description = "Forgotten."), Failure))]
pub(crate) async fn forget(call: SessionCall, parameters: Parameters<ForgetParameters>) -> HandlerResult<StatusCode> {
    call.user.needs_control()?;
    let work = async {
        match parameters.workspace {
            None => call.user.app.service.sessions().delete(&call.user.user, &call.session).await,
            Some(WorkspaceFate::Delete) => call.backend.forget_with_workspace().await,
        }
    };
    call.author().perform((Action::ForgetSession, ""), work).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Change policy, variables or the current skill of a session.
#[utoipa::path(patch, path = "", operation_id = "change_session", tag = "sessions", request_body = ChangeSession,
    responses((status = 200, body = SessionSummary), Failure))]
pub(crate) async fn change(call: SessionCall, JsonBody(request): JsonBody<ChangeSession>) -> JsonReply<SessionSummary> {
    if request.policy.is_some() {
        call.user.needs_control()?;
    }
    call.user.may_set(request.vars.as_ref().unwrap_or(&BTreeMap::new()))?;
    let sessions = call.user.app.service.sessions();
    let user_policy = sessions.user_policy(&call.user.user).await?;
    let work = sessions.change(&call.user.user, &call.session, &request);
    let session = call.author().perform((Action::ChangeSession, ""), work).await?;
    call.backend.record_seen(&session);
    let session = seen_by(call.backend.summary_of(&session, &user_policy), &call.user);
    Ok(Json(if request.policy.is_some() { with_unmatched_rules(session, &call.user).await } else { session }))
}

/// The session with the rules of its new policy that match no skill.
async fn with_unmatched_rules(session: SessionSummary, call: &UserCall) -> SessionSummary {
    let unmatched_rules = unmatched_rules(&session.policy, call).await;
    SessionSummary { unmatched_rules, ..session }
}

/// List the sessions of a user that the key reaches, in byte order of their ids. A page may hold none and still name a
/// next one.
#[utoipa::path(get, path = "/sessions", operation_id = "list_sessions", tag = "sessions", params(SessionListRequest),
    responses((status = 200, body = SessionPage), Failure))]
pub(crate) async fn list(call: UserCall, wanted: Parameters<SessionListRequest>) -> JsonReply<SessionPage> {
    let page = if call.reach().is_bound() {
        reached(&call, wanted.0).await?
    } else {
        call.app.service.list_sessions(&call.caller, &wanted).await?
    };
    let sessions = page.sessions.into_iter().map(|session| seen_by(session, &call)).collect();
    Ok(Json(SessionPage { sessions, ..page }))
}

/// A page of the sessions that a bound caller reaches. The client sees the cursor, so the cursor names a session of the
/// page.
async fn reached(call: &UserCall, wanted: SessionListRequest) -> Result<SessionPage> {
    let service = &call.app.service;
    let limit = wanted.limit.unwrap_or(PAGE_ENTRIES).clamp(1, PAGE_ENTRIES);
    let mut part = SessionListRequest { limit: Some(PAGE_ENTRIES), ..wanted };
    let mut within = SessionPage { sessions: Vec::new(), damaged: Vec::new(), next_cursor: None };
    loop {
        let page = service.list_sessions(&call.caller, &part).await?;
        // Of a damaged session only its id is known.
        let names = |id: &Id| call.reach().vars().is_empty() && call.reach().names(id);
        within.damaged.extend(page.damaged.into_iter().filter(|damaged| names(&damaged.session_id)));
        for session in page.sessions {
            if !is_session_within(service.sessions(), &session, call.reach()).await? {
                continue;
            }
            if within.sessions.len() == limit {
                // Listed keys end in `.json`, so that name is where to go on.
                within.next_cursor = within.sessions.last().map(|last| format!("{}.json", last.session_id));
                return Ok(within);
            }
            within.sessions.push(session);
        }
        part.cursor = page.next_cursor;
        if part.cursor.is_none() {
            return Ok(within);
        }
    }
}

/// The policy of a user.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct UserPolicy {
    #[serde(flatten)]
    policy: Policy,
    /// Tools that it has rules for and that this version does not know; they change nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unknown_tools: Vec<String>,
    /// In the answer to a change: rules for skills, and skills for sub-agents, that match no skill of the catalog; they change
    /// nothing now.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unmatched_rules: Vec<String>,
}

impl UserPolicy {
    fn seen_by(policy: &Policy, call: &UserCall) -> Self {
        let unknown_tools = policy.unknown_tools().map(str::to_owned).collect();
        Self { policy: shown(policy, call), unknown_tools, unmatched_rules: Vec::new() }
    }
}

/// The rules of `policy` that match no skill which the user has now. Without a catalog none is named: the policy is set already.
async fn unmatched_rules(policy: &Policy, call: &UserCall) -> Vec<String> {
    match call.app.service.catalogs().view(call.audience(), true).await {
        Ok(view) => policy.unmatched_rules(view.entries.iter().map(|entry| entry.skill.as_str())),
        Err(error) => {
            tracing::warn!(user = %call.user, error = %error.chain(), "the rules of a policy were not compared with the catalog");
            Vec::new()
        }
    }
}

/// Show the user's policy; the stricter of it and a session's own holds. Only a key of scope `control` is shown rules that
/// name skills.
#[utoipa::path(get, path = "/policy", operation_id = "show_user_policy", tag = "sessions", responses((status = 200, body = UserPolicy), Failure))]
pub(crate) async fn user_policy(call: UserCall) -> JsonReply<UserPolicy> {
    let policy = call.app.service.sessions().user_policy(&call.user).await?;
    Ok(Json(UserPolicy::seen_by(&policy, &call)))
}

/// Replace the user's policy. Needs a key of scope `control`.
#[utoipa::path(put, path = "/policy", operation_id = "set_user_policy", tag = "sessions", request_body = Policy,
    responses((status = 200, body = UserPolicy), Failure))]
pub(crate) async fn set_user_policy(call: UserCall, JsonBody(policy): JsonBody<Policy>) -> JsonReply<UserPolicy> {
    call.needs_control()?;
    let sessions = call.app.service.sessions();
    // A damaged policy has no digest, and is replaced.
    let before = sessions.user_policy(&call.user).await.ok().and_then(|before| serde_json::to_vec(&*before).ok());
    let work = sessions.set_user_policy(&call.user, policy);
    let effects = |policy: &Arc<Policy>| {
        Effects::of_file("policy", before.as_deref(), serde_json::to_vec(&**policy).ok().as_deref())
    };
    let policy = call.author().perform_with((Action::SetUserPolicy, "policy"), effects, work).await?;
    let unmatched_rules = unmatched_rules(&policy, &call).await;
    Ok(Json(UserPolicy { unmatched_rules, ..UserPolicy::seen_by(&policy, &call) }))
}
