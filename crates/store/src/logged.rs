//! A layer that writes each request to the store below it into the log.
//!
//! At the level `trace`: an operator asks for it, and then sees what an operation costs. A line names the verb and the key, never
//! what an object contains.

use tokio::time::Instant;

use super::{SharedStore, StoreError, StoreResult, Verb, layer::impl_layer};

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

    /// Writes the result of a request and the bytes that were moved.
    async fn around<T>(
        &self,
        verb: Verb,
        key: &str,
        request: impl Future<Output = StoreResult<T>> + Send,
        bytes: impl FnOnce(&T) -> usize + Send,
    ) -> StoreResult<T> {
        let began = Instant::now();
        let answer = request.await;
        if tracing::enabled!(tracing::Level::TRACE) {
            let (verb, ms) = (verb.name(), (began.elapsed().as_secs_f64() * 1e6).round() / 1e3);
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

impl_layer!(LoggingStore);
