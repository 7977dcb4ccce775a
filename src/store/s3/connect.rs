//! How to reach a bucket: the standard AWS configuration, and additions for S3-compatible servers.

use std::{sync::Arc, time::Duration};

use aws_config::{
    BehaviorVersion, Region, SdkConfig,
    environment::EnvironmentVariableRegionProvider,
    identity::IdentityCache,
    meta::region::RegionProviderChain,
    profile::{ProfileFileCredentialsProvider, ProfileFileRegionProvider},
    provider_config::ProviderConfig,
};
use aws_sdk_s3::{Client, config::Builder};
use aws_types::os_shim_internal::{Env, Fs};

use super::S3Store;
use crate::{
    clock::Clock,
    error::{Code, Error, Result},
    limits::ATTEMPT_TIMEOUT,
    store::S3Options,
};

/// The region for servers without regions. Every S3-compatible server accepts it, because it is the default of S3
/// itself.
const REGION_OF_CUSTOM_ENDPOINTS: &str = "us-east-1";
/// Time to find credentials: less than an attempt has, so that the attempt can report that none were found.
const CREDENTIALS_TIMEOUT: Duration = ATTEMPT_TIMEOUT.saturating_sub(Duration::from_secs(1));

impl S3Store {
    /// A store over `bucket`, reached as in `options`. Makes no request: the caller finds out whether the bucket exists
    /// and honours conditions.
    ///
    /// # Errors
    /// `invalid_request` if `bucket` is empty, if there is neither region nor endpoint, if the endpoint is not a URL,
    /// or if no file has the named profile.
    pub async fn connect(bucket: &str, options: S3Options, clock: Arc<dyn Clock>) -> Result<Self> {
        if bucket.is_empty() {
            return Err(Error::new(Code::InvalidRequest, "no bucket is named; give the name of an existing bucket"));
        }
        for endpoint in options.endpoint_url.iter().chain(&environment_endpoint()) {
            check_endpoint(endpoint)?;
        }
        if let Some(profile) = &options.profile {
            check_profile(profile).await?;
        }
        let shared = shared_config(&options).await;
        if shared.region().is_none() {
            return Err(Error::new(
                Code::InvalidRequest,
                format!("the region of bucket {bucket:?} is not known; name it, or set AWS_REGION"),
            ));
        }
        let endpoint = endpoint(&options, &shared);
        let path_style = options.path_style.unwrap_or(endpoint.is_some());
        let config = Builder::from(&shared).force_path_style(path_style).build();
        Ok(Self::with_client(&Client::from_conf(config), bucket, &options, clock))
    }
}

async fn shared_config(options: &S3Options) -> SdkConfig {
    let identities = IdentityCache::lazy().load_timeout(CREDENTIALS_TIMEOUT).build();
    let mut loader = aws_config::defaults(BehaviorVersion::latest()).identity_cache(identities);
    if let Some(profile) = &options.profile {
        // The chain asks the environment first, but a named profile comes before that, as with the AWS command line.
        let region = regions(options).region().await;
        let credentials = ProfileFileCredentialsProvider::builder()
            .configure(&ProviderConfig::without_region().with_region(region))
            .profile_name(profile)
            .build();
        loader = loader.profile_name(profile).credentials_provider(credentials);
    }
    if let Some(endpoint) = &options.endpoint_url {
        loader = loader.endpoint_url(endpoint);
    }
    loader.region(regions(options)).load().await
}

/// # Errors
/// `invalid_request` for a text that is not a URL: the SDK would accept it, and every request would fail.
fn check_endpoint(endpoint: &str) -> Result<()> {
    if ["http://", "https://"].iter().any(|scheme| endpoint.starts_with(scheme)) {
        return Ok(());
    }
    let message = format!("the endpoint {endpoint:?} is not a URL; did you mean \"http://{endpoint}\"?");
    Err(Error::new(Code::InvalidRequest, message))
}

/// # Errors
/// `invalid_request` if no configuration file has the profile `name`, or none can be read.
async fn check_profile(name: &str) -> Result<()> {
    let profiles =
        aws_config::profile::load(&Fs::real(), &Env::real(), &<_>::default(), None).await.map_err(|error| {
            Error::new(Code::InvalidRequest, "the AWS configuration files cannot be read").with_source(error)
        })?;
    if profiles.get_profile(name).is_some() {
        return Ok(());
    }
    let mut known: Vec<_> = profiles.profiles().collect();
    known.sort_unstable();
    let known = if known.is_empty() { "there is none".to_owned() } else { format!("there is {}", known.join(", ")) };
    let message = format!("no AWS configuration file has the profile {name:?} ({known}); correct --profile");
    Err(Error::new(Code::InvalidRequest, message))
}

/// The given region, or else the chain's. A custom endpoint never waits for the metadata service of an EC2 instance,
/// and always gets a region.
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

/// The endpoint of requests, if it is not Amazon's.
fn endpoint(options: &S3Options, shared: &SdkConfig) -> Option<String> {
    options.endpoint_url.clone().or_else(environment_endpoint).or_else(|| shared.endpoint_url().map(str::to_owned))
}

/// The endpoint in the environment. The SDK reads the same variables, but does not return it.
fn environment_endpoint() -> Option<String> {
    ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"]
        .into_iter()
        .find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()))
}
