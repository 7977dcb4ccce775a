//! The replies of these routes, in the shape of either API.

use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::{
    ids::{skill_id, version_id},
    shape::ApiShape,
};
use crate::{
    content::NumberedVersion,
    error::{Error, Kind},
    path::SkillPath,
    publish::{PublishedPage, PublishedSkill, PublishedVersion},
};

/// A document in the shape of one of the APIs.
macro_rules! either {
    ($(#[$about:meta])* $name:ident: $anthropic:ty | $open_ai:ty) => {
        $(#[$about])*
        #[derive(Debug, Serialize, ToSchema)]
        #[serde(untagged)]
        pub(super) enum $name {
            /// For a request with `anthropic-version`.
            Anthropic($anthropic),
            /// For any other.
            OpenAi($open_ai),
        }

        impl $name {
            fn for_shape(
                shape: ApiShape,
                anthropic: impl FnOnce() -> $anthropic,
                open_ai: impl FnOnce() -> $open_ai,
            ) -> Self {
                match shape {
                    ApiShape::Anthropic => Self::Anthropic(anthropic()),
                    ApiShape::OpenAi => Self::OpenAi(open_ai()),
                }
            }
        }
    };
}

either! {
    /// A published skill, in the shape of the API that the caller speaks.
    SkillsApiSkill: AnthropicSkill | OpenAiSkill
}
either! {
    /// A version of a skill, in the shape of the API that the caller speaks.
    SkillsApiVersion: AnthropicSkillVersion | OpenAiSkillVersion
}
either! {
    /// What was deleted, in the shape of the API that the caller speaks.
    SkillsApiDeleted: AnthropicDeleted | OpenAiDeleted
}
either! {
    /// A page of published skills, in the shape of the API that the caller speaks.
    SkillsApiSkills: AnthropicPage<AnthropicSkill> | OpenAiPage<OpenAiSkill>
}
either! {
    /// A page of versions, in the shape of the API that the caller speaks.
    SkillsApiVersions: AnthropicPage<AnthropicSkillVersion> | OpenAiPage<OpenAiSkillVersion>
}
either! {
    /// An error, in the shape of the API that the caller speaks.
    SkillsApiError: AnthropicError | OpenAiError
}

/// A published skill, as Anthropic's API has it.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct AnthropicSkill {
    id: String,
    /// `skill`.
    #[serde(rename = "type")]
    kind: &'static str,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    #[schema(value_type = String, format = DateTime)]
    updated_at: Timestamp,
    /// What people call it; the name in its SKILL.md unless it was published with another.
    display_name: String,
    /// The id of the version that is published.
    latest_version_id: String,
    source: AnthropicSource,
}

/// Where a skill comes from.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct AnthropicSource {
    /// `custom`.
    #[serde(rename = "type")]
    kind: &'static str,
}

/// A version of a skill, as Anthropic's API has it.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct AnthropicSkillVersion {
    id: String,
    /// `skill_version`.
    #[serde(rename = "type")]
    kind: &'static str,
    skill_id: String,
    name: String,
    description: String,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
}

/// What was deleted, as Anthropic's API has it.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct AnthropicDeleted {
    id: String,
    /// `skill_deleted` or `skill_version_deleted`.
    #[serde(rename = "type")]
    kind: &'static str,
}

/// A page, as Anthropic's API has it.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct AnthropicPage<T> {
    data: Vec<T>,
    has_more: bool,
    /// What to send as `page` for the next page; `null` on the last one.
    next_page: Option<String>,
}

/// A published skill, as OpenAI's API has it.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct OpenAiSkill {
    id: String,
    /// `skill`.
    object: &'static str,
    name: String,
    description: String,
    /// Seconds since 1970.
    created_at: i64,
    /// The number of the version that is published.
    default_version: String,
    /// The number of the newest version.
    latest_version: String,
}

/// A version of a skill, as OpenAI's API has it.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct OpenAiSkillVersion {
    id: String,
    /// `skill.version`.
    object: &'static str,
    skill_id: String,
    /// Its number.
    version: String,
    name: String,
    description: String,
    /// Seconds since 1970.
    created_at: i64,
}

/// What was deleted, as OpenAI's API has it.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct OpenAiDeleted {
    id: String,
    /// `skill.deleted` or `skill.version.deleted`.
    object: &'static str,
    deleted: bool,
    /// The number of the version, if it was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
}

/// A page, as OpenAI's API has it.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct OpenAiPage<T> {
    /// `list`.
    object: &'static str,
    data: Vec<T>,
    has_more: bool,
    first_id: Option<String>,
    last_id: Option<String>,
}

/// A published skill.
pub(super) fn skill(shape: ApiShape, skill: &PublishedSkill) -> SkillsApiSkill {
    SkillsApiSkill::for_shape(shape, || anthropic_skill(skill), || open_ai_skill(skill))
}

/// A version of a published skill.
pub(super) fn version(shape: ApiShape, of: &SkillPath, version: &PublishedVersion) -> SkillsApiVersion {
    SkillsApiVersion::for_shape(shape, || anthropic_version(of, version), || open_ai_version(of, version))
}

/// A page of published skills.
pub(super) fn skills(shape: ApiShape, page: &PublishedPage<PublishedSkill>) -> SkillsApiSkills {
    let id = |skill: &PublishedSkill| skill_id(&skill.skill);
    SkillsApiSkills::for_shape(
        shape,
        || anthropic_page(page, anthropic_skill, id),
        || open_ai_page(page, open_ai_skill, id),
    )
}

/// A page of versions of a published skill.
pub(super) fn versions(shape: ApiShape, of: &SkillPath, page: &PublishedPage<PublishedVersion>) -> SkillsApiVersions {
    let id = |version: &PublishedVersion| version_id(&version.version);
    SkillsApiVersions::for_shape(
        shape,
        || anthropic_page(page, |version| anthropic_version(of, version), id),
        || open_ai_page(page, |version| open_ai_version(of, version), id),
    )
}

/// That a skill is deleted.
pub(super) fn deleted_skill(shape: ApiShape, skill: &SkillPath) -> SkillsApiDeleted {
    let id = || skill_id(skill);
    SkillsApiDeleted::for_shape(
        shape,
        || AnthropicDeleted { id: id(), kind: "skill_deleted" },
        || OpenAiDeleted { id: id(), object: "skill.deleted", deleted: true, version: None },
    )
}

/// That a version is deleted.
pub(super) fn deleted_version(shape: ApiShape, version: &NumberedVersion) -> SkillsApiDeleted {
    let (id, number) = (|| version_id(version), version.number.to_string());
    SkillsApiDeleted::for_shape(
        shape,
        || AnthropicDeleted { id: id(), kind: "skill_version_deleted" },
        || OpenAiDeleted { id: id(), object: "skill.version.deleted", deleted: true, version: Some(number) },
    )
}

fn anthropic_skill(skill: &PublishedSkill) -> AnthropicSkill {
    AnthropicSkill {
        id: skill_id(&skill.skill),
        kind: "skill",
        created_at: skill.created_at,
        updated_at: skill.updated_at,
        display_name: skill.display_name.clone().unwrap_or_else(|| skill.skill.folder().to_owned()),
        latest_version_id: version_id(&skill.current),
        source: AnthropicSource { kind: "custom" },
    }
}

fn open_ai_skill(skill: &PublishedSkill) -> OpenAiSkill {
    OpenAiSkill {
        id: skill_id(&skill.skill),
        object: "skill",
        name: skill.skill.folder().to_owned(),
        description: skill.description.clone(),
        created_at: skill.created_at.as_second(),
        default_version: skill.current.number.to_string(),
        latest_version: skill.latest.to_string(),
    }
}

fn anthropic_version(of: &SkillPath, version: &PublishedVersion) -> AnthropicSkillVersion {
    AnthropicSkillVersion {
        id: version_id(&version.version),
        kind: "skill_version",
        skill_id: skill_id(of),
        name: of.folder().to_owned(),
        description: version.description.clone(),
        created_at: version.created_at,
    }
}

fn open_ai_version(of: &SkillPath, version: &PublishedVersion) -> OpenAiSkillVersion {
    OpenAiSkillVersion {
        id: version_id(&version.version),
        object: "skill.version",
        skill_id: skill_id(of),
        version: version.version.number.to_string(),
        name: of.folder().to_owned(),
        description: version.description.clone(),
        created_at: version.created_at.as_second(),
    }
}

fn anthropic_page<T, D>(
    page: &PublishedPage<T>,
    document: impl Fn(&T) -> D,
    id: impl Fn(&T) -> String,
) -> AnthropicPage<D> {
    let next_page = page.items.last().filter(|_| page.has_more).map(id);
    AnthropicPage { data: page.items.iter().map(document).collect(), has_more: page.has_more, next_page }
}

fn open_ai_page<T, D>(page: &PublishedPage<T>, document: impl Fn(&T) -> D, id: impl Fn(&T) -> String) -> OpenAiPage<D> {
    OpenAiPage {
        object: "list",
        data: page.items.iter().map(document).collect(),
        has_more: page.has_more,
        first_id: page.items.first().map(&id),
        last_id: page.items.last().map(&id),
    }
}

/// An error, as Anthropic's API has it.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct AnthropicError {
    /// `error`.
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
    pub(super) error: AnthropicErrorBody,
    pub(super) request_id: String,
}

/// The error itself, as Anthropic's API has it.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct AnthropicErrorBody {
    /// The sort of error, by its status.
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
    /// The fault, and the next step for the caller.
    pub(super) message: String,
    pub(super) details: AnthropicDetails,
}

/// The code of an error, and what belongs to that code.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct AnthropicDetails {
    /// The stable code.
    pub(super) error_code: &'static str,
    #[serde(flatten)]
    #[schema(value_type = Object)]
    pub(super) more: Map<String, Value>,
}

/// An error, as OpenAI's API has it.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct OpenAiError {
    pub(super) error: OpenAiErrorBody,
}

/// The error itself, as OpenAI's API has it.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct OpenAiErrorBody {
    /// The fault, and the next step for the caller.
    pub(super) message: String,
    /// The sort of error, by its status.
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
    /// Always `null`.
    #[schema(value_type = Option<String>)]
    pub(super) param: Value,
    /// The stable code.
    pub(super) code: &'static str,
    /// Further facts that belong to the code.
    #[schema(value_type = Object)]
    pub(super) details: Map<String, Value>,
}

/// An error, in the shape of an API.
pub(super) fn error(shape: ApiShape, error: &Error, request_id: &str) -> SkillsApiError {
    SkillsApiError::for_shape(shape, || anthropic_error(error, request_id), || open_ai_error(error))
}

fn anthropic_error(error: &Error, request_id: &str) -> AnthropicError {
    let kind = match error.kind() {
        Kind::InvalidInput | Kind::Conflict => "invalid_request_error",
        Kind::Unauthenticated => "authentication_error",
        Kind::Denied => "permission_error",
        Kind::NotFound => "not_found_error",
        Kind::TooLarge => "request_too_large",
        Kind::TooMany => "rate_limit_error",
        Kind::Unavailable | Kind::Internal => "api_error",
    };
    let details = AnthropicDetails { error_code: error.name(), more: error.details().clone() };
    let error = AnthropicErrorBody { kind, message: error.message().to_owned(), details };
    AnthropicError { kind: "error", error, request_id: request_id.to_owned() }
}

fn open_ai_error(error: &Error) -> OpenAiError {
    let kind = match error.kind() {
        Kind::InvalidInput | Kind::Conflict | Kind::NotFound | Kind::TooLarge => "invalid_request_error",
        Kind::Unauthenticated => "authentication_error",
        Kind::Denied => "permission_error",
        Kind::TooMany => "rate_limit_error",
        Kind::Unavailable | Kind::Internal => "server_error",
    };
    let (code, details) = (error.name(), error.details().clone());
    OpenAiError {
        error: OpenAiErrorBody { message: error.message().to_owned(), kind, param: Value::Null, code, details },
    }
}
