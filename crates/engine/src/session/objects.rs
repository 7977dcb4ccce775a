//! Small JSON objects of the service under compare-and-swap, with the last version in memory.
//!
//! Sessions, user policies and use counts are such objects. A version in memory is trusted for [`FRESH`]. After that,
//! or if the caller knows a newer version, the store is asked with `If-None-Match`. While the store is down, the
//! version in memory still serves reads.
//!
//! The answer of the store replaces the version in memory even if its number is lower, because the object may have been
//! deleted and created again. So that memory never goes back, answers are ordered in time: a read counts from when it
//! was sent, a write or delete of this process from when it was acknowledged.

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

use super::SessionError;
use crate::{
    budget::weight,
    clock::Clock,
    error::{Error, Outcome, Result},
    json,
    limits::FRESH,
    path::{ETag, ObjectKey},
    store::{CachePolicy, Committer, DeleteOptions, ExpectedVersion, GetOptions, SharedStore, StoreError, Tags},
    wire::{SessionIncarnation, SessionVersion},
};

/// One object as this process knows it.
#[derive(Debug)]
pub(super) struct CachedObject<T> {
    content: ObjectState<T>,
    version: SessionVersion,
    base: ExpectedVersion,
    /// The uptime of the store's answer; `None` if the answer is in doubt.
    at: Option<Duration>,
    /// The position of this answer in the order of all answers.
    learnt: u64,
    /// A life that a caller knew and that the store no longer had. It has ended, and lives do not come back, so this
    /// version can also answer callers that still know it.
    ended: Option<SessionIncarnation>,
    weight: u32,
}

/// The content of an object.
#[derive(Debug)]
enum ObjectState<T> {
    Nothing,
    Value(Arc<T>),
    /// An unreadable object, with the error for callers.
    Damaged(Error),
}

// Not derived, because values need not be clonable.
impl<T> Clone for ObjectState<T> {
    fn clone(&self) -> Self {
        match self {
            Self::Nothing => Self::Nothing,
            Self::Value(value) => Self::Value(value.clone()),
            Self::Damaged(error) => Self::Damaged(error.clone()),
        }
    }
}

impl<T> CachedObject<T> {
    /// The value; `None` if there is no object.
    ///
    /// # Errors
    /// [`SessionError::Damaged`].
    pub(super) fn value(&self) -> Result<Option<&Arc<T>>, SessionError> {
        match &self.content {
            ObjectState::Nothing => Ok(None),
            ObjectState::Value(value) => Ok(Some(value)),
            ObjectState::Damaged(error) => Err(SessionError::Damaged(error.clone())),
        }
    }

    pub(super) fn etag(&self) -> Option<&ETag> {
        match &self.base {
            ExpectedVersion::Version(etag, _) => Some(etag),
            ExpectedVersion::Absent | ExpectedVersion::Whatever => None,
        }
    }

    /// Whether this version can answer a caller that knows `claim`, at any age.
    fn serves(&self, claim: &SessionVersion) -> bool {
        self.version.serves(claim) || (claim.life.is_some() && claim.life == self.ended)
    }

    fn is_newer_than(&self, other: &Self) -> bool {
        self.learnt > other.learnt || self.version.is_later_than(&other.version)
    }
}

/// A value that is stored as such an object.
pub(super) trait StoredValue: std::fmt::Debug + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// Data that the values of this type share in memory.
    type Shared: std::fmt::Debug + Default + Send + Sync;

    /// The version of the value, if its type counts versions.
    fn version(&self) -> SessionVersion {
        SessionVersion::default()
    }

    /// Checks that the value belongs to `key`: its type cannot ensure this.
    ///
    /// # Errors
    /// The fault, in words.
    fn check(&self, _key: &ObjectKey) -> Result<(), &'static str> {
        Ok(())
    }

    /// Replaces its parts by equal parts that other values already have.
    fn share(&mut self, _shared: &Self::Shared) {}

    /// The bytes it takes in memory.
    fn weight(&self) -> usize;

    /// The value in place of an unreadable object, to be written with the next change.
    ///
    /// # Errors
    /// The error for callers if no value can take its place.
    fn in_place_of_damaged(key: &ObjectKey) -> Result<Self>
    where
        Self: Sized;
}

/// The objects of one type, with their versions in memory.
#[derive(Debug)]
pub(super) struct CasObjects<T: StoredValue> {
    store: SharedStore,
    committer: Committer,
    clock: Arc<dyn Clock>,
    seen: Cache<ObjectKey, Arc<CachedObject<T>>>,
    shared: T::Shared,
    learnt: AtomicU64,
}

impl<T: StoredValue> CasObjects<T> {
    /// Keeps up to `bytes` of them in memory. The least recently used leave first.
    pub(super) fn new(store: SharedStore, clock: Arc<dyn Clock>, bytes: u64) -> Self {
        let seen = Cache::builder()
            .max_capacity(bytes)
            .weigher(|_, seen: &Arc<CachedObject<T>>| seen.weight)
            .eviction_policy(EvictionPolicy::lru())
            .build();
        let committer = Committer::new(store.clone(), clock.clone());
        Self { store, committer, clock, seen, shared: T::Shared::default(), learnt: AtomicU64::new(0) }
    }

    /// The same, whose objects carry these tags.
    pub(super) fn tagged(self, tags: Tags) -> Self {
        Self { committer: self.committer.with_tags(tags), ..self }
    }

    /// The version in memory, if it is recent and not older than `claim`; otherwise the answer of the store.
    ///
    /// # Errors
    /// [`SessionError::Damaged`]; the store's.
    pub(super) async fn get(
        &self,
        key: &ObjectKey,
        claim: &SessionVersion,
    ) -> Result<Arc<CachedObject<T>>, SessionError> {
        let known = self.seen.get(key).await;
        let seen = match known {
            Some(known) if self.is_fresh(&known) && known.serves(claim) => known,
            known => match (self.fetch(key, known.as_deref(), claim).await, known) {
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

    /// Forgets what was seen of an object.
    pub(super) async fn forget(&self, key: &ObjectKey) {
        self.seen.invalidate(key).await;
    }

    /// Whether memory has a version of `key`, even the fact that there is no object.
    pub(super) fn remembers(&self, key: &ObjectKey) -> bool {
        self.seen.contains_key(key)
    }

    /// The version in memory, however old it is. Does not ask the store.
    pub(super) async fn cached(&self, key: &ObjectKey) -> Option<Arc<CachedObject<T>>> {
        self.seen.get(key).await
    }

    /// Whether the store gave a version longer ago than this.
    pub(super) fn is_older(&self, known: &CachedObject<T>, than: Duration) -> bool {
        known.at.is_none_or(|at| self.clock.uptime().saturating_sub(at) > than)
    }

    /// The version in memory, if it is recent. Does not ask the store.
    pub(super) async fn cached_recent(&self, key: &ObjectKey) -> Option<Arc<CachedObject<T>>> {
        self.seen.get(key).await.filter(|known| self.is_fresh(known))
    }

    /// A text that changes when the object does, if memory has a recent version. Does not ask the store.
    pub(super) async fn cached_tag(&self, key: &ObjectKey) -> Option<String> {
        let known = self.cached_recent(key).await?;
        Some(known.etag().map_or_else(|| "none".to_owned(), ToString::to_string))
    }

    /// The answer of the store, even if the object is damaged.
    pub(super) async fn refresh(&self, key: &ObjectKey) -> Result<Arc<CachedObject<T>>> {
        let known = self.seen.get(key).await;
        self.fetch(key, known.as_deref(), &SessionVersion::default()).await
    }

    /// The answer of the store, even if the object is damaged, without keeping it: for objects that are read once.
    pub(super) async fn get_uncached(&self, key: &ObjectKey) -> Result<CachedObject<T>> {
        match self.store.get(key, GetOptions { keep: CachePolicy::Not, ..GetOptions::default() }).await {
            Ok(object) => Ok(seen(key, self.read(key, &object.bytes), ExpectedVersion::version(&object.meta))),
            Err(StoreError::NotFound) => Ok(seen(key, ObjectState::Nothing, ExpectedVersion::Absent)),
            Err(error) => Err(error.into()),
        }
    }

    /// The data that values in memory share.
    pub(super) fn shared(&self) -> &T::Shared {
        &self.shared
    }

    fn is_fresh(&self, known: &CachedObject<T>) -> bool {
        !self.is_older(known, FRESH)
    }

    async fn fetch(
        &self,
        key: &ObjectKey,
        known: Option<&CachedObject<T>>,
        claim: &SessionVersion,
    ) -> Result<Arc<CachedObject<T>>> {
        let (at, learnt) = (self.clock.uptime(), self.observe());
        let if_none_match = known.and_then(CachedObject::etag).cloned();
        // This memory keeps the object, so the layer below need not.
        let options = GetOptions { if_none_match, keep: CachePolicy::Not, ..GetOptions::default() };
        let asked = self.store.get(key, options).await;
        let (content, base) = match (asked, known) {
            (Ok(object), _) => (self.read(key, &object.bytes), ExpectedVersion::version(&object.meta)),
            (Err(StoreError::NotModified), Some(known)) => (known.content.clone(), known.base.clone()),
            (Err(StoreError::NotFound), _) => (ObjectState::Nothing, ExpectedVersion::Absent),
            (Err(error), _) => return Err(error.into()),
        };
        let now = seen(key, content, base);
        let ended = claim.life.clone().filter(|claimed| now.version.life.as_ref() != Some(claimed));
        let ended = ended.or_else(|| known.and_then(|known| known.ended.clone()));
        Ok(self.remember(key, CachedObject { at: Some(at), learnt, ended, ..now }).await)
    }

    fn read(&self, key: &ObjectKey, bytes: &[u8]) -> ObjectState<T> {
        let read = json::from_slice::<T>(bytes).map_err(|fault| fault.to_string());
        let read = read.and_then(|value| value.check(key).map(|()| value).map_err(str::to_owned));
        let read = read.or_else(|fault| {
            tracing::warn!(%key, %fault, "an object of the service is damaged");
            T::in_place_of_damaged(key)
        });
        match read {
            Ok(mut value) => {
                value.share(&self.shared);
                ObjectState::Value(Arc::new(value))
            }
            Err(error) => ObjectState::Damaged(error),
        }
    }

    /// Waits until the store takes another write of `key`: [`Committer::wait_for_turn`].
    pub(super) async fn wait_for_turn(&self, key: &ObjectKey) {
        self.committer.wait_for_turn(key).await;
    }

    /// Replaces `base` by `value`.
    ///
    /// # Errors
    /// The store's own, so that the caller can distinguish a lost race from a store that is down.
    pub(super) async fn put(
        &self,
        key: &ObjectKey,
        base: &CachedObject<T>,
        mut value: T,
    ) -> Result<Arc<T>, StoreError> {
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
                let (content, known) =
                    (ObjectState::Value(value.clone()), ExpectedVersion::Version(etag, commit.metadata));
                let (learnt, ended) = (self.observe(), base.ended.clone());
                self.remember(key, CachedObject { at: Some(at), learnt, ended, ..seen(key, content, known) }).await;
            }
        }
        Ok(value)
    }

    /// Deletes the object and remembers that. With `only`, deletes just that version, if the store can do so. Returns whether
    /// it did.
    ///
    /// # Errors
    /// The store's.
    pub(super) async fn delete(&self, key: &ObjectKey, only: Option<&CachedObject<T>>) -> Result<bool> {
        let at = self.clock.uptime();
        let if_match = only.and_then(CachedObject::etag).cloned();
        match self.store.delete(key, DeleteOptions { if_match }).await {
            Ok(()) => {}
            Err(StoreError::PreconditionFailed) => return Ok(false),
            Err(error) => {
                self.doubt(key, &error).await;
                return Err(error.into());
            }
        }
        // An earlier read that returns later must not bring the object back.
        let gone = seen(key, ObjectState::Nothing, ExpectedVersion::Absent);
        self.remember(key, CachedObject { at: Some(at), learnt: self.observe(), ..gone }).await;
        Ok(true)
    }

    /// After a change of unknown outcome, the version in memory serves only while the store is down.
    async fn doubt(&self, key: &ObjectKey, error: &StoreError) {
        if !matches!(error, StoreError::Unavailable { outcome, .. } if *outcome != Outcome::NotApplied) {
            return;
        }
        if let Some(known) = self.seen.get(key).await {
            let doubtful = seen(key, known.content.clone(), known.base.clone());
            let ended = known.ended.clone();
            self.remember(key, CachedObject { learnt: self.observe(), ended, ..doubtful }).await;
        }
    }

    fn observe(&self) -> u64 {
        self.learnt.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Keeps `new` unless a later answer is in memory.
    async fn remember(&self, key: &ObjectKey, new: CachedObject<T>) -> Arc<CachedObject<T>> {
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

/// An object with this content, without the time and the order of its answer.
fn seen<T: StoredValue>(key: &ObjectKey, content: ObjectState<T>, base: ExpectedVersion) -> CachedObject<T> {
    let (version, value) = match &content {
        ObjectState::Value(value) => (value.version(), value.weight()),
        ObjectState::Nothing | ObjectState::Damaged(_) => (SessionVersion::default(), 0),
    };
    let tag = match &base {
        ExpectedVersion::Version(etag, metadata) => weight::text(etag.as_str()) + weight::texts(metadata),
        ExpectedVersion::Absent | ExpectedVersion::Whatever => 0,
    };
    let slot = weight::SLOT + size_of::<CachedObject<T>>() + size_of::<T>() + weight::text(key.as_str());
    let weight = weight::counted(slot + tag + value);
    CachedObject { content, version, base, at: None, learnt: 0, ended: None, weight }
}
