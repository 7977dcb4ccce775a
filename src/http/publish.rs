//! Publishing skills over HTTP: new versions in three forms, the versions there are, and going back.

use std::collections::BTreeMap;

use axum::{
    Extension, Json,
    body::HttpBody as _,
    extract::{DefaultBodyLimit, FromRequest as _, Multipart, Request},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use futures_util::TryStreamExt as _;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

use super::{
    body::{JsonBody, Parameters, is_json, parse},
    call::UserCall,
    conditions::Tags,
    openapi::Binary,
    part_name::part_name,
    problem::{Failure, Problem, Reply},
    receive::{broken, check_announced, over},
    skills::readable_catalog,
    spool::{Upload, Uploads},
};
use crate::{
    backend::{PublishOptions, UploadedSkill},
    error::{Code, Error, Result},
    limits::{SKILL_FILES, TEXT_BODY_BYTES, VERSION_ZIP_BYTES},
    path::SkillPath,
    wire::{PublishReply, PublishRequest, PublishStatus, RollbackRequest, VersionList, VersionListRequest},
};

/// New versions of a user's skills.
pub(super) fn of_user() -> OpenApiRouter {
    // Each form has its own limit; axum's, of two megabytes, would cut an upload off in the middle.
    let publish = OpenApiRouter::new().routes(routes!(publish)).layer(DefaultBodyLimit::disable());
    publish.routes(routes!(delete)).routes(routes!(versions)).routes(routes!(roll_back))
}

/// Where a version comes from.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct PublishParameters {
    /// Where it comes from, in any words: a commit, a ticket. The version keeps it; 1 KiB at most.
    source: Option<String>,
}

/// A part for each file, its name the path below the skill's folder.
#[derive(ToSchema)]
#[expect(
    dead_code,
    clippy::zero_sized_map_values,
    reason = "read by the OpenAPI generator alone: parts are read one by one"
)]
struct PublishFilesRequest {
    #[serde(flatten)]
    #[schema(inline)]
    parts: BTreeMap<String, Binary>,
}

/// Publish a new version of a skill: as JSON, as a zip archive of its folder, or as a part for each file. It is checked whole
/// before anything is stored, and readers see the old version or the new one. The same content again changes nothing. Needs
/// a key of scope `control`.
#[utoipa::path(put, path = "/skills/{*skill}", operation_id = "publish_skill", tag = "skills",
    params(PublishParameters, ("If-Match" = Option<String>, Header,
        description = "Publish only if the skill has the version of this digest now; else `version_conflict`.")),
    request_body(content((PublishRequest = "application/json"), (inline(Binary) = "application/zip"),
        (PublishFilesRequest = "multipart/form-data"))),
    responses(
        (status = 200, description = "Published in the place of another version, or unchanged.", body = PublishReply,
            headers(("ETag" = String, description = "The digest of the published version."))),
        (status = 201, description = "Published for the first time.", body = PublishReply,
            headers(("ETag" = String, description = "The digest of the published version."))), Failure))]
async fn publish(
    Extension(call): Extension<UserCall>,
    Extension(uploads): Extension<Uploads>,
    Parameters(parameters): Parameters<PublishParameters>,
    request: Request,
) -> Reply<Response> {
    call.needs_control()?;
    let skill = SkillPath::parse(&call.rest)?;
    let only = expected(request.headers())?;
    let (uploaded, held) = receive(&call, &uploads, request).await?;
    let options = PublishOptions { by: call.key_name(), source: parameters.source, only };
    let service = call.app.service.clone();
    // The memory is held until the work is done, and so is the work, if its caller leaves.
    let work = async move {
        let published = service.publish_skill(&call.user, &skill, uploaded, options).await;
        drop(held);
        published
    };
    let reply = tokio::spawn(work).await.map_err(Error::internal)??;
    Ok(published(reply))
}

/// Go back to an earlier version of a skill, also of a deleted one. Needs a key of scope `control`.
#[utoipa::path(post, path = "/rollback/{*skill}", operation_id = "roll_back_skill", tag = "skills", request_body = RollbackRequest,
    responses(
        (status = 200, description = "Published again.", body = PublishReply,
            headers(("ETag" = String, description = "The digest of the published version."))),
        (status = 201, description = "Published again after it was deleted.", body = PublishReply,
            headers(("ETag" = String, description = "The digest of the published version."))), Failure))]
async fn roll_back(
    Extension(call): Extension<UserCall>,
    JsonBody(RollbackRequest { digest }): JsonBody<RollbackRequest>,
) -> Reply<Response> {
    call.needs_control()?;
    let skill = SkillPath::parse(&call.rest)?;
    let options = PublishOptions { by: call.key_name(), source: Some("a rollback".to_owned()), only: None };
    let service = call.app.service.clone();
    let work = async move { service.roll_back_skill(&call.user, &skill, &digest, options).await };
    Ok(published(tokio::spawn(work).await.map_err(Error::internal)??))
}

/// Delete a skill. Its versions stay, and a rollback to one of them brings it back. Needs a key of scope `control`.
#[utoipa::path(delete, path = "/skills/{*skill}", operation_id = "delete_skill", tag = "skills",
    params(("If-Match" = Option<String>, Header,
        description = "Delete only if the skill has the version of this digest now; else `version_conflict`.")),
    responses((status = 204, description = "Deleted."), Failure))]
async fn delete(Extension(call): Extension<UserCall>, headers: HeaderMap) -> Reply<StatusCode> {
    call.needs_control()?;
    let skill = SkillPath::parse(&call.rest)?;
    let options = PublishOptions { by: call.key_name(), source: None, only: expected(&headers)? };
    let service = call.app.service.clone();
    let work = async move { service.delete_skill(&call.user, &skill, options).await };
    tokio::spawn(work).await.map_err(Error::internal)??;
    Ok(StatusCode::NO_CONTENT)
}

/// List the versions of a skill, newest first.
#[utoipa::path(get, path = "/versions/{*skill}", operation_id = "list_versions", tag = "skills", params(VersionListRequest),
    responses((status = 200, body = VersionList), Failure))]
async fn versions(
    Extension(call): Extension<UserCall>,
    Parameters(wanted): Parameters<VersionListRequest>,
) -> Reply<Json<VersionList>> {
    let skill = SkillPath::parse(&call.rest)?;
    let policy = readable_catalog(&call).await?;
    if !policy.skill(&skill).is_visible() && call.needs_control().is_err() {
        let message = format!("{skill} has no versions: it was never published");
        return Err(Error::new(Code::SkillNotFound, message).into());
    }
    Ok(Json(call.app.service.list_versions(&call.user, &skill, &wanted).await?))
}

/// The reply to what was published.
fn published(reply: PublishReply) -> Response {
    let status = if reply.status == PublishStatus::Created { StatusCode::CREATED } else { StatusCode::OK };
    let tag = HeaderValue::try_from(format!("\"{}\"", reply.digest));
    let mut response = (status, Json(reply)).into_response();
    response.headers_mut().extend(tag.ok().map(|tag| (header::ETAG, tag)));
    response
}

/// The digest in `If-Match`.
fn expected(headers: &HeaderMap) -> Result<Option<String>> {
    match Tags::of(headers, &header::IF_MATCH) {
        None => Ok(None),
        Some(Tags::These(tags)) if tags.len() == 1 => Ok(tags.first().map(|tag| tag.trim_matches('"').to_owned())),
        Some(_) => {
            let message = "If-Match names one version of the skill by its digest: \"sha256:…\"";
            Err(Error::new(Code::InvalidRequest, message))
        }
    }
}

/// The files that a request brings in any of its forms, and what holds the memory for them.
async fn receive(
    call: &UserCall,
    uploads: &Uploads,
    request: Request,
) -> Result<(UploadedSkill, Vec<Upload>), Problem> {
    let given = request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let kind = given.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match kind.as_str() {
        "application/zip" | "application/x-zip-compressed" => {
            let upload = receive_whole(uploads, request, VERSION_ZIP_BYTES).await?;
            Ok((UploadedSkill::Archive(upload.bytes.clone()), vec![upload]))
        }
        "multipart/form-data" => Ok(receive_parts(uploads, request).await?),
        _ if is_json(request.headers()) => {
            let upload = receive_whole(uploads, request, TEXT_BODY_BYTES).await?;
            let bytes = upload.bytes.clone();
            let errand = call.app.service.workers().errand(call.user.as_str(), 4 * bytes.len() as u64);
            let request = errand.run(move |_| parse(&bytes)).await?;
            Ok((UploadedSkill::Text(Box::new(request)), vec![upload]))
        }
        _ => {
            let message = "a skill is published as `application/json`, `application/zip` or `multipart/form-data`: say in \
                           content-type which it is";
            Err(Problem::with_status(Error::new(Code::InvalidRequest, message), StatusCode::UNSUPPORTED_MEDIA_TYPE))
        }
    }
}

async fn receive_whole(uploads: &Uploads, request: Request, limit: usize) -> Result<Upload> {
    let announced = check_announced(&request, limit)?;
    uploads.receive(announced, request.into_body().into_data_stream().map_err(broken), limit).await
}

async fn receive_parts(uploads: &Uploads, request: Request) -> Result<(UploadedSkill, Vec<Upload>)> {
    // No part is longer than all of them.
    let most = request.body().size_hint().exact();
    let mut parts = Multipart::from_request(request, &()).await.map_err(|_| {
        Error::new(
            Code::InvalidRequest,
            "a skill in parts is `multipart/form-data` with a boundary, a part for each file",
        )
    })?;
    let (mut files, mut held, mut left) = (Vec::new(), Vec::new(), VERSION_ZIP_BYTES);
    while let Some(part) = parts.next_field().await.map_err(broken)? {
        if files.len() > SKILL_FILES {
            return Err(Error::new(Code::FileTooLarge, format!("a skill has at most {SKILL_FILES} files")));
        }
        let path = part_name(part.headers()).unwrap_or_default();
        let upload = uploads.receive(most, part.map_err(broken), left).await?;
        left = left.checked_sub(upload.bytes.len()).ok_or_else(|| over(VERSION_ZIP_BYTES))?;
        files.push((path, upload.bytes.clone()));
        held.push(upload);
    }
    Ok((UploadedSkill::Files(files), held))
}
