//! A layer that writes each request to the store below it into the log.
//!
//! At the level `trace`: an operator asks for it, and then sees what an operation costs. A line names the verb and the key, never
//! what an object contains.

use async_trait::async_trait;
use bytes::Bytes;
use tokio::time::Instant;

use super::{
    Capabilities, DeleteOptions, GetOptions, ListOptions, ListPage, Object, ObjectMeta, PurgeReply, PutOptions,
    PutResult, SharedStore, Store, StoreError, StoreResult, Tags, Verb,
};
use skillmount_base::path::{KeyPrefix, ObjectKey};

/// A store whose requests are written into the log, at the level `trace`: verb, key, status, bytes and milliseconds.
///
/// ```
/// use std::sync::Arc;
///
/// use skillmount_base::path::KeyPrefix;
/// use skillmount_store::{LoggingStore, MemoryStore, StoreExt};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let store = LoggingStore::new(Arc::new(MemoryStore::new()));
/// assert_eq!(store.list_all(&KeyPrefix::all(), 10).await?.0, []);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct LoggingStore {
    inner: SharedStore,
}

impl LoggingStore {
    /// Writes every request to `inner` into the log.
    #[must_use]
    pub fn new(inner: SharedStore) -> Self {
        Self { inner }
    }
}

/// One request, from when it was sent.
struct Sent<'key> {
    verb: Verb,
    key: &'key str,
    began: Instant,
}

impl<'key> Sent<'key> {
    fn now(verb: Verb, key: &'key str) -> Self {
        Self { verb, key, began: Instant::now() }
    }

    /// Writes the result of the request; `bytes` counts the bytes that were moved.
    fn answered<T>(self, answer: StoreResult<T>, bytes: impl FnOnce(&T) -> usize) -> StoreResult<T> {
        if tracing::enabled!(tracing::Level::TRACE) {
            let (verb, key, ms) =
                (self.verb.name(), self.key, (self.began.elapsed().as_secs_f64() * 1e6).round() / 1e3);
            let (status, bytes) = answer.as_ref().map_or_else(|error| (status(error), 0), |found| ("ok", bytes(found)));
            tracing::trace!(verb, key, status, bytes, ms, "store");
        }
        answer
    }
}

/// The name of a failure in the log.
fn status(error: &StoreError) -> &'static str {
    match error {
        StoreError::NotFound => "not_found",
        StoreError::NotModified => "not_modified",
        StoreError::PreconditionFailed => "precondition_failed",
        StoreError::Busy => "busy",
        StoreError::RangeNotSatisfiable => "range_not_satisfiable",
        StoreError::BelowFile(_) => "below_file",
        StoreError::IsFolder => "is_folder",
        StoreError::Unsupported(_) => "unsupported",
        StoreError::Denied(_) => "denied",
        StoreError::Unavailable { .. } => "unavailable",
    }
}

#[async_trait]
impl Store for LoggingStore {
    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }

    async fn get(&self, key: &ObjectKey, options: GetOptions) -> StoreResult<Object> {
        let sent = Sent::now(Verb::Get, key.as_str());
        sent.answered(self.inner.get(key, options).await, |object| object.bytes.len())
    }

    async fn put(&self, key: &ObjectKey, bytes: Bytes, options: PutOptions) -> StoreResult<PutResult> {
        let (sent, size) = (Sent::now(Verb::Put, key.as_str()), bytes.len());
        sent.answered(self.inner.put(key, bytes, options).await, |_| size)
    }

    async fn head(&self, key: &ObjectKey) -> StoreResult<ObjectMeta> {
        Sent::now(Verb::Head, key.as_str()).answered(self.inner.head(key).await, |_| 0)
    }

    async fn list(&self, prefix: &KeyPrefix, options: ListOptions) -> StoreResult<ListPage> {
        Sent::now(Verb::List, prefix.as_str()).answered(self.inner.list(prefix, options).await, |_| 0)
    }

    async fn delete(&self, key: &ObjectKey, options: DeleteOptions) -> StoreResult<()> {
        Sent::now(Verb::Delete, key.as_str()).answered(self.inner.delete(key, options).await, |()| 0)
    }

    async fn tag(&self, key: &ObjectKey, tags: Tags) -> StoreResult<()> {
        Sent::now(Verb::Tag, key.as_str()).answered(self.inner.tag(key, tags).await, |()| 0)
    }

    async fn purge(&self, prefix: &KeyPrefix) -> StoreResult<PurgeReply> {
        Sent::now(Verb::Purge, prefix.as_str()).answered(self.inner.purge(prefix).await, |_| 0)
    }
}
