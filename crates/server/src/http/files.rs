//! Files as raw bytes, streamed both ways of the word: out as they come from the store, in up to the upload limit.
//!
//! The bytes are whatever a user put there, so a browser must never take them for a page of this service: they are always
//! an attachment of no particular type, in a sandbox.

use axum::{
    Extension, Json,
    body::Body,
    extract::Request,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use bytes::Bytes;
use futures_util::{Stream, TryStreamExt as _, stream};
use jiff::fmt::rfc2822::DateTimePrinter;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use utoipa::IntoParams;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::{
    call::SessionCall,
    conditions::{ByteRange, EntityTags, quoted},
    openapi::Binary,
    problem::{Failure, HandlerResult, Problem},
    receive::{broken, check_announced},
    spool::{Upload, Uploads},
};
use crate::{
    backend::{FileAccess, FileReader, FileStat},
    error::{Code, Error, Result},
    limits::UPLOAD_FILE_BYTES,
    path::ETag,
    wire::{DeleteRequest, WriteCondition, WriteReply},
};

/// What stands as `%XX` in a header, of ASCII: all that RFC 3986 calls reserved.
const CODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Files by virtual path.
pub(super) fn of_session() -> OpenApiRouter {
    OpenApiRouter::new().routes(routes!(get_file, head_file, put_file, delete_file))
}

/// Which version is asked for.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "read by the OpenAPI generator alone: handlers read headers by name")]
pub(super) struct ReadConditions {
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
pub(super) struct RangeHeaders {
    /// One range of bytes, such as `bytes=0-99`.
    #[param(rename = "Range")]
    range: Option<String>,
    /// The range counts only for this version; of another the whole file is the reply.
    #[param(rename = "If-Range")]
    if_range: Option<String>,
}

/// What must hold for a write.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "read by the OpenAPI generator alone: handlers read headers by name")]
struct WriteConditions {
    /// Replace only this version.
    #[param(rename = "If-Match")]
    if_match: Option<String>,
    /// `*`: only make a new file.
    #[param(rename = "If-None-Match")]
    if_none_match: Option<String>,
}

/// Read a file's bytes. Takes `range`, `if-range`, `if-match` and `if-none-match`.
#[utoipa::path(get, path = "/files/{*path}", tag = "files", params(ReadConditions, RangeHeaders), responses(
    (status = 200, description = "The whole file.", body = inline(Binary), content_type = "application/octet-stream",
        headers(("ETag" = String, description = "The file's version."))),
    (status = 206, description = "The bytes asked for in `range`.", body = inline(Binary), content_type = "application/octet-stream",
        headers(("ETag" = String, description = "The file's version."),
            ("Content-Range" = String, description = "Which bytes of how many."))),
    (status = 304, description = "The version in `if-none-match` is still the newest.",
        headers(("ETag" = String, description = "The file's version."))),
    (status = 412, description = "The version in `if-match` is not the newest."),
    (status = 416, description = "The file ends before `range`.",
        headers(("Content-Range" = String, description = "How many bytes the file has."))), Failure))]
async fn get_file(Extension(call): Extension<SessionCall>, headers: HeaderMap) -> HandlerResult<Response> {
    let path = call.virtual_path();
    if ByteRange::from_headers(&headers).is_none() && !is_conditional(&headers) {
        return Ok(content(call.backend.open(&path, None, None).await?, None));
    }
    let file = call.backend.file(&path).await?;
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

/// The reply to a read of a file whose `stat` is known: what the request's conditions and its range leave of it. `open` reads
/// that version.
pub(super) async fn file_reply<Opening>(
    headers: &HeaderMap,
    stat: &FileStat,
    open: impl FnOnce(Option<std::ops::Range<u64>>) -> Opening,
) -> HandlerResult<Response>
where
    Opening: Future<Output = Result<FileReader>>,
{
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
    (status = 304, description = "The version in `if-none-match` is still the newest.",
        headers(("ETag" = String, description = "The file's version."))),
    (status = 412, description = "The version in `if-match` is not the newest."), Failure))]
async fn head_file(Extension(call): Extension<SessionCall>, headers: HeaderMap) -> HandlerResult<Response> {
    let stat = call.backend.stat(&call.virtual_path()).await?;
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
#[utoipa::path(put, path = "/files/{*path}", tag = "files", params(WriteConditions),
    request_body(content = inline(Binary), content_type = "application/octet-stream"), responses(
    (status = 200, description = "Written.", body = WriteReply, headers(("ETag" = String, description = "The file's new version."))),
    (status = 201, description = "Made.", body = WriteReply, headers(("ETag" = String, description = "The file's version."))),
    (status = 412, description = "The condition does not hold; nothing was written."), Failure))]
async fn put_file(
    Extension(call): Extension<SessionCall>,
    Extension(uploads): Extension<Uploads>,
    request: Request,
) -> HandlerResult<Response> {
    let path = call.virtual_path();
    let condition = put_condition(request.headers())?;
    let announced = check_announced(&request, UPLOAD_FILE_BYTES)?;
    let body = request.into_body().into_data_stream().map_err(broken);
    let Upload { bytes, held } = uploads.receive(announced, body, UPLOAD_FILE_BYTES).await?;
    call.user.is_still_served().await?;
    let written = call.backend.put_file(&path, bytes, condition).await?;
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
async fn delete_file(Extension(call): Extension<SessionCall>, headers: HeaderMap) -> HandlerResult<StatusCode> {
    let path = call.virtual_path();
    // Looked at before, not in the same step: stores that delete on condition are too few to promise it.
    let tags = EntityTags::from_header(&headers, &header::IF_MATCH);
    let holds = tags.map(|tags| move |etag: &ETag| check_match(&tags, etag));
    let reply = call.backend.delete_if(DeleteRequest { path }, holds).await?;
    reply.failure().map_or(Ok(StatusCode::NO_CONTENT), |error| Err(error.into()))
}

/// What `if-match` and `if-none-match` make of a read: a refusal, a 304, or nothing.
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

/// What must hold for a `PUT`.
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
        _ => {
            Err(Error::new(Code::InvalidRequest, "a PUT takes `if-none-match: *` or `if-match: \"version\"`, not both"))
        }
    }
}

/// The reply that streams a file, or a part of it.
fn content(reader: FileReader, range: Option<&std::ops::Range<u64>>) -> Response {
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
pub(super) fn chunks(reader: FileReader) -> impl Stream<Item = Result<Bytes>> {
    stream::try_unfold(reader, |mut reader| async move {
        let chunk = reader.next().await.inspect_err(|error| {
            tracing::warn!(path = reader.stat().path, cause = %error.chain(), "a download was cut");
        })?;
        Ok(chunk.map(|bytes| (bytes, reader)))
    })
}

/// The headers of every reply about a file.
fn describe(headers: &mut HeaderMap, stat: &FileStat) {
    let name = stat.path.rsplit('/').next().unwrap_or_default();
    let mut set = |name, value: String| headers.extend(HeaderValue::try_from(value).ok().map(|value| (name, value)));
    set(header::ETAG, quoted(&stat.etag));
    set(header::CONTENT_DISPOSITION, format!("attachment; filename*=UTF-8''{}", percent_encoded(name)));
    if let Ok(time) = DateTimePrinter::new().timestamp_to_rfc9110_string(&stat.modified_at) {
        set(header::LAST_MODIFIED, time);
    }
    for (name, value) in [
        (header::CONTENT_TYPE, "application/octet-stream"),
        (header::ACCEPT_RANGES, "bytes"),
        (header::CACHE_CONTROL, "private, no-cache"),
        (header::CONTENT_SECURITY_POLICY, "sandbox; default-src 'none'"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

/// `text` as RFC 8187 has it in a header: everything but plain letters and digits as `%XX`.
pub(super) fn percent_encoded(text: &str) -> String {
    utf8_percent_encode(text, CODED).to_string()
}

#[cfg(test)]
mod tests {
    use super::percent_encoded;

    #[test]
    fn a_name_in_a_header_holds_no_byte_that_means_something_there() {
        assert_eq!(percent_encoded("aZ09-._~"), "aZ09-._~");
        assert_eq!(percent_encoded("a b/ñ\"%';\n"), "a%20b%2F%C3%B1%22%25%27%3B%0A");
    }
}
