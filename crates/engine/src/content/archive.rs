//! An archive: the files of a skill in one object, which are checked when they are unpacked.

use std::sync::Arc;

use bytes::Bytes;

use crate::{
    limits::{BUNDLE_LEAST_BYTES, BUNDLE_NAMES_BYTES, UPLOAD_FILE_BYTES, VERSION_CACHE_BYTES},
    path::{ETag, ObjectKey},
    skill::{Snapshot, Version, VersionArchive, VersionFile},
};

/// The prefix of tags that no plain object has. The digest of the content follows it.
const BY_CONTENT: &str = "sha256:";

/// The most bytes of small files that are kept after a read of another file in the archive.
pub(crate) const SMALL_FILES_BYTES: u64 = VERSION_CACHE_BYTES / 2;

/// The wanted file of an archive, if the archive has it, and the small files of the archive.
pub(crate) type ArchiveEntries = (Option<Bytes>, Vec<(String, Bytes)>);

/// The files of a skill in one object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Archive {
    pub(crate) key: ObjectKey,
    pub(crate) kind: ArchiveKind,
    /// The bytes of its files, unpacked.
    pub(crate) unpacked: u64,
}

/// The kind of an archive, which decides how its files are checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ArchiveKind {
    /// A version or a draft, whose name is the digest of its files. If a plain object has moved on, the archive may be the only
    /// copy of the file.
    Version,
    /// A copy of the plain files in this snapshot, whose tags are digests of the bytes. The copy saves requests. It never
    /// replaces a file that the plain files have lost.
    Bundle(Arc<Snapshot>),
}

/// A file in an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ArchivedFile {
    pub(crate) archive: Archive,
    pub(crate) path: String,
}

impl Archive {
    /// The most bytes that the archive may have if it is read in place of its files.
    pub(crate) fn most(&self) -> u64 {
        (self.unpacked + BUNDLE_NAMES_BYTES).max(BUNDLE_LEAST_BYTES)
    }

    /// The memory that the archive takes, with its files.
    pub(crate) fn room(&self) -> u64 {
        self.most() + self.unpacked
    }

    /// All files of the archive, read from `zip`; `None` if `zip` is damaged, or if a file differs from the expected one.
    pub(crate) fn files(&self, zip: Bytes) -> Option<Vec<(String, Bytes)>> {
        let files = VersionArchive::open(zip).ok()?.files_up_to(self.unpacked).ok()?;
        let is_sound = match &self.kind {
            ArchiveKind::Version => {
                let version =
                    Version::new(files.iter().map(|(path, bytes)| VersionFile::from_bytes(path, bytes)).collect());
                self.is_named(&version)
            }
            // A session can claim any snapshot, and all sessions share the unpacked files.
            ArchiveKind::Bundle(snapshot) => snapshot.is_sound() && snapshot.holds(&files),
        };
        is_sound.then_some(files)
    }

    /// The file at `path` of a version and its small files, read from `zip`; `None` if `zip` is damaged, or another version.
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
    /// The tag of a file that only an archive has.
    pub(crate) fn tag(sha256: &str) -> ETag {
        ETag::new(&format!("{BY_CONTENT}{sha256}"))
    }

    /// Whether the tag is never one of a plain object.
    pub(crate) fn is_only_archived(tag: &ETag) -> bool {
        Self::sha256_of(tag).is_some()
    }

    /// The SHA-256 of the file, if its tag has it.
    pub(crate) fn sha256_of(tag: &ETag) -> Option<&str> {
        tag.as_str().strip_prefix(BY_CONTENT)
    }
}
