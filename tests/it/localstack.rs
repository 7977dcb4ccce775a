//! The S3 store on a real server over a real socket: `localstack/localstack.sh run -- cargo test`.
//!
//! `SKILLMOUNT_TEST_S3_ENDPOINT` names the server, `SKILLMOUNT_TEST_S3_BUCKET` a bucket on it; credentials come from the
//! standard variables. Without the first these tests say that they skip.

use std::{env, sync::Arc};

use bytes::Bytes;
use futures_util::future::join_all;
use skillmount::{
    path::{KeyPrefix, Namespace, ObjectKey},
    store::{
        Base, Committer, Conditions, DeleteOptions, GetOptions, PutOptions, S3Options, S3Store, SharedStore, Store,
        StoreError, probe_conditions,
    },
};

use crate::{conformance::run_all, support::clock};

const ENDPOINT: &str = "SKILLMOUNT_TEST_S3_ENDPOINT";
const ROUNDS: usize = 50;
const WRITERS: usize = 16;

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
    S3Store::connect(S3Options { bucket, ..options }, clock()).await.unwrap()
}

async fn connect_to_endpoint() -> Option<S3Store> {
    let endpoint_url = Some(variable(ENDPOINT)?);
    Some(connect(S3Options { endpoint_url, ..S3Options::default() }).await)
}

fn folder() -> KeyPrefix {
    KeyPrefix::all().folder(&format!("tests-{:032x}", clock().random())).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_real_server_conforms() {
    let Some(store) = connect_to_endpoint().await else { return };
    run_all(Arc::new(store), &folder()).await;
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
async fn of_writers_that_race_to_create_a_file_exactly_one_wins() {
    let Some(store) = connect_to_endpoint().await else { return };
    let store: SharedStore = Arc::new(store);
    let committer = Committer::new(store.clone(), clock());
    let folder = folder();
    for round in 0..ROUNDS {
        let key = folder.key(&format!("round-{round}")).unwrap();
        let wrote =
            join_all((0..WRITERS).map(|writer| tokio::spawn(create(committer.clone(), key.clone(), writer)))).await;
        let winners: Vec<usize> = wrote.into_iter().filter_map(Result::unwrap).collect();
        assert_eq!(winners.len(), 1, "round {round}: {winners:?}");
        let kept = store.get(&key, GetOptions::default()).await.unwrap();
        assert_eq!(kept.bytes, winners[0].to_string(), "round {round}");
    }
}

/// The number of the writer if it won; a loser must have been told that somebody else was there.
async fn create(committer: Committer, key: ObjectKey, writer: usize) -> Option<usize> {
    match committer.commit(&key, Bytes::from(writer.to_string()), &Base::Absent).await {
        Ok(_) => Some(writer),
        Err(StoreError::PreconditionFailed) => None,
        Err(error) => panic!("writer {writer}: {error:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conditional_delete_does_what_it_says_or_is_refused() {
    let Some(store) = connect_to_endpoint().await else { return };
    let store = store.with_conditional_delete();
    let key = folder().key("k").unwrap();
    let old = store.put(&key, Bytes::from_static(b"old"), PutOptions::default()).await.unwrap().etag;
    store.put(&key, Bytes::from_static(b"new"), PutOptions::default()).await.unwrap();
    let error = store.delete(&key, DeleteOptions { if_match: Some(old) }).await.unwrap_err();
    assert!(matches!(error, StoreError::PreconditionFailed | StoreError::Unsupported(_)), "{error:?}");
    assert_eq!(store.get(&key, GetOptions::default()).await.unwrap().bytes, "new");
}
