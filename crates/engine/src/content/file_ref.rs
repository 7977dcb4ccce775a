//! A reference to a file that can be read.

use super::archive::ArchivedFile;
use crate::{
    error::{Code, Error},
    path::{ETag, ObjectKey, VirtualPath},
    store::CachePolicy,
};

/// The version of a file that a reference names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FileVersion {
    /// The version in the snapshot of a loaded skill.
    Pinned(ETag),
    /// The version in a listing. Another may be there by now.
    Listed(ETag),
    /// The newest version.
    Newest,
}

impl FileVersion {
    /// The tag of the version, if it is known.
    pub(crate) fn etag(&self) -> Option<&ETag> {
        match self {
            Self::Pinned(etag) | Self::Listed(etag) => Some(etag),
            Self::Newest => None,
        }
    }

    /// How long its content is worth keeping: a snapshot names its version again, a listing names the newest.
    pub(crate) fn keep(&self) -> CachePolicy {
        match self {
            Self::Pinned(_) => CachePolicy::Pinned,
            Self::Listed(_) | Self::Newest => CachePolicy::Newest,
        }
    }
}

/// A file that can be read: its key, and the version to read.
#[derive(Clone, Debug)]
pub(crate) struct FileRef {
    pub(crate) path: VirtualPath,
    pub(crate) key: ObjectKey,
    pub(crate) version: FileVersion,
    pub(crate) size: Option<u64>,
    /// Where its bytes are if the version in the snapshot is gone.
    pub(crate) archived: Option<ArchivedFile>,
}

/// The error for a path that the caller cannot see: absent, not loaded, or of another user.
pub(crate) fn missing(path: &VirtualPath) -> Error {
    let mut parts = path.segments();
    let message = if parts.next() == Some("skills") {
        format!(
            "File not found: {path}. Files of a skill appear below /skills after load_skill; list a folder with ls to see what is there."
        )
    } else {
        format!(
            "File not found: {path}. List the folder with ls to see what is there; files live below /workspace and /ticket."
        )
    };
    Error::new(Code::FileNotFound, message)
}
