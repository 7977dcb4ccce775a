//! A bucket with its client, and the parts that all requests to a bucket share.

use std::{
    error::Error as StdError,
    fmt,
    panic::AssertUnwindSafe,
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

use aws_sdk_s3::{
    Client,
    config::{StalledStreamProtectionConfig, retry::RetryConfig},
    error::{ProvideErrorMetadata, SdkError},
};
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use futures_util::FutureExt as _;
use tokio::time::timeout;

use super::{
    failure::{classify, in_doubt},
    identity::Identity,
    request::RequestKind,
    tag_digests::TagDigests,
    tag_header::TagRefusals,
};
use crate::{S3Options, StoreError, StoreResult, StoreServer, cause::Cause};
use skillmount_base::{clock::Clock, path::ETag};

/// A bucket on S3 or an S3-compatible server.
#[derive(Clone)]
pub struct S3Store {
    pub(super) client: Client,
    pub(super) bucket: String,
    /// The URL of the endpoint, for its name and its addresses.
    pub(super) endpoint: String,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) sse_kms_key_id: Option<String>,
    /// Whether the server is known to honour a condition of a delete.
    pub(super) conditional_delete: bool,
    /// Whether the server refused a condition of a delete.
    pub(super) refuses_delete_conditions: Arc<AtomicBool>,
    pub(super) refusals: Arc<TagRefusals>,
    pub(super) digests: Arc<TagDigests>,
    /// The credentials, if this module loads them; else the client of the caller does.
    pub(super) identity: Option<Identity>,
}

impl S3Store {
    /// A store over `bucket`, reached by `client`. Retries and stream protection of the client are switched off here. Of
    /// `options` it takes what a client does not have: the KMS key, whether deletes may be conditional, and the endpoint
    /// to name. Without an endpoint it is Amazon's.
    pub fn with_client(client: &Client, bucket: impl Into<String>, options: &S3Options, clock: Arc<dyn Clock>) -> Self {
        let config = client
            .config()
            .to_builder()
            .retry_config(RetryConfig::disabled())
            .stalled_stream_protection(StalledStreamProtectionConfig::disabled())
            .build();
        let of_amazon = || {
            let region = config.region().map_or_else(String::new, |region| format!(".{region}"));
            format!("https://s3{region}.amazonaws.com")
        };
        let endpoint = options.endpoint_url.clone().unwrap_or_else(of_amazon);
        let named = StoreServer { endpoint: endpoint.clone(), ..StoreServer::default() };
        Self {
            endpoint,
            client: Client::from_conf(config),
            bucket: bucket.into(),
            clock,
            sse_kms_key_id: options.sse_kms_key_id.clone(),
            conditional_delete: options.conditional_delete || named.is_amazon(),
            refuses_delete_conditions: Arc::default(),
            refusals: Arc::default(),
            digests: Arc::default(),
            identity: None,
        }
    }

    /// The meaning of a failure of a request to this bucket.
    pub(super) fn classify<E>(&self, error: SdkError<E, HttpResponse>, asked: RequestKind) -> StoreError
    where
        E: StdError + ProvideErrorMetadata + Send + Sync + 'static,
    {
        let error = classify(error, asked, &self.bucket, self.clock.now());
        if let (Some(identity), Some(cause)) = (&self.identity, error.cause()) {
            identity.record_refusal(cause);
        }
        error
    }
}

impl fmt::Debug for S3Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("S3Store").field("bucket", &self.bucket).finish_non_exhaustive()
    }
}

/// The answer of `request`, if it comes within `allowed`. Boxed, because the SDK's futures are tens of kilobytes. A panic in
/// the SDK is the failure of this request alone.
pub(super) fn within<T>(
    allowed: Duration,
    asked: RequestKind,
    request: impl Future<Output = T>,
) -> impl Future<Output = StoreResult<T>> {
    let answer = Box::pin(timeout(allowed, AssertUnwindSafe(request).catch_unwind()));
    async move {
        match answer.await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(_)) => Err(in_doubt("the library for S3 panicked; its message is in the log", asked)),
            Err(late) => Err(in_doubt(late, asked).because(Cause::Timeout)),
        }
    }
}

/// A tag in the form of HTTP.
pub(super) fn quoted(etag: &ETag) -> String {
    format!("\"{etag}\"")
}
