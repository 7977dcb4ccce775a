//! Publishing and deleting, in the words of the Skills APIs. Each needs a key of scope `control`, as any publish does.

use std::collections::BTreeMap;

use axum::{Json, extract::Request, http::HeaderMap};
use serde::Deserialize;
use utoipa::ToSchema;

use super::{
    documents::{self, SkillsApiDeleted, SkillsApiSkill, SkillsApiVersion},
    failure::ApiFailure,
    form::{self, SkillForm},
    ids::version_named,
    reads::SkillReference,
    shape::ApiShape,
};
use crate::{
    context::Action,
    http::{Binary, JsonBody, JsonReply, Uploads, UserCall},
    path::SkillPath,
    publish::PublishOptions,
};

/// `files[]`: a part for each file of a skill, its filename the path with the skill's folder before it. Or `files`: one zip. Beside
/// them `display_name`, what people call a new skill, and `default`, whether a new version is published.
#[derive(ToSchema)]
#[schema(as = SkillsApiForm)]
#[expect(dead_code, clippy::zero_sized_map_values, reason = "read by the OpenAPI generator alone")]
pub(super) struct FormDocument {
    #[serde(flatten)]
    #[schema(inline)]
    parts: BTreeMap<String, Binary>,
}

/// Which version is to be published.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = DefaultVersionRequest)]
pub(super) struct DefaultVersion {
    /// Its number, or its id.
    default_version: String,
}

/// Publish a skill where there is none. Its path is the name in its SKILL.md, or else the folder around its files.
#[utoipa::path(post, path = "/v1/skills", operation_id = "api_create_skill", tag = "skills_api",
    request_body(content = FormDocument, content_type = "multipart/form-data"),
    responses((status = 200, body = SkillsApiSkill), ApiFailure))]
pub(super) async fn create(call: UserCall, uploads: Uploads, request: Request) -> JsonReply<SkillsApiSkill> {
    call.needs_control()?;
    let shape = ApiShape::from_headers(request.headers());
    let SkillForm { uploaded, display_name, held, .. } = form::receive(&uploads, request).await?;
    let skill = call.app.service.publisher().path_of(&call.user, uploaded.clone()).await?;
    let options = PublishOptions::from_caller(&call.caller);
    let publishing = move |call: UserCall, skill: SkillPath, options| async move {
        let made = call.app.service.published().publish_new(&call.user, &skill, uploaded, display_name, options).await;
        drop(held);
        made
    };
    let made = call.change_skill((Action::PublishSkill, skill), options, publishing).await?;
    Ok(Json(documents::skill(shape, &made)))
}

/// Add a version to a skill. In the shape of OpenAI's API it is published if `default` is `true`, and else kept beside the
/// published one; in that of Anthropic's it is published.
#[utoipa::path(post, path = "/v1/skills/{skill_id}/versions", operation_id = "api_add_version", tag = "skills_api",
    request_body(content = FormDocument, content_type = "multipart/form-data"),
    responses((status = 200, body = SkillsApiVersion), ApiFailure))]
pub(super) async fn add_version(call: UserCall, uploads: Uploads, request: Request) -> JsonReply<SkillsApiVersion> {
    call.needs_control()?;
    let shape = ApiShape::from_headers(request.headers());
    let SkillReference { skill, .. } = SkillReference::in_path(&call)?;
    let SkillForm { uploaded, is_default, held, .. } = form::receive(&uploads, request).await?;
    let is_published = is_default || shape == ApiShape::Anthropic;
    let of = skill.clone();
    let options = PublishOptions::from_caller(&call.caller);
    let adding = move |call: UserCall, skill: SkillPath, options| async move {
        let made = call.app.service.published().add_version(&call.user, &skill, uploaded, is_published, options).await;
        drop(held);
        made
    };
    let made = call.change_skill((Action::PublishSkill, skill), options, adding).await?;
    Ok(Json(documents::version(shape, &of, &made)))
}

/// Publish one of the versions of a skill.
#[utoipa::path(post, path = "/v1/skills/{skill_id}", operation_id = "api_publish_version", tag = "skills_api",
    request_body = DefaultVersion, responses((status = 200, body = SkillsApiSkill), ApiFailure))]
pub(super) async fn publish_version(
    call: UserCall,
    headers: HeaderMap,
    JsonBody(DefaultVersion { default_version }): JsonBody<DefaultVersion>,
) -> JsonReply<SkillsApiSkill> {
    call.needs_control()?;
    let SkillReference { skill, .. } = SkillReference::in_path(&call)?;
    let name = version_named(&default_version)?;
    let options = PublishOptions::from_caller(&call.caller);
    let publishing = move |call: UserCall, skill: SkillPath, options| async move {
        call.app.service.published().publish_version(&call.user, &skill, &name, options).await
    };
    let now = call.change_skill((Action::RollBackSkill, skill), options, publishing).await?;
    Ok(Json(documents::skill(ApiShape::from_headers(&headers), &now)))
}

/// Delete a skill. To delete it again changes nothing.
#[utoipa::path(delete, path = "/v1/skills/{skill_id}", operation_id = "api_delete_skill", tag = "skills_api",
    responses((status = 200, body = SkillsApiDeleted), ApiFailure))]
pub(super) async fn delete(call: UserCall, headers: HeaderMap) -> JsonReply<SkillsApiDeleted> {
    call.needs_control()?;
    let SkillReference { skill, .. } = SkillReference::in_path(&call)?;
    let reply = documents::deleted_skill(ApiShape::from_headers(&headers), &skill);
    let options = PublishOptions::from_caller(&call.caller);
    let deleting = move |call: UserCall, skill: SkillPath, options| async move {
        call.app.service.published().withdraw_skill(&call.user, &skill, options).await
    };
    call.change_skill((Action::DeleteSkill, skill), options, deleting).await?;
    Ok(Json(reply))
}

/// Delete a version of a skill. If it is the published one, the newest of the others is published in its place. With its last
/// version the skill is deleted.
#[utoipa::path(delete, path = "/v1/skills/{skill_id}/versions/{version}", operation_id = "api_delete_version",
    tag = "skills_api", responses((status = 200, body = SkillsApiDeleted), ApiFailure))]
pub(super) async fn remove_version(call: UserCall, headers: HeaderMap) -> JsonReply<SkillsApiDeleted> {
    call.needs_control()?;
    let named = SkillReference::in_path(&call)?;
    let (name, skill) = (named.version()?, named.skill);
    let options = PublishOptions::from_caller(&call.caller);
    let removing = move |call: UserCall, skill: SkillPath, options| async move {
        Box::pin(call.app.service.published().remove_version(&call.user, &skill, &name, options)).await
    };
    let removed = call.change_skill((Action::ChangeSkill, skill), options, removing).await?;
    Ok(Json(documents::deleted_version(ApiShape::from_headers(&headers), &removed)))
}
