//! The server behind a bucket: the name it gives itself, the versioning of the bucket, and its addresses.

use std::{
    collections::BTreeSet,
    net::{IpAddr, SocketAddr},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use aws_sdk_s3::{
    Client,
    config::{ConfigBag, Intercept, RuntimeComponents, interceptors::BeforeDeserializationInterceptorContextRef},
    types::BucketVersioningStatus,
};
use aws_smithy_http_client::{
    Builder,
    tls::{Provider, rustls_provider::CryptoMode},
};
use aws_smithy_runtime_api::{
    box_error::BoxError,
    client::dns::{DnsFuture, ResolveDns},
};
use aws_types::os_shim_internal::Env;
use futures_util::future::join_all;
use tokio::{
    net::{TcpStream, lookup_host},
    time::timeout,
};
use url::Url;

use super::{
    bucket::{S3Store, within},
    request::RequestKind,
};
use crate::{SharedStore, StoreServer, Versioning};
use skillmount_base::limits::ATTEMPT_TIMEOUT;

/// Addresses of one server that a race goes through at most.
const ADDRESSES: usize = 16;
/// An address that accepts no connection for so long is left out.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);
/// The variables that name a proxy. A proxy chooses the address itself.
const PROXIES: [&str; 6] = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"];

/// The server behind `store`, from one request.
pub(super) async fn server(store: &S3Store) -> StoreServer {
    let name = ServerName::default();
    let request = store.client.get_bucket_versioning().bucket(&store.bucket).customize().interceptor(name.clone());
    let answer = within(ATTEMPT_TIMEOUT, RequestKind::Versions, request.send()).await;
    let versioning = answer.ok().and_then(Result::ok).map(|found| versioning(found.status()));
    StoreServer {
        endpoint: store.endpoint.clone(),
        bucket: store.bucket.clone(),
        software: name.0.lock().unwrap_or_else(PoisonError::into_inner).take(),
        versioning: versioning.unwrap_or_default(),
    }
}

fn versioning(status: Option<&BucketVersioningStatus>) -> Versioning {
    match status {
        None => Versioning::Off,
        Some(BucketVersioningStatus::Enabled) => Versioning::Enabled,
        Some(BucketVersioningStatus::Suspended) => Versioning::Suspended,
        Some(_) => Versioning::Unknown,
    }
}

/// One store for each address of the endpoint that accepts connections; none if there is only one, at Amazon's own
/// endpoints, and behind a proxy.
pub(super) async fn addresses(store: &S3Store) -> Vec<SharedStore> {
    let named = StoreServer { endpoint: store.endpoint.clone(), ..StoreServer::default() };
    let is_set = |name: &&str| Env::real().get(name).is_ok_and(|proxy| !proxy.is_empty());
    if named.is_amazon() || PROXIES.iter().any(is_set) {
        return Vec::new();
    }
    let resolved = resolved(&store.endpoint).await;
    if resolved.len() < 2 {
        return Vec::new();
    }
    let found = join_all(resolved.into_iter().take(ADDRESSES).map(connecting)).await;
    found.into_iter().flatten().map(|address| Arc::new(at_address(store, address.ip())) as SharedStore).collect()
}

/// The addresses of the host of `endpoint`, each once.
async fn resolved(endpoint: &str) -> BTreeSet<SocketAddr> {
    let Ok(url) = Url::parse(endpoint) else { return BTreeSet::new() };
    let (Some(host), Some(port)) = (url.host_str(), url.port_or_known_default()) else { return BTreeSet::new() };
    match lookup_host((host.trim_matches(['[', ']']), port)).await {
        Ok(found) => found.collect(),
        Err(error) => {
            tracing::debug!(host, %error, "the addresses of the endpoint are not known");
            BTreeSet::new()
        }
    }
}

async fn connecting(address: SocketAddr) -> Option<SocketAddr> {
    timeout(CONNECT_TIMEOUT, TcpStream::connect(address)).await.ok()?.ok()?;
    Some(address)
}

/// The same bucket through one address. Host name, header and certificate stay those of the endpoint.
fn at_address(store: &S3Store, address: IpAddr) -> S3Store {
    let http =
        Builder::new().tls_provider(Provider::Rustls(CryptoMode::AwsLc)).build_with_resolver(OneAddress(address));
    let config = store.client.config().to_builder().http_client(http).build();
    S3Store { client: Client::from_conf(config), ..store.clone() }
}

/// Resolves every name to one address.
#[derive(Clone, Debug)]
struct OneAddress(IpAddr);

impl ResolveDns for OneAddress {
    fn resolve_dns<'a>(&'a self, _name: &'a str) -> DnsFuture<'a> {
        DnsFuture::ready(Ok(vec![self.0]))
    }
}

/// The header `Server` of an answer.
#[derive(Clone, Debug, Default)]
struct ServerName(Arc<Mutex<Option<String>>>);

impl Intercept for ServerName {
    fn name(&self) -> &'static str {
        "ServerName"
    }

    fn read_after_transmit(
        &self,
        context: &BeforeDeserializationInterceptorContextRef<'_>,
        _components: &RuntimeComponents,
        _config: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let name = context.response().headers().get("server").map(str::to_owned);
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = name;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use aws_credential_types::Credentials;
    use aws_sdk_s3::config::{BehaviorVersion, Region};
    use bytes::Bytes;
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::TcpListener,
        task::JoinHandle,
    };

    use super::*;
    use crate::{PutOptions, S3Options, Store};
    use skillmount_base::{clock::SystemClock, path::KeyPrefix};

    fn store_at(endpoint: &str) -> S3Store {
        let config = aws_sdk_s3::Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::new("us-east-1"))
            .endpoint_url(endpoint)
            .credentials_provider(Credentials::new("key", "secret", None, None, "tests"))
            .force_path_style(true)
            .build();
        let options = S3Options { endpoint_url: Some(endpoint.to_owned()), ..S3Options::default() };
        S3Store::with_client(&Client::from_conf(config), "bucket", &options, Arc::new(SystemClock::new()))
    }

    /// Answers one request, and returns its head.
    fn answering(listener: TcpListener, answer: &'static str) -> JoinHandle<String> {
        tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = vec![0; 16 * 1024];
            let length = stream.read(&mut request).await.unwrap();
            stream.write_all(answer.as_bytes()).await.unwrap();
            String::from_utf8_lossy(&request[..length]).to_ascii_lowercase()
        })
    }

    // S-STORE-10: At start, the service races 16 concurrent writes on one object below `_probe/`, in each of four rounds, and
    // refuses changes if a round has a winner too many. Other systems have one loopback address.
    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn each_address_of_a_server_is_asked_under_its_own_host_name() {
        let first = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = first.local_addr().unwrap().port();
        let second = TcpListener::bind(("127.0.0.2", port)).await.unwrap();
        let store = store_at(&format!("http://s3.cluster.test:{port}"));
        let key = KeyPrefix::all().key("k").unwrap();
        for listener in [first, second] {
            let address = listener.local_addr().unwrap();
            let asked = answering(listener, "HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nContent-Length: 0\r\n\r\n");
            let through = at_address(&store, address.ip());
            through.put(&key, Bytes::from_static(b"x"), PutOptions::default()).await.unwrap();
            let head = asked.await.unwrap();
            assert!(head.starts_with("put /bucket/k"), "{address}: {head}");
            assert!(head.contains(&format!("host: s3.cluster.test:{port}\r\n")), "{address}: {head}");
        }
    }

    #[tokio::test]
    async fn a_server_with_one_address_and_amazons_are_raced_through_their_name() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let own = format!("http://127.0.0.1:{}", listener.local_addr().unwrap().port());
        for endpoint in [own.as_str(), "https://s3.eu-west-1.amazonaws.com", "http://no.such.host.invalid"] {
            assert!(addresses(&store_at(endpoint)).await.is_empty(), "{endpoint}");
        }
    }

    // S-STORE-13: The service never takes a host outside `amazonaws.com` for Amazon's.
    #[test]
    fn amazon_is_known_to_delete_on_a_condition_and_another_server_is_not() {
        let is_known = |endpoint| store_at(endpoint).capabilities().conditional_delete;
        assert!(is_known("https://s3.eu-west-1.amazonaws.com"));
        assert!(!is_known("https://s3.eu-west-1.amazonaws.com.example.test"));
    }

    #[tokio::test]
    async fn a_server_says_its_name_and_the_versioning_of_the_bucket() {
        const BODY: &str = "<VersioningConfiguration><Status>Suspended</Status></VersioningConfiguration>";
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        let answer = format!("HTTP/1.1 200 OK\r\nServer: MinIO\r\nContent-Length: {}\r\n\r\n{BODY}", BODY.len());
        let asked = answering(listener, answer.leak());
        let found = server(&store_at(&endpoint)).await;
        assert!(asked.await.unwrap().contains("?versioning"));
        assert_eq!((found.software.as_deref(), found.versioning), (Some("MinIO"), Versioning::Suspended));
        assert_eq!((found.endpoint, found.bucket.as_str()), (endpoint, "bucket"));
    }
}
