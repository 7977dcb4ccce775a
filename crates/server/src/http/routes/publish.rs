//! Publishing skills over HTTP: new versions in three forms, deleting, and going back.

use std::collections::BTreeMap;

use axum::{
    Json,
    extract::{DefaultBodyLimit, Request},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
    routing::{patch, put},
};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

use super::{
    super::{
        Binary, EntityTags, Failure, HandlerResult, JsonBody, PARSED_COPIES, Parameters, Problem, SkillParts,
        SpoolPermit, Upload, Uploads, UserCall, broken, is_json, parse_for, part_name, parts_of,
    },
    skills::NAMED_DOWNLOAD,
};
use crate::{
    context::Action,
    error::{Code, Error, Result},
    limits::{PUBLISH_JSON_BYTES, VERSION_ZIP_BYTES},
    path::{Layer, LayerOwner, SkillPath},
    publish::{PublishOptions, UploadedSkill},
    wire::{ChangeSkillRequest, Condition, PublishReply, PublishRequest, PublishStatus, RollbackRequest, SkillState},
};

/// New versions of a user's skills.
pub(crate) fn of_user() -> OpenApiRouter {
    // Each form has its own limit; axum's, of two megabytes, would cut an upload off in the middle.
    let publish = OpenApiRouter::new().routes(routes!(publish)).route(NAMED_DOWNLOAD, put(publish));
    publish
        .layer(DefaultBodyLimit::disable())
        .routes(routes!(change))
        .routes(routes!(delete))
        .routes(routes!(roll_back))
        .route(NAMED_DOWNLOAD, patch(change).delete(delete))
}

/// Where a version comes from, and what becomes of it.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct PublishParameters {
    /// `draft` keeps it as a draft, which agents do not find; `published` unless given.
    #[serde(default)]
    #[param(inline)]
    state: SkillState,
    /// Where it comes from, in any words: a commit, a ticket. The version keeps it; 1 KiB at most.
    source: Option<String>,
    /// Whose skill it is: `user` unless given, or `team`, with a control key of the team, or `org`, with a control key of all
    /// users.
    layer: Option<Layer>,
}

/// Whose skill it is.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct LayerParameters {
    /// Whose skill it is: `user` unless given, or `team`, with a control key of the team, or `org`, with a control key of all
    /// users.
    layer: Option<Layer>,
}

/// A part for each file, its name the path below the skill's folder.
#[derive(ToSchema)]
#[expect(dead_code, clippy::zero_sized_map_values, reason = "read by the OpenAPI generator alone")]
struct PublishFilesRequest {
    #[serde(flatten)]
    #[schema(inline)]
    parts: BTreeMap<String, Binary>,
}

/// Publish a new version of a skill: as JSON, as a zip archive of its folder, or as a part for each file. It is checked whole
/// before anything is stored, and readers see the old version or the new one. The same content again changes nothing. In each form
/// it has up to 10,000 files, 256 MiB unpacked and 64 MiB zipped, and a file 64 MiB. A JSON body has up to 16 MiB; a larger skill is
/// sent as an archive or in parts. Needs a key of scope `control`.
#[utoipa::path(put, path = "/skills/{*skill}", operation_id = "publish_skill", tag = "skills",
    params(PublishParameters, ("If-Match" = Option<String>, Header,
        description = "Publish only if the skill has the version of this digest now; else `version_conflict`."),
        ("If-None-Match" = Option<String>, Header,
        description = "`*`: publish only if there is no such skill; else `version_conflict`.")),
    request_body(content((PublishRequest = "application/json"), (inline(Binary) = "application/zip"),
        (PublishFilesRequest = "multipart/form-data"))),
    responses(
        (status = 200, description = "Published in the place of another version, or unchanged.", body = PublishReply,
            headers(("ETag" = String, description = "The digest of the published version."))),
        (status = 201, description = "Published for the first time.", body = PublishReply,
            headers(("ETag" = String, description = "The digest of the published version."))), Failure))]
async fn publish(
    call: UserCall,
    uploads: Uploads,
    Parameters(parameters): Parameters<PublishParameters>,
    request: Request,
) -> HandlerResult<Response> {
    let owner = call.publishes(parameters.layer)?;
    let skill = SkillPath::parse(&call.rest)?;
    let condition = condition(request.headers())?;
    let (uploaded, held) = receive(&call, &uploads, &skill, request).await?;
    call.is_still_served().await?;
    let options = PublishOptions { source: parameters.source, condition, ..PublishOptions::from_caller(&call.caller) };
    let publishing = move |call: UserCall, skill: SkillPath, options| async move {
        let service = &call.app.service;
        let done = match parameters.state {
            SkillState::Draft => service.publisher().draft_skill(&owner, &skill, uploaded, options).await,
            SkillState::Published => service.publisher().publish_skill(&owner, &skill, uploaded, options).await,
        };
        call.complete_if_behind(&owner, &skill, &done);
        // The memory or the disk is held until the work is done, also if the client leaves.
        drop(held);
        done
    };
    Ok(published(call.change_skill((Action::PublishSkill, skill), options, publishing).await?))
}

/// Change what a skill is, its description or its body: `state` publishes a draft, or makes a draft of a published skill. The
/// rest of its SKILL.md stays as it was written. Needs a key of scope `control`.
#[utoipa::path(patch, path = "/skills/{*skill}", operation_id = "change_skill", tag = "skills",
    request_body = ChangeSkillRequest,
    params(LayerParameters, ("If-Match" = Option<String>, Header,
        description = "Change it only if it has the version of this digest now; else `version_conflict`.")),
    responses((status = 200, description = "Changed, or unchanged.", body = PublishReply,
        headers(("ETag" = String, description = "The digest of the version."))), Failure))]
async fn change(
    call: UserCall,
    Parameters(LayerParameters { layer }): Parameters<LayerParameters>,
    headers: HeaderMap,
    JsonBody(wanted): JsonBody<ChangeSkillRequest>,
) -> HandlerResult<Response> {
    let (owner, skill, options) = target(&call, layer, &headers)?;
    let changing = |call: UserCall, skill: SkillPath, options| async move {
        let done = call.app.service.publisher().change_skill(&owner, &skill, wanted, options).await;
        call.complete_if_behind(&owner, &skill, &done);
        done
    };
    Ok(with_tag(StatusCode::OK, call.change_skill((Action::ChangeSkill, skill), options, changing).await?))
}

/// Go back to an earlier version of a skill, also of a deleted one. Needs a key of scope `control`.
#[utoipa::path(post, path = "/rollback/{*skill}", operation_id = "roll_back_skill", tag = "skills",
    params(LayerParameters, ("If-Match" = Option<String>, Header,
        description = "Go back only if the skill has the version of this digest now; else `version_conflict`.")),
    request_body = RollbackRequest,
    responses(
        (status = 200, description = "Published again.", body = PublishReply,
            headers(("ETag" = String, description = "The digest of the published version."))),
        (status = 201, description = "Published again after it was deleted.", body = PublishReply,
            headers(("ETag" = String, description = "The digest of the published version."))), Failure))]
async fn roll_back(
    call: UserCall,
    Parameters(LayerParameters { layer }): Parameters<LayerParameters>,
    headers: HeaderMap,
    JsonBody(RollbackRequest { digest }): JsonBody<RollbackRequest>,
) -> HandlerResult<Response> {
    let (owner, skill, options) = target(&call, layer, &headers)?;
    let options = PublishOptions { source: Some("a rollback".to_owned()), ..options };
    let rolling = move |call: UserCall, skill: SkillPath, options| async move {
        let done = call.app.service.publisher().roll_back_skill(&owner, &skill, &digest, options).await;
        call.complete_if_behind(&owner, &skill, &done);
        done
    };
    Ok(published(call.change_skill((Action::RollBackSkill, skill), options, rolling).await?))
}

/// Delete a skill. Its versions stay, and a rollback to one of them brings it back; a draft has none. Needs a key of scope `control`.
#[utoipa::path(delete, path = "/skills/{*skill}", operation_id = "delete_skill", tag = "skills",
    params(LayerParameters, ("If-Match" = Option<String>, Header,
        description = "Delete only if the skill has the version of this digest now; else `version_conflict`.")),
    responses((status = 204, description = "Deleted."), Failure))]
async fn delete(
    call: UserCall,
    Parameters(LayerParameters { layer }): Parameters<LayerParameters>,
    headers: HeaderMap,
) -> HandlerResult<StatusCode> {
    let (owner, skill, options) = target(&call, layer, &headers)?;
    let deleting = move |call: UserCall, skill: SkillPath, options| async move {
        call.app.service.publisher().delete_skill(&owner, &skill, options).await
    };
    call.change_skill((Action::DeleteSkill, skill), options, deleting).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The owner, the skill and the options of a change. The change needs the version that `If-Match` names.
fn target(
    call: &UserCall,
    layer: Option<Layer>,
    headers: &HeaderMap,
) -> Result<(LayerOwner, SkillPath, PublishOptions)> {
    let owner = call.publishes(layer)?;
    let skill = SkillPath::parse(&call.rest)?;
    let condition = expected(headers)?.into();
    Ok((owner, skill, PublishOptions { condition, ..PublishOptions::from_caller(&call.caller) }))
}

/// The reply to a publish.
fn published(reply: PublishReply) -> Response {
    with_tag(if reply.status == PublishStatus::Created { StatusCode::CREATED } else { StatusCode::OK }, reply)
}

fn with_tag(status: StatusCode, reply: PublishReply) -> Response {
    let tag = HeaderValue::try_from(format!("\"{}\"", reply.digest));
    let mut response = (status, Json(reply)).into_response();
    response.headers_mut().extend(tag.ok().map(|tag| (header::ETAG, tag)));
    response
}

/// The digest in `If-Match`.
fn expected(headers: &HeaderMap) -> Result<Option<String>> {
    match EntityTags::from_header(headers, &header::IF_MATCH) {
        None => Ok(None),
        Some(EntityTags::These(tags)) if tags.len() == 1 => {
            Ok(tags.first().map(|tag| tag.trim_matches('"').to_owned()))
        }
        Some(_) => Err(invalid!("If-Match names one version of the skill by its digest: \"sha256:…\"")),
    }
}

/// The condition that `If-Match` and `If-None-Match` express.
fn condition(headers: &HeaderMap) -> Result<Condition> {
    match (expected(headers)?, EntityTags::from_header(headers, &header::IF_NONE_MATCH)) {
        (only, None) => Ok(only.into()),
        (None, Some(EntityTags::Any)) => Ok(Condition::Nothing),
        (Some(_), Some(EntityTags::Any)) => {
            Err(invalid!("If-Match and If-None-Match contradict each other: send one of them"))
        }
        (_, Some(EntityTags::These(_))) => {
            Err(invalid!("If-None-Match is `*`, or left out: a version to replace stands in If-Match"))
        }
    }
}

/// The files that a request brings in any of its forms, and the permit for their memory or disk.
async fn receive(
    call: &UserCall,
    uploads: &Uploads,
    skill: &SkillPath,
    request: Request,
) -> Result<(UploadedSkill, SpoolPermit), Problem> {
    let given = request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let kind = given.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match kind.as_str() {
        "application/zip" | "application/x-zip-compressed" => {
            let upload = uploads.receive_body(request, VERSION_ZIP_BYTES, 1).await?;
            Ok((UploadedSkill::Archive(upload.bytes), upload.held.into()))
        }
        "multipart/form-data" => Ok(receive_parts(uploads, request).await?),
        _ if is_json(request.headers()) => {
            let Upload { bytes, mut held } =
                uploads.receive_body(request, PUBLISH_JSON_BYTES, PARSED_COPIES).await.map_err(too_large)?;
            let came = bytes.len() as u64;
            let uploaded = UploadedSkill::from_text(skill, parse_for(call, bytes).await?)?;
            // Of the copies only the files are left.
            held.shrink_to(came);
            Ok((uploaded, held.into()))
        }
        _ => {
            let message = "a skill is published as `application/json`, `application/zip` or `multipart/form-data`: say in \
                           content-type which it is";
            Err(Problem::with_status(invalid!("{message}"), StatusCode::UNSUPPORTED_MEDIA_TYPE))
        }
    }
}

fn too_large(error: Error) -> Error {
    if error.code() != Code::FileTooLarge {
        return error;
    }
    let message = format!(
        "a skill that is sent as JSON has at most {} MiB: send a larger one as a zip archive (`application/zip`) or with a part \
         for each file (`multipart/form-data`)",
        PUBLISH_JSON_BYTES >> 20
    );
    Error::new(Code::FileTooLarge, message).with_detail("limit", PUBLISH_JSON_BYTES as u64)
}

async fn receive_parts(uploads: &Uploads, request: Request) -> Result<(UploadedSkill, SpoolPermit)> {
    let not_a_form = "a skill in parts is `multipart/form-data` with a boundary, a part for each file";
    let (mut parts, announced) = parts_of(request, not_a_form).await?;
    let mut files = SkillParts::begin(uploads, announced).await;
    while let Some(part) = parts.next_field().await.map_err(broken)? {
        let path = part_name(part.headers()).unwrap_or_default();
        files = files.add(path, part).await?;
    }
    files.files().await
}
