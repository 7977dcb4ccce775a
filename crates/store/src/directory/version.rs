//! The version of a file, from its modification time and size.

use std::{fs, io, time::SystemTime};

use jiff::Timestamp;

use crate::{ListEntry, Metadata, ObjectMeta};
use skillmount_base::path::ETag;

/// Modification time and size of a file, which together are its identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileStamp {
    pub(crate) modified_at: Timestamp,
    pub(crate) size: u64,
}

impl FileStamp {
    /// The version of the file that `found` describes.
    pub(crate) fn from_metadata(found: &fs::Metadata) -> io::Result<Self> {
        let modified_at = Timestamp::try_from(found.modified()?).map_err(io::Error::other)?;
        Ok(Self { modified_at, size: found.len() })
    }

    pub(super) fn nanos(&self) -> i128 {
        self.modified_at.as_nanosecond()
    }

    pub(crate) fn etag(&self) -> ETag {
        ETag::new(&format!("{:x}-{:x}", self.nanos(), self.size))
    }

    pub(crate) fn entry(&self, key: String) -> ListEntry {
        ListEntry { key, size: self.size, etag: self.etag(), modified_at: self.modified_at }
    }

    pub(crate) fn meta(&self, metadata: Metadata) -> ObjectMeta {
        ObjectMeta { size: self.size, etag: self.etag(), modified_at: self.modified_at, metadata }
    }
}

/// The system's form of a time in nanoseconds since 1970.
pub(super) fn system_time(nanos: i128) -> io::Result<SystemTime> {
    Timestamp::from_nanosecond(nanos).map(SystemTime::from).map_err(io::Error::other)
}
