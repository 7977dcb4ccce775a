//! The store on S3 and servers with its protocol.
//!
//! The SDK signs, sends and parses; it does not retry. Its retries would resend a put whose reply was lost and report
//! our own success as a conflict, and would leave out the body of a get. So `attempts` retries reads, body included,
//! and a put is sent once per call: [`Committer`](super::Committer) finds out its outcome. No request and no body can
//! hang, because every attempt and every operation has a deadline of its own.

mod cause;
mod connect;
mod failure;
mod list;
mod purge;
mod read;
mod request;
mod tag_header;
mod tags;

use std::{error::Error as StdError, fmt, sync::Arc, time::Duration};

use async_trait::async_trait;
use aws_sdk_s3::{
    Client,
    config::{StalledStreamProtectionConfig, retry::RetryConfig},
    error::{ProvideErrorMetadata, SdkError},
    primitives::ByteStream,
    types::ServerSideEncryption,
};
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use bytes::Bytes;
use tokio::time::timeout;

use self::{
    failure::{classify, in_doubt},
    request::RequestKind,
    tag_header::TagRefusals,
};
use super::{
    Capabilities, DeleteOptions, FileAndFolder, GetOptions, ListOptions, ListPage, Object, ObjectMeta, PurgeReply,
    PutCondition, PutOptions, PutResult, S3Options, Store, StoreError, StoreResult, Tags,
    attempts::{read, retry, transfer_time},
    cause::Cause,
};
use skillmount_base::{
    clock::Clock,
    error::Outcome,
    limits::ATTEMPT_TIMEOUT,
    path::{ETag, KeyPrefix, ObjectKey},
};

/// A bucket on S3 or an S3-compatible server.
#[derive(Clone)]
pub struct S3Store {
    client: Client,
    bucket: String,
    clock: Arc<dyn Clock>,
    sse_kms_key_id: Option<String>,
    conditional_delete: bool,
    refusals: Arc<TagRefusals>,
}

impl S3Store {
    /// A store over `bucket`, reached by `client`. Retries and stream protection of the client are switched off here. Of
    /// `options` it takes what a client does not have: the KMS key, and whether deletes may be conditional.
    pub fn with_client(client: &Client, bucket: impl Into<String>, options: &S3Options, clock: Arc<dyn Clock>) -> Self {
        let config = client
            .config()
            .to_builder()
            .retry_config(RetryConfig::disabled())
            .stalled_stream_protection(StalledStreamProtectionConfig::disabled())
            .build();
        Self {
            client: Client::from_conf(config),
            bucket: bucket.into(),
            clock,
            sse_kms_key_id: options.sse_kms_key_id.clone(),
            conditional_delete: options.conditional_delete,
            refusals: Arc::default(),
        }
    }

    /// The bucket.
    #[must_use]
    pub fn bucket(&self) -> &str {
        &self.bucket
    }

    /// The meaning of a failure of a request to this bucket.
    fn classify<E>(&self, error: SdkError<E, HttpResponse>, asked: RequestKind) -> StoreError
    where
        E: StdError + ProvideErrorMetadata + Send + Sync + 'static,
    {
        classify(error, asked, &self.bucket, self.clock.now())
    }

    async fn put_once(&self, key: &ObjectKey, bytes: Bytes, options: PutOptions) -> StoreResult<PutResult> {
        let allowed = transfer_time(bytes.len() as u64);
        let request = self.client.put_object().bucket(&self.bucket).key(key.as_str()).body(ByteStream::from(bytes));
        let (request, asked) = match &options.condition {
            PutCondition::Always => (request, RequestKind::Put),
            PutCondition::IfAbsent => (request.if_none_match("*"), RequestKind::Put),
            PutCondition::IfMatch(etag) => (request.if_match(quoted(etag)), RequestKind::Replacement),
        };
        let encryption = self.sse_kms_key_id.as_ref().map(|_| ServerSideEncryption::AwsKms);
        let request = request
            .set_metadata(Some(options.metadata.into_iter().collect()))
            .set_tagging(tag_header::header(&options.tags))
            .set_server_side_encryption(encryption)
            .set_ssekms_key_id(self.sse_kms_key_id.clone());
        let sent = within(allowed, asked, request.send()).await?.map_err(|error| self.classify(error, asked))?;
        let etag = sent.e_tag.ok_or_else(|| StoreError::unknown("the answer has no ETag of the written version"))?;
        Ok(PutResult { etag: ETag::new(&etag) })
    }

    async fn delete_once(&self, key: &ObjectKey, if_match: Option<&ETag>) -> StoreResult<()> {
        let request =
            self.client.delete_object().bucket(&self.bucket).key(key.as_str()).set_if_match(if_match.map(quoted));
        let asked = if if_match.is_some() { RequestKind::DeleteOfVersion } else { RequestKind::Delete };
        let sent = within(ATTEMPT_TIMEOUT, asked, request.send()).await?;
        match sent.map_err(|error| self.classify(error, asked)) {
            Ok(_) | Err(StoreError::NotFound) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

#[async_trait]
impl Store for S3Store {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            conditional_delete: self.conditional_delete,
            file_and_folder: FileAndFolder::Held,
            any_key: true,
            tags: true,
            versions: true,
        }
    }

    async fn get(&self, key: &ObjectKey, options: GetOptions) -> StoreResult<Object> {
        read(&self.clock, || self.get_once(key, &options)).await
    }

    async fn put(&self, key: &ObjectKey, bytes: Bytes, options: PutOptions) -> StoreResult<PutResult> {
        self.put_tagged(key, bytes, options).await
    }

    async fn head(&self, key: &ObjectKey) -> StoreResult<ObjectMeta> {
        read(&self.clock, || self.head_once(key, None)).await
    }

    async fn list(&self, prefix: &KeyPrefix, options: ListOptions) -> StoreResult<ListPage> {
        read(&self.clock, || self.list_once(prefix, &options)).await
    }

    /// After an unknown outcome, only a conditional DELETE is retried. Another one could remove what was written since.
    async fn delete(&self, key: &ObjectKey, options: DeleteOptions) -> StoreResult<()> {
        let if_match = options.if_match.filter(|_| self.conditional_delete);
        let certain = |failure: &StoreError| {
            let doubtful = matches!(failure, StoreError::Unavailable { outcome: Outcome::Unknown, .. });
            failure.is_transient() && (if_match.is_some() || !doubtful)
        };
        retry(&self.clock, certain, || self.delete_once(key, if_match.as_ref())).await
    }

    /// Setting the same tags twice is setting them once, so it is retried.
    async fn tag(&self, key: &ObjectKey, tags: Tags) -> StoreResult<()> {
        retry(&self.clock, StoreError::is_transient, || self.tag_once(key, &tags)).await
    }

    async fn purge(&self, prefix: &KeyPrefix) -> StoreResult<PurgeReply> {
        self.purge_page(prefix).await
    }
}

impl fmt::Debug for S3Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("S3Store").field("bucket", &self.bucket).finish_non_exhaustive()
    }
}

/// The answer of `request`, if it comes within `allowed`. Boxed, because the SDK's futures are tens of kilobytes.
fn within<T>(
    allowed: Duration,
    asked: RequestKind,
    request: impl Future<Output = T>,
) -> impl Future<Output = StoreResult<T>> {
    let answer = Box::pin(timeout(allowed, request));
    async move { answer.await.map_err(|late| in_doubt(late, asked).because(Cause::Timeout)) }
}

/// A tag in the form of HTTP.
fn quoted(etag: &ETag) -> String {
    format!("\"{etag}\"")
}
