//! How to reach a bucket: the standard AWS configuration, and what S3-compatible servers need besides.

use std::sync::Arc;

use aws_config::{
    BehaviorVersion, Region, SdkConfig, environment::EnvironmentVariableRegionProvider,
    meta::region::RegionProviderChain, profile::ProfileFileRegionProvider,
};
use aws_sdk_s3::{Client, config::Builder};

use super::S3Store;
use crate::{
    clock::Clock,
    error::{Code, Error, Result},
};

/// The region for servers that have none: every S3-compatible server takes it, because it is the default of S3 itself.
const REGION_OF_CUSTOM_ENDPOINTS: &str = "us-east-1";

/// Where the bucket is and how to speak to it. What is not given comes from the standard chain: `AWS_*` variables, the
/// shared config and credentials files, SSO, container and instance roles. Checksums follow
/// `AWS_REQUEST_CHECKSUM_CALCULATION`, which older S3-compatible servers need set to `when_required`.
#[derive(Clone, Debug, Default)]
pub struct S3Options {
    /// The bucket.
    pub bucket: String,
    /// Its region.
    pub region: Option<String>,
    /// An S3-compatible server, as `http://127.0.0.1:4566`; before `AWS_ENDPOINT_URL_S3` and `AWS_ENDPOINT_URL`.
    pub endpoint_url: Option<String>,
    /// The profile of the shared files to use.
    pub profile: Option<String>,
    /// Whether the bucket is part of the path rather than of the host name; where `None`: exactly if an endpoint is
    /// named, because few custom endpoints have a host name for each bucket.
    pub path_style: Option<bool>,
    /// The KMS key that new objects are encrypted with; the bucket's own default where `None`.
    pub sse_kms_key_id: Option<String>,
    /// Whether the server honours `If-Match` on DELETE. S3 does; several S3-compatible servers answer 501.
    pub conditional_delete: bool,
}

impl S3Store {
    /// A store over the bucket of `options`. Makes no request to the bucket: finding out whether it is there and honours
    /// conditions is the caller's business.
    ///
    /// # Errors
    /// `invalid_request` where no bucket is named, or no region is known and no endpoint either.
    pub async fn connect(options: S3Options, clock: Arc<dyn Clock>) -> Result<Self> {
        if options.bucket.is_empty() {
            return Err(Error::new(Code::InvalidRequest, "no bucket is named; give the name of an existing bucket"));
        }
        let shared = shared_config(&options).await;
        if shared.region().is_none() {
            return Err(Error::new(
                Code::InvalidRequest,
                format!("the region of bucket {:?} is not known; name it, or set AWS_REGION", options.bucket),
            ));
        }
        let endpoint = endpoint(&options, &shared);
        let path_style = options.path_style.unwrap_or(endpoint.is_some());
        let config = Builder::from(&shared).force_path_style(path_style).build();
        let mut store = Self::with_client(&Client::from_conf(config), options.bucket, clock);
        store.sse_kms_key_id = options.sse_kms_key_id;
        store.conditional_delete = options.conditional_delete;
        Ok(store)
    }
}

async fn shared_config(options: &S3Options) -> SdkConfig {
    let mut loader = aws_config::defaults(BehaviorVersion::latest());
    if let Some(profile) = &options.profile {
        loader = loader.profile_name(profile);
    }
    if let Some(endpoint) = &options.endpoint_url {
        loader = loader.endpoint_url(endpoint);
    }
    loader.region(regions(options)).load().await
}

/// The region given, else the chain's. A custom endpoint never waits for the metadata service of an EC2 instance, and
/// always has a region in the end.
fn regions(options: &S3Options) -> RegionProviderChain {
    let given = RegionProviderChain::first_try(options.region.clone().map(Region::new));
    if options.endpoint_url.is_none() && environment_endpoint().is_none() {
        return given.or_default_provider();
    }
    let mut profile = ProfileFileRegionProvider::builder();
    if let Some(name) = &options.profile {
        profile = profile.profile_name(name);
    }
    given
        .or_else(EnvironmentVariableRegionProvider::new())
        .or_else(profile.build())
        .or_else(Region::new(REGION_OF_CUSTOM_ENDPOINTS))
}

/// The endpoint requests will go to, where it is not Amazon's.
fn endpoint(options: &S3Options, shared: &SdkConfig) -> Option<String> {
    options.endpoint_url.clone().or_else(environment_endpoint).or_else(|| shared.endpoint_url().map(str::to_owned))
}

/// The endpoint the environment names; the SDK reads the same variables, but does not tell.
fn environment_endpoint() -> Option<String> {
    ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"]
        .into_iter()
        .find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()))
}
