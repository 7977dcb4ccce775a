//! What a file's modification time and size say about its version, and what an I/O error says to a caller.

use std::{fs, io, sync::Arc, time::SystemTime};

use jiff::Timestamp;

use crate::{
    path::ETag,
    store::{Metadata, ObjectMeta, StoreError},
};

/// Modification time and size of a file: together its identity.
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
    match error.kind() {
        io::ErrorKind::NotFound => StoreError::NotFound,
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => StoreError::Denied(Arc::new(error)),
        io::ErrorKind::InvalidFilename => StoreError::Unsupported("its disk refuses a name in the path".to_owned()),
        _ => StoreError::not_applied(error),
    }
}
