//! One attempt at a put, a delete or a change of tags, and buckets whose policy allows no caller to set tags.
//!
//! A put with tags needs `s3:PutObjectTagging`. If that is refused, the same put is made without tags, and if that succeeds no
//! further put of this process has any. A put that is refused both ways was refused for another reason.

use aws_sdk_s3::{
    error::BuildError,
    primitives::ByteStream,
    types::{ServerSideEncryption, Tag, Tagging},
};
use bytes::Bytes;

use super::{
    bucket::{S3Store, quoted, within},
    request::RequestKind,
    tag_header,
};
use crate::{PutCondition, PutOptions, PutResult, StoreError, StoreResult, Tags, attempts::transfer_time};
use skillmount_base::{
    limits::ATTEMPT_TIMEOUT,
    path::{ETag, ObjectKey},
};

/// Puts an object with its tags, or without them if the bucket refuses tags alone.
pub(super) async fn put_tagged(
    store: &S3Store,
    key: &ObjectKey,
    bytes: Bytes,
    options: PutOptions,
) -> StoreResult<PutResult> {
    let untagged = PutOptions { tags: Tags::new(), ..options.clone() };
    if options.tags.is_empty() || store.refusals.are_known() {
        return put_once(store, key, bytes, untagged).await;
    }
    match put_once(store, key, bytes.clone(), options).await {
        Err(StoreError::Denied(_) | StoreError::Unsupported(_)) => {}
        answer => return answer,
    }
    let put = put_once(store, key, bytes, untagged).await?;
    if store.refusals.record() {
        tracing::warn!("the bucket refuses tags: objects are written without (s3:PutObjectTagging)");
    }
    Ok(put)
}

pub(super) async fn tag_once(store: &S3Store, key: &ObjectKey, tags: &Tags) -> StoreResult<()> {
    let tagging = tagging(tags).map_err(StoreError::not_applied)?;
    let request = store.client.put_object_tagging().bucket(&store.bucket).key(key.as_str()).tagging(tagging);
    let sent = within(ATTEMPT_TIMEOUT, RequestKind::Tagging, request.send()).await?;
    sent.map(drop).map_err(|error| store.classify(error, RequestKind::Tagging))
}

async fn put_once(store: &S3Store, key: &ObjectKey, bytes: Bytes, options: PutOptions) -> StoreResult<PutResult> {
    let allowed = transfer_time(bytes.len() as u64);
    let request = store.client.put_object().bucket(&store.bucket).key(key.as_str()).body(ByteStream::from(bytes));
    let (request, asked) = match &options.condition {
        PutCondition::Always => (request, RequestKind::Put),
        PutCondition::IfAbsent => (request.if_none_match("*"), RequestKind::Put),
        PutCondition::IfMatch(etag) => (request.if_match(quoted(etag)), RequestKind::Replacement),
    };
    let encryption = store.sse_kms_key_id.as_ref().map(|_| ServerSideEncryption::AwsKms);
    let request = request
        .set_metadata(Some(options.metadata.into_iter().collect()))
        .set_tagging(tag_header::header(&options.tags))
        .set_server_side_encryption(encryption)
        .set_ssekms_key_id(store.sse_kms_key_id.clone());
    let sent = within(allowed, asked, request.send()).await?.map_err(|error| store.classify(error, asked))?;
    let etag = sent.e_tag.ok_or_else(|| StoreError::unknown("the answer has no ETag of the written version"))?;
    Ok(PutResult { etag: ETag::new(&etag) })
}

pub(super) async fn delete_once(store: &S3Store, key: &ObjectKey, if_match: Option<&ETag>) -> StoreResult<()> {
    let request =
        store.client.delete_object().bucket(&store.bucket).key(key.as_str()).set_if_match(if_match.map(quoted));
    let asked = if if_match.is_some() { RequestKind::DeleteOfVersion } else { RequestKind::Delete };
    let sent = within(ATTEMPT_TIMEOUT, asked, request.send()).await?;
    match sent.map_err(|error| store.classify(error, asked)) {
        Ok(_) | Err(StoreError::NotFound) => Ok(()),
        Err(error) => Err(error),
    }
}

fn tagging(tags: &Tags) -> Result<Tagging, BuildError> {
    let tag = |(name, value): (&String, &String)| Tag::builder().key(name).value(value).build();
    let tags = tags.iter().map(tag).collect::<Result<Vec<_>, _>>()?;
    Tagging::builder().set_tag_set(Some(tags)).build()
}
