//! A file that can be asked for.

use super::archive::ArchivedFile;
use crate::{
    error::{Code, Error},
    path::{ETag, ObjectKey, VirtualPath},
    store::CachePolicy,
};

/// Which version of a file is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FileVersion {
    /// The one that the snapshot of a loaded skill names.
    Pinned(ETag),
    /// The one that a listing showed. Another may be there by now.
    Listed(ETag),
    /// The newest one.
    Newest,
}

impl FileVersion {
    /// Its tag, if it is known.
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

/// A file that can be asked for: its key, and which version of it is meant.
#[derive(Clone, Debug)]
pub(crate) struct FileRef {
    pub(crate) path: VirtualPath,
    pub(crate) key: ObjectKey,
    pub(crate) version: FileVersion,
    pub(crate) size: Option<u64>,
    /// Where its bytes are if the version that a snapshot names is gone.
    pub(crate) archived: Option<ArchivedFile>,
}

/// The error for everything that cannot be seen: what is absent, not loaded, or another user's.
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
