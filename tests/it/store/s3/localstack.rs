//! The S3 store on a real server over a real socket: `localstack/localstack.sh run -- cargo test`.
//!
//! `SKILLMOUNT_TEST_S3_ENDPOINT` names the server, `SKILLMOUNT_TEST_S3_BUCKET` a bucket on it; credentials come from the
//! standard variables. Without the first these tests say that they skip.

use std::{env, sync::Arc};

use bytes::Bytes;
use skillmount::{
    path::{KeyPrefix, Namespace},
    store::{
        Conditions, DeleteOptions, GetOptions, PutOptions, S3Options, S3Store, SharedStore, Store, StoreError,
        probe_conditions, testing::conformance,
    },
};

use crate::{
    support::{clock, endpoint, world::soak},
    whole::{
        example::play_in_library,
        races::{create_races, two_replicas_try},
    },
};

const ENDPOINT: &str = "SKILLMOUNT_TEST_S3_ENDPOINT";
const ROUNDS: usize = 50;

/// The variable `name`; says aloud that a test is skipped where it is not set.
fn variable(name: &str) -> Option<String> {
    let value = env::var(name).ok();
    if value.is_none() {
        println!("SKIPPED: {name} is not set, so nothing was tried on a real S3 server");
    }
    value
}

async fn connect(options: S3Options) -> S3Store {
    let bucket = env::var("SKILLMOUNT_TEST_S3_BUCKET").unwrap_or_else(|_| "skillmount-test".to_owned());
    S3Store::connect(&bucket, options, clock()).await.unwrap()
}

async fn connect_to_endpoint() -> Option<S3Store> {
    Some(connect(endpoint(&variable(ENDPOINT)?)).await)
}

/// A store on a bucket that nothing else uses: the example and the races know their keys.
async fn connect_to_bucket_of_its_own() -> Option<SharedStore> {
    let endpoint_url = variable(ENDPOINT)?;
    let bucket = format!("skillmount-{:032x}", clock().random());
    let environment = aws_config::from_env().endpoint_url(&endpoint_url).load().await;
    let config = aws_sdk_s3::config::Builder::from(&environment).force_path_style(true).build();
    aws_sdk_s3::Client::from_conf(config).create_bucket().bucket(&bucket).send().await.unwrap();
    Some(Arc::new(S3Store::connect(&bucket, endpoint(&endpoint_url), clock()).await.unwrap()))
}

fn folder() -> KeyPrefix {
    KeyPrefix::all().folder(&format!("tests-{:032x}", clock().random())).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_real_server_conforms() {
    let Some(store) = connect_to_endpoint().await else { return };
    conformance(Arc::new(store), &folder()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_real_server_honours_conditions() {
    let Some(store) = connect_to_endpoint().await else { return };
    let namespace = Namespace::parse(folder().as_str()).unwrap();
    assert_eq!(probe_conditions(&store, &namespace, &*clock()).await.unwrap(), Conditions::Honoured);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_standard_variable_names_the_server_too() {
    if variable("AWS_ENDPOINT_URL_S3").is_none() {
        return;
    }
    let store = connect(S3Options::default()).await;
    let namespace = Namespace::parse(folder().as_str()).unwrap();
    assert_eq!(probe_conditions(&store, &namespace, &*clock()).await.unwrap(), Conditions::Honoured);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_complete_example_in_the_library_over_a_real_server() {
    let Some(store) = connect_to_bucket_of_its_own().await else { return };
    play_in_library(store).await;
}

/// LocalStack answers a ranged GET that meets a PUT with the new version cut to the length of the old one. The end of the
/// file is missing there, so the edit is refused, and says so; what was acknowledged is in the file all the same.
#[tokio::test(flavor = "multi_thread")]
async fn two_replicas_edit_one_file_on_a_real_server() {
    for drop_replies in [false, true] {
        let Some(store) = connect_to_bucket_of_its_own().await else { return };
        let edits = 5 * soak() as usize;
        let acknowledged = two_replicas_try(store, edits, drop_replies).await;
        assert!(acknowledged >= 8 * edits, "{acknowledged} of {} edits", 16 * edits);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn creates_race_on_a_real_server_and_one_wins() {
    for drop_replies in [false, true] {
        let Some(store) = connect_to_bucket_of_its_own().await else { return };
        create_races(store, ROUNDS * soak() as usize, drop_replies).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conditional_delete_does_what_it_says_or_is_refused() {
    let Some(url) = variable(ENDPOINT) else { return };
    let mut options = endpoint(&url);
    options.conditional_delete = true;
    let store = connect(options).await;
    let key = folder().key("k").unwrap();
    let old = store.put(&key, Bytes::from_static(b"old"), PutOptions::default()).await.unwrap().etag;
    store.put(&key, Bytes::from_static(b"new"), PutOptions::default()).await.unwrap();
    let error = store.delete(&key, DeleteOptions::default().with_if_match(old)).await.unwrap_err();
    assert!(matches!(error, StoreError::PreconditionFailed | StoreError::Unsupported(_)), "{error:?}");
    assert_eq!(store.get(&key, GetOptions::default()).await.unwrap().bytes, "new");
}
