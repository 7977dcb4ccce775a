//! One attempt at a get or head, and the checks of its answer.
//!
//! The SDK returns a body before reading it, and never retries a body. So one attempt here is sending and collecting: a
//! body that is cut, stalls or trickles fails the attempt as a refused connection would. Every length in the answer is
//! compared with the bytes that came, and with the size that the caller knows. For a whole object of unknown size its tag
//! is compared with the digest of the bytes.

use std::{collections::HashMap, ops::Range};

use aws_sdk_s3::{
    operation::get_object::{GetObjectOutput, builders::GetObjectFluentBuilder as GetRequest},
    primitives::{ByteStream, DateTime},
};
use bytes::{Bytes, BytesMut};
use jiff::Timestamp;

use super::{
    bucket::{S3Store, quoted, within},
    request::RequestKind,
    tag_digests::is_encrypted_by_key,
};
use crate::{Cause, GetOptions, Object, ObjectMeta, StoreError, StoreResult, attempts::transfer_time, rules::clip};
use skillmount_base::{
    limits::{ATTEMPT_TIMEOUT, CHUNK_BYTES},
    path::{ETag, ObjectKey},
};

/// The last byte that a `Range` header may name: offsets are signed 64-bit numbers in most servers.
const LAST_BYTE: u64 = i64::MAX as u64;

pub(super) async fn get_once(store: &S3Store, key: &ObjectKey, options: &GetOptions) -> StoreResult<Object> {
    match &options.range {
        Some(range) if asks_for_all(range) => match get_all(store, key, options, range).await? {
            Some(object) => Ok(object),
            None => get_range(store, key, options).await,
        },
        _ => get_range(store, key, options).await,
    }
}

fn get_request(store: &S3Store, key: &ObjectKey, options: &GetOptions) -> GetRequest {
    let request = store.client.get_object().bucket(&store.bucket).key(key.as_str());
    let request = request.set_if_match(options.if_match.as_ref().map(quoted));
    request.set_if_none_match(options.if_none_match.as_ref().map(quoted))
}

/// The whole object. If it is longer than `most`, returns nothing and leaves its body unread.
async fn get_all(
    store: &S3Store,
    key: &ObjectKey,
    options: &GetOptions,
    most: &Range<u64>,
) -> StoreResult<Option<Object>> {
    let sent = within(ATTEMPT_TIMEOUT, RequestKind::Object, get_request(store, key, options).send()).await?;
    let answer = sent.map_err(|error| store.classify(error, RequestKind::Object))?;
    let fits = answer.content_length.and_then(|size| u64::try_from(size).ok()).is_some_and(|size| size <= most.end);
    if !fits {
        return Ok(None);
    }
    let is_encrypted = is_encrypted_by_key(&answer);
    let object = receive(answer, Some(most), &Promise::new(None, options)).await?;
    check_digest(store, key, options, &object, is_encrypted).await?;
    Ok(Some(object))
}

/// Checks that the body of a whole object is complete, if neither a known size nor the tag shows it.
async fn check_digest(
    store: &S3Store,
    key: &ObjectKey,
    options: &GetOptions,
    object: &Object,
    is_encrypted: bool,
) -> StoreResult<()> {
    if options.size.is_some() || is_encrypted || !object.is_whole() || !store.digests.leave_doubt(object) {
        return Ok(());
    }
    check_whole(store, key, &object.meta).await?;
    store.digests.record_other();
    Ok(())
}

async fn get_range(store: &S3Store, key: &ObjectKey, options: &GetOptions) -> StoreResult<Object> {
    let request = get_request(store, key, options).set_range(options.range.as_ref().map(range_header));
    let sent = within(ATTEMPT_TIMEOUT, RequestKind::Object, request.send()).await?;
    match sent.map_err(|error| store.classify(error, RequestKind::Object)) {
        Ok(answer) => {
            let (is_in_doubt, is_encrypted) = (answer.content_range.is_none(), is_encrypted_by_key(&answer));
            let promise = Promise::new(options.range.as_ref(), options);
            let object = receive(answer, options.range.as_ref(), &promise).await?;
            match options.range {
                Some(_) if is_in_doubt => check_whole(store, key, &object.meta).await?,
                None => check_digest(store, key, options, &object, is_encrypted).await?,
                Some(_) => {}
            }
            Ok(object)
        }
        Err(StoreError::RangeNotSatisfiable) if options.range.as_ref().is_some_and(|range| range.start == 0) => {
            get_empty(store, key, options).await
        }
        Err(error) => Err(error),
    }
}

/// Whether an answer that does not name its part was the whole object: servers may ignore ranges, and must not cut
/// an object short. Also whether a body is whole whose tag is not its digest.
async fn check_whole(store: &S3Store, key: &ObjectKey, got: &ObjectMeta) -> StoreResult<()> {
    let whole = head_once(store, key, Some(&got.etag)).await?;
    if (whole.size, &whole.etag) == (got.size, &got.etag) {
        return Ok(());
    }
    Err(StoreError::broken("the server sent a part of an object as the whole"))
}

/// S3 refuses every range of an empty object, even a range from 0. A HEAD distinguishes an empty object from an
/// object that has shrunk. Only empty objects cost this second request.
async fn get_empty(store: &S3Store, key: &ObjectKey, options: &GetOptions) -> StoreResult<Object> {
    let meta = head_once(store, key, options.if_match.as_ref()).await?;
    if meta.size > 0 {
        return Err(StoreError::broken("the object grew while its first bytes were asked for"));
    }
    Ok(Object { meta, range: 0..0, bytes: Bytes::new() })
}

pub(super) async fn head_once(store: &S3Store, key: &ObjectKey, if_match: Option<&ETag>) -> StoreResult<ObjectMeta> {
    let request = store.client.head_object().bucket(&store.bucket).key(key.as_str()).set_if_match(if_match.map(quoted));
    let sent = within(ATTEMPT_TIMEOUT, RequestKind::Object, request.send()).await?;
    let answer = sent.map_err(|error| store.classify(error, RequestKind::Object))?;
    let size = answer.content_length.and_then(|size| u64::try_from(size).ok());
    meta(size, answer.e_tag, answer.last_modified, answer.metadata)
}

/// Whether a range means "all of it, if it is not too long", as for the base of an edit.
///
/// Such a request has no `Range` header: `LocalStack` computes the range on one version and may send another, so a base
/// read during a write could be cut short under the new version's tag.
fn asks_for_all(range: &Range<u64>) -> bool {
    range.start == 0 && range.end > CHUNK_BYTES
}

/// The properties that an answer must have for its request. A ranged GET has no checksum on S3, so nothing else ties
/// its bytes to their object.
struct Promise<'options> {
    /// The range in the request, if it had one.
    range: Option<&'options Range<u64>>,
    etag: Option<&'options ETag>,
    /// The size of that version, if the caller knows it.
    size: Option<u64>,
}

impl<'options> Promise<'options> {
    fn new(range: Option<&'options Range<u64>>, options: &'options GetOptions) -> Self {
        Self { range, etag: options.if_match.as_ref(), size: options.size }
    }

    /// Whether an answer with the version `etag`, and with `span` of `size` bytes if it names them, is the right one.
    fn is_kept(&self, etag: &ETag, said: Option<&(Range<u64>, u64)>) -> bool {
        let is_version = self.etag.is_none_or(|asked| asked == etag);
        is_version
            && match (self.range, said) {
                (_, None) => true,
                (None, Some(_)) => false,
                (Some(asked), Some((span, size))) => {
                    let (first, last) = first_and_last(asked);
                    span.start == first && span.end == last.saturating_add(1).min(*size)
                }
            }
    }
}

/// Reads the body of `answer`, checks the body against `promise` and cuts it to the requested range.
async fn receive(answer: GetObjectOutput, asked: Option<&Range<u64>>, promise: &Promise<'_>) -> StoreResult<Object> {
    let stated = answer.content_length.and_then(|length| u64::try_from(length).ok());
    let said = answer.content_range.as_deref().map(parse_content_range).transpose()?;
    let etag = ETag::new(answer.e_tag.as_deref().unwrap_or_default());
    if !promise.is_kept(&etag, said.as_ref()) {
        return Err(StoreError::broken("the server sent another version or other bytes than were asked for"));
    }
    let allowed = transfer_time(stated.unwrap_or(0));
    // A server that ignores the range sends the whole object. That must not take more memory than the largest range.
    let most = said.as_ref().map_or(u64::MAX, |(span, _)| span.end - span.start);
    let most = if said.is_none() { asked.map_or(most, |asked| asked.end.max(CHUNK_BYTES)) } else { most };
    if stated.is_some_and(|stated| stated > most) {
        return Err(StoreError::broken("the server sent more bytes than were asked for"));
    }
    let bytes = within(allowed, RequestKind::Object, collected(answer.body, stated.unwrap_or(0), most)).await??;
    let came = bytes.len() as u64;
    let (span, size) = said.unwrap_or((0..came, came));
    if stated.is_some_and(|stated| stated != came) || span.end - span.start != came {
        return Err(StoreError::broken("the body is not as long as the server said"));
    }
    if promise.size.is_some_and(|known| known != size) {
        return Err(StoreError::broken("the object is not as long as that version of it"));
    }
    let meta = meta(Some(size), answer.e_tag, answer.last_modified, answer.metadata)?;
    cut(meta, span, &bytes, asked)
}

/// The bytes of `body`, of `stated` length. If more than `most` come, it stops, and the caller finds a wrong length.
async fn collected(mut body: ByteStream, stated: u64, most: u64) -> StoreResult<Bytes> {
    let cut_off = |error| StoreError::not_applied(error).because(Cause::Unreachable);
    let expected = usize::try_from(stated.min(CHUNK_BYTES)).unwrap_or_default();
    let mut bytes = BytesMut::with_capacity(expected);
    while let Some(piece) = body.next().await {
        bytes.extend_from_slice(&piece.map_err(cut_off)?);
        if bytes.len() as u64 > most {
            break;
        }
    }
    Ok(bytes.freeze())
}

/// The requested part of `bytes`, which lie at `span`: all of them, unless the server ignored the range or the range
/// was empty, which no header can express.
fn cut(meta: ObjectMeta, span: Range<u64>, bytes: &Bytes, asked: Option<&Range<u64>>) -> StoreResult<Object> {
    let range = clip(asked.cloned(), meta.size)?;
    if range.start < span.start || range.end > span.end {
        return Err(StoreError::broken("the server sent other bytes than were asked for"));
    }
    let offset = |at: u64| usize::try_from(at - span.start).unwrap_or(usize::MAX);
    let bytes = bytes.slice(offset(range.start)..offset(range.end));
    Ok(Object { meta, range, bytes })
}

fn meta(
    size: Option<u64>,
    etag: Option<String>,
    modified_at: Option<DateTime>,
    metadata: Option<HashMap<String, String>>,
) -> StoreResult<ObjectMeta> {
    let (Some(size), Some(etag)) = (size, etag) else {
        return Err(StoreError::broken("the answer has neither size nor ETag of an object"));
    };
    Ok(ObjectMeta {
        size,
        etag: ETag::new(&etag),
        modified_at: timestamp(modified_at.as_ref())?,
        metadata: metadata.unwrap_or_default().into_iter().collect(),
    })
}

pub(super) fn timestamp(time: Option<&DateTime>) -> StoreResult<Timestamp> {
    let nanos = |time: &DateTime| i32::try_from(time.subsec_nanos()).unwrap_or(0);
    time.and_then(|time| Timestamp::new(time.secs(), nanos(time)).ok())
        .ok_or_else(|| StoreError::broken("the answer has no modification time of an object"))
}

fn range_header(range: &Range<u64>) -> String {
    let (first, last) = first_and_last(range);
    format!("bytes={first}-{last}")
}

/// An empty range reads at least the first byte, because a header cannot name none.
fn first_and_last(range: &Range<u64>) -> (u64, u64) {
    let first = range.start.min(LAST_BYTE);
    (first, range.end.saturating_sub(1).clamp(first, LAST_BYTE))
}

/// Parses `bytes 0-4095/8192` into the range and the size of the whole.
fn parse_content_range(header: &str) -> StoreResult<(Range<u64>, u64)> {
    let parse = || {
        let (span, size) = header.strip_prefix("bytes ")?.split_once('/')?;
        let (first, last) = span.split_once('-')?;
        let (first, last) = (first.parse::<u64>().ok()?, last.parse::<u64>().ok()?);
        let size = size.parse().ok()?;
        (first <= last && last < size).then_some((first..last + 1, size))
    };
    parse().ok_or_else(|| StoreError::broken("the server sent a Content-Range that is none"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_asked_for_inclusively_and_never_beyond_what_servers_can_count() {
        assert_eq!(range_header(&(0..4096)), "bytes=0-4095");
        assert_eq!(range_header(&(7..7)), "bytes=7-7");
        assert_eq!(range_header(&(0..u64::MAX)), format!("bytes=0-{LAST_BYTE}"));
        assert_eq!(range_header(&(u64::MAX..u64::MAX)), format!("bytes={LAST_BYTE}-{LAST_BYTE}"));
    }

    #[test]
    fn a_content_range_is_taken_only_if_it_makes_sense() {
        assert_eq!(parse_content_range("bytes 2-4/9").unwrap(), (2..5, 9));
        for nonsense in ["bytes 4-2/9", "bytes 2-9/9", "bytes 2-4/*", "2-4/9", "bytes 2-4", "bytes -4/9"] {
            assert!(parse_content_range(nonsense).is_err(), "{nonsense}");
        }
    }
}
