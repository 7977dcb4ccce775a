//! The published versions of a skill, over HTTP: their list, and the differences between two versions.

use std::sync::Arc;

use axum::Json;

use super::skills::readable_catalog;
use crate::{
    context::{Action, check_content},
    error::{Code, Error, Result},
    http::{Failure, JsonReply, Parameters, UserCall},
    path::{Layer, LayerOwner, SkillPath},
    wire::{DiffRequest, Policy, VersionDiff, VersionList, VersionListRequest},
};

/// List the versions of a skill, newest first.
#[utoipa::path(get, path = "/versions/{*skill}", operation_id = "list_versions", tag = "skills", params(VersionListRequest),
    responses((status = 200, body = VersionList), Failure))]
pub(crate) async fn versions(call: UserCall, wanted: Parameters<VersionListRequest>) -> JsonReply<VersionList> {
    let skill = SkillPath::parse(&call.rest)?;
    let (owner, _) = readable(&call, wanted.layer, &skill).await?;
    let listed = call.app.service.publisher().list_versions(&owner, &skill, &wanted).await?;
    if listed.current.is_none() && call.needs_control().is_err() {
        return Err(never_published(&skill).into());
    }
    Ok(Json(listed))
}

/// Compare two versions of a skill: the lines that differ, and which files do. Without `from` and `to` they are the published
/// version and the one before it.
#[utoipa::path(get, path = "/diff/{*skill}", operation_id = "diff_versions", tag = "skills", params(DiffRequest),
    responses((status = 200, body = VersionDiff), Failure))]
pub(crate) async fn diff(call: UserCall, wanted: Parameters<DiffRequest>) -> JsonReply<VersionDiff> {
    let skill = SkillPath::parse(&call.rest)?;
    let comparing = Box::pin(compared(&call, &skill, &wanted));
    let author = match wanted.layer {
        None | Some(Layer::User) => call.author(),
        layer => call.author().on_skill_of(call.publishes(layer)?),
    };
    Ok(Json(author.perform((Action::DiffVersions, skill.as_str()), comparing).await?))
}

async fn compared(call: &UserCall, skill: &SkillPath, wanted: &DiffRequest) -> Result<VersionDiff> {
    let (owner, policy) = readable(call, wanted.layer, skill).await?;
    policy.map_or(Ok(()), |policy| check_content(&policy, skill))?;
    if call.needs_control().is_err() {
        let least = VersionListRequest { limit: Some(1), ..VersionListRequest::default() };
        call.app
            .service
            .publisher()
            .list_versions(&owner, skill, &least)
            .await?
            .current
            .ok_or_else(|| never_published(skill))?;
    }
    call.app.service.publisher().diff_versions(&owner, skill, wanted).await
}

/// The owner of a skill whose versions the caller may see. With it the user's policy, if the skill is the user's own.
async fn readable(
    call: &UserCall,
    layer: Option<Layer>,
    skill: &SkillPath,
) -> Result<(LayerOwner, Option<Arc<Policy>>)> {
    if layer.is_some_and(|layer| layer != Layer::User) {
        return Ok((call.publishes(layer)?, None));
    }
    let policy = readable_catalog(call).await?;
    if !policy.skill(skill).is_visible() && call.needs_control().is_err() {
        return Err(never_published(skill));
    }
    Ok((LayerOwner::from(&call.user), Some(policy)))
}

/// The refusal for a skill that the caller may not know of. For agents these are hidden skills, drafts and deleted skills.
fn never_published(skill: &SkillPath) -> Error {
    Error::new(Code::SkillNotFound, format!("{skill} has no versions: it was never published"))
}
