//! Reading: everything comes from one open file, so a rename in the meantime changes nothing.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Seek, SeekFrom},
    ops::Range,
    path::Path,
};

use bytes::Bytes;

use super::{
    disk::Disk,
    files::same_file,
    layout::{PathState, StoreLayout},
    side::metadata_of,
    version::FileStamp,
};
use crate::{
    GetOptions, Metadata, Object, ObjectMeta, StoreError, StoreResult,
    disk::{failed, failed_at},
    rules::{check_get, clip},
};
use skillmount_base::path::ObjectKey;

/// How often a read starts again because the file was replaced, before it gives up.
const ATTEMPTS: usize = 100;

pub(super) fn get(disk: &Disk, key: &ObjectKey, options: &GetOptions) -> StoreResult<Object> {
    for _ in 0..ATTEMPTS {
        let Some((mut file, version)) = open_object(&disk.layout, key)? else { continue };
        let Some((range, bytes)) = read_version(&mut file, version, options)? else { continue };
        if let Some(metadata) = metadata(disk, key, version)? {
            return Ok(Object { meta: version.meta(metadata), range, bytes });
        }
    }
    Err(StoreError::Busy)
}

pub(super) fn head(disk: &Disk, key: &ObjectKey) -> StoreResult<ObjectMeta> {
    for _ in 0..ATTEMPTS {
        let version = current_version(&disk.layout, key)?.ok_or(StoreError::NotFound)?;
        if let Some(metadata) = metadata(disk, key, version)? {
            return Ok(version.meta(metadata));
        }
    }
    Err(StoreError::Busy)
}

/// The metadata of `version`; `None` if that of later versions may have replaced it.
fn metadata(disk: &Disk, key: &ObjectKey, version: FileStamp) -> StoreResult<Option<Metadata>> {
    if let Some(metadata) = metadata_of(&disk.layout, key, &version.etag()).map_err(failed)? {
        return Ok(Some(metadata));
    }
    let still = current_version(&disk.layout, key)? == Some(version);
    Ok(still.then(Metadata::new))
}

/// The version at `key`, if there is an object.
pub(super) fn current_version(layout: &StoreLayout, key: &ObjectKey) -> StoreResult<Option<FileStamp>> {
    match layout.look(key.as_str())? {
        PathState::File(found) => FileStamp::from_metadata(&found).map(Some).map_err(failed),
        PathState::Folder | PathState::Nothing | PathState::BelowFile(_) | PathState::Blocked(_) => Ok(None),
    }
}

/// The object at `key`, open; `None` if it was replaced between looking and opening.
fn open_object(layout: &StoreLayout, key: &ObjectKey) -> StoreResult<Option<(File, FileStamp)>> {
    let PathState::File(seen) = layout.look(key.as_str())? else { return Err(StoreError::NotFound) };
    open_seen(&layout.path(key.as_str())?, &seen)
}

/// The file at `path`, open; `None` if it was replaced since it was `seen`.
pub(crate) fn open_seen(path: &Path, seen: &fs::Metadata) -> StoreResult<Option<(File, FileStamp)>> {
    let file = match open_plain(path) {
        // Deleted, pruned or replaced since: the next look decides.
        Err(error) if was_replaced(&error) => return Ok(None),
        file => file.map_err(failed_at(path))?,
    };
    let opened = file.metadata().map_err(failed)?;
    if !same_file(seen, &opened) {
        return Ok(None);
    }
    let version = FileStamp::from_metadata(&opened).map_err(failed)?;
    Ok(Some((file, version)))
}

/// The bytes of `version` that `options` want, from the open file. `None` if a tool that writes in place, without a
/// rename, changed the file during the read.
pub(crate) fn read_version(
    file: &mut File,
    version: FileStamp,
    options: &GetOptions,
) -> StoreResult<Option<(Range<u64>, Bytes)>> {
    check_get(options, &version.etag())?;
    let range = clip(options.range.clone(), version.size)?;
    let Some(bytes) = read(file, &range).map_err(failed)? else { return Ok(None) };
    let is_still = FileStamp::from_metadata(&file.metadata().map_err(failed)?).map_err(failed)? == version;
    Ok(is_still.then_some((range, bytes)))
}

/// Opens only a plain file at `path`: it does not wait for a FIFO and does not follow a link.
fn open_plain(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK | libc::O_NOFOLLOW);
    options.open(path)
}

/// Whether an error of [`open_plain`] means that the file was replaced by something else.
fn was_replaced(error: &io::Error) -> bool {
    #[cfg(unix)]
    if matches!(error.raw_os_error(), Some(libc::ELOOP | libc::ENXIO)) {
        return true;
    }
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// The bytes `range`; `None` if the file has become shorter.
fn read(file: &mut File, range: &Range<u64>) -> io::Result<Option<Bytes>> {
    let length = range.end - range.start;
    file.seek(SeekFrom::Start(range.start))?;
    let mut bytes = Vec::with_capacity(usize::try_from(length).map_err(io::Error::other)?);
    file.take(length).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 == length).then(|| Bytes::from(bytes)))
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink, process::Command, sync::mpsc, time::Duration};

    use super::*;

    #[test]
    fn a_fifo_that_took_the_place_of_a_file_is_not_waited_for_and_a_link_not_followed() {
        let folder = tempfile::TempDir::new().unwrap();
        let [fifo, link, file] = ["fifo", "link", "file"].map(|name| folder.path().join(name));
        assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
        fs::write(&file, "x").unwrap();
        symlink(&file, &link).unwrap();
        let (done, opened) = mpsc::channel();
        std::thread::spawn(move || done.send(open_plain(&fifo).map(|file| file.metadata().unwrap().is_file())));
        let opened = opened.recv_timeout(Duration::from_mins(1)).expect("opening came back");
        assert!(!opened.unwrap(), "it is seen for what it is");
        assert!(was_replaced(&open_plain(&link).unwrap_err()));
        assert!(open_plain(&file).is_ok());
    }
}
