//! Tags of objects, and buckets whose policy allows no caller to set tags.
//!
//! A put with tags needs `s3:PutObjectTagging`. If that is refused, the same put is made without tags, and if that succeeds no
//! further put of this process has any. A put that is refused both ways was refused for another reason.

use aws_sdk_s3::{
    error::BuildError,
    types::{Tag, Tagging},
};
use bytes::Bytes;

use super::{RequestKind, S3Store, within};
use crate::{PutOptions, PutResult, StoreError, StoreResult, Tags};
use skillmount_base::{limits::ATTEMPT_TIMEOUT, path::ObjectKey};

impl S3Store {
    /// Puts an object with its tags, or without them if the bucket refuses tags alone.
    pub(super) async fn put_tagged(
        &self,
        key: &ObjectKey,
        bytes: Bytes,
        options: PutOptions,
    ) -> StoreResult<PutResult> {
        let untagged = PutOptions { tags: Tags::new(), ..options.clone() };
        if options.tags.is_empty() || self.refusals.are_known() {
            return self.put_once(key, bytes, untagged).await;
        }
        match self.put_once(key, bytes.clone(), options).await {
            Err(StoreError::Denied(_) | StoreError::Unsupported(_)) => {}
            answer => return answer,
        }
        let put = self.put_once(key, bytes, untagged).await?;
        if self.refusals.note() {
            tracing::warn!("the bucket refuses tags: objects are written without (s3:PutObjectTagging)");
        }
        Ok(put)
    }

    pub(super) async fn tag_once(&self, key: &ObjectKey, tags: &Tags) -> StoreResult<()> {
        let tagging = tagging(tags).map_err(StoreError::not_applied)?;
        let request = self.client.put_object_tagging().bucket(&self.bucket).key(key.as_str()).tagging(tagging);
        let sent = within(ATTEMPT_TIMEOUT, RequestKind::Tagging, request.send()).await?;
        sent.map(drop).map_err(|error| self.classify(error, RequestKind::Tagging))
    }
}

fn tagging(tags: &Tags) -> Result<Tagging, BuildError> {
    let tag = |(name, value): (&String, &String)| Tag::builder().key(name).value(value).build();
    let tags = tags.iter().map(tag).collect::<Result<Vec<_>, _>>()?;
    Tagging::builder().set_tag_set(Some(tags)).build()
}
