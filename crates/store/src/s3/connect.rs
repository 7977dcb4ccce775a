//! How to reach a bucket: the standard AWS configuration, and additions for S3-compatible servers.

use std::sync::Arc;

use aws_config::{
    BehaviorVersion, ConfigLoader, Region, SdkConfig,
    default_provider::region::DefaultRegionChain,
    environment::EnvironmentVariableRegionProvider,
    meta::region::RegionProviderChain,
    profile::{ProfileFileCredentialsProvider, ProfileFileRegionProvider},
    provider_config::ProviderConfig,
};
use aws_credential_types::provider::{ProvideCredentials as _, error::CredentialsError};
use aws_sdk_s3::{
    Client,
    config::{Builder, IdentityCache},
};
use aws_types::{
    os_shim_internal::{Env, Fs},
    service_config::ServiceConfigKey,
};
use url::Url;

use super::{
    bucket::S3Store,
    identity::{Identity, trimmed},
};
use crate::S3Options;
use skillmount_base::{
    clock::Clock,
    error::{Code, Error, Result},
};

/// The end of the name of each directory bucket (S3 Express One Zone). Its listings have no order, and its `ETag`s no bytes.
const DIRECTORY_BUCKET: &str = "--x-s3";
/// The region for servers without regions. They expect it, because it is S3's default.
const REGION_OF_CUSTOM_ENDPOINTS: &str = "us-east-1";

impl S3Store {
    /// A store over `bucket`, reached as in `options`. Sends no request to the bucket, so the first verb reports whether
    /// it exists.
    ///
    /// # Errors
    /// `invalid_request` if `bucket` is empty or a directory bucket, if no file has the named profile, if the custom endpoint is not a URL, or
    /// if there is neither a region nor a custom endpoint. Also if endpoint or region have white space inside; at the ends it
    /// is dropped.
    pub async fn connect(bucket: &str, options: S3Options, clock: Arc<dyn Clock>) -> Result<Self> {
        if bucket.is_empty() {
            return Err(Error::new(Code::InvalidRequest, "no bucket is named; give the name of an existing bucket"));
        }
        if bucket.ends_with(DIRECTORY_BUCKET) {
            let message =
                format!("{bucket:?} is a directory bucket, which lists keys in no order; use a general purpose bucket");
            return Err(Error::new(Code::InvalidRequest, message));
        }
        if let Some(profile) = &options.profile {
            check_profile(profile).await?;
        }
        // Loaded twice: the regions to ask for depend on the endpoint, which a profile may have.
        let endpoint = custom_endpoint(&options, &loader(&options, None).load().await)?;
        endpoint.as_deref().map_or(Ok(()), check_endpoint)?;
        let found = regions(&options, endpoint.is_some()).region().await;
        // An empty variable is none.
        let region = found.filter(|region| !region.as_ref().trim().is_empty()).ok_or_else(|| {
            let message = format!(
                "the region of bucket {bucket:?} is not known; give a region, or set AWS_REGION, as in AWS_REGION=eu-west-1"
            );
            Error::new(Code::InvalidRequest, message)
        })?;
        let region = Region::new(setting(region.as_ref(), "AWS_REGION (--region)")?);
        let identity = identity(&options, &region, clock.clone());
        let sdk_config = loader(&options, Some(region)).load().await;
        let mut config = Builder::from(&sdk_config)
            .force_path_style(options.path_style.unwrap_or(endpoint.is_some()))
            .credentials_provider(identity.clone())
            // The identity keeps the credentials itself.
            .identity_cache(IdentityCache::no_cache());
        config.set_endpoint_url(endpoint.clone());
        let options = S3Options { endpoint_url: endpoint, ..options };
        let store = Self::with_client(&Client::from_conf(config.build()), bucket, &options, clock);
        Ok(Self { identity: Some(identity), ..store })
    }
}

/// The credentials of the standard chain. Each load asks a new chain, because a chain reads a profile once.
fn identity(options: &S3Options, region: &Region, clock: Arc<dyn Clock>) -> Identity {
    let (options, region) = (options.clone(), region.clone());
    Identity::new(clock, move || {
        let loader = loader(&options, Some(region.clone()));
        Box::pin(async move {
            let provider = loader.load().await.credentials_provider();
            provider.ok_or_else(CredentialsError::not_loaded_no_source)?.provide_credentials().await
        })
    })
}

/// A setting without white space at its ends.
///
/// # Errors
/// `invalid_request`, naming it, if it has white space inside.
fn setting(text: &str, name: &'static str) -> Result<String> {
    let trimmed = trimmed(text, name).map(str::to_owned);
    trimmed.map_err(|broken| Error::new(Code::InvalidRequest, format!("{broken}; set it again without")))
}

fn loader(options: &S3Options, region: Option<Region>) -> ConfigLoader {
    let mut loader = aws_config::defaults(BehaviorVersion::latest());
    if let Some(profile) = &options.profile {
        // The SDK takes credentials from the environment before the profile. A profile that the caller names must win,
        // as in the AWS CLI.
        let credentials = ProfileFileCredentialsProvider::builder()
            .configure(&ProviderConfig::without_region().with_region(region.clone()))
            .profile_name(profile)
            .build();
        loader = loader.profile_name(profile).credentials_provider(credentials);
    }
    if let Some(endpoint) = &options.endpoint_url {
        loader = loader.endpoint_url(endpoint);
    }
    loader.region(region)
}

/// # Errors
/// `invalid_request` for a text that is not a URL of a server: the SDK would accept it, and every request would fail.
fn check_endpoint(endpoint: &str) -> Result<()> {
    let is_http = |text: &str| Url::parse(text).is_ok_and(|url| ["http", "https"].contains(&url.scheme()));
    if is_http(endpoint) {
        return Ok(());
    }
    let with_scheme = format!("http://{endpoint}");
    let hint = if !endpoint.contains("://") && is_http(&with_scheme) {
        format!("did you mean {with_scheme:?}?")
    } else {
        "give one like \"http://127.0.0.1:4566\"".to_owned()
    };
    Err(Error::new(Code::InvalidRequest, format!("the endpoint {endpoint:?} is not a URL of a server; {hint}")))
}

/// # Errors
/// `invalid_request` if no configuration file has the profile `name`, or none can be read.
async fn check_profile(name: &str) -> Result<()> {
    let profiles =
        aws_config::profile::load(&Fs::real(), &Env::real(), &<_>::default(), None).await.map_err(|error| {
            let message = "the AWS configuration files cannot be read; correct ~/.aws/config and ~/.aws/credentials";
            Error::new(Code::InvalidRequest, message).with_source(error)
        })?;
    if profiles.get_profile(name).is_some() {
        return Ok(());
    }
    let mut known: Vec<_> = profiles.profiles().collect();
    known.sort_unstable();
    let message = if known.is_empty() {
        format!("no AWS configuration file has the profile {name:?}, or any other; run aws configure --profile {name}")
    } else {
        let known = known.join(", ");
        format!("no AWS configuration file has the profile {name:?}; the profiles are {known}; correct --profile")
    };
    Err(Error::new(Code::InvalidRequest, message))
}

/// The region in `options`, or else that of the AWS region chain. For a custom endpoint the chain ends with a default in
/// place of the EC2 metadata service, which takes seconds to be absent.
fn regions(options: &S3Options, has_custom_endpoint: bool) -> RegionProviderChain {
    let given = RegionProviderChain::first_try(options.region.clone().map(Region::new));
    let (mut chain, mut profile) = (DefaultRegionChain::builder(), ProfileFileRegionProvider::builder());
    if let Some(name) = &options.profile {
        (chain, profile) = (chain.profile_name(name), profile.profile_name(name));
    }
    if !has_custom_endpoint {
        return given.or_else(chain.build());
    }
    given
        .or_else(EnvironmentVariableRegionProvider::new())
        .or_else(profile.build())
        .or_else(Region::new(REGION_OF_CUSTOM_ENDPOINTS))
}

/// Returns the custom endpoint: from the options, the environment or the profile. The SDK looks it up the same way when it
/// makes a client, and does not return it. An empty one is none.
///
/// # Errors
/// `invalid_request` if it has white space inside.
fn custom_endpoint(options: &S3Options, sdk_config: &SdkConfig) -> Result<Option<String>> {
    let configured = || {
        let key = ServiceConfigKey::builder().service_id("S3").env("AWS_ENDPOINT_URL").profile("endpoint_url").build();
        sdk_config.service_config()?.load_config(key.ok()?)
    };
    let endpoint = options.endpoint_url.clone().or_else(configured);
    let endpoint = endpoint.map(|text| setting(&text, "AWS_ENDPOINT_URL (--endpoint-url)")).transpose()?;
    Ok(endpoint.filter(|text| !text.is_empty()))
}

#[cfg(test)]
mod tests {
    use aws_types::service_config::LoadServiceConfig;

    use super::*;

    #[test]
    fn an_endpoint_is_the_url_of_a_server() {
        for good in ["http://127.0.0.1:4566", "https://s3.example", "HTTPS://s3.example", "http://[::1]:9000/"] {
            check_endpoint(good).unwrap();
        }
        for (bad, hint) in [
            ("127.0.0.1:4566", "did you mean \"http://127.0.0.1:4566\""),
            ("localhost:4566", "did you mean \"http://localhost:4566\""),
            ("http://", "give one like"),
            ("https:// ", "give one like"),
            ("ftp://s3.example", "give one like"),
            ("", "give one like"),
        ] {
            let error = check_endpoint(bad).unwrap_err();
            assert!(error.message().contains(hint), "{bad:?}: {error}");
        }
    }

    /// An environment or a profile with an endpoint for S3.
    #[derive(Debug)]
    struct Configured;

    impl LoadServiceConfig for Configured {
        fn load_config(&self, key: ServiceConfigKey<'_>) -> Option<String> {
            (key.service_id() == "S3").then(|| "http://configured".to_owned())
        }
    }

    #[test]
    fn the_endpoint_of_the_options_goes_before_the_configured_one() {
        let configured = SdkConfig::builder().service_config(Configured).build();
        let options = S3Options { endpoint_url: Some("http://options".to_owned()), ..S3Options::default() };
        let of = |options: &S3Options, config: &SdkConfig| custom_endpoint(options, config).unwrap();
        assert_eq!(of(&options, &configured).as_deref(), Some("http://options"));
        assert_eq!(of(&S3Options::default(), &configured).as_deref(), Some("http://configured"));
        assert_eq!(of(&S3Options::default(), &SdkConfig::builder().build()), None);
        for (text, expected) in [(" http://a\n", Some("http://a")), ("", None), (" ", None)] {
            let options = S3Options { endpoint_url: Some(text.to_owned()), ..S3Options::default() };
            assert_eq!(of(&options, &configured).as_deref(), expected, "{text:?}");
        }
        let options = S3Options { endpoint_url: Some("http://a b".to_owned()), ..S3Options::default() };
        let error = custom_endpoint(&options, &configured).unwrap_err();
        assert!(error.message().starts_with("AWS_ENDPOINT_URL (--endpoint-url) has a space"), "{error}");
    }

    #[tokio::test]
    async fn the_region_of_the_options_is_asked_for_before_every_other() {
        let options = S3Options { region: Some("eu-west-1".to_owned()), ..S3Options::default() };
        for has_custom_endpoint in [true, false] {
            assert_eq!(regions(&options, has_custom_endpoint).region().await, Some(Region::new("eu-west-1")));
        }
    }
}
