//! Many files in one request: each is stored or fails on its own, and the outcomes come in order.

use std::collections::BTreeMap;

use axum::{
    Json,
    extract::{DefaultBodyLimit, Request, multipart::Field},
};
use futures_util::TryStreamExt as _;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    error::{Code, Error, Outcome, Parts, Result},
    http::{Binary, Failure, JsonReply, SessionCall, Upload, Uploads, broken, part_name, parts_of},
    limits::{TRANSFER_FILES, UPLOAD_FILE_BYTES},
    wire::{BackendProtocol as _, ErrorCode, UploadFile},
};

/// The upload of many files.
pub(crate) fn of_session() -> OpenApiRouter {
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
#[derive(Debug, Default, Serialize, ToSchema)]
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
#[expect(dead_code, clippy::zero_sized_map_values, reason = "read by the OpenAPI generator alone")]
struct UploadRequest {
    #[serde(flatten)]
    #[schema(inline)]
    parts: BTreeMap<String, Binary>,
}

/// Upload files: a part for each, its name the virtual path. Files that exist are replaced.
#[utoipa::path(post, path = "/upload", operation_id = "upload_files", tag = "files",
    request_body(content = UploadRequest, content_type = "multipart/form-data"), responses((status = 200, body = UploadReply), Failure))]
async fn upload(call: SessionCall, uploads: Uploads, request: Request) -> JsonReply<UploadReply> {
    let not_a_form = "an upload is `multipart/form-data` with a boundary, a part for each file";
    // No part is longer than all of them.
    let (mut parts, most) = parts_of(request, not_a_form).await?;
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
            Ok(etag) => Self { path, etag, ..Self::default() },
            Err(error) => {
                let error = error.of_change();
                Self {
                    path,
                    error: Some(error.name()),
                    detail: Some(error.message().to_owned()),
                    outcome: error.outcome(),
                    parts: error.parts(),
                    ..Self::default()
                }
            }
        }
    }
}

/// Reads one part, of at most `most` bytes if that is known, and stores it.
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

/// An error in the middle of an upload, with the outcomes of the files before it.
fn partly(error: Error, files: &[UploadedFile]) -> Error {
    // The file of the error was not stored either.
    let outcomes = files.iter().map(|file| file.outcome.unwrap_or(Outcome::Applied)).chain([Outcome::NotApplied]);
    error
        .with_outcome(Outcome::of_all(outcomes).unwrap_or(Outcome::NotApplied))
        .with_detail("files", serde_json::to_value(files).unwrap_or_default())
}
