//! Many files in one request: each is stored or fails on its own, and the outcomes come in order.

use std::collections::BTreeMap;

use axum::{
    Extension, Json,
    body::HttpBody as _,
    extract::{DefaultBodyLimit, FromRequest as _, Multipart, Request, multipart::Field},
};
use futures_util::TryStreamExt as _;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::{
    call::SessionCall,
    openapi::Binary,
    part_name::part_name,
    problem::{Failure, HandlerResult},
    receive::broken,
    spool::{Upload, Uploads},
};
use crate::{
    backend::BackendProtocol as _,
    error::{Code, Error, Outcome, Parts, Result},
    limits::{TRANSFER_FILES, UPLOAD_FILE_BYTES},
    wire::{ErrorCode, UploadFile},
};

/// The upload of many files.
pub(super) fn of_session() -> OpenApiRouter {
    // Each part has its own limit; axum's, of two megabytes for all of them, would cut an upload off in the middle.
    OpenApiRouter::new().routes(routes!(upload)).layer(DefaultBodyLimit::disable())
}

/// What became of the files of an upload.
#[derive(Debug, Serialize, ToSchema)]
struct UploadReply {
    /// In the order of the parts.
    files: Vec<UploadedFile>,
}

/// What became of one file.
#[derive(Debug, Serialize, ToSchema)]
struct UploadedFile {
    /// The path as it was given.
    path: String,
    /// Its version.
    #[serde(skip_serializing_if = "Option::is_none")]
    etag: Option<String>,
    /// The code of what went wrong.
    #[schema(value_type = Option<ErrorCode>)]
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'static str>,
    /// What went wrong, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
    /// Where something went wrong: whether the file is in the store.
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<Outcome>,
    /// The same of each part, for a file of a skill.
    #[serde(skip_serializing_if = "Option::is_none")]
    parts: Option<Parts>,
}

/// A part for each file, its name the virtual path.
#[derive(ToSchema)]
#[expect(
    dead_code,
    clippy::zero_sized_map_values,
    reason = "read by the OpenAPI generator alone: parts are read one by one"
)]
struct UploadRequest {
    #[serde(flatten)]
    #[schema(inline)]
    parts: BTreeMap<String, Binary>,
}

/// Upload files: a part for each, its name the virtual path. Files that exist are replaced.
#[utoipa::path(post, path = "/upload", operation_id = "upload_files", tag = "files",
    request_body(content = UploadRequest, content_type = "multipart/form-data"), responses((status = 200, body = UploadReply), Failure))]
async fn upload(
    Extension(call): Extension<SessionCall>,
    Extension(uploads): Extension<Uploads>,
    request: Request,
) -> HandlerResult<Json<UploadReply>> {
    // No part is longer than all of them.
    let most = request.body().size_hint().exact();
    let mut parts = Multipart::from_request(request, &()).await.map_err(|_| {
        Error::new(Code::InvalidRequest, "an upload is `multipart/form-data` with a boundary, a part for each file")
    })?;
    let mut files = Vec::new();
    loop {
        match parts.next_field().await {
            Ok(None) => return Ok(Json(UploadReply { files })),
            Ok(Some(part)) if files.len() < TRANSFER_FILES => {
                let path = part_name(part.headers()).unwrap_or_default();
                let outcome = store_part(&call, &uploads, &path, most, part).await;
                files.push(UploadedFile::new(path, outcome));
            }
            Ok(Some(_)) => {
                let message = format!("an upload takes {TRANSFER_FILES} files; send the rest in another");
                return Err(partly(Error::new(Code::FileTooLarge, message), &files).into());
            }
            Err(cause) => return Err(partly(broken(cause), &files).into()),
        }
    }
}

impl UploadedFile {
    fn new(path: String, outcome: Result<Option<String>>) -> Self {
        match outcome {
            Ok(etag) => Self { path, etag, error: None, detail: None, outcome: None, parts: None },
            Err(error) => {
                let error = error.of_change();
                Self {
                    path,
                    etag: None,
                    error: Some(error.code().as_str()),
                    detail: Some(error.message().to_owned()),
                    outcome: error.outcome(),
                    parts: error.parts(),
                }
            }
        }
    }
}

/// Reads one part, of at most `most` bytes where that is known, and stores it.
async fn store_part(
    call: &SessionCall,
    uploads: &Uploads,
    path: &str,
    most: Option<u64>,
    part: Field<'_>,
) -> Result<Option<String>> {
    let Upload { bytes, held } = uploads.receive(most, part.map_err(broken), UPLOAD_FILE_BYTES).await?;
    call.user.is_still_served().await?;
    let file = UploadFile { path: path.to_owned(), bytes };
    let outcome = call.backend.upload(vec![file]).await?.into_iter().next();
    drop(held);
    let etag = outcome.map_or_else(|| Err(Error::internal("an upload without outcome")), |outcome| outcome.result)?;
    Ok(etag.map(|etag| etag.to_string()))
}

/// An error in the middle of an upload, with what had become of the files before it.
fn partly(error: Error, files: &[UploadedFile]) -> Error {
    // What the error is about was not stored either.
    let outcomes = files.iter().map(|file| file.outcome.unwrap_or(Outcome::Applied)).chain([Outcome::NotApplied]);
    error
        .with_outcome(Outcome::of_all(outcomes).unwrap_or(Outcome::NotApplied))
        .with_detail("files", serde_json::to_value(files).unwrap_or_default())
}
