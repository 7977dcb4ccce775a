//! Reads of single files of skills, and of the archives with these files.

use bytes::Bytes;

use super::{Content, archive::ArchivedFile};
use crate::{
    limits::{BUNDLE_BYTES, BUNDLE_READ_BYTES},
    path::{ETag, KeyPrefix},
    skill::{MAIN, SnapshotFile},
    store::{CachePolicy, GetOptions, StoreError, StoreResult},
};

/// Notes that a caller reads one file of a skill by itself. The archive of a small skill is fetched for the first file that is
/// not in memory. The cost is one request either way, and agents often read the other files next. The archive of a larger
/// skill is fetched for the second file, and not again for a while. If this process does not know whether a bundle is there,
/// the second file makes it look for the bundle too.
pub(crate) async fn record_read(content: &Content, file: &ArchivedFile) {
    let (versions, archive) = (content.versions(), &file.archive);
    // A load or a prompt has read SKILL.md before, so the cache of the store has it.
    if file.path == MAIN || archive.unpacked > BUNDLE_BYTES || versions.holds(file) {
        return;
    }
    let is_small = archive.unpacked <= BUNDLE_READ_BYTES && versions.may_be_there(archive).await;
    if is_small || versions.record_read(file).await {
        versions.unpack_for_read(content.store(), file).await;
    }
}

/// Whether the tag of `main`, the SKILL.md of a folder, is the MD5 of its bytes. If a KMS key encrypts a bucket, tags there
/// look like an MD5 and are none. The work counts for `owner`.
///
/// # Errors
/// The store's: `NotFound` or `PreconditionFailed` if the folder has another SKILL.md by now.
pub(crate) async fn identifies_bytes(
    content: &Content,
    owner: &str,
    main: &SnapshotFile,
    folder: &KeyPrefix,
) -> StoreResult<bool> {
    let (bytes, tag) = (plain_file(content, main, folder).await?, main.etag.clone());
    let errand = content.workers().errand(owner, main.size);
    errand.run(move |_| Ok(tag == ETag::md5_of(&bytes))).await.map_err(StoreError::not_applied)
}

pub(crate) async fn plain_file(content: &Content, file: &SnapshotFile, folder: &KeyPrefix) -> StoreResult<Bytes> {
    let key = folder.key(&file.path).map_err(StoreError::not_applied)?;
    let options = GetOptions::pinned(file.etag.clone()).with_size(file.size).with_keep(CachePolicy::Not);
    Ok(content.store().get(&key, options).await?.bytes)
}
