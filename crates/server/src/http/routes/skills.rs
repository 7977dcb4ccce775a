//! The skills of a user: the read side of the catalog, for people and frameworks, not for the agent's file operations.

use std::sync::Arc;

use axum::{
    Json,
    http::{HeaderMap, HeaderValue, header},
    response::{IntoResponse as _, Response},
    routing::get,
};
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    content::SkillArchive,
    context::Action,
    error::{Code, Error, Result},
    http::{Binary, Failure, HandlerResult, JsonReply, Parameters, UserCall, archive, prefers},
    observer::Effects,
    path::SkillPath,
    wire::{Policy, RefreshReply, SkillList, SkillListRequest, SkillPage},
};

/// The address of a skill that is called as the download of skills is.
pub(crate) const NAMED_DOWNLOAD: &str = "/skills/download";

/// A user's skills.
pub(crate) fn of_user() -> OpenApiRouter {
    OpenApiRouter::new()
        .routes(routes!(list))
        .routes(routes!(show))
        .routes(routes!(refresh))
        .route(NAMED_DOWNLOAD, get(show))
}

/// List a user's skills, except skills that the user's policy hides; a key of scope `control` sees them all. Drafts are shown to keys
/// of scope `control`, and to keys that are bound to the session that made them.
#[utoipa::path(get, path = "/skills", operation_id = "list_skills", tag = "skills", params(SkillListRequest),
    responses((status = 200, body = SkillList), Failure))]
async fn list(call: UserCall, wanted: Parameters<SkillListRequest>) -> JsonReply<SkillList> {
    let policy = readable_catalog(&call).await?;
    Ok(Json(call.app.service.library().list_skills(call.audience(), &policy, &wanted, call.drafts()).await?))
}

/// The policy that says what of the catalog may be shown to this caller. A key of scope `control` sees every skill.
pub(crate) async fn readable_catalog(call: &UserCall) -> Result<Arc<Policy>> {
    let service = &call.app.service;
    if call.needs_control().is_ok() {
        return Ok(Arc::new(service.sessions().user_policy(&call.user).await?.for_control()));
    }
    let policy = service.library().catalog_policy(&call.caller).await?;
    if policy.catalog_reads {
        return Ok(policy);
    }
    let message = "the user's policy does not let agents read the catalog; the prompt lists the skills";
    Err(Error::new(Code::Denied, message))
}

/// Read a user's skills again, however fresh they are; skills that the user's policy hides from the caller are
/// not counted.
#[utoipa::path(post, path = "/catalog/refresh", operation_id = "refresh_catalog", tag = "skills", responses((status = 200, body = RefreshReply), Failure))]
async fn refresh(call: UserCall) -> JsonReply<RefreshReply> {
    let policy = readable_catalog(&call).await?;
    let effects = |reply: &RefreshReply| Effects {
        catalog: Some((reply.changed as u64, reply.removed as u64)),
        ..Effects::default()
    };
    let work = call.app.service.library().refresh_skills(call.audience(), &policy);
    Ok(Json(call.author().perform_with((Action::RefreshCatalog, ""), effects, work).await?))
}

/// Which version of a skill.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct ShowParameters {
    /// The digest of a version; the skill as it is now unless given.
    digest: Option<String>,
}

/// Show one skill: its instructions, their outline, and its files. With `accept: application/zip` the answer is its folder as
/// an archive. A draft is shown to who sees it in the list. By its digest a version is shown though the skill is deleted or a draft
/// by now.
#[utoipa::path(get, path = "/skills/{*skill}", operation_id = "show_skill", tag = "skills", params(ShowParameters),
    responses((status = 200, description = "The skill.",
        content((SkillPage = "application/json"), (inline(Binary) = "application/zip")),
        headers(("ETag" = String, description = "The digest of the version, of an archive of one."))), Failure))]
async fn show(call: UserCall, wanted: Parameters<ShowParameters>, headers: HeaderMap) -> HandlerResult<Response> {
    let skill = SkillPath::parse(&call.rest)?;
    let subject = wanted.digest.as_ref().map_or_else(|| skill.to_string(), |digest| format!("{skill} {digest}"));
    let reading = Box::pin(shown(&call, &skill, wanted.digest.as_deref(), &headers));
    let response = call.author().perform((Action::ShowSkill, &subject), reading).await?;
    Ok(([(header::VARY, "accept")], response).into_response())
}

/// A skill, or a version of the skill, in the form that the caller prefers.
async fn shown(call: &UserCall, skill: &SkillPath, digest: Option<&str>, headers: &HeaderMap) -> Result<Response> {
    let policy = readable_catalog(call).await?;
    let service = &call.app.service;
    if prefers(headers, "application/zip", "application/json") {
        let found = service.library().skill_archive(call.audience(), &policy, skill, digest, call.drafts()).await?;
        return Ok(skill_archive(found, skill.folder()));
    }
    Ok(match digest {
        Some(digest) => {
            Json(service.library().show_version(call.audience(), &policy, skill, digest, call.drafts()).await?)
                .into_response()
        }
        None => {
            Json(service.library().show_skill(call.audience(), &policy, skill, call.drafts()).await?).into_response()
        }
    })
}

/// The reply that streams the archive of a skill in the folder `name`.
pub(crate) fn skill_archive(archived: SkillArchive, name: &str) -> Response {
    let tag = archived.digest.as_ref().and_then(|digest| HeaderValue::try_from(format!("\"{digest}\"")).ok());
    let mut response = archive(archived.pieces(), "application/zip", &format!("{name}.zip"));
    response.headers_mut().extend(tag.map(|tag| (header::ETAG, tag)));
    response
}
