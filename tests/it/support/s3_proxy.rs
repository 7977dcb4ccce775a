//! S3 on a socket, and a proxy before it that injects one kind of fault: what the real program meets between itself and a
//! bucket.

use std::{
    collections::BTreeMap,
    io,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use bytes::Bytes;
use hyper::{Method, Request, Response, body::Incoming, header::HeaderMap, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use s3s::{Body, service::S3Service};
use skillmount::store::MemoryStore;
use tokio::net::TcpListener;

use super::s3_in_process::service_over;

/// A fault that lasts until another one is set.
#[derive(Clone, Debug, Default)]
pub(crate) enum ProxyFault {
    /// None.
    #[default]
    Nothing,
    /// Each listing of objects ends before its last entry, and states the length that is left.
    CutListings,
    /// Each page of a listing is the first one, because the token in the request is ignored.
    FirstPages,
    /// Each body of an object whose key ends so is half as long, and states that length.
    HalfBodies(&'static str),
    /// Each request of this method is denied.
    Denied(Method),
    /// Each request that is signed with this key is refused as expired.
    Expired(&'static str),
}

/// A bucket behind the proxy.
pub(crate) struct Proxy {
    pub(crate) memory: Arc<MemoryStore>,
    pub(crate) url: String,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    fault: Mutex<ProxyFault>,
    /// The first page of each listing, by its prefix as the request has it.
    first_pages: Mutex<BTreeMap<String, Bytes>>,
    listings: AtomicUsize,
}

impl Proxy {
    /// An empty bucket on a free port, as long as the runtime lives. Its `ETag`s are the MD5 of the bytes.
    pub(crate) async fn open() -> Self {
        let (memory, state) = (Arc::new(MemoryStore::tagged_by_content()), Arc::new(State::default()));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (service, shared) = (service_over(memory.clone()), state.clone());
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (service, shared) = (service.clone(), shared.clone());
                let answer = service_fn(move |request| answer(request, service.clone(), shared.clone()));
                tokio::spawn(
                    http1::Builder::new().timer(TokioTimer::new()).serve_connection(TokioIo::new(stream), answer),
                );
            }
        });
        Self { memory, url, state }
    }

    /// From now on, this fault.
    pub(crate) fn set(&self, fault: ProxyFault) {
        *self.state.fault.lock().unwrap() = fault;
        self.state.first_pages.lock().unwrap().clear();
        self.state.listings.store(0, Ordering::SeqCst);
    }

    /// The listings since the fault was set.
    pub(crate) fn listings(&self) -> usize {
        self.state.listings.load(Ordering::SeqCst)
    }
}

async fn answer(request: Request<Incoming>, service: S3Service, state: Arc<State>) -> io::Result<Response<Body>> {
    let fault = state.fault.lock().unwrap().clone();
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let query = request.uri().query().unwrap_or_default().to_owned();
    let is_listing = query.contains("list-type=2");
    if is_listing {
        state.listings.fetch_add(1, Ordering::SeqCst);
    }
    match &fault {
        ProxyFault::Denied(denied) if *denied == method => return Ok(refusal(403, "AccessDenied")),
        ProxyFault::Expired(key) if is_signed_with(request.headers(), key) => return Ok(refusal(400, "ExpiredToken")),
        _ => {}
    }
    let reply = service.call(request.map(Body::from)).await.map_err(|_| io::Error::from(io::ErrorKind::Other))?;
    let (mut head, mut body) = reply.into_parts();
    let whole = body.store_all_limited(usize::MAX).await.map_err(|_| io::Error::from(io::ErrorKind::Other))?;
    let sent = match &fault {
        ProxyFault::CutListings if is_listing => before_last_entry(&whole),
        ProxyFault::FirstPages if is_listing => {
            let prefix = query.split('&').find(|part| part.starts_with("prefix=")).unwrap_or_default().to_owned();
            state.first_pages.lock().unwrap().entry(prefix).or_insert_with(|| whole.clone()).clone()
        }
        ProxyFault::HalfBodies(ending) if method == Method::GET && !is_listing && path.ends_with(ending) => {
            whole.slice(..whole.len() / 2)
        }
        _ => whole.clone(),
    };
    // The answer to a HEAD states the length of a body that it has not.
    if sent != whole {
        head.headers.insert("content-length", sent.len().into());
    }
    Ok(Response::from_parts(head, Body::from(sent)))
}

fn is_signed_with(headers: &HeaderMap, key: &str) -> bool {
    let signature = headers.get("authorization").and_then(|value| value.to_str().ok()).unwrap_or_default();
    signature.contains(&format!("Credential={key}/"))
}

fn before_last_entry(listing: &Bytes) -> Bytes {
    let text = std::str::from_utf8(listing).unwrap();
    text.rfind("<Contents>").map_or_else(|| listing.clone(), |at| listing.slice(..at))
}

fn refusal(status: u16, code: &str) -> Response<Body> {
    let text = format!("<?xml version=\"1.0\"?><Error><Code>{code}</Code><Message>by the proxy</Message></Error>");
    let reply = Response::builder().status(status).header("content-type", "application/xml");
    reply.body(Body::from(text)).unwrap()
}
