//! The files of a skill in one object: where it is, what it is held against, and how it is taken apart.

use std::sync::Arc;

use bytes::Bytes;

use crate::{
    limits::{BUNDLE_LEAST_BYTES, BUNDLE_NAMES_BYTES, UPLOAD_FILE_BYTES, VERSION_CACHE_BYTES},
    path::{ETag, ObjectKey},
    skill::{Snapshot, Version, VersionArchive, VersionFile},
};

/// How the tag of a file begins that no plain object has: the digest of its content follows.
const BY_CONTENT: &str = "sha256:";

/// The small files of an archive that are kept beside one that was asked for.
pub(crate) const SMALL_FILES_BYTES: u64 = VERSION_CACHE_BYTES / 2;

/// The file of an archive that was asked for, if there is one, and its small files.
pub(crate) type ArchiveEntries = (Option<Bytes>, Vec<(String, Bytes)>);

/// The files of a skill in one object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Archive {
    pub(crate) key: ObjectKey,
    pub(crate) kind: ArchiveKind,
    /// The bytes of its files, unpacked.
    pub(crate) unpacked: u64,
}

/// What an archive is, and what its files are held against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ArchiveKind {
    /// A version or a draft, whose name is the digest of its files. It may be the only place of a file whose plain object has
    /// moved on.
    Version,
    /// The plain files of this snapshot, whose tags say their bytes. It stands in for them and never for what they no longer
    /// hold.
    Bundle(Arc<Snapshot>),
}

/// A file in an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ArchivedFile {
    pub(crate) archive: Archive,
    pub(crate) path: String,
}

impl Archive {
    /// The most bytes that it has itself, where it stands in for its files.
    pub(crate) fn most(&self) -> u64 {
        (self.unpacked + BUNDLE_NAMES_BYTES).max(BUNDLE_LEAST_BYTES)
    }

    /// The memory that it and its files take.
    pub(crate) fn room(&self) -> u64 {
        self.most() + self.unpacked
    }

    /// All its files, read from `zip`; `None` if that is damaged, or if one of them is another than it should be.
    pub(crate) fn files(&self, zip: Bytes) -> Option<Vec<(String, Bytes)>> {
        let files = VersionArchive::open(zip).ok()?.files_up_to(self.unpacked).ok()?;
        let is_sound = match &self.kind {
            ArchiveKind::Version => {
                let version =
                    Version::new(files.iter().map(|(path, bytes)| VersionFile::from_bytes(path, bytes)).collect());
                self.is_named(&version)
            }
            // A session may say anything of its snapshot, and what is unpacked here is for every session.
            ArchiveKind::Bundle(snapshot) => snapshot.is_sound() && snapshot.holds(&files),
        };
        is_sound.then_some(files)
    }

    /// The file at `path` of a version and its small files, read from `zip`; `None` if that is damaged, or another version.
    pub(crate) fn file_and_small_ones(&self, zip: Bytes, path: &str) -> Option<ArchiveEntries> {
        let mut zip = VersionArchive::open(zip).ok()?;
        if !self.is_named(&zip.version().ok()?) {
            return None;
        }
        let wanted = zip.read(path, UPLOAD_FILE_BYTES as u64).ok()?;
        Some((wanted, zip.small_files(SMALL_FILES_BYTES)))
    }

    fn is_named(&self, version: &Version) -> bool {
        let name = self.key.as_str().rsplit('/').next().and_then(|name| name.strip_suffix(".zip"));
        version.digest().strip_prefix("sha256:") == name
    }
}

impl ArchivedFile {
    /// The tag of a file that is read from the archive alone.
    pub(crate) fn tag(sha256: &str) -> ETag {
        ETag::new(&format!("{BY_CONTENT}{sha256}"))
    }

    /// Whether no plain object is meant by this tag.
    pub(crate) fn is_only_archived(tag: &ETag) -> bool {
        Self::sha256_of(tag).is_some()
    }

    /// The SHA-256 of the file, if its tag says it.
    pub(crate) fn sha256_of(tag: &ETag) -> Option<&str> {
        tag.as_str().strip_prefix(BY_CONTENT)
    }
}
