//! The version of a file, from its modification time and size, and the store errors of I/O errors.

use std::{fs, io, path::Path, time::SystemTime};

use jiff::Timestamp;

use crate::{
    path::ETag,
    store::{Cause, Metadata, ObjectMeta, StoreError},
};

/// Modification time and size of a file, which together are its identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Version {
    pub(super) modified_at: Timestamp,
    pub(super) size: u64,
}

impl Version {
    /// The version of the file that `found` describes.
    pub(super) fn of(found: &fs::Metadata) -> io::Result<Self> {
        let modified_at = Timestamp::try_from(found.modified()?).map_err(io::Error::other)?;
        Ok(Self { modified_at, size: found.len() })
    }

    pub(super) fn nanos(&self) -> i128 {
        self.modified_at.as_nanosecond()
    }

    pub(super) fn etag(&self) -> ETag {
        ETag::new(&format!("{:x}-{:x}", self.nanos(), self.size))
    }

    pub(super) fn meta(&self, metadata: Metadata) -> ObjectMeta {
        ObjectMeta { size: self.size, etag: self.etag(), modified_at: self.modified_at, metadata }
    }
}

/// The system's form of a time in nanoseconds since 1970.
pub(super) fn system_time(nanos: i128) -> io::Result<SystemTime> {
    Timestamp::from_nanosecond(nanos).map(SystemTime::from).map_err(io::Error::other)
}

/// An I/O error before anything was changed.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{Code, Error};

    // S-STORE-4: A full or read-only disk, a file that may not be read and a file that is too large are refused at once,
    // each with its own cause.
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
}
