//! Skills for installers, without a key: the index and the artifacts of Agent Skills Discovery 0.2.0.
//!
//! The skills are those of one user, whom the operator names for the Host of the request, or whom a signed link names.
//! Nothing else is reached here. Others specify these addresses, so they are in the second OpenAPI document. Addresses in
//! the index are relative to the index, so they hold for a link and behind a proxy too.

use std::sync::Arc;

use axum::{
    Extension,
    extract::{RawPathParams, Request, State},
    http::{HeaderMap, HeaderValue, header},
    middleware::{Next, from_fn_with_state},
    response::{IntoResponse as _, Response},
};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    error::{Code, Error, Result},
    handle::SessionBackend,
    http::{
        Binary, Failure, HandlerResult, ServedUser, ServerState, ShareOwner, SharedState, peer_headers,
        percent_encoded, unless_known, within_shares,
    },
    path::{ETag, Id, SkillPath},
    skills::{Artifact, ArtifactKind, OfferedSkill},
};

/// The schema of the index.
const SCHEMA: &str = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";
/// The session in which installers look. Nothing is ever loaded into it.
const SESSION: &str = "well-known";
const ARCHIVE_END: &str = ".zip";
const TEXT_END: &str = "/SKILL.md";

/// The routes, below a Host and below a link.
pub(crate) fn routes(app: &SharedState) -> OpenApiRouter {
    described().route_layer(from_fn_with_state(Arc::clone(app), enter))
}

/// The same routes without the middleware that finds out whose skills they are.
pub(crate) fn described() -> OpenApiRouter {
    OpenApiRouter::new()
        .routes(routes!(index))
        .routes(routes!(artifact))
        .routes(routes!(linked_index))
        .routes(routes!(linked_artifact))
}

/// The skills that installers are offered.
#[derive(Serialize, ToSchema)]
#[schema(as = InstallerIndex)]
struct Index {
    /// The schema of this document.
    #[serde(rename = "$schema")]
    schema: &'static str,
    /// In byte order of their names.
    skills: Vec<Entry>,
}

/// A skill in the index.
#[derive(Serialize, ToSchema)]
#[schema(as = InstallerSkill)]
struct Entry {
    /// The name to install it by.
    name: String,
    /// What it is for and when to use it.
    description: String,
    /// `skill-md` for a SKILL.md alone, and `archive` for a zip.
    #[serde(rename = "type")]
    kind: &'static str,
    /// Where it is fetched, relative to the index.
    url: String,
    /// `sha256:` and the SHA-256 of what is fetched there, as 64 hex digits.
    digest: String,
}

impl From<OfferedSkill> for Entry {
    fn from(OfferedSkill { name, description, skill, kind, digest }: OfferedSkill) -> Self {
        let path = skill.as_str().split('/').map(percent_encoded).collect::<Vec<_>>().join("/");
        let (kind, url) = match kind {
            ArtifactKind::Text => ("skill-md", format!("{path}{TEXT_END}")),
            ArtifactKind::Archive => ("archive", format!("{path}{ARCHIVE_END}")),
        };
        Self { name, description, kind, url, digest }
    }
}

/// Finds out whose skills these are; the handler finds a [`SessionBackend`].
async fn enter(
    State(app): State<SharedState>,
    parameters: RawPathParams,
    mut request: Request,
    next: Next,
) -> HandlerResult<Response> {
    let user = user_of(&app, &parameters, &request)?;
    app.service.deletions().check_not_deleted(&user).await?;
    request.extensions_mut().insert(app.service.session(user.clone(), Id::parse(SESSION)?));
    let caller = ShareOwner { user: user.as_str().into(), key: None };
    let mut response = within_shares(&app, &caller, request, next).await;
    response.headers_mut().insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response.extensions_mut().insert(ServedUser { user: Some(user), session: None, key: None });
    Ok(response)
}

fn user_of(app: &ServerState, parameters: &RawPathParams, request: &Request) -> Result<Id> {
    let callers = app.callers();
    match parameters.iter().find(|(name, _)| *name == "link") {
        Some((_, link)) => callers.public.of_link(link, app.clock.now()),
        None => callers.public.of_host(peer_headers(request.uri(), request.headers()).host()),
    }
}

/// List the skills of the user whom the operator names for the Host. Needs no key. Takes `if-none-match`.
#[utoipa::path(get, path = "/.well-known/agent-skills/index.json", operation_id = "list_installable_skills", tag = "installers",
    security(()), responses(
    (status = 200, body = Index, headers(("ETag" = String, description = "The tag of these very bytes."))),
    (status = 304, description = "The index is still the one of `if-none-match`.",
        headers(("ETag" = String, description = "The tag of these very bytes."))), Failure))]
async fn index(Extension(backend): Extension<SessionBackend>, headers: HeaderMap) -> HandlerResult<Response> {
    let skills = backend.host_skills().offered_skills().await?.into_iter().map(Entry::from).collect();
    let text = serde_json::to_string(&Index { schema: SCHEMA, skills }).map_err(Error::internal)?;
    let etag = ETag::of_bytes(text.as_bytes());
    Ok(unless_known(&headers, &etag, || ([(header::CONTENT_TYPE, "application/json")], text).into_response()))
}

/// The same of the user of a signed link, until it expires.
#[utoipa::path(get, path = "/links/{link}/.well-known/agent-skills/index.json", operation_id = "list_skills_of_link",
    tag = "installers", security(()), responses(
    (status = 200, body = Index, headers(("ETag" = String, description = "The tag of these very bytes."))),
    (status = 304, description = "The index is still the one of `if-none-match`.",
        headers(("ETag" = String, description = "The tag of these very bytes."))), Failure))]
async fn linked_index(backend: Extension<SessionBackend>, headers: HeaderMap) -> HandlerResult<Response> {
    index(backend, headers).await
}

/// Fetch a skill of the index. Needs no key. Takes `if-none-match`.
#[utoipa::path(get, path = "/.well-known/agent-skills/{*artifact}", operation_id = "fetch_installable_skill", tag = "installers",
    security(()), responses(
    (status = 200, description = "The SKILL.md, or an archive of all files.",
        content((String = "text/markdown"), (inline(Binary) = "application/zip")),
        headers(("ETag" = String, description = "The digest of these bytes."))),
    (status = 304, description = "The skill is still the one of `if-none-match`.",
        headers(("ETag" = String, description = "The digest of these bytes."))), Failure))]
async fn artifact(
    Extension(backend): Extension<SessionBackend>,
    parameters: RawPathParams,
    headers: HeaderMap,
) -> HandlerResult<Response> {
    let unknown =
        || Error::new(Code::SkillNotFound, "no such skill is offered here; index.json lists the offered skills");
    let path = parameters.iter().find(|(name, _)| *name == "artifact").map(|(_, path)| path).ok_or_else(unknown)?;
    let (skill, kind, content_type) = match (path.strip_suffix(ARCHIVE_END), path.strip_suffix(TEXT_END)) {
        (Some(skill), _) => (skill, ArtifactKind::Archive, "application/zip"),
        (None, Some(skill)) => (skill, ArtifactKind::Text, "text/markdown; charset=utf-8"),
        (None, None) => return Err(unknown().into()),
    };
    let skill = SkillPath::parse(skill).map_err(|_| unknown())?;
    let Artifact { bytes, digest } = backend.host_skills().artifact(&skill, kind).await?;
    let etag = ETag::new(&digest);
    Ok(unless_known(&headers, &etag, || ([(header::CONTENT_TYPE, content_type)], bytes).into_response()))
}

/// The same of the user of a signed link, until it expires.
#[utoipa::path(get, path = "/links/{link}/.well-known/agent-skills/{*artifact}", operation_id = "fetch_skill_of_link",
    tag = "installers", security(()), responses(
    (status = 200, description = "The SKILL.md, or an archive of all files.",
        content((String = "text/markdown"), (inline(Binary) = "application/zip")),
        headers(("ETag" = String, description = "The digest of these bytes."))),
    (status = 304, description = "The skill is still the one of `if-none-match`.",
        headers(("ETag" = String, description = "The digest of these bytes."))), Failure))]
async fn linked_artifact(
    backend: Extension<SessionBackend>,
    parameters: RawPathParams,
    headers: HeaderMap,
) -> HandlerResult<Response> {
    artifact(backend, parameters, headers).await
}
