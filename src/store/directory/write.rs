//! Changing: under the key's lock, with the condition checked there, made durable before it is acknowledged.

use std::{
    fs, io,
    io::Write,
    path::{Path, PathBuf},
};

use super::{
    Disk,
    layout::{Layout, Spot, gone_or, make_folder, remove_file, sync_folder},
    shard::Shard,
    version::{Version, failed, failed_at},
};
use crate::{
    path::{ETag, ObjectKey},
    store::{DeleteOptions, PutOptions, PutResult, StoreError, StoreResult, memory::check_put},
};

/// How often folders are made anew because a delete elsewhere took them for empty, before a put gives up.
const ATTEMPTS: usize = 100;

impl Disk {
    /// Needs the lock of `key`.
    pub(super) fn put(
        &self,
        shard: &mut Shard,
        key: &ObjectKey,
        bytes: &[u8],
        options: PutOptions,
    ) -> StoreResult<PutResult> {
        let path = self.layout.path(key.as_str())?;
        let spot = self.layout.look(key.as_str())?;
        let current = match &spot {
            Spot::File(found) => Some(Version::of(found).map_err(broken)?),
            Spot::Nothing | Spot::Folder => None,
            Spot::BelowFile(file) => return Err(StoreError::BelowFile(file.clone())),
            Spot::Blocked(why) => return Err(blocked(key, why)),
        };
        check_put(&options.condition, current.map(|version| version.etag()).as_ref())?;
        if matches!(spot, Spot::Folder) {
            clear_the_way(&path)?;
        }
        let written = self.write(shard, key, bytes, options, current);
        let placed = written.and_then(|(etag, temporary)| {
            self.layout.place(key, &temporary, &path)?;
            Ok(PutResult { etag })
        });
        if placed.is_err() {
            // Left behind it would only take room until the next put under this lock.
            shard.discard();
        }
        let put = placed?;
        // From here on the object can be seen.
        path.parent().map_or(Ok(()), sync_folder).map_err(StoreError::unknown)?;
        Ok(put)
    }

    /// Writes content and side file beside the object, durably; gives the version's tag and where it waits.
    fn write(
        &self,
        shard: &mut Shard,
        key: &ObjectKey,
        bytes: &[u8],
        options: PutOptions,
        replaced: Option<Version>,
    ) -> StoreResult<(ETag, PathBuf)> {
        let (mut file, temporary) = self.layout.in_own_folders(|| shard.content_file()).map_err(broken)?;
        let temporary = temporary.to_owned();
        file.write_all(bytes).map_err(broken)?;
        let now = self.clock.now().as_nanosecond();
        let etag = shard.stamp(&file, now, replaced).map_err(broken)?.etag();
        file.sync_all().map_err(broken)?;
        if !options.metadata.is_empty() {
            let replaced = replaced.map(|version| version.etag());
            self.layout.write_side(shard, key, etag.clone(), options.metadata, replaced.as_ref()).map_err(broken)?;
        }
        Ok((etag, temporary))
    }

    /// Needs the lock of `key`.
    pub(super) fn delete(&self, key: &ObjectKey, options: &DeleteOptions) -> StoreResult<()> {
        let path = self.layout.path(key.as_str())?;
        let Some(current) = self.layout.version(key)? else { return Ok(()) };
        if options.if_match.as_ref().is_some_and(|wanted| *wanted != current.etag()) {
            return Err(StoreError::PreconditionFailed);
        }
        remove_file(&path).map_err(failed_at(&path))?;
        sync_what_is_left(&path).map_err(StoreError::unknown)?;
        // The object is gone; a side file that stays names a version that never comes again.
        if let Err(error) = self.layout.remove_side(key) {
            tracing::warn!(%key, %error, "the side file of a deleted object could not be removed");
        }
        self.layout.prune(&path);
        Ok(())
    }
}

impl Layout {
    /// Moves a finished temporary file to its place, making folders as needed.
    fn place(&self, key: &ObjectKey, temporary: &Path, path: &Path) -> StoreResult<()> {
        for _ in 0..ATTEMPTS {
            let moved = self.make_parents(path).and_then(|()| fs::rename(temporary, path));
            let Err(error) = moved else { return Ok(()) };
            match error.kind() {
                // A delete elsewhere pruned a folder that was empty until now.
                io::ErrorKind::NotFound => {}
                io::ErrorKind::NotADirectory => return Err(self.below_no_folder(key)),
                io::ErrorKind::IsADirectory => clear_the_way(path)?,
                _ => return Err(failed_at(path)(error)),
            }
        }
        Err(StoreError::Busy)
    }

    /// Why nothing can be put below something that has become no folder.
    fn below_no_folder(&self, key: &ObjectKey) -> StoreError {
        match self.look(key.as_str()) {
            Ok(Spot::BelowFile(file)) => StoreError::BelowFile(file),
            Ok(_) => blocked(key, "below something that is not a folder"),
            Err(error) => error,
        }
    }

    fn make_parents(&self, path: &Path) -> io::Result<()> {
        let above: Vec<_> = path.ancestors().skip(1).take_while(|folder| *folder != self.root()).collect();
        above.into_iter().rev().try_for_each(make_folder)
    }

    /// Removes the folders above `path` that have become empty. A put that needs one makes it anew.
    fn prune(&self, path: &Path) {
        for folder in path.ancestors().skip(1).take_while(|folder| *folder != self.root()) {
            if fs::remove_dir(folder).is_err() {
                // Not empty, or in use: no folder above it is empty either.
                return;
            }
        }
    }
}

/// Makes the removal of `path` durable: in its folder, or where that was pruned meanwhile, in the nearest one above.
fn sync_what_is_left(path: &Path) -> io::Result<()> {
    for folder in path.ancestors().skip(1) {
        match sync_folder(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            synced => return synced,
        }
    }
    Ok(())
}

/// An I/O error of a change, before it could be seen. That a part of the way is missing is no answer to the caller.
pub(super) fn broken(error: io::Error) -> StoreError {
    gone_or(failed(error))
}

/// Removes the folder at `path` if it is empty: it holds no object, so only leftovers are lost.
fn clear_the_way(path: &Path) -> StoreResult<()> {
    match fs::remove_dir(path) {
        Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => Err(StoreError::IsFolder),
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(broken(error)),
        _ => Ok(()),
    }
}

fn blocked(key: &ObjectKey, why: &str) -> StoreError {
    StoreError::Unsupported(format!("{key:?} cannot be a file, because it is {why}; use another path"))
}
