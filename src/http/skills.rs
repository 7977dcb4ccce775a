//! What skills a user has: the read side of the catalog, for people and frameworks, not for the agent's file operations.

use std::sync::Arc;

use axum::{Extension, Json};
use serde::Deserialize;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::{
    body::Parameters,
    call::UserCall,
    problem::{Failure, Reply},
};
use crate::{
    error::{Code, Error, Result},
    path::SkillPath,
    session::Policy,
    wire::{RefreshReply, SkillList, SkillListRequest, SkillPage},
};

/// A user's skills.
pub(super) fn of_user() -> OpenApiRouter {
    OpenApiRouter::new().routes(routes!(list)).routes(routes!(show)).routes(routes!(refresh))
}

/// List a user's skills, without those that the user's policy hides.
#[utoipa::path(get, path = "/skills", operation_id = "list_skills", tag = "skills", params(SkillListRequest),
    responses((status = 200, body = SkillList), Failure))]
async fn list(
    Extension(call): Extension<UserCall>,
    Parameters(wanted): Parameters<SkillListRequest>,
) -> Reply<Json<SkillList>> {
    let policy = readable_catalog(&call).await?;
    Ok(Json(call.app.service.list_skills(call.audience(), &policy, &wanted).await?))
}

/// The policy that says what of the catalog may be shown.
pub(super) async fn readable_catalog(call: &UserCall) -> Result<Arc<Policy>> {
    let policy = call.app.service.sessions().user_policy(&call.user).await?;
    if !policy.catalog_reads {
        call.needs_control().map_err(|_| {
            Error::new(
                Code::Denied,
                "the user's policy does not let agents read the catalog; the prompt lists the skills",
            )
        })?;
    }
    Ok(policy)
}

/// Read a user's skills again, however fresh they are; skills that the user's policy hides are not counted.
#[utoipa::path(post, path = "/catalog/refresh", operation_id = "refresh_catalog", tag = "skills", responses((status = 200, body = RefreshReply), Failure))]
async fn refresh(Extension(call): Extension<UserCall>) -> Reply<Json<RefreshReply>> {
    let policy = readable_catalog(&call).await?;
    Ok(Json(call.app.service.refresh_skills(call.audience(), &policy).await?))
}

/// Nothing may be asked for but the skill.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ShowParameters {}

/// Show one skill: its instructions, their outline, and its files.
#[utoipa::path(get, path = "/skills/{*skill}", operation_id = "show_skill", tag = "skills", responses((status = 200, body = SkillPage), Failure))]
async fn show(
    Extension(call): Extension<UserCall>,
    Parameters(ShowParameters {}): Parameters<ShowParameters>,
) -> Reply<Json<SkillPage>> {
    let skill = SkillPath::parse(&call.rest)?;
    let policy = readable_catalog(&call).await?;
    Ok(Json(call.app.service.show_skill(call.audience(), &policy, &skill).await?))
}
