//! Files of versions in the memory of a process, and reads of single files for sessions whose plain files have moved on.

use std::{
    ops::Range,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

use bytes::{Bytes, BytesMut};
use moka::{future::Cache, policy::EvictionPolicy};

use super::{
    archive::{Archive, ArchiveKind, ArchivedFile, SMALL_FILES_BYTES},
    memory::{ArchiveMemory, MemoryPermit, owner_of},
};
use crate::{
    budget::{Workers, weight},
    error::Result,
    limits::{
        BUNDLE_PATIENCE, BUNDLE_READ_BYTES, BUNDLES_REMEMBERED, CHUNK_BYTES, UPLOAD_FILE_BYTES, VERSION_CACHE_BYTES,
        VERSION_ZIP_BYTES,
    },
    path::ObjectKey,
    session::KeyedLocks,
    store::{CachePolicy, GetOptions, Object, ObjectMeta, SharedStore, StoreError, StoreResult, rules::clip},
};

/// The files of versions in the memory of a process, and the state of known archives.
#[derive(Debug)]
pub(crate) struct VersionCache {
    files: Cache<(ObjectKey, String), Bytes>,
    /// One archive is fetched once, however many of its files are asked for.
    fetching: KeyedLocks,
    pub(crate) rooms: ArchiveMemory,
    /// The outcome of the last use of each archive.
    states: Cache<ObjectKey, ArchiveState>,
    /// The first file of an archive that was read by itself.
    reads: Cache<ObjectKey, String>,
    /// Archives that were fetched lately for a file that was read by itself.
    fetched: Cache<ObjectKey, ()>,
    /// The number of loads of a skill without an archive, by the key of the bundle.
    loads: Cache<ObjectKey, Arc<AtomicU32>>,
    /// Bundles that no process can ever make: the bytes behind a tag do not change.
    unmakeable: Cache<ObjectKey, ()>,
    workers: Workers,
}

/// The outcome of the last attempt to use or to make an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ArchiveState {
    /// A bundle was there.
    There,
    /// There was none.
    Gone,
    /// The archive did not have the expected content.
    Wrong,
}

impl VersionCache {
    /// An empty cache. Archives are taken apart on `workers`.
    pub(crate) fn new(workers: Workers) -> Self {
        let weigh = |(key, path): &(ObjectKey, String), bytes: &Bytes| {
            weight::counted(weight::SLOT + weight::text(key.as_str()) + weight::text(path) + bytes.len())
        };
        // The files of the archive that was fetched last are read next. A cache that keeps often-read entries would drop them.
        let files = Cache::builder()
            .max_capacity(VERSION_CACHE_BYTES)
            .weigher(weigh)
            .eviction_policy(EvictionPolicy::lru())
            .build();
        Self {
            files,
            fetching: KeyedLocks::default(),
            rooms: ArchiveMemory::new(),
            states: of_late(),
            reads: of_late(),
            fetched: of_late(),
            loads: of_late(),
            unmakeable: Cache::new(BUNDLES_REMEMBERED),
            workers,
        }
    }

    /// Waits for the room to have `bytes` of archives and unpacked files in memory, for the owner of the object at `key`.
    pub(crate) async fn reserve(&self, key: &ObjectKey, bytes: u64) -> Result<MemoryPermit> {
        self.rooms.reserve(&owner_of(key), bytes).await
    }

    /// As [`enter`](Self::enter), for optional work. A large archive gets room at once or `None`.
    pub(crate) async fn reserve_if_free(&self, key: &ObjectKey, bytes: u64) -> Result<Option<MemoryPermit>> {
        self.rooms.reserve_if_free(&owner_of(key), bytes).await
    }

    /// Whether the file is in memory.
    pub(crate) fn holds(&self, file: &ArchivedFile) -> bool {
        self.files.contains_key(&(file.archive.key.clone(), file.path.clone()))
    }

    /// Notes that a file is read by itself. Returns whether another file of the archive was read first.
    pub(crate) async fn record_read(&self, file: &ArchivedFile) -> bool {
        let first = self.reads.get_with(file.archive.key.clone(), async { file.path.clone() }).await;
        first != file.path
    }

    /// Notes that a skill without an archive is loaded. Returns whether its bundle is to be made. This is so for the second
    /// load lately, if a process can make the bundle.
    pub(crate) async fn record_load(&self, bundle: &ObjectKey) -> bool {
        if self.unmakeable.contains_key(bundle) {
            return false;
        }
        let loads = self.loads.get_with_by_ref(bundle, async { Arc::default() }).await;
        loads.fetch_add(1, Ordering::Relaxed) == 1
    }

    /// Notes that a bundle could not be made, so that the next load tries again.
    pub(crate) async fn record_unmade(&self, bundle: &ObjectKey) {
        self.loads.insert(bundle.clone(), Arc::new(AtomicU32::new(1))).await;
    }

    /// Notes that no process can make a bundle, so that no load tries again.
    pub(crate) async fn record_unmakeable(&self, bundle: ObjectKey) {
        self.unmakeable.insert(bundle, ()).await;
    }

    /// Notes that a bundle is there and has the right content.
    pub(crate) async fn record_bundle(&self, bundle: ObjectKey) {
        self.states.insert(bundle, ArchiveState::There).await;
    }

    /// Whether an archive is there, as far as this process knows.
    pub(crate) async fn may_be_there(&self, archive: &Archive) -> bool {
        matches!(archive.kind, ArchiveKind::Version) || self.states.get(&archive.key).await == Some(ArchiveState::There)
    }

    /// Whether an archive was there lately and had the wrong content.
    pub(crate) async fn is_wrong(&self, archive: &ObjectKey) -> bool {
        self.states.get(archive).await == Some(ArchiveState::Wrong)
    }

    /// Brings all files of an archive into memory, unless `missed`, a file of the archive, is there. An archive costs a request
    /// for each of its pieces, and most have one. If an archive is gone, too long or different from its name, the files
    /// are read in single requests, and the archive is left alone for a while.
    pub(crate) async fn unpack(&self, store: &SharedStore, missed: &ArchivedFile) {
        let _turn = self.fetching.lock(missed.archive.key.as_str()).await;
        self.unpack_in_turn(store, missed).await;
    }

    /// As [`unpack`](Self::unpack), for a file that is read by itself. For such reads a large archive is fetched once in
    /// a while. If other files push its files out of memory, each of them is read by itself.
    pub(crate) async fn unpack_for_read(&self, store: &SharedStore, read: &ArchivedFile) {
        let archive = &read.archive;
        let _turn = self.fetching.lock(archive.key.as_str()).await;
        if archive.unpacked > BUNDLE_READ_BYTES && self.fetched.contains_key(&archive.key) {
            return;
        }
        if self.unpack_in_turn(store, read).await {
            self.fetched.insert(archive.key.clone(), ()).await;
        }
    }

    /// Returns whether the files were brought into memory by this call.
    async fn unpack_in_turn(&self, store: &SharedStore, missed: &ArchivedFile) -> bool {
        let archive = &missed.archive;
        let before = self.states.get(&archive.key).await;
        if self.holds(missed) || matches!(before, Some(ArchiveState::Gone | ArchiveState::Wrong)) {
            return false;
        }
        let state = match self.try_unpack(store, archive).await {
            Ok(is_unpacked) => return is_unpacked,
            Err(StoreError::NotFound) => ArchiveState::Gone,
            Err(StoreError::PreconditionFailed) => ArchiveState::Wrong,
            // A failed request proves nothing about the archive. The next read tries again, as after a full room.
            Err(_) => return false,
        };
        self.states.insert(archive.key.clone(), state).await;
        // A bundle that has gone or is wrong is rebuilt behind the next load.
        if before == Some(ArchiveState::There) || state == ArchiveState::Wrong {
            self.record_unmade(&archive.key).await;
        }
        false
    }

    /// Returns whether there was room for the archive.
    async fn try_unpack(&self, store: &SharedStore, archive: &Archive) -> StoreResult<bool> {
        let room = self.reserve_if_free(&archive.key, archive.room()).await;
        let Some(_room) = room.map_err(StoreError::not_applied)? else { return Ok(false) };
        let (_, zip) = get_whole(store, &archive.key, archive.most()).await?;
        let (errand, whole) = (self.workers.errand(&owner_of(&archive.key), archive.unpacked), archive.clone());
        let files = errand.run(move |_| Ok(whole.files(zip))).await.map_err(StoreError::not_applied)?;
        self.keep(&archive.key, files.ok_or(StoreError::PreconditionFailed)?).await;
        Ok(true)
    }

    async fn keep(&self, archive: &ObjectKey, files: Vec<(String, Bytes)>) {
        for (path, bytes) in files {
            self.files.insert((archive.clone(), path), bytes).await;
        }
        // Evicted files leave the memory at once.
        self.files.run_pending_tasks().await;
    }

    /// The file at `path` of the archive of a version, after a check of the archive against its name. The small files are
    /// brought into memory, because readers of one file of a skill often read the others.
    async fn take_apart(&self, archive: &Archive, zip: Bytes, path: String) -> StoreResult<Option<Bytes>> {
        let (errand, whole) = (self.workers.errand(&owner_of(&archive.key), zip.len() as u64), archive.clone());
        let unpacked = errand.run(move |_| Ok(whole.file_and_small_ones(zip, &path)));
        let unpacked = unpacked.await.map_err(StoreError::not_applied)?;
        let (wanted, others) = unpacked.ok_or(StoreError::PreconditionFailed)?;
        self.keep(&archive.key, others).await;
        Ok(wanted)
    }
}

impl ArchivedFile {
    /// A range of the file, as a store would return it. `meta` has the tag and the size that the session pinned.
    ///
    /// # Errors
    /// `PreconditionFailed` if the archive is gone, damaged or has another file; the store's.
    pub(crate) async fn get(
        &self,
        store: &SharedStore,
        versions: &Arc<VersionCache>,
        meta: ObjectMeta,
        range: Option<Range<u64>>,
    ) -> StoreResult<Object> {
        let bytes = self.whole(store, versions).await?;
        let is_other = match Self::sha256_of(&meta.etag) {
            Some(sha256) => crate::skill::VersionFile::from_bytes("", &bytes).sha256 != sha256,
            None => false,
        };
        if bytes.len() as u64 != meta.size || is_other {
            return Err(StoreError::PreconditionFailed);
        }
        let range = clip(range, meta.size)?;
        let slice = usize::try_from(range.start).ok().zip(usize::try_from(range.end).ok());
        let (start, end) = slice.ok_or(StoreError::RangeNotSatisfiable)?;
        Ok(Object { meta, range, bytes: bytes.slice(start..end) })
    }

    async fn whole(&self, store: &SharedStore, versions: &Arc<VersionCache>) -> StoreResult<Bytes> {
        let name = (self.archive.key.clone(), self.path.clone());
        if let Some(bytes) = versions.files.get(&name).await {
            return Ok(bytes);
        }
        if matches!(self.archive.kind, ArchiveKind::Bundle(_)) {
            return Err(StoreError::PreconditionFailed);
        }
        let key = &self.archive.key;
        let _turn = versions.fetching.lock(key.as_str()).await;
        if let Some(bytes) = versions.files.get(&name).await {
            return Ok(bytes);
        }
        let size = store.head(key).await.map_err(gone)?.size;
        let unpacked = UPLOAD_FILE_BYTES as u64 + SMALL_FILES_BYTES;
        let _room = versions.reserve(key, size + unpacked).await.map_err(StoreError::not_applied)?;
        let (_, zip) = get_whole(store, key, VERSION_ZIP_BYTES as u64).await.map_err(gone)?;
        let wanted = versions.take_apart(&self.archive, zip, self.path.clone()).await?;
        let bytes = wanted.ok_or(StoreError::PreconditionFailed)?;
        versions.files.insert(name, bytes.clone()).await;
        Ok(bytes)
    }
}

/// A memory of archives for a while.
fn of_late<V: Clone + Send + Sync + 'static>() -> Cache<ObjectKey, V> {
    Cache::builder().max_capacity(BUNDLES_REMEMBERED).time_to_live(BUNDLE_PATIENCE).build()
}

/// If the archive is gone, the version cannot be read any more.
fn gone(error: StoreError) -> StoreError {
    if matches!(error, StoreError::NotFound) { StoreError::PreconditionFailed } else { error }
}

/// A whole object of at most `most` bytes, in pieces of one version.
pub(crate) async fn get_whole(store: &SharedStore, key: &ObjectKey, most: u64) -> StoreResult<(ObjectMeta, Bytes)> {
    let once = |range| GetOptions { keep: CachePolicy::Not, ..GetOptions::range(range) };
    let first = store.get(key, once(0..CHUNK_BYTES.min(most + 1))).await?;
    if first.meta.size > most {
        return Err(StoreError::PreconditionFailed);
    }
    if first.is_whole() {
        return Ok((first.meta, first.bytes));
    }
    let mut whole = BytesMut::with_capacity(usize::try_from(first.meta.size).unwrap_or_default());
    whole.extend_from_slice(&first.bytes);
    let mut at = first.range.end;
    while at < first.meta.size {
        let next = GetOptions { if_match: Some(first.meta.etag.clone()), ..once(at..at + CHUNK_BYTES) };
        let chunk = store.get(key, next).await?;
        if chunk.range.end <= at {
            return Err(StoreError::broken("the store gave no bytes of an object"));
        }
        at = chunk.range.end;
        whole.extend_from_slice(&chunk.bytes);
    }
    Ok((first.meta, whole.freeze()))
}
