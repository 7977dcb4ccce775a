//! The plain files of a skill, and how they differ from its head.

use std::collections::BTreeMap;

use super::{
    heads::StoredHead,
    memory::{MemoryPermit, archive_bytes, owner_below},
    target::SkillTarget,
};
use crate::{
    error::{Code, Error, Result},
    limits::{SKILL_FILES, UPLOAD_FILE_BYTES},
    path::ETag,
    skill::{HeadState, Package, Packer, Provenance},
    store::{CachePolicy, GetOptions, ListEntry, StoreError, StoreExt as _},
};

/// The plain files: path and version of each. An object that no path can name is no file of the skill.
pub(crate) type PlainFiles = BTreeMap<String, ETag>;

/// A folder that is no version yet, packed as a version.
#[derive(Debug)]
pub(crate) struct UnversionedFolder {
    pub(crate) package: Package,
    /// Held as long as the package is.
    pub(crate) room: MemoryPermit,
}

/// Lists the folder.
///
/// # Errors
/// `file_too_large` if it has too many files; the store's.
pub(crate) async fn list_folder(target: &SkillTarget) -> Result<PlainFiles> {
    Ok(list_folder_sized(target).await?.0)
}

/// As [`list_folder`], with the most memory that packing the files takes.
pub(crate) async fn list_folder_sized(target: &SkillTarget) -> Result<(PlainFiles, u64)> {
    let (entries, has_more) = target.content.store().list_all(&target.folder, SKILL_FILES).await?;
    if has_more {
        let message = format!("{} holds more than {SKILL_FILES} files: move some of them elsewhere", target.skill);
        return Err(Error::new(Code::FileTooLarge, message));
    }
    let sizes = || entries.iter().map(|entry| entry.size);
    let largest = sizes().max().unwrap_or_default().min(UPLOAD_FILE_BYTES as u64);
    Ok((plain_files_among(target, &entries), archive_bytes(sizes().sum()) + largest))
}

/// The files among listed objects.
pub(crate) fn plain_files_among(target: &SkillTarget, entries: &[ListEntry]) -> PlainFiles {
    let file = |entry: &ListEntry| {
        target.folder.admit(&entry.key)?;
        Some((target.folder.relative(&entry.key)?.to_owned(), entry.etag.clone()))
    };
    entries.iter().filter_map(file).collect()
}

/// Packs the files as they are, each in the version that was listed, once there is room for `bytes`. `None` if a file has
/// changed.
///
/// # Errors
/// `file_too_large` if they are more than a version may be; the store's.
pub(crate) async fn archive_folder(
    target: &SkillTarget,
    folder: &PlainFiles,
    bytes: u64,
    from: &Provenance,
) -> Result<Option<UnversionedFolder>> {
    let rooms = &target.content.versions().rooms;
    let room = rooms.reserve_folder(&owner_below(target.space.root()), bytes).await?;
    Ok(pack_folder(target, folder, from).await?.map(|package| UnversionedFolder { package, room }))
}

/// The files of `folder`, packed; `None` if one of them has changed.
async fn pack_folder(target: &SkillTarget, folder: &PlainFiles, from: &Provenance) -> Result<Option<Package>> {
    let mut packer = Packer::default();
    for (path, etag) in folder {
        let options = GetOptions { keep: CachePolicy::Not, ..GetOptions::pinned(etag.clone()) };
        let key = target.folder.key(path)?;
        let bytes = match target.content.store().get(&key, options.with_range(0..UPLOAD_FILE_BYTES as u64 + 1)).await {
            Ok(object) => object.bytes,
            Err(StoreError::NotFound | StoreError::PreconditionFailed) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        packer.add(path, &bytes).map_err(|why| unkeepable(target, &why.message))?;
    }
    packer.finish(&target.skill, from).map(Some).map_err(|why| unkeepable(target, &why.message))
}

fn unkeepable(target: &SkillTarget, why: &str) -> Error {
    let message = format!(
        "what lies in the folder of {} cannot be kept as a version, so nothing was published over it: {why}",
        target.skill
    );
    Error::new(Code::FileTooLarge, message)
}

/// Whether a folder equals its head. A folder without head does if it is empty.
pub(crate) fn is_as_published(head: Option<&StoredHead>, folder: &PlainFiles) -> bool {
    match head {
        None => folder.is_empty(),
        Some(known) => {
            known.head.materialised && known.head.matches(folder.iter().map(|(path, etag)| (path.as_str(), etag)))
        }
    }
}

/// Whether a skill is published.
pub(crate) fn is_published(head: Option<&StoredHead>) -> bool {
    head.is_some_and(|known| known.head.state == HeadState::Published)
}
