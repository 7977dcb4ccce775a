//! The S3 store over real sockets: the troubles that no scripted connector has, against a server that misbehaves.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use aws_credential_types::provider::{error::CredentialsError, future};
use aws_sdk_s3::config::{BehaviorVersion, Credentials, ProvideCredentials, Region};
use bytes::Bytes;
use skillmount::{
    clock::SystemClock,
    error::{Code, Outcome},
    path::{KeyPrefix, ObjectKey},
    store::{GetOptions, PutOptions, S3Options, S3Store, Store, StoreError},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

use crate::support::endpoint;

const WHOLE: &str =
    "HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nLast-Modified: Sun, 22 Nov 2026 00:00:00 GMT\r\nContent-Length: 5\r\n\r\nhello";

fn key() -> ObjectKey {
    KeyPrefix::all().key("k").unwrap()
}

fn store_at(address: SocketAddr, credentials: impl ProvideCredentials + 'static) -> S3Store {
    let config = aws_sdk_s3::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::new("us-east-1"))
        .endpoint_url(format!("http://{address}"))
        .credentials_provider(credentials)
        .force_path_style(true);
    S3Store::with_client(
        &aws_sdk_s3::Client::from_conf(config.build()),
        "bucket",
        &S3Options::default(),
        Arc::new(SystemClock::new()),
    )
}

fn credentials() -> Credentials {
    Credentials::new("key", "secret", None, None, "tests")
}

/// Where no credentials are configured.
#[derive(Debug)]
struct Nobody;

impl ProvideCredentials for Nobody {
    fn provide_credentials<'a>(&'a self) -> future::ProvideCredentials<'a>
    where
        Self: 'a,
    {
        future::ProvideCredentials::ready(Err(CredentialsError::not_loaded_no_source()))
    }
}

/// A server that answers the first connection with `first` and the others with [`WHOLE`], and closes each; the count is
/// of connections.
async fn server(first: &'static str) -> (SocketAddr, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let connections = Arc::new(AtomicUsize::new(0));
    let count = connections.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let answer = if count.fetch_add(1, Ordering::SeqCst) == 0 { first } else { WHOLE };
            tokio::spawn(answer_and_close(stream, answer));
        }
    });
    (address, connections)
}

async fn answer_and_close(mut stream: TcpStream, answer: &str) {
    let mut request = vec![0; 64 * 1024];
    let _ = stream.read(&mut request).await;
    let _ = stream.write_all(answer.as_bytes()).await;
}

#[tokio::test]
async fn a_put_that_could_not_connect_was_not_applied() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let error = store_at(address, credentials()).put(&key(), Bytes::new(), PutOptions::default()).await.unwrap_err();
    assert!(matches!(error, StoreError::Unavailable { outcome: Outcome::NotApplied, .. }), "{error:?}");
}

#[tokio::test]
async fn a_put_whose_connection_closed_is_in_doubt_and_not_sent_again() {
    let (address, connections) = server("").await;
    let bytes = Bytes::from_static(b"new");
    let error = store_at(address, credentials()).put(&key(), bytes, PutOptions::default()).await.unwrap_err();
    assert!(matches!(error, StoreError::Unavailable { outcome: Outcome::Unknown, .. }), "{error:?}");
    assert_eq!(connections.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_body_that_is_cut_is_read_again() {
    let cut = "HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nContent-Length: 5\r\n\r\nhe";
    for trouble in [cut, "", "HTTP/1.1 200 OK\r\nContent-Len"] {
        let (address, connections) = server(trouble).await;
        let got = store_at(address, credentials()).get(&key(), GetOptions::default()).await;
        assert_eq!(got.unwrap_or_else(|error| panic!("{trouble:?}: {error:?}")).bytes, "hello");
        assert_eq!(connections.load(Ordering::SeqCst), 2, "{trouble:?}");
    }
}

#[tokio::test]
async fn a_range_the_server_ignores_is_cut_out_here() {
    let (address, _) = server(WHOLE).await;
    let got = store_at(address, credentials()).get(&key(), GetOptions::range(1..3)).await.unwrap();
    assert_eq!((got.bytes, got.range, got.meta.size), (Bytes::from_static(b"el"), 1..3, 5));
}

#[tokio::test]
async fn no_credentials_are_a_refusal_and_nothing_is_sent() {
    let (address, connections) = server(WHOLE).await;
    let error = store_at(address, Nobody).put(&key(), Bytes::new(), PutOptions::default()).await.unwrap_err();
    assert!(matches!(error, StoreError::Denied(_)), "{error:?}");
    assert_eq!(connections.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_store_without_a_bucket_is_refused_at_once() {
    let error = S3Store::connect("", endpoint("http://127.0.0.1:1"), Arc::new(SystemClock::new())).await.unwrap_err();
    assert_eq!(error.code(), Code::InvalidRequest);
}
