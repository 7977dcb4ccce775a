//! A layer that keeps content in memory, by (key, `ETag`).
//!
//! Content under its tag can never be stale. Only the knowledge of the newest *version* has an age, so a plain get
//! always asks the store, at the price of a 304 if the bytes are here. Such fresh gets never share a request under way:
//! a reader that starts after an acknowledged write must see it, and the earlier request may have passed the store
//! before the write did. Pinned gets name their version, so they do share one request.
//!
//! When a newer version of a key is put, seen or deleted through this layer, the layer drops the previous one at once.
//! The previous version stays if a caller has asked for exactly that version. Sessions pin the files of a loaded skill,
//! and go on reading them.
//!
//! Only whole objects up to [`CHUNK_BYTES`] are kept, with their metadata. If a store derives tags from content alone,
//! another tool can rewrite the same bytes with other metadata unnoticed.

use std::{
    ops::Range,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use async_trait::async_trait;
use bytes::Bytes;
use moka::{future::Cache, ops::compute::Op};

use super::{
    CachePolicy, Capabilities, DeleteOptions, GetOptions, ListOptions, ListPage, Object, ObjectMeta, PurgeReply,
    PutCondition, PutOptions, PutResult, SharedStore, Store, StoreError, StoreResult, StoreServer, Tags,
    newest::VersionClock, rules::clip,
};
use skillmount_base::{
    budget::weight,
    clock::Clock,
    limits::{CACHE_KEYS, CHUNK_BYTES},
    path::{ETag, KeyPrefix, ObjectKey},
};

/// Contents up to this size are copied before they are kept. A short text may be part of a much larger buffer, which
/// would otherwise stay in memory.
const COPIED_BYTES: usize = 64 << 10;

type Version = (ObjectKey, ETag);

/// A layer that keeps the content of a store in memory.
///
/// ```
/// use std::sync::Arc;
///
/// use skillmount_base::{clock::SystemClock, limits::CONTENT_CACHE_BYTES, path::KeyPrefix};
/// use skillmount_store::{CachingStore, GetOptions, RequestCounts, MemoryStore, CountingStore, PutOptions, Store};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let ledger = Arc::new(RequestCounts::new());
/// let below = Arc::new(CountingStore::new(Arc::new(MemoryStore::new()), ledger.clone()));
/// let store = CachingStore::new(below, CONTENT_CACHE_BYTES, Arc::new(SystemClock::new()));
///
/// let key = KeyPrefix::all().key("anna/notes.md")?;
/// let written = store.put(&key, "text".into(), PutOptions::default()).await?;
/// let object = store.get(&key, GetOptions::pinned(written.etag)).await?;
/// assert_eq!((object.bytes.as_ref(), ledger.counts().objects.requests.get), (b"text".as_slice(), 0));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct CachingStore {
    inner: SharedStore,
    clock: Arc<dyn Clock>,
    content: Cache<Version, Arc<CachedObject>>,
    newest: VersionClock,
}

/// A whole object.
#[derive(Debug)]
struct CachedObject {
    object: Object,
    /// Whether a caller asked for it with `CachePolicy::PinnedSkill`. Then it may be asked for again when it is no longer the newest.
    pinned: AtomicBool,
}

impl CachedObject {
    fn new(object: Object, pinned: bool) -> Arc<Self> {
        let bytes =
            if object.bytes.len() <= COPIED_BYTES { Bytes::copy_from_slice(&object.bytes) } else { object.bytes };
        Arc::new(Self { object: Object { bytes, ..object }, pinned: AtomicBool::new(pinned) })
    }

    fn is_pinned(&self) -> bool {
        self.pinned.load(Ordering::Relaxed)
    }
}

/// The reason why a shared request left nothing in the cache.
#[derive(Debug)]
enum UncachedReason {
    Failed(StoreError),
    /// A part of an object, an object too large to keep, or an object that is no longer the newest version.
    Passing(Object),
}

impl CachingStore {
    /// Keeps up to `bytes` of content ([`CONTENT_CACHE_BYTES`](skillmount_base::limits::CONTENT_CACHE_BYTES) by default).
    ///
    /// Write times are the store's. A put through this layer that was not read since has the time of `clock`.
    #[must_use]
    pub fn new(inner: SharedStore, bytes: u64, clock: Arc<dyn Clock>) -> Self {
        let content = Cache::builder().max_capacity(bytes).weigher(weigh).build();
        Self { inner, clock, content, newest: VersionClock::new(CACHE_KEYS) }
    }

    /// Exactly the version `etag`: from memory, or by one request that all callers of the version share.
    async fn get_exactly(&self, key: &ObjectKey, etag: ETag, options: GetOptions) -> StoreResult<Object> {
        let version = (key.clone(), etag);
        let (range, is_pinned) = (options.range.clone(), options.keep == CachePolicy::Pinned);
        if let Some(kept) = self.content.get(&version).await {
            kept.pinned.fetch_or(is_pinned, Ordering::Relaxed);
            return part(&kept.object, range);
        }
        // Each piece of a large object is wanted once, and must not wait for the others.
        if options.keep == CachePolicy::Not || range.as_ref().is_some_and(|range| range.start > 0) {
            return self.inner.get(key, options).await;
        }
        let load = async {
            let begun = self.newest.begin();
            let object = self.inner.get(key, options.clone()).await.map_err(UncachedReason::Failed)?;
            // The store gives a version by its tag only while it is the newest.
            let learnt = self.newest.was_read(key, begun, Some(&object.meta.etag));
            self.drop_dead(key, learnt.displaced).await;
            let is_wanted = learnt.is_newest || is_pinned;
            if keepable(&object) && is_wanted {
                Ok(CachedObject::new(object, is_pinned))
            } else {
                Err(UncachedReason::Passing(object))
            }
        };
        match self.content.try_get_with(version, load).await.as_ref().map_err(AsRef::as_ref) {
            Ok(kept) => {
                kept.pinned.fetch_or(is_pinned, Ordering::Relaxed);
                part(&kept.object, range)
            }
            Err(UncachedReason::Failed(error)) => Err(error.clone()),
            Err(UncachedReason::Passing(object)) if covers(object, range.as_ref()) => Ok(shorten(object, range)),
            Err(UncachedReason::Passing(_)) => self.inner.get(key, options).await,
        }
    }

    /// The newest version seen, from memory only.
    async fn recall(&self, key: &ObjectKey) -> Option<Arc<CachedObject>> {
        let etag = self.newest.get(key)?;
        self.content.get(&(key.clone(), etag)).await
    }

    /// The newest version in the store, always by a request of its own.
    async fn get_fresh(&self, key: &ObjectKey, mut options: GetOptions) -> StoreResult<Object> {
        let held = match options.if_none_match {
            None => self.recall(key).await,
            Some(_) => None,
        };
        if let Some(held) = &held {
            options.if_none_match = Some(held.object.meta.etag.clone());
        }
        let keep = options.keep;
        let (range, asked) = (options.range.clone(), options.if_none_match.clone());
        let begun = self.newest.begin();
        match (self.inner.get(key, options).await, held) {
            (Ok(object), _) => {
                let learnt = self.newest.was_read(key, begun, Some(&object.meta.etag));
                if learnt.is_newest || keep == CachePolicy::Pinned {
                    self.keep(key, &object, keep).await;
                }
                self.drop_dead(key, learnt.displaced).await;
                Ok(object)
            }
            (Err(StoreError::NotModified), held) => {
                let learnt = self.newest.was_read(key, begun, asked.as_ref());
                self.drop_dead(key, learnt.displaced).await;
                match held {
                    None => Err(StoreError::NotModified),
                    Some(held) => {
                        held.pinned.fetch_or(keep == CachePolicy::Pinned, Ordering::Relaxed);
                        part(&held.object, range)
                    }
                }
            }
            (Err(StoreError::NotFound), _) => {
                let learnt = self.newest.was_read(key, begun, None);
                self.drop_dead(key, learnt.displaced).await;
                Err(StoreError::NotFound)
            }
            (Err(error), _) => Err(error),
        }
    }

    async fn keep(&self, key: &ObjectKey, object: &Object, keep: CachePolicy) {
        if !keepable(object) || keep == CachePolicy::Not {
            return;
        }
        let new = |old: Option<moka::Entry<Version, Arc<CachedObject>>>| {
            // The same bytes may return under the same tag.
            CachedObject::new(
                object.clone(),
                keep == CachePolicy::Pinned || old.is_some_and(|old| old.value().is_pinned()),
            )
        };
        let version = (key.clone(), object.meta.etag.clone());
        self.content.entry(version).and_upsert_with(|old| std::future::ready(new(old))).await;
    }

    /// Drops a version that is no longer the newest, unless it is pinned.
    async fn was_deleted(&self, key: &ObjectKey) {
        let displaced = self.newest.was_written(key, None);
        self.drop_dead(key, displaced).await;
    }

    async fn drop_dead(&self, key: &ObjectKey, dead: Option<ETag>) {
        let Some(etag) = dead else { return };
        let decide = |old: Option<moka::Entry<Version, Arc<CachedObject>>>| match old {
            Some(old) if !old.value().is_pinned() => Op::Remove,
            _ => Op::Nop,
        };
        self.content.entry((key.clone(), etag)).and_compute_with(|old| std::future::ready(decide(old))).await;
    }
}

fn keepable(object: &Object) -> bool {
    object.is_whole() && object.meta.size <= CHUNK_BYTES
}

/// The memory of an entry. Its metadata, which names earlier writes, is often larger than a short text.
fn weigh((key, etag): &Version, kept: &Arc<CachedObject>) -> u32 {
    let names = weight::text(key.as_str()) + 2 * weight::text(etag.as_str());
    let metadata = weight::texts(&kept.object.meta.metadata);
    let slot = weight::SLOT + size_of::<Version>() + size_of::<CachedObject>() + weight::BLOCK;
    weight::counted(slot + names + metadata + kept.object.bytes.len() + weight::BLOCK)
}

/// The bytes `range` of a whole object.
fn part(whole: &Object, range: Option<Range<u64>>) -> StoreResult<Object> {
    let range = clip(range, whole.meta.size)?;
    Ok(shorten(whole, Some(range)))
}

/// Whether `object`, which starts at 0, contains all of `range`.
fn covers(object: &Object, range: Option<&Range<u64>>) -> bool {
    object.range.end == object.meta.size || range.is_some_and(|range| range.end <= object.range.end)
}

/// The bytes up to the end of `range` of an object that covers it. Both may be parts; the object begins at the same
/// byte or earlier.
fn shorten(object: &Object, range: Option<Range<u64>>) -> Object {
    let wanted = range.unwrap_or_else(|| object.range.clone());
    let range = wanted.start.max(object.range.start)..wanted.end.min(object.range.end);
    let at = |offset: u64| usize::try_from(offset.saturating_sub(object.range.start)).unwrap_or(usize::MAX);
    Object { meta: object.meta.clone(), bytes: object.bytes.slice(at(range.start)..at(range.end)), range }
}

#[async_trait]
impl Store for CachingStore {
    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }

    async fn server(&self) -> Option<StoreServer> {
        self.inner.server().await
    }

    async fn addresses(&self) -> Vec<SharedStore> {
        self.inner.addresses().await
    }

    async fn get(&self, key: &ObjectKey, options: GetOptions) -> StoreResult<Object> {
        match &options.if_match {
            Some(etag) if options.if_none_match.is_none() => {
                let etag = etag.clone();
                return self.get_exactly(key, etag, options).await;
            }
            Some(_) => return self.inner.get(key, options).await,
            None => {}
        }
        if options.remembered
            && options.if_none_match.is_none()
            && let Some(kept) = self.recall(key).await
        {
            return part(&kept.object, options.range);
        }
        self.get_fresh(key, options).await
    }

    async fn put(&self, key: &ObjectKey, bytes: Bytes, options: PutOptions) -> StoreResult<PutResult> {
        let PutOptions { condition, metadata, .. } = options.clone();
        let put = self.inner.put(key, bytes.clone(), options).await;
        match (&put, condition) {
            (Ok(PutResult { etag }), _) => {
                let size = bytes.len() as u64;
                let meta = ObjectMeta { size, etag: etag.clone(), modified_at: self.clock.now(), metadata };
                self.keep(key, &Object { meta, range: 0..size, bytes }, CachePolicy::Newest).await;
                let displaced = self.newest.was_written(key, Some(etag));
                self.drop_dead(key, displaced).await;
            }
            (Err(StoreError::PreconditionFailed | StoreError::NotFound), PutCondition::IfMatch(etag)) => {
                if self.newest.was_disproved(key, &etag) {
                    self.drop_dead(key, Some(etag)).await;
                }
            }
            (Err(_), _) => {}
        }
        put
    }

    async fn head(&self, key: &ObjectKey) -> StoreResult<ObjectMeta> {
        let begun = self.newest.begin();
        let head = self.inner.head(key).await;
        let found = match &head {
            Ok(meta) => Some(&meta.etag),
            Err(StoreError::NotFound) => None,
            Err(_) => return head,
        };
        let learnt = self.newest.was_read(key, begun, found);
        self.drop_dead(key, learnt.displaced).await;
        head
    }

    async fn list(&self, prefix: &KeyPrefix, options: ListOptions) -> StoreResult<ListPage> {
        self.inner.list(prefix, options).await
    }

    async fn delete(&self, key: &ObjectKey, options: DeleteOptions) -> StoreResult<()> {
        self.inner.delete(key, options).await?;
        self.was_deleted(key).await;
        Ok(())
    }

    async fn tag(&self, key: &ObjectKey, tags: Tags) -> StoreResult<()> {
        self.inner.tag(key, tags).await
    }

    async fn purge(&self, prefix: &KeyPrefix) -> StoreResult<PurgeReply> {
        let purged = self.inner.purge(prefix).await?;
        for version in &purged.removed {
            if let Some(key) = prefix.admit(&version.key) {
                self.was_deleted(&key).await;
            }
        }
        Ok(purged)
    }
}

#[cfg(test)]
mod tests;
