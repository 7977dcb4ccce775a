//! A store in which each request of a service waits at a gate until the scheduler lets it pass.

use std::{
    collections::VecDeque,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    sync::{Arc, Mutex},
};

use async_trait::async_trait;
use bytes::Bytes;
use skillmount::{
    path::{KeyPrefix, ObjectKey},
    store::{
        Capabilities, DeleteOptions, GetOptions, ListOptions, ListPage, MemoryStore, Object, ObjectMeta, PutOptions,
        PutResult, Store, StoreError, StoreResult,
    },
};
use tokio::sync::oneshot;

/// The gate of one service, before a store that all services share.
#[derive(Debug)]
pub(super) struct Gate {
    /// The store of this run.
    inner: Arc<Mutex<Arc<MemoryStore>>>,
    state: Arc<Mutex<GateState>>,
}

/// A request that waits for the scheduler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Request {
    verb: &'static str,
    key: String,
}

impl Request {
    fn is_read(&self) -> bool {
        matches!(self.verb, "GET" | "HEAD" | "LIST")
    }

    fn names(&self, key: &str) -> bool {
        if self.verb == "LIST" { key.starts_with(&self.key) } else { key == self.key }
    }

    /// Whether the model lets its reply be lost: it is a put of a head or of a draft.
    pub(super) fn is_losable(&self) -> bool {
        self.verb == "PUT" && is_state(&self.key)
    }

    /// Whether the order of the two requests changes an answer or the store.
    pub(super) fn conflicts(&self, other: &Self) -> bool {
        let are_reads = self.is_read() && other.is_read();
        !are_reads && (self.names(&other.key) || other.names(&self.key))
    }
}

impl std::fmt::Display for Request {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.verb, self.key)
    }
}

/// What waits at a gate, and what has passed it.
#[derive(Debug, Default)]
pub(super) struct GateState {
    /// Whether no request waits.
    is_open: bool,
    waiting: VecDeque<(Request, oneshot::Sender<bool>)>,
    /// The requests and their answers so far. Services with equal answers go on alike.
    history: DefaultHasher,
    /// How many requests that may change the store have passed.
    writes: usize,
}

impl GateState {
    /// A gate at which no request waits.
    pub(super) fn open() -> Self {
        Self { is_open: true, ..Self::default() }
    }

    pub(super) fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Whether the task of a request still waits.
    pub(super) fn is_held(&self) -> bool {
        self.waiting.iter().any(|(_, pass)| !pass.is_closed())
    }

    /// The oldest request, which passes next.
    pub(super) fn next(&self) -> Option<Request> {
        self.waiting.front().map(|(request, _)| request.clone())
    }

    /// Lets the oldest request pass, and returns it. If `is_lost`, its service does not get the reply.
    pub(super) fn release(&mut self, is_lost: bool) -> Request {
        let (request, pass) = self.waiting.pop_front().unwrap();
        // The receiver is gone if its service gave the request up.
        let _ = pass.send(is_lost);
        request
    }

    pub(super) fn history(&self) -> u64 {
        self.history.finish()
    }

    pub(super) fn writes(&self) -> usize {
        self.writes
    }

    fn record(&mut self, request: &Request, answer: &str) {
        self.writes += usize::from(!request.is_read());
        (request.verb, &request.key, answer).hash(&mut self.history);
    }
}

impl Gate {
    pub(super) fn new(inner: Arc<Mutex<Arc<MemoryStore>>>, state: Arc<Mutex<GateState>>) -> Self {
        Self { inner, state }
    }

    /// Waits for the scheduler. Archives, indexes and the listing of the catalog pass at once: an archive never changes, and
    /// nothing that a change decides depends on the others.
    async fn pass(&self, verb: &'static str, key: &str) -> (Request, bool) {
        let request = Request { verb, key: key.to_owned() };
        if self.state.lock().unwrap().is_open {
            return (request, false);
        }
        let is_plain = key.contains("/skills/") && !key.ends_with("/skills/") && !key.contains("/.skillmount/");
        if is_state(key) || (is_plain && verb != "GET") {
            let (pass, passed) = oneshot::channel();
            self.state.lock().unwrap().waiting.push_back((request.clone(), pass));
            let Ok(is_lost) = passed.await else { return std::future::pending().await };
            return (request, is_lost);
        }
        (request, false)
    }

    fn store(&self) -> Arc<MemoryStore> {
        self.inner.lock().unwrap().clone()
    }

    fn record(&self, request: &Request, answer: &str) {
        self.state.lock().unwrap().record(request, answer);
    }
}

fn is_state(key: &str) -> bool {
    key.contains("/.skillmount/heads/") || key.contains("/.skillmount/drafts/")
}

fn tag<T>(answer: &StoreResult<T>, of: impl Fn(&T) -> String) -> String {
    match answer {
        Ok(found) => of(found),
        Err(error) => format!("{error:?}"),
    }
}

#[async_trait]
impl Store for Gate {
    fn capabilities(&self) -> Capabilities {
        self.store().capabilities()
    }

    async fn get(&self, key: &ObjectKey, options: GetOptions) -> StoreResult<Object> {
        let (request, _) = self.pass("GET", key.as_str()).await;
        let answer = self.store().get(key, options).await;
        self.record(&request, &tag(&answer, |object| object.meta.etag.to_string()));
        answer
    }

    async fn put(&self, key: &ObjectKey, bytes: Bytes, options: PutOptions) -> StoreResult<PutResult> {
        let (request, is_lost) = self.pass("PUT", key.as_str()).await;
        let answer = self.store().put(key, bytes, options).await;
        let answer = if is_lost { Err(StoreError::unknown("the reply was lost")) } else { answer };
        self.record(&request, &tag(&answer, |put| put.etag.to_string()));
        answer
    }

    async fn head(&self, key: &ObjectKey) -> StoreResult<ObjectMeta> {
        let (request, _) = self.pass("HEAD", key.as_str()).await;
        let answer = self.store().head(key).await;
        self.record(&request, &tag(&answer, |meta| meta.etag.to_string()));
        answer
    }

    async fn list(&self, prefix: &KeyPrefix, options: ListOptions) -> StoreResult<ListPage> {
        let (request, _) = self.pass("LIST", prefix.as_str()).await;
        let answer = self.store().list(prefix, options).await;
        let named = |page: &ListPage| {
            let named: Vec<_> = page.objects.iter().map(|one| format!("{} {}", one.key, one.etag)).collect();
            named.join("\n")
        };
        self.record(&request, &tag(&answer, named));
        answer
    }

    async fn delete(&self, key: &ObjectKey, options: DeleteOptions) -> StoreResult<()> {
        let (request, _) = self.pass("DELETE", key.as_str()).await;
        let answer = self.store().delete(key, options).await;
        self.record(&request, &tag(&answer, |()| String::new()));
        answer
    }
}
