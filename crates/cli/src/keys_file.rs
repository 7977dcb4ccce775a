//! Puts a new text in the place of a file of settings, whole or not at all.

use std::{
    fs::{self, File},
    io::{self, Write as _},
    path::Path,
};

use crate::{
    access::read_keys_text,
    error::{Code, Error, Result},
    local_path::LocalPath,
};

/// Replaces the keys file at `path`, whose text was `old`, by `new`.
///
/// # Errors
/// `edit_conflict` if its text is no longer `old`, `invalid_request` if the system does not allow it.
pub(super) fn replace(path: &LocalPath, old: &str, new: &str) -> Result<()> {
    let failed = |error: io::Error| {
        invalid!(
            "the keys file {} cannot be replaced; run this as its owner, who must be able to write its folder",
            path.display()
        )
        .with_source(error)
    };
    replace_text(path, new, failed, || {
        if read_keys_text(path, path.display())? == old {
            return Ok(());
        }
        let message = "the keys file was changed by somebody else just now; run the command again";
        Err(Error::new(Code::EditConflict, message))
    })
}

/// Puts `text` at `path`, if `check` still allows it right before. A reader finds the old text or the new one. Owner and
/// permissions stay, so that the same accounts can read it.
///
/// # Errors
/// That of `check`; `failed` if the system does not allow it.
pub(super) fn replace_text(
    path: &Path,
    text: &str,
    failed: impl Fn(io::Error) -> Error,
    check: impl FnOnce() -> Result<()>,
) -> Result<()> {
    // A link stays: the file that it points to is replaced.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().unwrap_or(&path);
    fs::create_dir_all(folder).map_err(&failed)?;
    let mut file = tempfile::Builder::new().prefix(".skillmount-").tempfile_in(folder).map_err(&failed)?;
    file.write_all(text.as_bytes()).map_err(&failed)?;
    if path.exists() {
        keep_owner(&path, file.as_file()).map_err(&failed)?;
    }
    file.as_file().sync_all().map_err(&failed)?;
    check()?;
    file.persist(&path).map_err(|error| failed(error.error))?;
    sync_folder(folder).map_err(failed)
}

/// Gives `file` the owner and the permissions of the file at `path`.
fn keep_owner(path: &Path, file: &File) -> io::Result<()> {
    let metadata = fs::metadata(path)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt as _, fchown};

        fchown(file, Some(metadata.uid()), Some(metadata.gid()))?;
    }
    file.set_permissions(metadata.permissions())
}

/// Makes the new name last: a revoked key must not be back after a power cut.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_somebody_changed_meanwhile_stays_and_nothing_is_left_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys.toml");
        fs::write(&path, "theirs").unwrap();
        assert_eq!(replace(&path.clone().into(), "read before", "new").unwrap_err().code(), Code::EditConflict);
        assert_eq!(fs::read_to_string(&path).unwrap(), "theirs");
        replace(&path.clone().into(), "theirs", "new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn permissions_and_a_link_stay() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};

        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("keys.toml"), folder.path().join("link"));
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        symlink("keys.toml", &link).unwrap();
        replace(&link.clone().into(), "old", "new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    }
}
