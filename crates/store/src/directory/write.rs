//! Changing: under the key's lock, with the condition checked there, and durable before it is acknowledged.

use std::{
    fs, io,
    io::Write,
    path::{Path, PathBuf},
};

use super::{
    disk::Disk,
    files::{make_folder, remove_file, sync_folder},
    layout::{PathState, StoreLayout},
    read::current_version,
    shard::Shard,
    side::{remove_side, write_side},
    version::FileStamp,
};
use crate::{
    DeleteOptions, PutOptions, PutResult, StoreError, StoreResult,
    disk::{failed_at, unusable},
    rules::check_put,
};
use skillmount_base::path::{ETag, ObjectKey};

/// How often a put makes folders again that a concurrent delete removed as empty, before it gives up.
const ATTEMPTS: usize = 100;

/// The caller must hold the lock of `key`.
pub(super) fn put(
    disk: &Disk,
    shard: &mut Shard,
    key: &ObjectKey,
    bytes: &[u8],
    options: PutOptions,
) -> StoreResult<PutResult> {
    let path = disk.layout.path(key.as_str())?;
    let spot = disk.layout.look(key.as_str())?;
    let current = match &spot {
        PathState::File(found) => Some(FileStamp::from_metadata(found).map_err(unusable)?),
        PathState::Nothing | PathState::Folder => None,
        PathState::BelowFile(file) => return Err(StoreError::BelowFile(file.clone())),
        PathState::Blocked(why) => return Err(blocked(key, why)),
    };
    check_put(&options.condition, current.map(|version| version.etag()).as_ref())?;
    if matches!(spot, PathState::Folder) {
        clear_the_way(&path)?;
    }
    let written = write(disk, shard, key, bytes, options, current);
    let placed = written.and_then(|(etag, temporary)| {
        place(&disk.layout, key, &temporary, &path)?;
        Ok(PutResult { etag })
    });
    if placed.is_err() {
        // A leftover would only take room until the next put under this lock.
        shard.discard();
    }
    let put = placed?;
    // From here on readers see the object.
    path.parent().map_or(Ok(()), sync_folder).map_err(StoreError::unknown)?;
    Ok(put)
}

/// Writes content and side file beside the object, durably. Returns the version's tag and the temporary file.
fn write(
    disk: &Disk,
    shard: &mut Shard,
    key: &ObjectKey,
    bytes: &[u8],
    options: PutOptions,
    replaced: Option<FileStamp>,
) -> StoreResult<(ETag, PathBuf)> {
    let (mut file, temporary) = disk.layout.in_own_folders(|| shard.content_file()).map_err(unusable)?;
    let temporary = temporary.to_owned();
    file.write_all(bytes).map_err(unusable)?;
    let now = disk.clock.now().as_nanosecond();
    let etag = shard.stamp(&file, now, replaced).map_err(unusable)?.etag();
    file.sync_all().map_err(unusable)?;
    if !options.metadata.is_empty() {
        let replaced = replaced.map(|version| version.etag());
        write_side(&disk.layout, shard, key, etag.clone(), options.metadata, replaced.as_ref()).map_err(unusable)?;
    }
    Ok((etag, temporary))
}

/// The caller must hold the lock of `key`.
pub(super) fn delete(disk: &Disk, key: &ObjectKey, options: &DeleteOptions) -> StoreResult<()> {
    let path = disk.layout.path(key.as_str())?;
    let Some(current) = current_version(&disk.layout, key)? else { return Ok(()) };
    if options.if_match.as_ref().is_some_and(|wanted| *wanted != current.etag()) {
        return Err(StoreError::PreconditionFailed);
    }
    remove_file(&path).map_err(failed_at(&path))?;
    sync_what_is_left(&path).map_err(StoreError::unknown)?;
    // The object is gone. A leftover side file names a version that never returns.
    if let Err(error) = remove_side(&disk.layout, key) {
        tracing::warn!(%key, %error, "the side file of a deleted object could not be removed");
    }
    prune(&disk.layout, &path);
    Ok(())
}

/// Moves a finished temporary file to its place, making folders as needed.
fn place(layout: &StoreLayout, key: &ObjectKey, temporary: &Path, path: &Path) -> StoreResult<()> {
    for _ in 0..ATTEMPTS {
        let moved = make_parents(layout, path).and_then(|()| fs::rename(temporary, path));
        let Err(error) = moved else { return Ok(()) };
        match error.kind() {
            // A concurrent delete removed an empty folder.
            io::ErrorKind::NotFound => {}
            io::ErrorKind::NotADirectory => return Err(below_no_folder(layout, key)),
            io::ErrorKind::IsADirectory => clear_the_way(path)?,
            _ => return Err(failed_at(path)(error)),
        }
    }
    Err(StoreError::Busy)
}

/// The reason why nothing can be put below a path that is no longer a folder.
fn below_no_folder(layout: &StoreLayout, key: &ObjectKey) -> StoreError {
    match layout.look(key.as_str()) {
        Ok(PathState::BelowFile(file)) => StoreError::BelowFile(file),
        Ok(_) => blocked(key, "below something that is not a folder"),
        Err(error) => error,
    }
}

fn make_parents(layout: &StoreLayout, path: &Path) -> io::Result<()> {
    let above: Vec<_> = path.ancestors().skip(1).take_while(|folder| *folder != layout.root()).collect();
    above.into_iter().rev().try_for_each(make_folder)
}

/// Removes the folders above `path` that are now empty. A later put creates them again if needed.
fn prune(layout: &StoreLayout, path: &Path) {
    for folder in path.ancestors().skip(1).take_while(|folder| *folder != layout.root()) {
        if fs::remove_dir(folder).is_err() {
            // Not empty, or in use. So no folder above it is empty either.
            return;
        }
    }
}

/// Makes the removal of `path` durable: syncs its folder, or the nearest folder above that still exists.
fn sync_what_is_left(path: &Path) -> io::Result<()> {
    for folder in path.ancestors().skip(1) {
        match sync_folder(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            synced => return synced,
        }
    }
    Ok(())
}

/// Removes the folder at `path` if it is empty. It contains no object, so only leftovers are lost.
fn clear_the_way(path: &Path) -> StoreResult<()> {
    match fs::remove_dir(path) {
        Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => Err(StoreError::IsFolder),
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(unusable(error)),
        _ => Ok(()),
    }
}

fn blocked(key: &ObjectKey, why: &str) -> StoreError {
    StoreError::Unsupported(format!("{key:?} cannot be a file, because it is {why}; use another path"))
}
