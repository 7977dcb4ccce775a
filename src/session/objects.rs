//! Small JSON objects of the service under compare-and-swap, with a memory of the last version seen.
//!
//! Sessions, user policies and use counts are such objects. Knowledge of one is trusted for [`FRESH`]; after that, or when the
//! caller knows of a newer version, the store is asked with `If-None-Match`. With the store down, what is known is still
//! good for reading.
//!
//! What the store says now replaces what was known, even by a lower version: the object may have been deleted and made
//! again. So that the memory never goes back, knowledge is ordered by when it was learnt: a read counts as of when it was
//! sent, a write or delete of this process as of when it was acknowledged.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use moka::{future::Cache, ops::compute::Op, policy::EvictionPolicy};
use serde::{Serialize, de::DeserializeOwned};

use super::{Life, SessionVersion};
use crate::{
    budget::weight,
    clock::Clock,
    error::{Error, Outcome, Result},
    json,
    limits::FRESH,
    path::{ETag, ObjectKey},
    store::{Base, Committer, DeleteOptions, GetOptions, Keep, SharedStore, StoreError},
};

/// One object as it was last seen.
#[derive(Debug)]
pub(super) struct Seen<T> {
    content: Content<T>,
    version: SessionVersion,
    base: Base,
    /// When the store said so, by the clock's uptime; `None` where that is in doubt.
    at: Option<Duration>,
    /// The place of this knowledge in the order of what this process learnt.
    learnt: u64,
    /// A life that a caller knew of when the store was asked and that was not there: it has ended, and lives do not come
    /// back, so callers that still know it may be answered from this.
    ended: Option<Life>,
    weight: u32,
}

/// What lies at a key.
#[derive(Debug)]
enum Content<T> {
    Nothing,
    Value(Arc<T>),
    /// Something that cannot be read; the error that callers get.
    Damaged(Error),
}

// Not derived, because values need not be clonable.
impl<T> Clone for Content<T> {
    fn clone(&self) -> Self {
        match self {
            Self::Nothing => Self::Nothing,
            Self::Value(value) => Self::Value(value.clone()),
            Self::Damaged(error) => Self::Damaged(error.clone()),
        }
    }
}

impl<T> Seen<T> {
    /// The value; `None` where there is no such object.
    ///
    /// # Errors
    /// `internal` where the object is damaged.
    pub(super) fn value(&self) -> Result<Option<&Arc<T>>> {
        match &self.content {
            Content::Nothing => Ok(None),
            Content::Value(value) => Ok(Some(value)),
            Content::Damaged(error) => Err(error.clone()),
        }
    }

    fn etag(&self) -> Option<&ETag> {
        match &self.base {
            Base::Version(etag, _) => Some(etag),
            Base::Absent | Base::Whatever => None,
        }
    }

    /// Whether a caller that knows of `claim` may be answered from this, however old it is.
    fn serves(&self, claim: &SessionVersion) -> bool {
        self.version.serves(claim) || (claim.life.is_some() && claim.life == self.ended)
    }

    fn is_newer_than(&self, other: &Self) -> bool {
        self.learnt > other.learnt || self.version.is_later_than(&other.version)
    }
}

/// What can lie in such an object.
pub(super) trait Stored: std::fmt::Debug + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// What values of this type have in common in memory.
    type Shared: std::fmt::Debug + Default + Send + Sync;

    /// Which version this is, for values that count them.
    fn version(&self) -> SessionVersion {
        SessionVersion::default()
    }

    /// Checks what its type cannot: that it belongs at `key`.
    ///
    /// # Errors
    /// What is wrong with it.
    fn check(&self, _key: &ObjectKey) -> Result<(), &'static str> {
        Ok(())
    }

    /// Replaces parts of it by equal ones that others hold already.
    fn share(&mut self, _shared: &Self::Shared) {}

    /// The bytes it takes in memory.
    fn weight(&self) -> usize;

    /// What an object that cannot be read counts as, to be replaced with the next change.
    ///
    /// # Errors
    /// What to answer where it is too much to lose.
    fn in_place_of_damaged(key: &ObjectKey) -> Result<Self>
    where
        Self: Sized;
}

/// The objects of one type, and what is remembered of them.
#[derive(Debug)]
pub(super) struct Objects<T: Stored> {
    store: SharedStore,
    committer: Committer,
    clock: Arc<dyn Clock>,
    seen: Cache<ObjectKey, Arc<Seen<T>>>,
    shared: T::Shared,
    learnt: AtomicU64,
}

impl<T: Stored> Objects<T> {
    /// Remembers up to `bytes` of them; those used least recently go first and are read again.
    pub(super) fn new(store: SharedStore, clock: Arc<dyn Clock>, bytes: u64) -> Self {
        let seen = Cache::builder()
            .max_capacity(bytes)
            .weigher(|_, seen: &Arc<Seen<T>>| seen.weight)
            .eviction_policy(EvictionPolicy::lru())
            .build();
        let committer = Committer::new(store.clone(), clock.clone());
        Self { store, committer, clock, seen, shared: T::Shared::default(), learnt: AtomicU64::new(0) }
    }

    /// What is known of `key`, if that is recent and not older than `claim`; otherwise what the store says.
    ///
    /// # Errors
    /// `internal` where the object is damaged; the store's.
    pub(super) async fn get(&self, key: &ObjectKey, claim: &SessionVersion) -> Result<Arc<Seen<T>>> {
        let known = self.seen.get(key).await;
        let seen = match known {
            Some(known) if self.is_fresh(&known) && known.serves(claim) => known,
            known => match (self.refresh(key, known.as_deref(), claim).await, known) {
                (Err(error), Some(known)) if error.retryable() && known.serves(claim) => {
                    tracing::warn!(key = %key, cause = %error.chain(), "the store is down: answering from memory");
                    known
                }
                (answer, _) => answer?,
            },
        };
        seen.value()?;
        Ok(seen)
    }

    /// Whether anything is known of `key`, be it that there is no such object.
    pub(super) fn remembers(&self, key: &ObjectKey) -> bool {
        self.seen.contains_key(key)
    }

    /// What is known of `key`, if that is recent. Asks nothing.
    pub(super) async fn recall(&self, key: &ObjectKey) -> Option<Arc<Seen<T>>> {
        self.seen.get(key).await.filter(|known| self.is_fresh(known))
    }

    /// What the store says of `key` now, be it damaged.
    pub(super) async fn look(&self, key: &ObjectKey) -> Result<Arc<Seen<T>>> {
        let known = self.seen.get(key).await;
        self.refresh(key, known.as_deref(), &SessionVersion::default()).await
    }

    /// What the store says of `key` now, be it damaged, without remembering it: for objects that are passed through.
    pub(super) async fn pass(&self, key: &ObjectKey) -> Result<Seen<T>> {
        match self.store.get(key, GetOptions { keep: Keep::Not, ..GetOptions::default() }).await {
            Ok(object) => Ok(seen(key, self.read(key, &object.bytes), Base::version(&object.meta))),
            Err(StoreError::NotFound) => Ok(seen(key, Content::Nothing, Base::Absent)),
            Err(error) => Err(error.into()),
        }
    }

    /// What values in memory have in common.
    pub(super) fn shared(&self) -> &T::Shared {
        &self.shared
    }

    fn is_fresh(&self, known: &Seen<T>) -> bool {
        known.at.is_some_and(|at| self.clock.uptime().saturating_sub(at) <= FRESH)
    }

    async fn refresh(&self, key: &ObjectKey, known: Option<&Seen<T>>, claim: &SessionVersion) -> Result<Arc<Seen<T>>> {
        let (at, learnt) = (self.clock.uptime(), self.learn());
        let if_none_match = known.and_then(Seen::etag).cloned();
        // What is remembered here need not be remembered below as well.
        let options = GetOptions { if_none_match, keep: Keep::Not, ..GetOptions::default() };
        let asked = self.store.get(key, options).await;
        let (content, base) = match (asked, known) {
            (Ok(object), _) => (self.read(key, &object.bytes), Base::version(&object.meta)),
            (Err(StoreError::NotModified), Some(known)) => (known.content.clone(), known.base.clone()),
            (Err(StoreError::NotFound), _) => (Content::Nothing, Base::Absent),
            (Err(error), _) => return Err(error.into()),
        };
        let now = seen(key, content, base);
        let ended = claim.life.clone().filter(|claimed| now.version.life.as_ref() != Some(claimed));
        let ended = ended.or_else(|| known.and_then(|known| known.ended.clone()));
        Ok(self.remember(key, Seen { at: Some(at), learnt, ended, ..now }).await)
    }

    fn read(&self, key: &ObjectKey, bytes: &[u8]) -> Content<T> {
        let read = json::from_slice::<T>(bytes).map_err(|fault| fault.to_string());
        let read = read.and_then(|value| value.check(key).map(|()| value).map_err(str::to_owned));
        let read = read.or_else(|fault| {
            tracing::warn!(%key, %fault, "an object of the service is damaged");
            T::in_place_of_damaged(key)
        });
        match read {
            Ok(mut value) => {
                value.share(&self.shared);
                Content::Value(Arc::new(value))
            }
            Err(error) => Content::Damaged(error),
        }
    }

    /// Replaces `base` by `value`.
    ///
    /// # Errors
    /// The store's own, so that the caller can tell a lost race from a store that is down.
    pub(super) async fn put(&self, key: &ObjectKey, base: &Seen<T>, mut value: T) -> Result<Arc<T>, StoreError> {
        let bytes = serde_json::to_vec(&value).map_err(StoreError::not_applied)?;
        let at = self.clock.uptime();
        let commit = match self.committer.commit(key, Bytes::from(bytes), &base.base).await {
            Ok(commit) => commit,
            Err(error) => {
                self.doubt(key, &error).await;
                return Err(error);
            }
        };
        value.share(&self.shared);
        let value = Arc::new(value);
        match commit.etag {
            None => self.seen.invalidate(key).await,
            Some(etag) => {
                let (content, known) = (Content::Value(value.clone()), Base::Version(etag, commit.metadata));
                let (learnt, ended) = (self.learn(), base.ended.clone());
                self.remember(key, Seen { at: Some(at), learnt, ended, ..seen(key, content, known) }).await;
            }
        }
        Ok(value)
    }

    /// Deletes the object and remembers that it is gone. `only` what was seen, where the store can tell; whether it was.
    ///
    /// # Errors
    /// The store's.
    pub(super) async fn delete(&self, key: &ObjectKey, only: Option<&Seen<T>>) -> Result<bool> {
        let at = self.clock.uptime();
        let can_tell = self.store.capabilities().conditional_delete;
        let if_match = only.filter(|_| can_tell).and_then(Seen::etag).cloned();
        match self.store.delete(key, DeleteOptions { if_match }).await {
            Ok(()) => {}
            Err(StoreError::PreconditionFailed) => return Ok(false),
            Err(error) => {
                self.doubt(key, &error).await;
                return Err(error.into());
            }
        }
        // A read that was sent before and comes back later must not bring it back.
        let gone = seen(key, Content::Nothing, Base::Absent);
        self.remember(key, Seen { at: Some(at), learnt: self.learn(), ..gone }).await;
        Ok(true)
    }

    /// After a change that may have landed, what is known is good for nothing but an outage of the store.
    async fn doubt(&self, key: &ObjectKey, error: &StoreError) {
        if !matches!(error, StoreError::Unavailable { outcome, .. } if *outcome != Outcome::NotApplied) {
            return;
        }
        if let Some(known) = self.seen.get(key).await {
            let doubtful = seen(key, known.content.clone(), known.base.clone());
            let ended = known.ended.clone();
            self.remember(key, Seen { learnt: self.learn(), ended, ..doubtful }).await;
        }
    }

    fn learn(&self) -> u64 {
        self.learnt.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Keeps `new` unless something newer is known.
    async fn remember(&self, key: &ObjectKey, new: Seen<T>) -> Arc<Seen<T>> {
        let new = Arc::new(new);
        let kept = new.clone();
        self.seen
            .entry(key.clone())
            .and_compute_with(|old| async move {
                match old.map(moka::Entry::into_value) {
                    Some(old) if !kept.is_newer_than(&old) => Op::Nop,
                    _ => Op::Put(kept),
                }
            })
            .await;
        new
    }

    #[cfg(test)]
    pub(super) async fn weighs(&self) -> (u64, u64) {
        self.seen.run_pending_tasks().await;
        (self.seen.entry_count(), self.seen.weighted_size())
    }
}

/// What was seen at `key`, its age and place left open.
fn seen<T: Stored>(key: &ObjectKey, content: Content<T>, base: Base) -> Seen<T> {
    let (version, value) = match &content {
        Content::Value(value) => (value.version(), value.weight()),
        Content::Nothing | Content::Damaged(_) => (SessionVersion::default(), 0),
    };
    let tag = match &base {
        Base::Version(etag, metadata) => weight::text(etag.as_str()) + weight::texts(metadata),
        Base::Absent | Base::Whatever => 0,
    };
    let slot = weight::SLOT + size_of::<Seen<T>>() + size_of::<T>() + weight::text(key.as_str());
    let weight = weight::counted(slot + tag + value);
    Seen { content, version, base, at: None, learnt: 0, ended: None, weight }
}
