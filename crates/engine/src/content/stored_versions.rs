//! The archives of versions: their listing, and the record in an archive.

use jiff::Timestamp;

use super::target::SkillTarget;
use crate::{
    error::{Code, Error, Result},
    limits::{LIST_OBJECTS, NUMBERED_VERSIONS},
    skill::{RECORD_TAIL_BYTES, VersionRecord, is_version_digest, record_in},
    store::{CachePolicy, GetOptions, ListEntry, StoreError, StoreExt as _},
};

/// The archive of a version.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StoredVersion {
    pub(crate) size: u64,
    pub(crate) modified_at: Timestamp,
}

/// A version in a listing.
pub(crate) struct VersionRow {
    pub(crate) digest: String,
    pub(crate) entry: ListEntry,
}

/// Every version, in the order of their digests.
pub(crate) async fn listed_versions(target: &SkillTarget) -> Result<Vec<VersionRow>> {
    let (listed, has_more) = list_archives(target, LIST_OBJECTS).await?;
    if has_more {
        let message = format!("{} has more than {LIST_OBJECTS} versions: delete old ones in the bucket", target.skill);
        return Err(Error::new(Code::FileTooLarge, message));
    }
    Ok(listed)
}

/// The digests of all archives; `None` if there are more than a head names, as many with a number as without.
pub(crate) async fn stored_digests(target: &SkillTarget) -> Result<Option<Vec<String>>> {
    let (listed, has_more) = list_archives(target, 2 * NUMBERED_VERSIONS).await?;
    Ok((!has_more).then(|| listed.into_iter().map(|one| one.digest).collect()))
}

/// The archives among the first `most` objects, in the order of their digests, and whether there are more objects.
async fn list_archives(target: &SkillTarget, most: usize) -> Result<(Vec<VersionRow>, bool)> {
    let prefix = target.space.versions(&target.skill)?;
    let (entries, has_more) = target.content.store().list_all(&prefix, most).await?;
    let version = |entry: ListEntry| {
        let digest = format!("sha256:{}", prefix.relative(&entry.key)?.strip_suffix(".zip")?);
        // Versions of a skill that lay below this one have longer names.
        is_version_digest(&digest).then_some(VersionRow { digest, entry })
    };
    Ok((entries.into_iter().filter_map(version).collect(), has_more))
}

/// The digest of every version with its archive, in the order in which they were stored.
pub(crate) async fn stored_versions(target: &SkillTarget) -> Result<Vec<(String, StoredVersion)>> {
    let mut listed = listed_versions(target).await?;
    listed.sort_by_key(|one| (one.entry.modified_at, one.digest.clone()));
    let stored = |one: VersionRow| {
        let ListEntry { size, modified_at, .. } = one.entry;
        (one.digest, StoredVersion { size, modified_at })
    };
    Ok(listed.into_iter().map(stored).collect())
}

/// The record at the end of the archive of a version, which has `size` bytes; `None` if there is none.
pub(crate) async fn read_record(target: &SkillTarget, digest: &str, size: u64) -> Result<Option<VersionRecord>> {
    let begin = size.saturating_sub(RECORD_TAIL_BYTES);
    let key = target.space.version(&target.skill, digest)?;
    let tail = GetOptions { keep: CachePolicy::Not, ..GetOptions::range(begin..size.max(1)) };
    match target.content.store().get(&key, tail).await {
        Ok(object) => Ok(record_in(&object.bytes).filter(|record| record.digest == digest)),
        Err(StoreError::NotFound | StoreError::RangeNotSatisfiable) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The size of the archive of a version; 0 if there is none.
pub(crate) async fn archive_size(target: &SkillTarget, digest: Option<&str>) -> Result<u64> {
    let Some(digest) = digest else { return Ok(0) };
    match target.content.store().head(&target.space.version(&target.skill, digest)?).await {
        Ok(meta) => Ok(meta.size),
        // Opening the archive reports this.
        Err(StoreError::NotFound) => Ok(0),
        Err(error) => Err(error.into()),
    }
}
