//! Files as raw bytes, streamed both ways of the word: out as they come from the store, in up to the upload limit.
//!
//! The bytes are whatever a user put there, so a browser must never take them for a page of this service: they are always
//! an attachment of no particular type, in a sandbox.

use std::ops::Range;

use axum::{
    Json,
    body::Body,
    extract::Request,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use bytes::Bytes;
use futures_util::{Stream, stream};
use jiff::fmt::rfc2822::DateTimePrinter;
use utoipa::{IntoParams, IntoResponses};

use crate::{
    error::{Code, Error, Result},
    files::{FileAccess, FileReader, FileStat},
    http::{
        Binary, ByteRange, EntityTags, Failure, HandlerResult, Problem, SessionCall, Upload, Uploads, attach, quoted,
    },
    limits::UPLOAD_FILE_BYTES,
    path::ETag,
    wire::{DeleteRequest, WriteCondition, WriteReply},
};

/// Which version is asked for.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "read by the OpenAPI generator alone: handlers read headers by name")]
pub(crate) struct ReadConditions {
    /// Only this version.
    #[param(rename = "If-Match")]
    if_match: Option<String>,
    /// Only if the newest version is none of these.
    #[param(rename = "If-None-Match")]
    if_none_match: Option<String>,
}

/// Which bytes are asked for.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "read by the OpenAPI generator alone: handlers read headers by name")]
pub(crate) struct RangeHeaders {
    /// One range of bytes, such as `bytes=0-99`.
    #[param(rename = "Range")]
    range: Option<String>,
    /// The range counts only for this version; of another the whole file is the reply.
    #[param(rename = "If-Range")]
    if_range: Option<String>,
}

/// The replies with the bytes of a file.
#[derive(IntoResponses)]
#[expect(dead_code, reason = "read by the OpenAPI generator alone")]
pub(crate) enum RangedRead {
    /// The whole file.
    #[response(status = 200, content_type = "application/octet-stream",
        headers(("ETag" = String, description = "The file's version.")))]
    Whole(#[to_schema] Binary),
    /// The bytes asked for in `range`.
    #[response(status = 206, content_type = "application/octet-stream",
        headers(("ETag" = String, description = "The file's version."),
            ("Content-Range" = String, description = "Which bytes of how many.")))]
    Part(#[to_schema] Binary),
    /// The file ends before `range`.
    #[response(status = 416, headers(("Content-Range" = String, description = "How many bytes the file has.")))]
    OutOfRange,
}

/// The replies to a read whose conditions do not hold.
#[derive(IntoResponses)]
#[expect(dead_code, reason = "read by the OpenAPI generator alone")]
pub(crate) enum ReadRefusal {
    /// The version in `if-none-match` is still the newest.
    #[response(status = 304, headers(("ETag" = String, description = "The file's version.")))]
    Unchanged,
    /// The version in `if-match` is not the newest.
    #[response(status = 412)]
    Changed,
}

/// Read a file's bytes. Takes `range`, `if-range`, `if-match` and `if-none-match`.
#[utoipa::path(
    get,
    path = "/files/{*path}",
    tag = "files",
    params(ReadConditions, RangeHeaders),
    responses(RangedRead, ReadRefusal, Failure)
)]
pub(crate) async fn get_file(call: SessionCall, headers: HeaderMap) -> HandlerResult<Response> {
    let path = call.virtual_path();
    if ByteRange::from_headers(&headers).is_none() && !is_conditional(&headers) {
        return Ok(content(call.backend.files().open(&path, None, None).await?, None));
    }
    let file = call.backend.files().file(&path).await?;
    let reply = conditional_reply(&headers, &file).await;
    let ended = file.ended(reply.as_ref().map(drop).map_err(|problem| problem.error().clone())).await;
    // A problem has its own status, and its error has none.
    let reply = reply?;
    ended?;
    Ok(reply)
}

/// The reply to a read of `file` that has conditions or a range.
async fn conditional_reply(headers: &HeaderMap, file: &FileAccess) -> HandlerResult<Response> {
    let stat = file.stat().await?;
    file_reply(headers, &stat, |range| file.open(range, Some(stat.etag.clone()))).await
}

fn is_conditional(headers: &HeaderMap) -> bool {
    headers.contains_key(header::IF_MATCH) || headers.contains_key(header::IF_NONE_MATCH)
}

/// The reply to a read of a file whose `stat` is known, by the conditions and the range of the request. `open` reads that
/// version.
pub(crate) async fn file_reply(
    headers: &HeaderMap,
    stat: &FileStat,
    open: impl AsyncFnOnce(Option<Range<u64>>) -> Result<FileReader>,
) -> HandlerResult<Response> {
    if let Some(answer) = settle_conditions(headers, stat)? {
        return Ok(answer);
    }
    let range = match ByteRange::from_headers(headers).filter(|_| if_range_holds(headers, &stat.etag)) {
        None => None,
        Some(range) => Some(range.within(stat.size).ok_or_else(|| Problem::range_not_satisfiable(stat.size))?),
    };
    let reader = open(range.clone()).await?;
    Ok(content(reader, range.as_ref()))
}

/// What `GET` would say of a file, without its bytes.
#[utoipa::path(head, path = "/files/{*path}", tag = "files", params(ReadConditions), responses(
    (status = 200, description = "The file's size, version and time are in the headers.",
        headers(("ETag" = String, description = "The file's version."),
            ("Content-Length" = u64, description = "The file's size in bytes."))),
    ReadRefusal, Failure))]
pub(crate) async fn head_file(call: SessionCall, headers: HeaderMap) -> HandlerResult<Response> {
    let stat = call.backend.files().stat(&call.virtual_path()).await?;
    if let Some(answer) = settle_conditions(&headers, &stat)? {
        return Ok(answer);
    }
    let mut response = ().into_response();
    describe(response.headers_mut(), &stat);
    response.headers_mut().insert(header::CONTENT_LENGTH, stat.size.into());
    Ok(response)
}

/// Write a file's bytes. `if-none-match: *` only makes a new one, `if-match` only replaces that version; without either
/// the last writer wins.
#[utoipa::path(put, path = "/files/{*path}", tag = "files",
    params(("If-Match" = Option<String>, Header, description = "Replace only this version."),
        ("If-None-Match" = Option<String>, Header, description = "`*`: only make a new file.")),
    request_body(content = inline(Binary), content_type = "application/octet-stream"), responses(
    (status = 200, description = "Written.", body = WriteReply, headers(("ETag" = String, description = "The file's new version."))),
    (status = 201, description = "Made.", body = WriteReply, headers(("ETag" = String, description = "The file's version."))),
    (status = 412, description = "The condition does not hold; nothing was written."), Failure))]
pub(crate) async fn put_file(call: SessionCall, uploads: Uploads, request: Request) -> HandlerResult<Response> {
    let path = call.virtual_path();
    let condition = put_condition(request.headers())?;
    let Upload { bytes, held } = uploads.receive_body(request, UPLOAD_FILE_BYTES, 1).await?;
    call.user.is_still_served().await?;
    let written = call.backend.files().put_file(&path, bytes, condition).await?;
    drop(held);
    let status = if written.created { StatusCode::CREATED } else { StatusCode::OK };
    let tag = written.etag.as_ref().and_then(|etag| HeaderValue::try_from(quoted(etag)).ok());
    let mut response = (status, Json(written)).into_response();
    if let Some(tag) = tag {
        response.headers_mut().insert(header::ETAG, tag);
    }
    Ok(response)
}

/// Delete a file, or a folder and everything below it. Where some files of a folder could not be deleted, this is the problem
/// of the first of them, with `outcome` for the whole, `deleted` and `failed`; the same call, made again, deletes the rest.
#[utoipa::path(delete, path = "/files/{*path}", tag = "files",
    params(("If-Match" = Option<String>, Header, description = "Delete only this version.")), responses(
    (status = 204, description = "Deleted."),
    (status = 412, description = "The version in `if-match` is not the newest; nothing was deleted."), Failure))]
pub(crate) async fn delete_file(call: SessionCall, headers: HeaderMap) -> HandlerResult<StatusCode> {
    let path = call.virtual_path();
    // Looked at before, not in the same step: stores that delete on condition are too few to promise it.
    let tags = EntityTags::from_header(&headers, &header::IF_MATCH);
    let holds = tags.map(|tags| move |etag: &ETag| check_match(&tags, etag));
    let reply = call.backend.files().delete_if(DeleteRequest { path }, holds).await?;
    reply.failure().map_or(Ok(StatusCode::NO_CONTENT), |error| Err(error.into()))
}

/// Checks `if-match` and `if-none-match` of a read. Returns the 304 if the client has this version.
///
/// # Errors
/// `precondition_failed` if `if-match` names another version.
fn settle_conditions(headers: &HeaderMap, stat: &FileStat) -> Result<Option<Response>> {
    if let Some(tags) = EntityTags::from_header(headers, &header::IF_MATCH) {
        check_match(&tags, &stat.etag)?;
    }
    let unchanged = EntityTags::from_header(headers, &header::IF_NONE_MATCH).is_some_and(|tags| tags.name(&stat.etag));
    Ok(unchanged.then(|| {
        let mut response = StatusCode::NOT_MODIFIED.into_response();
        describe(response.headers_mut(), stat);
        response.headers_mut().remove(header::CONTENT_TYPE);
        response
    }))
}

fn check_match(tags: &EntityTags, etag: &ETag) -> Result<()> {
    if tags.hold(etag) {
        return Ok(());
    }
    Err(Error::new(Code::PreconditionFailed, format!("the file is another version now, {etag}; read it again"))
        .with_detail("etag", etag.as_str()))
}

/// Whether `range` is to be honoured: `if-range` names this version, or is absent.
fn if_range_holds(headers: &HeaderMap, etag: &ETag) -> bool {
    EntityTags::from_header(headers, &header::IF_RANGE).is_none_or(|tags| tags.hold(etag))
}

/// The condition of a `PUT`.
fn put_condition(headers: &HeaderMap) -> Result<WriteCondition> {
    match (
        EntityTags::from_header(headers, &header::IF_NONE_MATCH),
        EntityTags::from_header(headers, &header::IF_MATCH),
    ) {
        (None, None) => Ok(WriteCondition::Always),
        (Some(EntityTags::Any), None) => Ok(WriteCondition::IfAbsent),
        (None, Some(EntityTags::Any)) => Ok(WriteCondition::IfPresent),
        (None, Some(EntityTags::These(tags))) => {
            Ok(WriteCondition::IfMatch(tags.iter().map(|tag| ETag::new(tag)).collect()))
        }
        _ => Err(invalid!("a PUT takes `if-none-match: *` or `if-match: \"version\"`, not both")),
    }
}

/// The reply that streams a file, or a part of it.
fn content(reader: FileReader, range: Option<&Range<u64>>) -> Response {
    let stat = reader.stat().clone();
    let sent = range.cloned().unwrap_or(0..stat.size);
    let mut response = Body::from_stream(chunks(reader)).into_response();
    let headers = response.headers_mut();
    describe(headers, &stat);
    headers.insert(header::CONTENT_LENGTH, (sent.end - sent.start).into());
    if range.is_some() {
        let text = format!("bytes {}-{}/{}", sent.start, sent.end.saturating_sub(1), stat.size);
        headers.extend(HeaderValue::try_from(text).ok().map(|value| (header::CONTENT_RANGE, value)));
        *response.status_mut() = StatusCode::PARTIAL_CONTENT;
    }
    response
}

/// The bytes of a file as they come. A failure on the way cuts the connection, so that no client takes a part for the whole.
pub(crate) fn chunks(reader: FileReader) -> impl Stream<Item = Result<Bytes>> {
    stream::try_unfold(reader, |mut reader| async move {
        let chunk = reader.next().await.inspect_err(|error| {
            tracing::warn!(path = reader.stat().path, cause = %error.chain(), "a download was cut");
        })?;
        Ok(chunk.map(|bytes| (bytes, reader)))
    })
}

/// The headers of every reply about a file.
fn describe(headers: &mut HeaderMap, stat: &FileStat) {
    let mut set = |name, value: String| headers.extend(HeaderValue::try_from(value).ok().map(|value| (name, value)));
    set(header::ETAG, quoted(&stat.etag));
    if let Ok(time) = DateTimePrinter::new().timestamp_to_rfc9110_string(&stat.modified_at) {
        set(header::LAST_MODIFIED, time);
    }
    for (name, value) in [
        (header::ACCEPT_RANGES, "bytes"),
        (header::CACHE_CONTROL, "private, no-cache"),
        (header::CONTENT_SECURITY_POLICY, "sandbox; default-src 'none'"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    attach(headers, "application/octet-stream", stat.path.rsplit('/').next().unwrap_or_default());
}
