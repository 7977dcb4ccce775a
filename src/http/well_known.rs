//! Skills for installers, without a key: the index and the artifacts of Agent Skills Discovery 0.2.0.
//!
//! They are those of one user, whom the operator names for the Host of the request, or whom a signed link names. Nothing else is
//! reached here. The specification describes these addresses, so the OpenAPI document does not. Addresses in the index are
//! relative to it, so that they hold for a link and behind a proxy too.

use std::sync::Arc;

use axum::{
    Extension, Router,
    extract::{RawPathParams, Request, State},
    http::{HeaderMap, HeaderValue, header},
    middleware::{Next, from_fn_with_state},
    response::{IntoResponse as _, Response},
    routing::get,
};
use serde::Serialize;

use super::{
    address::{ARTIFACT, INDEX},
    admission::Caller,
    app::ServerState,
    call::within_shares,
    conditions::unless_known,
    files::percent_encoded,
    guard::peer_headers,
    log::Served,
    problem::Reply,
};
use crate::{
    backend::{Artifact, ArtifactKind, OfferedSkill, SkillBackend},
    error::{Code, Error, Result},
    path::{ETag, Id, SkillPath},
};

/// The schema of the index.
const SCHEMA: &str = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";
/// The session in which installers look. Nothing is ever loaded into it.
const SESSION: &str = "well-known";
const ARCHIVE_END: &str = ".zip";
const TEXT_END: &str = "/SKILL.md";

/// The routes, below a Host and below a link.
pub(super) fn routes(app: &Arc<ServerState>) -> Router {
    let here = || Router::new().route(INDEX, get(index)).route(ARTIFACT, get(artifact));
    here().nest("/links/{link}", here()).route_layer(from_fn_with_state(Arc::clone(app), enter))
}

/// The index.
#[derive(Serialize)]
struct Index {
    #[serde(rename = "$schema")]
    schema: &'static str,
    skills: Vec<Entry>,
}

/// A skill in the index.
#[derive(Serialize)]
struct Entry {
    name: String,
    description: String,
    #[serde(rename = "type")]
    kind: &'static str,
    url: String,
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

/// Finds out whose skills these are; the handler finds a [`SkillBackend`].
async fn enter(
    State(app): State<Arc<ServerState>>,
    parameters: RawPathParams,
    mut request: Request,
    next: Next,
) -> Reply<Response> {
    let user = user_of(&app, &parameters, &request)?;
    app.service.check_not_deleted(&user).await?;
    request.extensions_mut().insert(app.service.session(user.clone(), Id::parse(SESSION)?));
    let caller = Caller { user: user.as_str().into(), key: None };
    let mut response = within_shares(&app, &caller, request, next).await;
    response.headers_mut().insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response.extensions_mut().insert(Served { user, session: None });
    Ok(response)
}

fn user_of(app: &ServerState, parameters: &RawPathParams, request: &Request) -> Result<Id> {
    let callers = app.callers();
    match parameters.iter().find(|(name, _)| *name == "link") {
        Some((_, link)) => callers.public.of_link(link, app.clock.now()),
        None => callers.public.of_host(peer_headers(request.uri(), request.headers()).host()),
    }
}

async fn index(Extension(backend): Extension<SkillBackend>, headers: HeaderMap) -> Reply<Response> {
    let skills = backend.offered_skills().await?.into_iter().map(Entry::from).collect();
    let text = serde_json::to_string(&Index { schema: SCHEMA, skills }).map_err(Error::internal)?;
    let etag = ETag::of_bytes(text.as_bytes());
    Ok(unless_known(&headers, &etag, || ([(header::CONTENT_TYPE, "application/json")], text).into_response()))
}

async fn artifact(
    Extension(backend): Extension<SkillBackend>,
    parameters: RawPathParams,
    headers: HeaderMap,
) -> Reply<Response> {
    let unknown = || Error::new(Code::SkillNotFound, "no such skill is offered here; index.json lists those that are");
    let path = parameters.iter().find(|(name, _)| *name == "artifact").map(|(_, path)| path).ok_or_else(unknown)?;
    let (skill, kind, content_type) = match (path.strip_suffix(ARCHIVE_END), path.strip_suffix(TEXT_END)) {
        (Some(skill), _) => (skill, ArtifactKind::Archive, "application/zip"),
        (None, Some(skill)) => (skill, ArtifactKind::Text, "text/markdown; charset=utf-8"),
        (None, None) => return Err(unknown().into()),
    };
    let skill = SkillPath::parse(skill).map_err(|_| unknown())?;
    let Artifact { bytes, digest } = backend.artifact(&skill, kind).await?;
    let etag = ETag::new(&digest);
    Ok(unless_known(&headers, &etag, || ([(header::CONTENT_TYPE, content_type)], bytes).into_response()))
}
