//! Sessions and policies.

use std::collections::BTreeMap;

use axum::{Extension, Json, http::StatusCode};
use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

use super::{
    body::{JsonBody, OptionalJsonBody, Parameters},
    call::{SessionCall, UserCall},
    problem::{Failure, Reply},
};
use crate::{
    error::Result,
    limits::PAGE_ENTRIES,
    path::Id,
    session::{Change, CreateSession, DamagedSession, LoadedSummary, Policy, Session, SessionPage, SessionSummary},
};

/// Sessions by id.
pub(super) fn of_session() -> OpenApiRouter {
    OpenApiRouter::new().routes(routes!(create, show, forget, change))
}

/// A user's sessions and policy.
pub(super) fn of_user() -> OpenApiRouter {
    OpenApiRouter::new().routes(routes!(list)).routes(routes!(user_policy, set_user_policy))
}

/// One agent conversation.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Session)]
struct SessionReply {
    session_id: String,
    user_id: String,
    /// Values for the mount templates.
    vars: BTreeMap<String, String>,
    /// What it may do. Only a key of scope `control` is shown rules that hide skills.
    policy: Policy,
    /// Tools that the policy has rules for and that this version does not know; they change nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unknown_tools: Vec<String>,
    /// The session it was forked from.
    parent: Option<String>,
    /// The session whose `/workspace` and `/ticket` it shares; null where they are its own.
    workspace_of: Option<String>,
    /// The skill whose instructions the prompt holds.
    current_skill: Option<String>,
    /// Counts changes; 0 for a session that was never changed.
    version: u64,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    #[schema(value_type = String, format = DateTime)]
    updated_at: Timestamp,
    /// When it is forgotten if nothing happens in it.
    #[schema(value_type = String, format = DateTime)]
    expires_at: Timestamp,
    /// In the order they were loaded.
    loaded_skills: Vec<LoadedSkillReply>,
}

/// A skill that a session has loaded.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = LoadedSkill)]
pub(super) struct LoadedSkillReply {
    /// Where it lies: `escrituras/compraventa`.
    skill: String,
    /// Its folder: `/skills/compraventa`.
    mount: String,
    name: String,
    description: String,
    /// The digest of the snapshot that is mounted.
    digest: String,
    #[schema(value_type = String, format = DateTime)]
    loaded_at: Timestamp,
}

impl From<SessionSummary> for SessionReply {
    fn from(session: SessionSummary) -> Self {
        Self {
            session_id: session.session_id.to_string(),
            user_id: session.user_id.to_string(),
            vars: session.vars.iter().map(|(name, value)| (name.clone(), value.to_string())).collect(),
            unknown_tools: unknown_tools(&session.policy),
            policy: session.policy,
            parent: session.parent.as_ref().map(Id::to_string),
            workspace_of: session.workspace_of.as_ref().map(Id::to_string),
            current_skill: session.current_skill.as_ref().map(ToString::to_string),
            version: session.version,
            created_at: session.created_at,
            updated_at: session.updated_at,
            expires_at: session.expires_at,
            loaded_skills: session.loaded_skills.into_iter().map(LoadedSkillReply::from).collect(),
        }
    }
}

impl SessionReply {
    /// The session as this caller may see it.
    fn seen_by(session: SessionSummary, call: &UserCall) -> Self {
        let reply = Self::from(session);
        Self { policy: shown(&reply.policy, call), ..reply }
    }
}

/// A policy as this caller may see it: rules that hide skills name them.
fn shown(policy: &Policy, call: &UserCall) -> Policy {
    if call.needs_control().is_ok() { policy.clone() } else { policy.without_hidden() }
}

fn unknown_tools(policy: &Policy) -> Vec<String> {
    policy.unknown_tools().map(str::to_owned).collect()
}

impl From<LoadedSummary> for LoadedSkillReply {
    fn from(loaded: LoadedSummary) -> Self {
        Self {
            skill: loaded.skill.to_string(),
            mount: format!("/skills/{}", loaded.mount),
            name: loaded.name,
            description: loaded.description,
            digest: loaded.digest,
            loaded_at: loaded.loaded_at,
        }
    }
}

/// What a new session begins with.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct CreateRequest {
    /// Values for the mount templates; a key of scope `control` sets them, and an agent's those that the templates leave to
    /// agents.
    #[serde(default)]
    #[schema(value_type = BTreeMap<String, String>)]
    vars: BTreeMap<String, Id>,
    /// What it may do; needs a key of scope `control`.
    policy: Option<Policy>,
    /// A session of the same user whose loaded skills, variables and policy it starts from, and whose `/workspace` and
    /// `/ticket` it shares.
    #[schema(value_type = Option<String>)]
    parent: Option<Id>,
}

/// Make a session; one that exists is returned as it is.
#[utoipa::path(put, path = "", operation_id = "create_session", tag = "sessions", request_body = Option<CreateRequest>,
    responses((status = 201, description = "Made.", body = SessionReply), (status = 200, description = "It existed.", body = SessionReply), Failure))]
async fn create(
    Extension(call): Extension<SessionCall>,
    OptionalJsonBody(request): OptionalJsonBody<CreateRequest>,
) -> Reply<(StatusCode, Json<SessionReply>)> {
    if request.policy.is_some() {
        call.user.needs_control()?;
    }
    call.user.may_set(&request.vars)?;
    let user_policy = call.user.app.service.sessions().user_policy(&call.user.user).await?;
    let CreateRequest { vars, policy, parent } = request;
    let wanted = CreateSession { vars, policy, parent };
    let (session, made) = call.user.create_session(&call.session, wanted).await?;
    let status = if made { StatusCode::CREATED } else { StatusCode::OK };
    Ok((status, Json(SessionReply::seen_by(call.backend.summary_of(&session, &user_policy), &call.user))))
}

/// Show a session; one that does not exist is shown as it would begin.
#[utoipa::path(get, path = "", operation_id = "show_session", tag = "sessions", responses((status = 200, body = SessionReply), Failure))]
async fn show(Extension(call): Extension<SessionCall>) -> Reply<Json<SessionReply>> {
    Ok(Json(SessionReply::seen_by(call.backend.summary().await?, &call.user)))
}

/// How to forget a session.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct ForgetParameters {
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
async fn forget(
    Extension(call): Extension<SessionCall>,
    Parameters(parameters): Parameters<ForgetParameters>,
) -> Reply<StatusCode> {
    call.user.needs_control()?;
    match parameters.workspace {
        None => call.user.app.service.sessions().delete(&call.user.user, &call.session).await?,
        Some(WorkspaceFate::Delete) => call.backend.forget_with_workspace().await?,
    }
    Ok(StatusCode::NO_CONTENT)
}

/// What to change of a session.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ChangeRequest {
    /// The new policy, whole; needs a key of scope `control`.
    policy: Option<Policy>,
    /// Variables to set; a key of scope `control` sets them, and an agent's those that the templates leave to agents.
    #[schema(value_type = Option<BTreeMap<String, String>>)]
    vars: Option<BTreeMap<String, Id>>,
    /// `null`: no skill is current any more. A skill becomes current by loading it.
    #[serde(default, rename = "current_skill", deserialize_with = "only_null")]
    #[schema(value_type = Option<String>)]
    clear_current_skill: bool,
}

/// Change policy, variables or the current skill of a session.
#[utoipa::path(patch, path = "", operation_id = "change_session", tag = "sessions", request_body = ChangeRequest,
    responses((status = 200, body = SessionReply), Failure))]
async fn change(
    Extension(call): Extension<SessionCall>,
    JsonBody(request): JsonBody<ChangeRequest>,
) -> Reply<Json<SessionReply>> {
    if request.policy.is_some() {
        call.user.needs_control()?;
    }
    call.user.may_set(request.vars.as_ref().unwrap_or(&BTreeMap::new()))?;
    let sessions = call.user.app.service.sessions();
    let user_policy = sessions.user_policy(&call.user.user).await?;
    if let Some(policy) = &request.policy {
        policy.check()?;
    }
    if let Some(vars) = &request.vars {
        sessions.check_vars(vars)?;
    }
    let apply = |session: &mut Session| -> Result<Change<()>> {
        if let Some(policy) = &request.policy {
            session.policy.clone_from(policy);
        }
        session.vars.extend(request.vars.clone().unwrap_or_default());
        if request.clear_current_skill {
            session.current_skill = None;
        }
        Ok(Change::Save(()))
    };
    let (session, _) = sessions.update(&call.user.user, &call.session, apply).await?;
    Ok(Json(SessionReply::seen_by(call.backend.summary_of(&session, &user_policy), &call.user)))
}

/// Takes `null` and nothing else.
fn only_null<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    <()>::deserialize(deserializer).map(|()| true)
}

/// Which sessions.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct ListParameters {
    /// Sessions of one page, 1 to 1,000; a page of large ones ends sooner.
    limit: Option<usize>,
    /// `next_cursor` of the page before.
    cursor: Option<String>,
}

/// A session that cannot be read.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DamagedSession)]
struct DamagedReply {
    session_id: String,
    /// What can be done about it.
    message: String,
}

impl From<DamagedSession> for DamagedReply {
    fn from(damaged: DamagedSession) -> Self {
        Self { session_id: damaged.session_id.to_string(), message: damaged.message }
    }
}

/// One page of sessions.
#[derive(Debug, Serialize, ToSchema)]
struct SessionList {
    sessions: Vec<SessionReply>,
    /// Sessions among them that cannot be read; `DELETE` removes one.
    damaged: Vec<DamagedReply>,
    /// Give this back to get the next page; null on the last one.
    next_cursor: Option<String>,
}

/// List a user's sessions, in byte order of their ids: those that the key reaches. A page may hold none and still name a
/// next one.
#[utoipa::path(get, path = "/sessions", operation_id = "list_sessions", tag = "sessions", params(ListParameters),
    responses((status = 200, body = SessionList), Failure))]
async fn list(
    Extension(call): Extension<UserCall>,
    Parameters(parameters): Parameters<ListParameters>,
) -> Reply<Json<SessionList>> {
    let limit = parameters.limit.unwrap_or(PAGE_ENTRIES);
    let page = if call.reach().is_bound() {
        reached(&call, limit, parameters.cursor).await?
    } else {
        call.app.service.list_sessions(call.audience(), limit, parameters.cursor.as_deref()).await?
    };
    let sessions = page.sessions.into_iter().map(|session| SessionReply::seen_by(session, &call)).collect();
    let damaged = page.damaged.into_iter().map(DamagedReply::from).collect();
    Ok(Json(SessionList { sessions, damaged, next_cursor: page.next_cursor }))
}

/// A page of the sessions that a bound caller reaches. Its cursor is one of them, for it is shown.
async fn reached(call: &UserCall, limit: usize, mut cursor: Option<String>) -> Result<SessionPage> {
    let service = &call.app.service;
    let mut within = SessionPage { sessions: Vec::new(), damaged: Vec::new(), next_cursor: None };
    loop {
        let page = service.list_sessions(call.audience(), PAGE_ENTRIES, cursor.as_deref()).await?;
        // Of a damaged session only its id is known.
        let names = |id: &Id| call.reach().vars().is_empty() && call.reach().names(id);
        within.damaged.extend(page.damaged.into_iter().filter(|damaged| names(&damaged.session_id)));
        for session in page.sessions {
            if !service.sessions().lies_within(&session, call.reach()).await? {
                continue;
            }
            if within.sessions.len() == limit.clamp(1, PAGE_ENTRIES) {
                // Listed keys end in `.json`, so that name is where to go on.
                within.next_cursor = within.sessions.last().map(|last| format!("{}.json", last.session_id));
                return Ok(within);
            }
            within.sessions.push(session);
        }
        cursor = page.next_cursor;
        if cursor.is_none() {
            return Ok(within);
        }
    }
}

/// The policy of a user.
#[derive(Debug, Serialize, ToSchema)]
struct UserPolicy {
    #[serde(flatten)]
    policy: Policy,
    /// Tools that it has rules for and that this version does not know; they change nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unknown_tools: Vec<String>,
}

impl UserPolicy {
    fn seen_by(policy: &Policy, call: &UserCall) -> Self {
        Self { policy: shown(policy, call), unknown_tools: unknown_tools(policy) }
    }
}

/// Show the user's policy; the stricter of it and a session's own holds. Only a key of scope `control` is shown rules that
/// hide skills.
#[utoipa::path(get, path = "/policy", operation_id = "show_user_policy", tag = "sessions", responses((status = 200, body = UserPolicy), Failure))]
async fn user_policy(Extension(call): Extension<UserCall>) -> Reply<Json<UserPolicy>> {
    let policy = call.app.service.sessions().user_policy(&call.user).await?;
    Ok(Json(UserPolicy::seen_by(&policy, &call)))
}

/// Replace the user's policy. Needs a key of scope `control`.
#[utoipa::path(put, path = "/policy", operation_id = "set_user_policy", tag = "sessions", request_body = Policy,
    responses((status = 200, body = UserPolicy), Failure))]
async fn set_user_policy(
    Extension(call): Extension<UserCall>,
    JsonBody(policy): JsonBody<Policy>,
) -> Reply<Json<UserPolicy>> {
    call.needs_control()?;
    let policy = call.app.service.sessions().set_user_policy(&call.user, policy).await?;
    Ok(Json(UserPolicy::seen_by(&policy, &call)))
}
