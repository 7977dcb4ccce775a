//! Small JSON objects of the service under compare-and-swap, with a memory of the last version seen.
//!
//! Sessions, user policies and use counts are such objects. Knowledge of one is trusted for [`FRESH`]; after that, or when the
//! caller knows of a newer version, the store is asked with `If-None-Match`. With the store down, what is known is still
//! good for reading. The memory never goes back: an answer that was overtaken by a newer write is not kept.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use moka::{future::Cache, ops::compute::Op};
use serde::{Serialize, de::DeserializeOwned};

use crate::{
    clock::Clock,
    error::{Code, Error, Result},
    json,
    limits::FRESH,
    path::{ETag, ObjectKey},
    store::{Base, Committer, GetOptions, SharedStore, StoreError},
};

/// Objects remembered at most; what falls out is read again.
const REMEMBERED: u64 = 100_000;

/// One object as it was last seen.
#[derive(Debug)]
pub(super) struct Seen<T> {
    /// Its value; `None` where there is no such object.
    pub(super) value: Option<Arc<T>>,
    base: Base,
    /// When the store said so, by the clock's uptime.
    at: Duration,
    /// Counts the changes this process knows of, to tell newer from older.
    order: u64,
}

impl<T> Seen<T> {
    fn etag(&self) -> Option<&ETag> {
        match &self.base {
            Base::Version(etag, _) => Some(etag),
            Base::Absent | Base::Whatever => None,
        }
    }
}

/// What can lie in such an object.
pub(super) trait Stored: std::fmt::Debug + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// A number that grows with every change of one object.
    fn order(&self) -> u64;

    /// What an object that cannot be read counts as, to be replaced with the next change; `None` where it is too much to
    /// lose.
    fn in_place_of_damaged() -> Option<Self>
    where
        Self: Sized,
    {
        None
    }
}

/// The objects of one type, and what is remembered of them.
#[derive(Debug)]
pub(super) struct Objects<T: Stored> {
    store: SharedStore,
    committer: Committer,
    clock: Arc<dyn Clock>,
    seen: Cache<ObjectKey, Arc<Seen<T>>>,
}

impl<T: Stored> Objects<T> {
    pub(super) fn new(store: SharedStore, clock: Arc<dyn Clock>) -> Self {
        let committer = Committer::new(store.clone(), clock.clone());
        Self { store, committer, clock, seen: Cache::new(REMEMBERED) }
    }

    /// What is known of `key`, if that is recent and not older than `at_least`; otherwise what the store says.
    pub(super) async fn get(&self, key: &ObjectKey, at_least: u64) -> Result<Arc<Seen<T>>> {
        let known = self.seen.get(key).await;
        if let Some(known) = &known
            && self.clock.uptime().saturating_sub(known.at) <= FRESH
            && known.order >= at_least
        {
            return Ok(known.clone());
        }
        match (self.refresh(key, known.as_deref()).await, known) {
            (Err(error), Some(known)) if error.retryable() && known.order >= at_least => {
                tracing::warn!(key = %key, cause = %error.chain(), "the store is down: answering from memory");
                Ok(known)
            }
            (answer, _) => answer,
        }
    }

    /// Whether anything is known of `key`, be it that there is no such object.
    pub(super) fn remembers(&self, key: &ObjectKey) -> bool {
        self.seen.contains_key(key)
    }

    /// What the store says of `key` now.
    pub(super) async fn look(&self, key: &ObjectKey) -> Result<Arc<Seen<T>>> {
        let known = self.seen.get(key).await;
        self.refresh(key, known.as_deref()).await
    }

    async fn refresh(&self, key: &ObjectKey, known: Option<&Seen<T>>) -> Result<Arc<Seen<T>>> {
        let at = self.clock.uptime();
        let if_none_match = known.and_then(Seen::etag).cloned();
        let asked = self.store.get(key, GetOptions { if_none_match, ..GetOptions::default() }).await;
        let seen = match (asked, known) {
            (Ok(object), _) => {
                let value = json::from_slice::<T>(&object.bytes).or_else(|cause| {
                    tracing::warn!(%key, %cause, "an object of the service cannot be read");
                    T::in_place_of_damaged().ok_or_else(|| damaged(key, cause))
                })?;
                Seen { order: value.order(), value: Some(Arc::new(value)), base: Base::version(&object.meta), at }
            }
            (Err(StoreError::NotModified), Some(known)) => {
                Seen { order: known.order, value: known.value.clone(), base: known.base.clone(), at }
            }
            (Err(StoreError::NotFound), _) => Seen { order: 0, value: None, base: Base::Absent, at },
            (Err(error), _) => return Err(error.into()),
        };
        Ok(self.remember(key, seen).await)
    }

    /// Replaces `base` by `value`.
    ///
    /// # Errors
    /// The store's own, so that the caller can tell a lost race from a store that is down.
    pub(super) async fn put(&self, key: &ObjectKey, base: &Seen<T>, value: T) -> Result<Arc<T>, StoreError> {
        let bytes = serde_json::to_vec(&value).map_err(StoreError::not_applied)?;
        let at = self.clock.uptime();
        let commit = self.committer.commit(key, Bytes::from(bytes), &base.base).await?;
        let value = Arc::new(value);
        match commit.etag {
            None => self.seen.invalidate(key).await,
            Some(etag) => {
                let base = Base::Version(etag, commit.metadata);
                self.remember(key, Seen { order: value.order(), value: Some(value.clone()), base, at }).await;
            }
        }
        Ok(value)
    }

    /// As [`look`](Self::look), but an object that cannot be read counts as none, so that it can be replaced.
    pub(super) async fn look_past_damage(&self, key: &ObjectKey) -> Result<Arc<Seen<T>>> {
        match self.look(key).await {
            Err(error) if is_damage(&error) => {
                let at = self.clock.uptime();
                let object = self.store.get(key, GetOptions::default()).await?;
                Ok(Arc::new(Seen { order: 0, value: None, base: Base::version(&object.meta), at }))
            }
            seen => seen,
        }
    }

    /// Forgets `key`, because it was deleted.
    pub(super) async fn forget(&self, key: &ObjectKey) {
        self.seen.invalidate(key).await;
    }

    /// Keeps `new` unless something newer is known. An absence is newer than what was known before it was looked for.
    async fn remember(&self, key: &ObjectKey, new: Seen<T>) -> Arc<Seen<T>> {
        let new = Arc::new(new);
        let kept = new.clone();
        self.seen
            .entry(key.clone())
            .and_compute_with(|old| async move {
                match old.map(moka::Entry::into_value) {
                    Some(old) if old.at > kept.at || (old.order > kept.order && kept.value.is_some()) => Op::Nop,
                    _ => Op::Put(kept),
                }
            })
            .await;
        new
    }
}

/// Whether an object was there and could not be read.
pub(super) fn is_damage(error: &Error) -> bool {
    std::error::Error::source(error).is_some_and(<dyn std::error::Error>::is::<serde_json::Error>)
}

fn damaged(key: &ObjectKey, cause: serde_json::Error) -> Error {
    Error::new(
        Code::Internal,
        format!("the service's own object {key} cannot be read; an operator must mend or delete it"),
    )
    .with_source(cause)
}
