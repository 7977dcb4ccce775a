//! Many files in one request: each succeeds or fails on its own, and the outcomes come in order.

use std::sync::Arc;

use axum::{
    Extension, Json,
    body::{Body, HttpBody as _},
    extract::{DefaultBodyLimit, FromRequest as _, Multipart, Request, multipart::Field},
    http::header,
    response::{IntoResponse as _, Response},
};
use bytes::Bytes;
use futures_util::{Stream, StreamExt as _, TryStreamExt as _, stream};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::{
    body::{JsonBody, broken},
    call::SessionCall,
    files::{chunks, percent_encoded},
    problem::{Failure, Reply},
    spool::{Upload, Uploads},
};
use crate::{
    backend::{BackendProtocol as _, SkillBackend},
    error::{Code, Error, Outcome, Parts, Result},
    limits::{TRANSFER_FILES, UPLOAD_FILE_BYTES},
    wire::UploadFile,
};

/// Upload and download of many files.
pub(super) fn of_session() -> OpenApiRouter {
    // Each part has its own limit; axum's, of two megabytes for all of them, would cut an upload off in the middle.
    OpenApiRouter::new().routes(routes!(upload)).routes(routes!(download)).layer(DefaultBodyLimit::disable())
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

/// Upload files: a part for each, its name the virtual path. Files that exist are replaced.
#[utoipa::path(post, path = "/upload", tag = "files", request_body(content = Object, content_type = "multipart/form-data"),
    responses((status = 200, body = UploadReply), Failure))]
async fn upload(
    Extension(call): Extension<SessionCall>,
    Extension(uploads): Extension<Uploads>,
    request: Request,
) -> Reply<Json<UploadReply>> {
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
                let path = part.name().unwrap_or_default().to_owned();
                let outcome = store_part(&call.backend, &uploads, &path, most, part).await;
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
    backend: &SkillBackend,
    uploads: &Uploads,
    path: &str,
    most: Option<u64>,
    part: Field<'_>,
) -> Result<Option<String>> {
    let Upload { bytes, held } = uploads.receive(most, part.map_err(broken), UPLOAD_FILE_BYTES).await?;
    let file = UploadFile { path: path.to_owned(), bytes };
    let outcome = backend.upload(vec![file]).await?.into_iter().next();
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

/// Which files.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct DownloadRequest {
    /// Virtual paths.
    paths: Vec<String>,
}

/// Download files: a part for each path, in order, with `content-location`; those that failed have `x-error`, the code,
/// and the reason as their text.
#[utoipa::path(post, path = "/download", tag = "files", request_body = DownloadRequest,
    responses((status = 200, description = "A part for each path, in order.", body = Vec<u8>, content_type = "multipart/mixed"), Failure))]
async fn download(
    Extension(call): Extension<SessionCall>,
    JsonBody(request): JsonBody<DownloadRequest>,
) -> Reply<Response> {
    if request.paths.len() > TRANSFER_FILES {
        let message = format!("a download takes {TRANSFER_FILES} paths; ask for the rest in another");
        return Err(Error::new(Code::InvalidRequest, message).into());
    }
    let boundary: Arc<str> = format!("skillmount-{:032x}", call.user.app.clock.random()).into();
    let content_type = format!("multipart/mixed; boundary={boundary}");
    let end = Bytes::from(format!("--{boundary}--\r\n"));
    let parts = stream::iter(request.paths).then(move |path| part(call.backend.clone(), path, Arc::clone(&boundary)));
    let body = parts.flatten().chain(stream::iter([Ok(end)]));
    Ok(([(header::CONTENT_TYPE, content_type)], Body::from_stream(body)).into_response())
}

/// One part: its head, its bytes or the reason there are none, and the line end that closes it.
async fn part(backend: SkillBackend, path: String, boundary: Arc<str>) -> impl Stream<Item = Result<Bytes>> {
    let location = path.split('/').map(percent_encoded).collect::<Vec<_>>().join("/");
    let head = format!("--{boundary}\r\ncontent-location: {location}\r\n");
    let (head, bytes) = match backend.open(&path, None, None).await {
        Ok(reader) => {
            let (etag, length) = (reader.stat().etag.clone(), reader.stat().size);
            let head = format!(
                "{head}content-type: application/octet-stream\r\netag: \"{etag}\"\r\ncontent-length: {length}\r\n\r\n"
            );
            (head, chunks(reader).left_stream())
        }
        Err(error) => {
            let text = Bytes::from(error.message().to_owned());
            let (code, length) = (error.code(), text.len());
            let head = format!(
                "{head}content-type: text/plain; charset=utf-8\r\nx-error: {code}\r\ncontent-length: {length}\r\n\r\n"
            );
            (head, stream::iter([Ok(text)]).right_stream())
        }
    };
    let line_end = Bytes::from_static(b"\r\n");
    stream::iter([Ok(Bytes::from(head))]).chain(bytes).chain(stream::iter([Ok(line_end)]))
}
