//! What a process keeps of versions, and single files of them for sessions whose plain files have moved on.

use std::{ops::Range, sync::Arc};

use bytes::{Bytes, BytesMut};
use moka::future::Cache;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::{
    budget::weight,
    error::{Error, Result},
    limits::{CHUNK_BYTES, UPLOAD_FILE_BYTES, VERSION_CACHE_BYTES, VERSION_WINDOW_KIB, VERSION_ZIP_BYTES},
    path::{ETag, ObjectKey},
    session::Lanes,
    skill::VersionArchive,
    store::{GetOptions, Keep, Object, ObjectMeta, SharedStore, StoreError, StoreResult, rules::clip},
};

/// How the tag of a file begins that no plain object has: the digest of its content follows.
const BY_CONTENT: &str = "sha256:";

/// What a process keeps of versions.
#[derive(Debug)]
pub(in crate::backend) struct Versions {
    files: Cache<(ObjectKey, String), Bytes>,
    /// One archive is fetched once, however many of its files are asked for.
    fetching: Lanes,
    window: Semaphore,
}

impl Default for Versions {
    fn default() -> Self {
        let weigh = |(key, path): &(ObjectKey, String), bytes: &Bytes| {
            weight::counted(weight::SLOT + weight::text(key.as_str()) + weight::text(path) + bytes.len())
        };
        let files = Cache::builder().max_capacity(VERSION_CACHE_BYTES).weigher(weigh).build();
        Self { files, fetching: Lanes::default(), window: Semaphore::new(VERSION_WINDOW_KIB as usize) }
    }
}

impl Versions {
    /// Waits for the room to have `bytes` of archives and unpacked files in memory.
    pub(super) async fn enter(&self, bytes: u64) -> Result<SemaphorePermit<'_>> {
        let kib = u32::try_from(bytes >> 10).unwrap_or(u32::MAX).clamp(1, VERSION_WINDOW_KIB);
        self.window.acquire_many(kib).await.map_err(Error::internal)
    }
}

/// A file in the archive of a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::backend) struct ArchivedFile {
    pub(in crate::backend) archive: ObjectKey,
    pub(in crate::backend) path: String,
}

impl ArchivedFile {
    /// The tag of a file that is read from the archive alone.
    pub(in crate::backend) fn tag(sha256: &str) -> ETag {
        ETag::new(&format!("{BY_CONTENT}{sha256}"))
    }

    /// Whether no plain object is meant by this tag.
    pub(in crate::backend) fn is_only_archived(tag: &ETag) -> bool {
        tag.as_str().starts_with(BY_CONTENT)
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
        let is_other = match meta.etag.as_str().strip_prefix(BY_CONTENT) {
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
        let name = (self.archive.clone(), self.path.clone());
        if let Some(bytes) = versions.files.get(&name).await {
            return Ok(bytes);
        }
        let _turn = versions.fetching.enter(self.archive.as_str()).await;
        if let Some(bytes) = versions.files.get(&name).await {
            return Ok(bytes);
        }
        let size = store.head(&self.archive).await.map_err(gone)?.size;
        let _room = versions.enter(size + UPLOAD_FILE_BYTES as u64).await.map_err(StoreError::not_applied)?;
        let zip = get_whole(store, &self.archive, VERSION_ZIP_BYTES as u64).await.map_err(gone)?;
        let mut zip = VersionArchive::open(zip).map_err(|_| StoreError::PreconditionFailed)?;
        let read = zip.read(&self.path, UPLOAD_FILE_BYTES as u64);
        let bytes = read.ok().flatten().ok_or(StoreError::PreconditionFailed)?;
        // Who reads one file of a skill often reads the others.
        for (path, bytes) in zip.small_files(VERSION_CACHE_BYTES / 2) {
            versions.files.insert((self.archive.clone(), path), bytes).await;
        }
        versions.files.insert(name, bytes.clone()).await;
        Ok(bytes)
    }
}

/// An archive that is gone is a version that cannot be read any more.
fn gone(error: StoreError) -> StoreError {
    if matches!(error, StoreError::NotFound) { StoreError::PreconditionFailed } else { error }
}

/// A whole object of at most `most` bytes, in pieces of one version.
pub(super) async fn get_whole(store: &SharedStore, key: &ObjectKey, most: u64) -> StoreResult<Bytes> {
    let once = |range| GetOptions { keep: Keep::Not, ..GetOptions::range(range) };
    let first = store.get(key, once(0..CHUNK_BYTES)).await?;
    if first.is_whole() {
        return Ok(first.bytes);
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
    Ok(whole.freeze())
}
