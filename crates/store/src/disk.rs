//! The store errors of I/O errors, for stores on this machine's disk.

use std::{io, path::Path};

use super::{Cause, StoreError};

/// An I/O error of one object, before anything was changed. A missing file is a missing object.
pub(super) fn failed(error: io::Error) -> StoreError {
    let cause = match error.kind() {
        io::ErrorKind::NotFound => return StoreError::NotFound,
        io::ErrorKind::InvalidFilename => {
            return StoreError::Unsupported("its disk refuses a name in the path".to_owned());
        }
        io::ErrorKind::PermissionDenied => Cause::NotPermitted { path: None },
        io::ErrorKind::ReadOnlyFilesystem => Cause::ReadOnlyDisk,
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Cause::DiskFull,
        io::ErrorKind::FileTooLarge => Cause::FileTooLarge,
        _ => return StoreError::not_applied(error),
    };
    StoreError::denied(cause, error)
}

/// As [`failed`], for the file or folder `path`.
pub(super) fn failed_at(path: &Path) -> impl FnOnce(io::Error) -> StoreError {
    let path = path.display().to_string();
    move |error| match failed(error) {
        error if error.cause() == Some(&Cause::NotPermitted { path: None }) => {
            error.because(Cause::NotPermitted { path: Some(path) })
        }
        error => error,
    }
}

/// An I/O error of the store itself, before anything was changed. Use `unusable` when opening and writing: there, a
/// missing file is no missing object.
pub(super) fn unusable(error: io::Error) -> StoreError {
    gone_or(failed(error))
}

/// As [`unusable`], for an error that [`failed_at`] has made.
pub(super) fn gone_or(error: StoreError) -> StoreError {
    match error {
        StoreError::NotFound => {
            StoreError::not_applied("a part of the path of the store is not there").because(Cause::FolderGone)
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use skillmount_base::error::{Code, Error};

    // S-STORE-4: A full or read-only disk, a file without permission and a file that is too large fail at once, each
    // with its own cause.
    #[cfg(unix)]
    #[test]
    fn what_the_system_says_of_a_disk_is_a_cause_and_is_not_tried_again() {
        let permitted = Cause::NotPermitted { path: Some("/srv/a".to_owned()) };
        for (number, cause) in [
            (libc::ENOSPC, Cause::DiskFull),
            (libc::EDQUOT, Cause::DiskFull),
            (libc::EROFS, Cause::ReadOnlyDisk),
            (libc::EFBIG, Cause::FileTooLarge),
            (libc::EACCES, permitted.clone()),
            (libc::EPERM, permitted),
        ] {
            let error = failed_at(Path::new("/srv/a"))(io::Error::from_raw_os_error(number));
            assert_eq!(error.cause(), Some(&cause));
            assert!(!error.is_transient(), "{cause}");
            assert_eq!(Error::from(error).code(), Code::StoreUnavailable, "{cause}");
        }
        assert!(failed(io::Error::from_raw_os_error(libc::EIO)).is_transient());
    }

    #[test]
    fn a_missing_file_is_a_missing_object_but_not_when_the_store_is_opened() {
        let missing = || io::Error::from(io::ErrorKind::NotFound);
        assert!(matches!(failed(missing()), StoreError::NotFound));
        assert_eq!(unusable(missing()).cause(), Some(&Cause::FolderGone));
        assert_eq!(gone_or(failed_at(Path::new("/srv/a"))(missing())).cause(), Some(&Cause::FolderGone));
    }
}
