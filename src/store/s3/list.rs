//! One attempt at a page of a listing.
//!
//! Keys are asked for in URL encoding, because XML 1.0 cannot carry most control characters and one such key, put there
//! by another tool, would make a whole listing unreadable. The SDK does not decode them; that is done here, exactly.

use aws_sdk_s3::{
    operation::list_objects_v2::ListObjectsV2Output,
    types::{CommonPrefix, EncodingType, Object},
};

use super::{
    S3Store,
    failure::{Asked, classify},
    read::timestamp,
    within,
};
use crate::{
    limits::ATTEMPT_TIMEOUT,
    path::{ETag, KeyPrefix},
    store::{ListEntry, ListOptions, ListPage, PageToken, StoreError, StoreResult},
};

/// Entries of a page: the most S3 gives.
const PAGE: usize = 1000;

impl S3Store {
    pub(super) async fn list_once(&self, prefix: &KeyPrefix, options: &ListOptions) -> StoreResult<ListPage> {
        let most = options.max_entries.unwrap_or(PAGE).clamp(1, PAGE);
        let request = self
            .client
            .list_objects_v2()
            .bucket(&self.bucket)
            .prefix(prefix.as_str())
            .encoding_type(EncodingType::Url)
            .max_keys(i32::try_from(most).unwrap_or(i32::MAX))
            .set_delimiter(options.delimiter.then(|| "/".to_owned()))
            .set_start_after(options.start_after.clone())
            .set_continuation_token(options.page.clone().map(|PageToken(token)| token));
        let sent = within(ATTEMPT_TIMEOUT, Asked::Listing, request.send()).await?;
        page(sent.map_err(|error| classify(error, Asked::Listing))?)
    }
}

fn page(answer: ListObjectsV2Output) -> StoreResult<ListPage> {
    let encoded = answer.encoding_type == Some(EncodingType::Url);
    let objects = answer.contents.unwrap_or_default().into_iter().map(|object| entry(object, encoded));
    let folder = |folder: CommonPrefix| key(folder.prefix, encoded);
    let next = match (answer.is_truncated, answer.next_continuation_token) {
        (Some(true), None) => return Err(StoreError::broken("a listing is cut short without saying how to go on")),
        (Some(true), Some(token)) => Some(PageToken(token)),
        _ => None,
    };
    Ok(ListPage {
        objects: objects.collect::<StoreResult<_>>()?,
        folders: answer.common_prefixes.unwrap_or_default().into_iter().map(folder).collect::<StoreResult<_>>()?,
        next,
    })
}

fn entry(object: Object, encoded: bool) -> StoreResult<ListEntry> {
    let (Some(size), Some(etag)) = (object.size.and_then(|size| u64::try_from(size).ok()), &object.e_tag) else {
        return Err(StoreError::broken("a listing tells neither size nor ETag of an object"));
    };
    Ok(ListEntry {
        size,
        etag: ETag::new(etag),
        modified_at: timestamp(object.last_modified.as_ref())?,
        key: key(object.key, encoded)?,
    })
}

fn key(key: Option<String>, encoded: bool) -> StoreResult<String> {
    let key = key.ok_or_else(|| StoreError::broken("a listing has an entry without a key"))?;
    if encoded { decode(&key) } else { Ok(key) }
}

/// Undoes the URL encoding of S3, which writes a space as `+` and a plus as `%2B`.
fn decode(text: &str) -> StoreResult<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => hex_pair(rest.next(), rest.next())
                .ok_or_else(|| StoreError::broken("a listing has a key that is not URL-encoded"))?,
            other => other,
        });
    }
    String::from_utf8(bytes).map_err(|_| StoreError::broken("a listing has a key that is not UTF-8"))
}

fn hex_pair(high: Option<u8>, low: Option<u8>) -> Option<u8> {
    let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
    u8::try_from(digit(high)? * 16 + digit(low)?).ok()
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
