//! What a process keeps of versions, and single files of them for sessions whose plain files have moved on.

use std::{
    ops::Range,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

use bytes::{Bytes, BytesMut};
use moka::future::Cache;

use super::rooms::{HeldRoom, Rooms, owner_of};
use crate::{
    budget::{Workers, weight},
    error::Result,
    limits::{
        BUNDLE_PATIENCE, BUNDLES_REMEMBERED, CHUNK_BYTES, UPLOAD_FILE_BYTES, VERSION_CACHE_BYTES, VERSION_ZIP_BYTES,
    },
    path::{ETag, ObjectKey},
    session::Lanes,
    skill::{VersionArchive, record_in},
    store::{GetOptions, Keep, Object, ObjectMeta, SharedStore, StoreError, StoreResult, rules::clip},
};

/// How the tag of a file begins that no plain object has: the digest of its content follows.
const BY_CONTENT: &str = "sha256:";

/// The file of an archive that was asked for, if there is one, and its small files.
type Opened = (Option<Bytes>, Vec<(String, Bytes)>);

/// What a process keeps of versions.
#[derive(Debug)]
pub(in crate::backend) struct Versions {
    files: Cache<(ObjectKey, String), Bytes>,
    /// One archive is fetched once, however many of its files are asked for.
    fetching: Lanes,
    pub(in crate::backend) rooms: Rooms,
    /// Archives that were no help a moment ago, and the most bytes that were asked for.
    unusable: Cache<ObjectKey, u64>,
    /// The file of an archive that was read by itself.
    reads: Cache<ObjectKey, String>,
    /// How often a skill was loaded that has no archive, by the key of its bundle.
    loads: Cache<ObjectKey, Arc<AtomicU32>>,
    /// Bundles that are there.
    bundles: Cache<ObjectKey, ()>,
    workers: Workers,
}

impl Versions {
    /// Nothing yet. Archives are taken apart on `workers`.
    pub(in crate::backend) fn new(workers: Workers) -> Self {
        let weigh = |(key, path): &(ObjectKey, String), bytes: &Bytes| {
            weight::counted(weight::SLOT + weight::text(key.as_str()) + weight::text(path) + bytes.len())
        };
        let files = Cache::builder().max_capacity(VERSION_CACHE_BYTES).weigher(weigh).build();
        let unusable = Cache::builder().max_capacity(BUNDLES_REMEMBERED).time_to_live(BUNDLE_PATIENCE).build();
        let reads = Cache::builder().max_capacity(BUNDLES_REMEMBERED).time_to_live(BUNDLE_PATIENCE).build();
        let loads = Cache::builder().max_capacity(BUNDLES_REMEMBERED).time_to_live(BUNDLE_PATIENCE).build();
        let bundles = Cache::builder().max_capacity(BUNDLES_REMEMBERED).time_to_live(BUNDLE_PATIENCE).build();
        let rooms = Rooms::new();
        Self { files, fetching: Lanes::default(), rooms, unusable, reads, loads, bundles, workers }
    }

    /// Waits for the room to have `bytes` of archives and unpacked files in memory, for who owns the object at `key`.
    pub(in crate::backend) async fn enter(&self, key: &ObjectKey, bytes: u64) -> Result<HeldRoom> {
        self.rooms.enter(&owner_of(key), bytes).await
    }

    /// Whether the file is in memory.
    pub(in crate::backend) fn holds(&self, file: &ArchivedFile) -> bool {
        self.files.contains_key(&(file.archive.key.clone(), file.path.clone()))
    }

    /// Notes that a file is read by itself. Returns whether another file of its archive was before it.
    pub(in crate::backend) async fn note_read(&self, file: &ArchivedFile) -> bool {
        let first = self.reads.get_with(file.archive.key.clone(), async { file.path.clone() }).await;
        first != file.path
    }

    /// Notes that a skill without an archive is loaded. Returns whether it is the second time of late.
    pub(in crate::backend) async fn note_load(&self, bundle: &ObjectKey) -> bool {
        let loads = self.loads.get_with_by_ref(bundle, async { Arc::default() }).await;
        loads.fetch_add(1, Ordering::Relaxed) == 1
    }

    /// Notes that a bundle could not be made, so that the next load tries again.
    pub(in crate::backend) async fn note_unmade(&self, bundle: &ObjectKey) {
        self.loads.insert(bundle.clone(), Arc::new(AtomicU32::new(1))).await;
    }

    /// Notes that a bundle is there, and is what its name says.
    pub(in crate::backend) async fn note_bundle(&self, bundle: ObjectKey) {
        self.unusable.invalidate(&bundle).await;
        self.bundles.insert(bundle, ()).await;
    }

    /// Whether an archive is there, as far as this process knows.
    pub(in crate::backend) fn may_be_there(&self, archive: &Archive) -> bool {
        archive.kind == ArchiveKind::Version || self.bundles.contains_key(&archive.key)
    }

    /// Whether an archive was no help a moment ago.
    pub(in crate::backend) fn is_unusable(&self, archive: &ObjectKey) -> bool {
        self.unusable.contains_key(archive)
    }

    /// Brings the files of an archive of at most `most` bytes into memory, in one request. An archive that is gone, too long
    /// or not what its name says changes nothing: its files are read one by one, and it is left alone for a while.
    pub(in crate::backend) async fn unpack(&self, store: &SharedStore, archive: &Archive, most: u64) {
        let _turn = self.fetching.enter(archive.key.as_str()).await;
        if self.unusable.get(&archive.key).await.is_some_and(|tried| tried >= most) {
            return;
        }
        let unpacked = async {
            let _room = self.enter(&archive.key, 2 * most).await.map_err(StoreError::not_applied)?;
            let once = GetOptions { keep: Keep::Not, ..GetOptions::range(0..most + 1) };
            let zip = store.get(&archive.key, once).await?;
            if !zip.is_whole() || zip.meta.size > most {
                return Err(StoreError::PreconditionFailed);
            }
            self.take_apart(archive, zip.bytes, None).await
        };
        // A store that fails and a room that is full say nothing of the archive: the next read tries it again.
        if let Err(StoreError::NotFound | StoreError::PreconditionFailed) = unpacked.await {
            self.unusable.insert(archive.key.clone(), most).await;
        }
    }

    /// Brings the small files of an archive into memory, once it is certain that it holds what its name says, and returns the
    /// one at `path`.
    async fn take_apart(&self, archive: &Archive, zip: Bytes, path: Option<String>) -> StoreResult<Option<Bytes>> {
        let (key, kind) = (archive.key.clone(), archive.kind);
        let name = key.as_str().rsplit('/').next().and_then(|name| name.strip_suffix(".zip"));
        let digest = format!("sha256:{}", name.unwrap_or_default());
        let errand = self.workers.errand(key.as_str(), zip.len() as u64);
        let unpacked = errand.run(move |_| Ok(opened(zip, kind, &digest, path.as_deref())));
        let unpacked = unpacked.await.map_err(StoreError::not_applied)?;
        let (wanted, others) = unpacked.ok_or(StoreError::PreconditionFailed)?;
        // Who reads one file of a skill often reads the others.
        for (path, bytes) in others {
            self.files.insert((key.clone(), path), bytes).await;
        }
        Ok(wanted)
    }
}

/// The files of a skill in one object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::backend) struct Archive {
    pub(in crate::backend) key: ObjectKey,
    pub(in crate::backend) kind: ArchiveKind,
    /// The bytes of its files, unpacked.
    pub(in crate::backend) unpacked: u64,
}

/// What an archive is, and what its name is the digest of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::backend) enum ArchiveKind {
    /// A version or a draft, named by its content. It may be the only place of a file whose plain object has moved on.
    Version,
    /// The plain files of a snapshot, named by the snapshot. It stands in for them and never for what they no longer hold.
    Bundle,
}

/// A file in an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::backend) struct ArchivedFile {
    pub(in crate::backend) archive: Archive,
    pub(in crate::backend) path: String,
}

impl ArchivedFile {
    /// The tag of a file that is read from the archive alone.
    pub(in crate::backend) fn tag(sha256: &str) -> ETag {
        ETag::new(&format!("{BY_CONTENT}{sha256}"))
    }

    /// Whether no plain object is meant by this tag.
    pub(in crate::backend) fn is_only_archived(tag: &ETag) -> bool {
        Self::sha256_of(tag).is_some()
    }

    /// The SHA-256 of the file, if its tag says it.
    pub(in crate::backend) fn sha256_of(tag: &ETag) -> Option<&str> {
        tag.as_str().strip_prefix(BY_CONTENT)
    }

    /// A range of it, as a store would give it. `tag` and `size` are those of the file as the session pinned it.
    ///
    /// # Errors
    /// `PreconditionFailed` if the archive is gone, damaged or has another file; the store's.
    pub(in crate::backend) async fn get(
        &self,
        store: &SharedStore,
        versions: &Arc<Versions>,
        meta: ObjectMeta,
        range: Option<Range<u64>>,
    ) -> StoreResult<Object> {
        let bytes = self.whole(store, versions).await?;
        let is_other = match Self::sha256_of(&meta.etag) {
            Some(sha256) => crate::skill::VersionFile::of("", &bytes).sha256 != sha256,
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

    async fn whole(&self, store: &SharedStore, versions: &Arc<Versions>) -> StoreResult<Bytes> {
        let name = (self.archive.key.clone(), self.path.clone());
        if let Some(bytes) = versions.files.get(&name).await {
            return Ok(bytes);
        }
        if self.archive.kind == ArchiveKind::Bundle {
            return Err(StoreError::PreconditionFailed);
        }
        let key = &self.archive.key;
        let _turn = versions.fetching.enter(key.as_str()).await;
        if let Some(bytes) = versions.files.get(&name).await {
            return Ok(bytes);
        }
        let size = store.head(key).await.map_err(gone)?.size;
        let _room = versions.enter(key, size + UPLOAD_FILE_BYTES as u64).await.map_err(StoreError::not_applied)?;
        let (_, zip) = get_whole(store, key, VERSION_ZIP_BYTES as u64).await.map_err(gone)?;
        let wanted = versions.take_apart(&self.archive, zip, Some(self.path.clone())).await?;
        let bytes = wanted.ok_or(StoreError::PreconditionFailed)?;
        versions.files.insert(name, bytes.clone()).await;
        Ok(bytes)
    }
}

/// The file at `path` of an archive and its small files; `None` if it is damaged, or not what its name `digest` says.
fn opened(zip: Bytes, kind: ArchiveKind, digest: &str, path: Option<&str>) -> Option<Opened> {
    let record = record_in(&zip);
    let mut zip = VersionArchive::open(zip).ok()?;
    let version = zip.version().ok()?;
    let keeps_to_its_name = match (kind, record) {
        (ArchiveKind::Version, _) => version.digest() == digest,
        (ArchiveKind::Bundle, None) => false,
        (ArchiveKind::Bundle, Some(record)) => {
            record.digest == version.digest() && record.source.as_deref() == Some(digest)
        }
    };
    if !keeps_to_its_name {
        return None;
    }
    let wanted = match path {
        Some(path) => zip.read(path, UPLOAD_FILE_BYTES as u64).ok()?,
        None => None,
    };
    Some((wanted, zip.small_files(VERSION_CACHE_BYTES / 2)))
}

/// An archive that is gone is a version that cannot be read any more.
fn gone(error: StoreError) -> StoreError {
    if matches!(error, StoreError::NotFound) { StoreError::PreconditionFailed } else { error }
}

/// A whole object of at most `most` bytes, in pieces of one version.
pub(super) async fn get_whole(store: &SharedStore, key: &ObjectKey, most: u64) -> StoreResult<(ObjectMeta, Bytes)> {
    let once = |range| GetOptions { keep: Keep::Not, ..GetOptions::range(range) };
    let first = store.get(key, once(0..CHUNK_BYTES)).await?;
    if first.is_whole() {
        return Ok((first.meta, first.bytes));
    }
    if first.meta.size > most {
        return Err(StoreError::PreconditionFailed);
    }
    let mut whole = BytesMut::from(&*first.bytes);
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
