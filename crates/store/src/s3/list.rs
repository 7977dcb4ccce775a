//! One attempt at a page of a listing, and the two cases that some servers need treated differently.
//!
//! Keys are requested unencoded. XML 1.0 cannot contain most control characters, and one such key of another tool would
//! make a whole listing unreadable. So if an answer cannot be parsed, it is requested again in URL encoding, which the
//! SDK leaves to be decoded here. That is not the default because LocalStack (2026.3) compares encoded keys and then
//! loses entries between pages. Pages continue by the server's token, as S3 wants it. But LocalStack also fails to read
//! its own token if a page begins with a key that is not ASCII, so if the server rejects a token, the last key of the
//! page replaces it.
//!
//! Callers take a file that a listing lacks for deleted. So an answer must be complete: the XML is closed, and `KeyCount`
//! agrees with the entries. Each entry lies below the prefix and after the page before.

use aws_sdk_s3::{
    error::{ProvideErrorMetadata, SdkError},
    operation::list_objects_v2::{
        ListObjectsV2Error, ListObjectsV2Output, builders::ListObjectsV2FluentBuilder as ListRequest,
    },
    types::{CommonPrefix, EncodingType, Object},
};

use super::{
    bucket::{S3Store, within},
    read::timestamp,
    request::RequestKind,
    whole_xml::XmlWitness,
};
use crate::{ListEntry, ListOptions, ListPage, PageToken, StoreError, StoreResult, rules::foreign_token};
use skillmount_base::{
    limits::ATTEMPT_TIMEOUT,
    path::{ETag, KeyPrefix, percent_decoded},
};

/// Entries of a page: the most that S3 gives.
const PAGE: usize = 1000;
/// Separates the parts of a page token: the end of the page, this, and the server's own token.
const TOKEN_SEPARATOR: char = '\0';

type Answer = Result<ListObjectsV2Output, SdkError<ListObjectsV2Error>>;

/// Where a page lies: below a prefix, and after two keys.
struct Place<'request> {
    prefix: &'request str,
    /// The key in the request, if it has one.
    start_after: Option<&'request str>,
    /// The end of the page before.
    end: &'request str,
}

pub(super) async fn list_once(store: &S3Store, prefix: &KeyPrefix, options: &ListOptions) -> StoreResult<ListPage> {
    let request = list_request(store, prefix, options);
    let (end, token) = options.page.as_ref().map(end_and_token).transpose()?.unzip();
    let end = end.unwrap_or_default();
    let answer = match token {
        None => send(request).await,
        Some(token) => send_continued(request, end, token).await,
    };
    let answer = answer?.map_err(|error| store.classify(error, RequestKind::Listing))?;
    page(answer, &Place { prefix: prefix.as_str(), start_after: options.start_after.as_deref(), end })
}

fn list_request(store: &S3Store, prefix: &KeyPrefix, options: &ListOptions) -> ListRequest {
    let most = options.max_entries.unwrap_or(PAGE).clamp(1, PAGE);
    store
        .client
        .list_objects_v2()
        .bucket(&store.bucket)
        .prefix(prefix.as_str())
        .max_keys(i32::try_from(most).unwrap_or(i32::MAX))
        .set_delimiter(options.delimiter.then(|| "/".to_owned()))
        .set_start_after(options.start_after.clone())
}

/// The end of the page before, and the server's token.
fn end_and_token(PageToken(token): &PageToken) -> StoreResult<(&str, &str)> {
    token.rsplit_once(TOKEN_SEPARATOR).ok_or_else(foreign_token)
}

/// The answer to `request` for the page after `end`, whose `token` the server gave.
async fn send_continued(request: ListRequest, end: &str, token: &str) -> StoreResult<Answer> {
    match send(request.clone().continuation_token(token)).await? {
        Err(error) if status(&error) == Some(500) && !end.is_empty() => send(request.start_after(end)).await,
        answer => Ok(answer),
    }
}

/// The answer to `request`, in URL encoding if it could not be read without.
async fn send(request: ListRequest) -> StoreResult<Answer> {
    match send_as_is(request.clone()).await? {
        Err(error) if status(&error) == Some(200) && ProvideErrorMetadata::code(&error).is_none() => {
            send_as_is(request.encoding_type(EncodingType::Url)).await
        }
        answer => Ok(answer),
    }
}

async fn send_as_is(request: ListRequest) -> StoreResult<Answer> {
    let witness = XmlWitness::default();
    let sent = request.customize().interceptor(witness.clone()).send();
    let answer = within(ATTEMPT_TIMEOUT, RequestKind::Listing, sent).await?;
    if answer.is_ok() && !witness.saw_whole() {
        return Err(StoreError::broken("a listing ends in the middle of its XML"));
    }
    Ok(answer)
}

fn status(error: &SdkError<ListObjectsV2Error>) -> Option<u16> {
    error.raw_response().map(|response| response.status().as_u16())
}

fn page(answer: ListObjectsV2Output, place: &Place<'_>) -> StoreResult<ListPage> {
    let encoded = answer.encoding_type == Some(EncodingType::Url);
    let objects = answer.contents.unwrap_or_default().into_iter().map(|object| entry(object, encoded));
    let objects: Vec<ListEntry> = objects.collect::<StoreResult<_>>()?;
    let folder = |folder: CommonPrefix| key(folder.prefix, encoded);
    let folders: Vec<String> =
        answer.common_prefixes.unwrap_or_default().into_iter().map(folder).collect::<StoreResult<_>>()?;
    check_count(answer.key_count, objects.len(), folders.len())?;
    check_place(&objects, &folders, place)?;
    let next = match (answer.is_truncated, answer.next_continuation_token) {
        (Some(true), None) => return Err(StoreError::broken("a listing is cut short without saying how to go on")),
        (Some(true) | None, Some(token)) => {
            Some(PageToken(format!("{}{TOKEN_SEPARATOR}{token}", end_of(&objects, &folders, place.end))))
        }
        _ => None,
    };
    Ok(ListPage { objects, folders, next })
}

/// Checks the server's count of the entries, if it gives one. Earlier versions of Ceph leave folders out of it.
fn check_count(counted: Option<i32>, objects: usize, folders: usize) -> StoreResult<()> {
    let counts = |counted: i32| [objects + folders, objects].map(i32::try_from).contains(&Ok(counted));
    if counted.is_none_or(counts) {
        return Ok(());
    }
    Err(StoreError::broken("a listing has another number of entries than it counts"))
}

/// Checks that each entry lies in the place that the request names. A server that ignores the token of a page gives the same
/// page for ever. A server that ignores the prefix gives the files of others.
fn check_place(objects: &[ListEntry], folders: &[String], place: &Place<'_>) -> StoreResult<()> {
    let is_after = |key: &str| key > place.end && place.start_after.is_none_or(|start| key > start);
    let is_object = |entry: &ListEntry| entry.key.starts_with(place.prefix) && is_after(&entry.key);
    let is_folder = |folder: &String| folder.starts_with(place.prefix) && is_after(&all_of(folder));
    if objects.iter().all(is_object) && folders.iter().all(is_folder) {
        return Ok(());
    }
    Err(StoreError::broken("a listing has keys that were not asked for, or repeats a page"))
}

/// The text that every further key comes after: the last key, or everything in the last folder, or else the end of the page
/// before, `end`.
fn end_of(objects: &[ListEntry], folders: &[String], end: &str) -> String {
    let object = objects.last().map(|entry| entry.key.clone());
    object.max(folders.last().map(|folder| all_of(folder))).unwrap_or_else(|| end.to_owned())
}

/// The text after every key in `folder`, and before every other key after it.
fn all_of(folder: &str) -> String {
    format!("{folder}{}", char::MAX)
}

fn entry(object: Object, encoded: bool) -> StoreResult<ListEntry> {
    let (Some(size), Some(etag)) = (object.size.and_then(|size| u64::try_from(size).ok()), &object.e_tag) else {
        return Err(StoreError::broken("a listing has neither size nor ETag of an object"));
    };
    Ok(ListEntry {
        size,
        etag: ETag::new(etag),
        modified_at: timestamp(object.last_modified.as_ref())?,
        key: key(object.key, encoded)?,
    })
}

pub(super) fn key(key: Option<String>, encoded: bool) -> StoreResult<String> {
    let key = key.ok_or_else(|| StoreError::broken("a listing has an entry without a key"))?;
    if encoded { decode(&key) } else { Ok(key) }
}

/// Decodes the URL encoding of S3, which writes a space as `+` and a plus as `%2B`.
fn decode(text: &str) -> StoreResult<String> {
    let text = text.replace('+', " ");
    let bytes =
        percent_decoded(&text).ok_or_else(|| StoreError::broken("a listing has a key that is not URL-encoded"))?;
    String::from_utf8(bytes.into_owned()).map_err(|_| StoreError::broken("a listing has a key that is not UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn url_encoding_is_undone_byte_for_byte() {
        assert_eq!(decode("a+b%2Bc%25%26%01/%F0%9F%A6%80").unwrap(), "a b+c%&\u{1}/🦀");
        for broken in ["%", "%4", "%zz", "%FF"] {
            assert!(decode(broken).is_err(), "{broken}");
        }
    }
}
