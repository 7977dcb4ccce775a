//! Reading published skills: listings, single ones, and their content.

use axum::{Json, http::HeaderMap, response::Response};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use super::{
    documents::{self, SkillsApiSkill, SkillsApiSkills, SkillsApiVersion, SkillsApiVersions},
    failure::ApiFailure,
    ids::{skill_of, version_named},
    shape::ApiShape,
};
use crate::{
    context::Action,
    error::Result,
    http::{
        Binary, HandlerResult, JsonReply, Parameters, UserCall,
        routes::{readable_catalog, skill_archive},
    },
    limits::{SKILLS_API_LISTED, SKILLS_API_PAGE},
    path::SkillPath,
    publish::{PageRequest, VersionName},
};

/// The direction of a listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = SkillsApiOrder)]
enum Order {
    /// Rising.
    Asc,
    /// Falling.
    Desc,
}

/// The part of a listing.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct PageParameters {
    /// The most items; 20 unless given, and 1,000 at most.
    limit: Option<usize>,
    /// The `next_page` of the page before, as clients of Anthropic's API send it.
    page: Option<String>,
    /// The id of the last item of the page before, as clients of OpenAI's API send it.
    after: Option<String>,
    /// Skills are listed in the order of their paths, `asc` unless given, and versions in that of their numbers, `desc` unless
    /// given.
    #[param(inline)]
    order: Option<Order>,
    /// Whose skills: `custom` are all there are here, and any other source has none.
    source: Option<String>,
}

impl PageParameters {
    fn limit(&self) -> usize {
        self.limit.unwrap_or(SKILLS_API_LISTED).clamp(1, SKILLS_API_PAGE)
    }

    /// The item after which the page begins.
    fn after<T>(&self, read: impl FnOnce(&str) -> Result<T>) -> Result<Option<T>> {
        let text = self.page.as_deref().or(self.after.as_deref());
        let wrong = |_| invalid!("the cursor is not one that a page gave");
        text.map(read).transpose().map_err(wrong)
    }

    fn is_descending(&self, unless_given: Order) -> bool {
        self.order.unwrap_or(unless_given) == Order::Desc
    }
}

/// The skill and the version that the path of a call names below `/v1/skills/`.
pub(super) struct SkillReference {
    pub(super) skill: SkillPath,
    version: Option<String>,
}

impl SkillReference {
    /// # Errors
    /// `skill_not_found` if the segment is the id of no skill.
    pub(super) fn in_path(call: &UserCall) -> Result<Self> {
        let mut segments = call.rest.split('/');
        let skill = skill_of(segments.next().unwrap_or_default())?;
        Ok(Self { skill, version: segments.nth(1).map(str::to_owned) })
    }

    /// # Errors
    /// `version_not_found` if the segment names no version.
    pub(super) fn version(&self) -> Result<VersionName> {
        version_named(self.version.as_deref().unwrap_or_default())
    }
}

/// List published skills, except skills that the user's policy hides from the caller.
#[utoipa::path(get, path = "/v1/skills", operation_id = "api_list_skills", tag = "skills_api", params(PageParameters),
    responses((status = 200, body = SkillsApiSkills), ApiFailure))]
pub(super) async fn list(
    call: UserCall,
    headers: HeaderMap,
    wanted: Parameters<PageParameters>,
) -> JsonReply<SkillsApiSkills> {
    let policy = readable_catalog(&call).await?;
    let limit = if wanted.source.as_deref().is_none_or(|source| source == "custom") { wanted.limit() } else { 0 };
    let page = PageRequest { after: wanted.after(skill_of)?, descending: wanted.is_descending(Order::Asc), limit };
    let mut page = call.app.service.published().published_skills(&call.user, &policy, &page).await?;
    page.has_more &= limit > 0;
    Ok(Json(documents::skills(ApiShape::from_headers(&headers), &page)))
}

/// Show a published skill.
#[utoipa::path(get, path = "/v1/skills/{skill_id}", operation_id = "api_show_skill", tag = "skills_api",
    responses((status = 200, body = SkillsApiSkill), ApiFailure))]
pub(super) async fn show(call: UserCall, headers: HeaderMap) -> JsonReply<SkillsApiSkill> {
    let named = SkillReference::in_path(&call)?;
    let policy = readable_catalog(&call).await?;
    let skill = call.app.service.published().published_skill(&call.user, &policy, &named.skill).await?;
    Ok(Json(documents::skill(ApiShape::from_headers(&headers), &skill)))
}

/// Get the files of the published version of a skill, as a zip archive.
#[utoipa::path(get, path = "/v1/skills/{skill_id}/content", operation_id = "api_get_content", tag = "skills_api",
    responses((status = 200, description = "The archive.", body = inline(Binary), content_type = "application/zip"), ApiFailure))]
pub(super) async fn content(call: UserCall) -> HandlerResult<Response> {
    let named = SkillReference::in_path(&call)?;
    archived(&call, &named.skill, &VersionName::Current).await
}

/// List the versions of a skill.
#[utoipa::path(get, path = "/v1/skills/{skill_id}/versions", operation_id = "api_list_versions", tag = "skills_api",
    params(PageParameters), responses((status = 200, body = SkillsApiVersions), ApiFailure))]
pub(super) async fn versions(
    call: UserCall,
    headers: HeaderMap,
    wanted: Parameters<PageParameters>,
) -> JsonReply<SkillsApiVersions> {
    let named = SkillReference::in_path(&call)?;
    let policy = readable_catalog(&call).await?;
    let page = PageRequest {
        after: wanted.after(version_named)?,
        descending: wanted.is_descending(Order::Desc),
        limit: wanted.limit(),
    };
    let page = call.app.service.published().published_versions(&call.user, &policy, &named.skill, &page).await?;
    Ok(Json(documents::versions(ApiShape::from_headers(&headers), &named.skill, &page)))
}

/// Show a version of a skill, by its id or its number.
#[utoipa::path(get, path = "/v1/skills/{skill_id}/versions/{version}", operation_id = "api_show_version", tag = "skills_api",
    responses((status = 200, body = SkillsApiVersion), ApiFailure))]
pub(super) async fn version(call: UserCall, headers: HeaderMap) -> JsonReply<SkillsApiVersion> {
    let named = SkillReference::in_path(&call)?;
    let (name, policy) = (named.version()?, readable_catalog(&call).await?);
    let version = call.app.service.published().published_version(&call.user, &policy, &named.skill, &name).await?;
    Ok(Json(documents::version(ApiShape::from_headers(&headers), &named.skill, &version)))
}

/// Get the files of a version of a skill, as a zip archive.
#[utoipa::path(get, path = "/v1/skills/{skill_id}/versions/{version}/content", operation_id = "api_get_version_content",
    tag = "skills_api",
    responses((status = 200, description = "The archive.", body = inline(Binary), content_type = "application/zip"), ApiFailure))]
pub(super) async fn version_content(call: UserCall) -> HandlerResult<Response> {
    let named = SkillReference::in_path(&call)?;
    archived(&call, &named.skill, &named.version()?).await
}

async fn archived(call: &UserCall, skill: &SkillPath, name: &VersionName) -> HandlerResult<Response> {
    let reading = async {
        let policy = readable_catalog(call).await?;
        let service = &call.app.service;
        let version = service.published().published_version(&call.user, &policy, skill, name).await?.version;
        service.library().skill_archive(call.audience(), &policy, skill, Some(&version.digest), call.drafts()).await
    };
    let found = call.author().perform((Action::ShowSkill, skill.as_str()), Box::pin(reading)).await?;
    Ok(skill_archive(found, skill.folder()))
}
