//! System calls of the store for one file or folder.

use std::{
    fs::{self, File},
    io,
    path::Path,
};

/// Whether both describe the same file, and not a file and a later one in its place.
#[cfg(unix)]
pub(super) fn same_file(one: &fs::Metadata, other: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;

    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Other systems give no identity, and links need rights that few processes have.
#[cfg(not(unix))]
pub(super) fn same_file(_: &fs::Metadata, other: &fs::Metadata) -> bool {
    other.is_file()
}

/// Creates the folder `path` durably, unless it exists. Refuses a link in its place.
pub(super) fn make_folder(path: &Path) -> io::Result<()> {
    match fs::create_dir(path) {
        Ok(()) => path.parent().map_or(Ok(()), sync_folder),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            if fs::symlink_metadata(path)?.is_dir() {
                return Ok(());
            }
            Err(io::Error::new(io::ErrorKind::NotADirectory, format!("{} is not a folder", path.display())))
        }
        Err(error) => Err(error),
    }
}

/// Makes the names in a folder durable.
pub(super) fn sync_folder(path: &Path) -> io::Result<()> {
    // Only Unix can open a folder, and only Unix needs it.
    if cfg!(unix) { File::open(path)?.sync_all() } else { Ok(()) }
}

/// Removes the file `path` if it is there.
pub(super) fn remove_file(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
