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
    interleave::racing::attacks,
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
    assert!(matches!(probe_conditions(&store, &[], &namespace, &*clock()).await.unwrap(), Conditions::Honoured));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_standard_variable_names_the_server_too() {
    if variable("AWS_ENDPOINT_URL_S3").is_none() {
        return;
    }
    let store = connect(S3Options::default()).await;
    let namespace = Namespace::parse(folder().as_str()).unwrap();
    assert!(matches!(probe_conditions(&store, &[], &namespace, &*clock()).await.unwrap(), Conditions::Honoured));
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
async fn attacks_on_publishing_find_nothing_on_a_real_server() {
    let Some(store) = connect_to_bucket_of_its_own().await else { return };
    attacks(store, 2, 3 * soak() as usize).await;
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

/// A client of the SDK for what the store does not do: versioning, and reading tags.
async fn sdk() -> aws_sdk_s3::Client {
    let environment = aws_config::from_env().endpoint_url(variable(ENDPOINT).unwrap()).load().await;
    aws_sdk_s3::Client::from_conf(aws_sdk_s3::config::Builder::from(&environment).force_path_style(true).build())
}

fn bucket_name() -> String {
    env::var("SKILLMOUNT_TEST_S3_BUCKET").unwrap_or_else(|_| "skillmount-test".to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_object_carries_its_tag_on_a_real_server() {
    let Some(store) = connect_to_endpoint().await else { return };
    let prefix = folder();
    let key = prefix.key("u1/.skillmount/sessions/s.json").unwrap();
    let tags = skillmount::session::session_tags();
    store.put(&key, Bytes::from_static(b"{}"), PutOptions::default().with_tags(tags.clone())).await.unwrap();
    let read = || async {
        let found = sdk().await.get_object_tagging().bucket(bucket_name()).key(key.as_str()).send().await.unwrap();
        found.tag_set().iter().map(|tag| (tag.key().to_owned(), tag.value().to_owned())).collect::<Vec<_>>()
    };
    let expected = [("skillmount".to_owned(), "session".to_owned())];
    assert_eq!(read().await, expected);
    // A put without tags takes them away, and an object can be tagged as it lies.
    let put = store.put(&key, Bytes::from_static(b"{}"), PutOptions::default()).await.unwrap();
    assert_eq!(read().await, []);
    store.tag(&key, tags).await.unwrap();
    assert_eq!(read().await, expected);
    assert_eq!(store.head(&key).await.unwrap().etag, put.etag);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_purge_empties_a_versioned_bucket_of_a_real_server() {
    use aws_sdk_s3::types::{BucketVersioningStatus, ObjectVersion, VersioningConfiguration};

    let Some(endpoint_url) = variable(ENDPOINT) else { return };
    let bucket = format!("skillmount-{:032x}", clock().random());
    let sdk = sdk().await;
    sdk.create_bucket().bucket(&bucket).send().await.unwrap();
    let enabled = VersioningConfiguration::builder().status(BucketVersioningStatus::Enabled).build();
    sdk.put_bucket_versioning().bucket(&bucket).versioning_configuration(enabled).send().await.unwrap();
    let store = S3Store::connect(&bucket, endpoint(&endpoint_url), clock()).await.unwrap();
    let key = |name: &str| KeyPrefix::all().key(name).unwrap();
    for text in ["one", "three"] {
        store.put(&key("u1/a"), Bytes::from(text), PutOptions::default()).await.unwrap();
        store.put(&key("u1/gone"), Bytes::from(text), PutOptions::default()).await.unwrap();
        store.put(&key("u10/a"), Bytes::from(text), PutOptions::default()).await.unwrap();
    }
    store.delete(&key("u1/gone"), DeleteOptions::default()).await.unwrap();
    let purged = store.purge(&KeyPrefix::all().folder("u1").unwrap()).await.unwrap();
    assert!(purged.failed.is_none() && !purged.has_more, "{purged:?}");
    let objects: Vec<_> = purged.removed.iter().filter(|version| version.is_object).collect();
    assert_eq!((purged.removed.len(), objects.len(), objects[0].size), (5, 1, 5), "{purged:?}");
    let left = sdk.list_object_versions().bucket(&bucket).send().await.unwrap();
    let left: Vec<_> = left.versions().iter().filter_map(ObjectVersion::key).collect();
    assert_eq!(left, ["u10/a", "u10/a"]);
}
