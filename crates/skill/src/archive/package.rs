//! A version as one zip archive: how it is packed.
//!
//! The archive holds the files of the skill by their paths below the skill's folder, so that any tool can unpack the
//! archive. The comment of the archive is the record of the version as JSON. A reader gets the record with the last
//! bytes of the object.

use std::io::{self, Cursor, Seek, SeekFrom, Write};

use bytes::Bytes;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use zip::{CompressionMethod, ZipWriter};

use super::write::entry;
use crate::{
    diagnostic::{Diagnostic, FindingCode},
    document::read_document,
    version::{Version, VersionFile},
};
use skillmount_base::{
    limits::{SKILL_DESCRIPTION_CHARS, SKILL_FILES, UPLOAD_FILE_BYTES, VERSION_UNPACKED_BYTES, VERSION_ZIP_BYTES},
    path::SkillPath,
};

/// The file that makes a folder a skill.
pub const MAIN: &str = "SKILL.md";

/// A version, packed.
#[derive(Clone, Debug)]
pub struct Package {
    /// Its files.
    pub version: Version,
    /// Its SKILL.md; empty if it has none.
    pub main: Bytes,
    /// The archive of them.
    pub zip: Bytes,
}

/// The record of a version in its archive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VersionRecord {
    /// The number of the format.
    pub format: u32,
    /// The skill.
    pub skill: SkillPath,
    /// The digest of the version.
    pub digest: String,
    /// The number of its files.
    pub files: usize,
    /// The bytes of them.
    pub size: u64,
    /// When it was first published.
    pub published_at: Timestamp,
    /// Who published it then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Where it comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The description in its SKILL.md, cut to [`SKILL_DESCRIPTION_CHARS`]; `None` if an earlier version of this
    /// program packed the archive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// When, by whom and from where a version is published.
#[derive(Clone, Debug)]
pub struct Provenance {
    /// When.
    pub at: Timestamp,
    /// By whom, as far as that is known.
    pub by: Option<String>,
    /// From where, in the words of who publishes.
    pub source: Option<String>,
}

/// Packs the files of a version one by one.
pub struct Packer {
    writer: ZipWriter<BoundedOutput>,
    files: Vec<VersionFile>,
    main: Bytes,
    unpacked: u64,
}

/// The bytes written of an archive, up to the limit of an archive. Further bytes are counted and not kept. The packer
/// reports the excess once the file is written, and never holds more memory than for an allowed archive.
#[derive(Default)]
struct BoundedOutput {
    kept: Cursor<Vec<u8>>,
    is_over: bool,
}

impl Write for BoundedOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let end = self.kept.position() + bytes.len() as u64;
        self.is_over |= end > VERSION_ZIP_BYTES as u64;
        if end > VERSION_ZIP_BYTES as u64 {
            self.kept.set_position(end);
            return Ok(bytes.len());
        }
        self.kept.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for BoundedOutput {
    fn seek(&mut self, place: SeekFrom) -> io::Result<u64> {
        self.kept.seek(place)
    }
}

impl std::fmt::Debug for Packer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Packer").field("files", &self.files.len()).finish_non_exhaustive()
    }
}

impl Default for Packer {
    fn default() -> Self {
        let writer = ZipWriter::new(BoundedOutput::default());
        Self { writer, files: Vec::new(), main: Bytes::new(), unpacked: 0 }
    }
}

impl Packer {
    /// Adds the file at `path`.
    ///
    /// # Errors
    /// A finding if the version becomes larger than one may be, or if the path is there already.
    pub fn add(&mut self, path: &str, bytes: &Bytes) -> Result<(), Diagnostic> {
        self.unpacked += bytes.len() as u64;
        if self.files.len() == SKILL_FILES {
            return Err(Diagnostic::new(FindingCode::TooManyFiles, format!("a skill has at most {SKILL_FILES} files")));
        }
        if bytes.len() > UPLOAD_FILE_BYTES {
            let message = format!("{path} is over {} MiB: keep it elsewhere", UPLOAD_FILE_BYTES >> 20);
            return Err(Diagnostic::new(FindingCode::VersionTooLarge, message));
        }
        if self.unpacked > VERSION_UNPACKED_BYTES {
            return Err(too_large_unpacked());
        }
        self.writer.start_file(path, entry(CompressionMethod::Deflated)).map_err(unpackable)?;
        self.writer.write_all(bytes).map_err(unpackable)?;
        if self.writer.get_ref().is_some_and(|written| written.is_over) {
            return Err(too_large_zipped());
        }
        self.files.push(VersionFile::from_bytes(path, bytes));
        if path == MAIN {
            self.main = bytes.clone();
        }
        Ok(())
    }

    /// The bytes of all files so far.
    pub(crate) fn unpacked(&self) -> u64 {
        self.unpacked
    }

    /// Whether the version is over a limit, so that no more files need to be added.
    pub(crate) fn is_over(&self) -> bool {
        self.unpacked > VERSION_UNPACKED_BYTES || self.writer.get_ref().is_some_and(|written| written.is_over)
    }

    /// Closes the archive with the record of the version.
    ///
    /// # Errors
    /// A finding if the archive is larger than one may be.
    pub fn finish(mut self, skill: &SkillPath, from: &Provenance) -> Result<Package, Diagnostic> {
        let version = Version::new(std::mem::take(&mut self.files));
        let record = VersionRecord {
            format: 1,
            skill: skill.clone(),
            digest: version.digest().to_owned(),
            files: version.files().len(),
            size: version.size(),
            published_at: from.at,
            by: from.by.clone(),
            source: from.source.clone(),
            description: described(&self.main, skill),
        };
        let record = serde_json::to_string(&record).map_err(unpackable)?;
        self.writer.set_comment(record).map_err(unpackable)?;
        let written = self.writer.finish().map_err(unpackable)?;
        if written.is_over {
            return Err(too_large_zipped());
        }
        Ok(Package { version, main: self.main, zip: written.kept.into_inner().into() })
    }
}

/// The description in a SKILL.md, as much of it as a record has room for.
#[must_use]
pub fn described(main: &[u8], skill: &SkillPath) -> Option<String> {
    let description = read_document(main, skill.folder()).0?.frontmatter.description;
    Some(description.chars().take(SKILL_DESCRIPTION_CHARS).collect())
}

/// The finding for a skill with too many bytes in all.
pub(crate) fn too_large_unpacked() -> Diagnostic {
    too_large(&format!("unpacked, and may have {} MiB", VERSION_UNPACKED_BYTES >> 20))
}

fn too_large_zipped() -> Diagnostic {
    too_large(&format!("zipped, and may have {} MiB", VERSION_ZIP_BYTES >> 20))
}

fn too_large(what: &str) -> Diagnostic {
    Diagnostic::new(FindingCode::VersionTooLarge, format!("the skill has too many bytes {what}: move files out of it"))
}

fn unpackable(cause: impl std::fmt::Display) -> Diagnostic {
    Diagnostic::new(FindingCode::ArchiveInvalid, format!("the skill cannot be packed: {cause}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    // S-LIMIT-1: Every limit stands in `crates/base/src/limits/`; the service takes n and refuses n + 1.
    // S-PUBLISH-14: A version has up to 10,000 files, 64 MiB zipped and 256 MiB unpacked, and a file has up to 64 MiB.
    #[test]
    fn a_version_is_packed_up_to_its_limits() {
        let mut packer = Packer::default();
        for number in 0..SKILL_FILES {
            packer.add(&format!("f{number}"), &Bytes::new()).unwrap();
        }
        assert_eq!(packer.add("more", &Bytes::new()).unwrap_err().code, "too_many_files");
        let mut packer = Packer::default();
        assert!(packer.add("a", &vec![0; UPLOAD_FILE_BYTES].into()).is_ok());
        assert_eq!(packer.add("b", &vec![0; UPLOAD_FILE_BYTES + 1].into()).unwrap_err().code, "version_too_large");
    }

    // S-LIMIT-1: Every limit stands in `crates/base/src/limits/`; the service takes n and refuses n + 1.
    #[test]
    fn an_archive_keeps_no_more_bytes_than_it_may_have() {
        let mut written = BoundedOutput::default();
        let piece = vec![1; 1 << 20];
        for _ in 0..VERSION_ZIP_BYTES >> 20 {
            written.write_all(&piece).unwrap();
        }
        assert!(!written.is_over);
        written.write_all(b"x").unwrap();
        assert!(written.is_over && written.kept.get_ref().len() == VERSION_ZIP_BYTES);
        // The position counts the byte that was not kept.
        assert_eq!(written.stream_position().unwrap(), VERSION_ZIP_BYTES as u64 + 1);
    }
}
