//! One attempt at a page of a listing, and the two cases that some servers need treated differently.
//!
//! Keys are requested unencoded. XML 1.0 cannot contain most control characters, and one such key of another tool would
//! make a whole listing unreadable. So if an answer cannot be parsed, it is requested again in URL encoding, which the
//! SDK leaves to be decoded here. That is not the default because LocalStack (2026.3) compares encoded keys and then
//! loses entries between pages. Pages continue by the server's token, as S3 wants it. But LocalStack also fails to read
//! its own token if a page begins with a key that is not ASCII, so if the server rejects a token, the last key of the
//! page replaces it.

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

pub(super) async fn list_once(store: &S3Store, prefix: &KeyPrefix, options: &ListOptions) -> StoreResult<ListPage> {
    let request = list_request(store, prefix, options);
    let answer = match &options.page {
        None => send(request).await,
        Some(token) => send_continued(request, token).await,
    };
    page(answer?.map_err(|error| store.classify(error, RequestKind::Listing))?)
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

/// The answer to `request` for the page after `token`.
async fn send_continued(request: ListRequest, PageToken(token): &PageToken) -> StoreResult<Answer> {
    let Some((end, token)) = token.rsplit_once(TOKEN_SEPARATOR) else {
        return Err(foreign_token());
    };
    match send(request.clone().continuation_token(token)).await? {
        Err(error) if status(&error) == Some(500) && !end.is_empty() => send(request.start_after(end)).await,
        answer => Ok(answer),
    }
}

/// The answer to `request`, in URL encoding if it could not be read without.
async fn send(request: ListRequest) -> StoreResult<Answer> {
    match within(ATTEMPT_TIMEOUT, RequestKind::Listing, request.clone().send()).await? {
        Err(error) if status(&error) == Some(200) && ProvideErrorMetadata::code(&error).is_none() => {
            within(ATTEMPT_TIMEOUT, RequestKind::Listing, request.encoding_type(EncodingType::Url).send()).await
        }
        answer => Ok(answer),
    }
}

fn status(error: &SdkError<ListObjectsV2Error>) -> Option<u16> {
    error.raw_response().map(|response| response.status().as_u16())
}

fn page(answer: ListObjectsV2Output) -> StoreResult<ListPage> {
    let encoded = answer.encoding_type == Some(EncodingType::Url);
    let objects = answer.contents.unwrap_or_default().into_iter().map(|object| entry(object, encoded));
    let objects: Vec<ListEntry> = objects.collect::<StoreResult<_>>()?;
    let folder = |folder: CommonPrefix| key(folder.prefix, encoded);
    let folders: Vec<String> =
        answer.common_prefixes.unwrap_or_default().into_iter().map(folder).collect::<StoreResult<_>>()?;
    let next = match (answer.is_truncated, answer.next_continuation_token) {
        (Some(true), None) => return Err(StoreError::broken("a listing is cut short without saying how to go on")),
        (Some(true), Some(token)) => Some(PageToken(format!("{}{TOKEN_SEPARATOR}{token}", end_of(&objects, &folders)))),
        _ => None,
    };
    Ok(ListPage { objects, folders, next })
}

/// The text that every further key comes after: the last key, or everything in the last folder.
fn end_of(objects: &[ListEntry], folders: &[String]) -> String {
    let object = objects.last().map(|entry| entry.key.clone());
    let folder = folders.last().map(|folder| format!("{folder}{}", char::MAX));
    object.max(folder).unwrap_or_default()
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
