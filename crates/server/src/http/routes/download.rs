//! Many files out in one reply: each comes or fails on its own, in the order of the request.
//!
//! `multipart/mixed` has the bytes as they are. HTTP libraries seldom read it, so a client can ask for JSON instead, with
//! the bytes in base64. Both are streamed, a piece of one file at a time.

use std::sync::Arc;

use axum::{
    body::Body,
    http::{HeaderMap, header},
    response::{IntoResponse as _, Response},
};
use base64::{Engine as _, engine::general_purpose::STANDARD as BASE64};
use bytes::Bytes;
use futures_util::{FutureExt as _, Stream, StreamExt as _, TryStreamExt as _, future::BoxFuture, stream};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::files::chunks;
use crate::{
    error::{Error, Result},
    files::FileReader,
    http::{Binary, Failure, HandlerResult, JsonBody, SessionCall, percent_encoded, prefers},
    limits::TRANSFER_FILES,
    wire::ErrorCode,
};

/// Bytes that become base64 at once: whole groups of three, and little beside the piece of a file that they are cut from.
const ENCODED_AT_ONCE: usize = 48 << 10;

/// Which files.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DownloadRequest {
    /// Virtual paths.
    paths: Vec<String>,
}

/// The files of a download.
#[derive(ToSchema)]
#[expect(dead_code, reason = "read by the OpenAPI generator alone: the reply is written piece by piece")]
pub(crate) struct DownloadReply {
    /// One for each file, in the order of the request.
    files: Vec<DownloadedFile>,
}

/// One file of a download.
#[derive(Debug, Default, Serialize, ToSchema)]
struct DownloadedFile {
    /// The path as it was given. Of a file of a skill, where it lies below `skills/`.
    path: String,
    /// Its version.
    #[serde(skip_serializing_if = "Option::is_none")]
    etag: Option<String>,
    /// Its bytes in base64; absent if there is an error.
    #[schema(content_encoding = "base64")]
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
    /// The code of what went wrong.
    #[schema(value_type = Option<ErrorCode>)]
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'static str>,
    /// What went wrong, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
}

/// Download files, in the order of the request. `multipart/mixed` has a part for each path, with `content-location`; those
/// that failed have `x-error`, the code, and the reason as their text. With `accept: application/json` the files are in
/// one JSON document, as base64.
#[utoipa::path(post, path = "/download", operation_id = "download_files", tag = "files", request_body = DownloadRequest,
    responses((status = 200, description = "The files, in order.",
        content((DownloadReply = "application/json"), (inline(Binary) = "multipart/mixed"))), Failure))]
pub(crate) async fn download(
    call: SessionCall,
    headers: HeaderMap,
    JsonBody(request): JsonBody<DownloadRequest>,
) -> HandlerResult<Response> {
    if request.paths.len() > TRANSFER_FILES {
        return Err(invalid!("a download takes {TRANSFER_FILES} paths; ask for the rest in another").into());
    }
    // The answer begins before its first file is opened. That file takes the session that the headers name. The others are opened
    // as they are sent, which may be minutes later. If the session cannot be read, each file says so.
    let mut backend = call.backend;
    if let Ok(state) = backend.read_ahead().await {
        backend.record_seen(&state.session);
    }
    let wanted = request.paths.into_iter().map(|path| {
        let (backend, of) = (backend.clone(), path.clone());
        WantedFile { path, open: async move { backend.files().open(&of, None, None).await }.boxed() }
    });
    Ok(download_reply(&headers, call.user.app.clock.random(), wanted.collect()))
}

/// One file of a download. It is opened once all earlier files are sent.
pub(crate) struct WantedFile {
    /// The name of the file in the reply.
    pub(crate) path: String,
    /// Opens it.
    pub(crate) open: BoxFuture<'static, Result<FileReader>>,
}

/// The reply with these files, in the form that the client wants. `random` makes the boundary of parts.
pub(crate) fn download_reply(headers: &HeaderMap, random: u128, files: Vec<WantedFile>) -> Response {
    let response = if prefers(headers, "application/json", "multipart/mixed") {
        as_json(files)
    } else {
        as_parts(files, format!("skillmount-{random:032x}").into())
    };
    ([(header::VARY, "accept")], response).into_response()
}

fn as_parts(files: Vec<WantedFile>, boundary: Arc<str>) -> Response {
    let end = Bytes::from(format!("--{boundary}--\r\n"));
    let content_type = format!("multipart/mixed; boundary={boundary}");
    let parts = stream::iter(files).then(move |file| part(file, Arc::clone(&boundary)));
    let body = parts.flatten().chain(stream::iter([Ok(end)]));
    ([(header::CONTENT_TYPE, content_type)], Body::from_stream(body)).into_response()
}

/// One part: a head, the bytes of the file or the reason for their absence, and a line end.
async fn part(file: WantedFile, boundary: Arc<str>) -> impl Stream<Item = Result<Bytes>> {
    let WantedFile { path, open } = file;
    let location = path.split('/').map(percent_encoded).collect::<Vec<_>>().join("/");
    let head = format!("--{boundary}\r\ncontent-location: {location}\r\n");
    let (head, bytes) = match open.await {
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

fn as_json(files: Vec<WantedFile>) -> Response {
    let files = stream::iter(files).enumerate().then(move |(at, file)| json_file(file, at > 0));
    let (begin, end) = (Bytes::from_static(b"{\"files\":["), Bytes::from_static(b"]}"));
    let body = stream::iter([Ok(begin)]).chain(files.flatten()).chain(stream::iter([Ok(end)]));
    ([(header::CONTENT_TYPE, "application/json")], Body::from_stream(body)).into_response()
}

/// One file as JSON: its bytes are written into the document as they come.
async fn json_file(file: WantedFile, follows: bool) -> impl Stream<Item = Result<Bytes>> {
    let WantedFile { path, open } = file;
    let nothing = DownloadedFile { path, ..DownloadedFile::default() };
    let comma = if follows { "," } else { "" };
    match open.await {
        Ok(reader) => {
            let known = written(&DownloadedFile { etag: Some(reader.stat().etag.to_string()), ..nothing });
            let head = known.map(|known| Bytes::from(format!("{comma}{},\"content\":\"", known.trim_end_matches('}'))));
            let end = Bytes::from_static(b"\"}");
            stream::iter([head]).chain(in_base64(reader)).chain(stream::iter([Ok(end)])).left_stream()
        }
        Err(error) => {
            let (code, detail) = (error.name(), error.message().to_owned());
            let whole = written(&DownloadedFile { error: Some(code), detail: Some(detail), ..nothing });
            stream::iter([whole.map(|whole| Bytes::from(format!("{comma}{whole}")))]).right_stream()
        }
    }
}

fn written(file: &DownloadedFile) -> Result<String> {
    serde_json::to_string(file).map_err(Error::internal)
}

/// The bytes of a file in base64. An incomplete group of three waits for the next piece.
fn in_base64(reader: FileReader) -> impl Stream<Item = Result<Bytes>> {
    let slices = chunks(reader).map_ok(|chunk| stream::iter(slices(chunk).map(Ok))).try_flatten();
    stream::unfold(Some((Box::pin(slices), Vec::new())), |state| async move {
        let (mut slices, mut waiting) = state?;
        match slices.next().await {
            Some(Ok(bytes)) => {
                waiting.extend_from_slice(&bytes);
                let left = waiting.split_off(waiting.len() - waiting.len() % 3);
                Some((Ok(Bytes::from(BASE64.encode(waiting))), Some((slices, left))))
            }
            Some(Err(error)) => Some((Err(error), None)),
            None => Some((Ok(Bytes::from(BASE64.encode(waiting))), None)),
        }
    })
}

/// A piece of a file in slices that are small beside it.
fn slices(mut piece: Bytes) -> impl Iterator<Item = Bytes> {
    std::iter::from_fn(move || (!piece.is_empty()).then(|| piece.split_to(piece.len().min(ENCODED_AT_ONCE))))
}
