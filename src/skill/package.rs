//! A version as one zip archive: how it is packed, and how it is read again.
//!
//! The archive holds the files of the skill by their paths below its folder, so that any tool can unpack it. Its comment
//! is the record of the version as JSON, which a reader gets with the last bytes of the object. What lies in a bucket may
//! have been changed by others, so reading is bounded like that of an upload.

use std::io::{Cursor, Read as _, Write as _};

use bytes::Bytes;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use zip::{CompressionMethod, ZipArchive, ZipWriter, write::SimpleFileOptions};

use super::{
    Diagnostic, FindingCode,
    document::read_document,
    version::{Version, VersionFile},
};
use crate::{
    limits::{
        SKILL_DESCRIPTION_CHARS, SKILL_FILES, UPLOAD_FILE_BYTES, VERSION_RECORD_BYTES, VERSION_UNPACKED_BYTES,
        VERSION_ZIP_BYTES,
    },
    path::SkillPath,
};

/// The file that makes a folder a skill.
pub(crate) const MAIN: &str = "SKILL.md";
/// The end of an archive without its comment, and how it begins.
const END_BYTES: usize = 22;
const END: &[u8] = b"PK\x05\x06";
/// How the place of a larger end begins, of which an archive of this size has no need.
const END_64: &[u8] = b"PK\x06\x07";
/// How the place of a larger end is told: in these bytes before the end.
const PLACE_64_BYTES: usize = 20;
/// Where an end is looked for, from the end of the file. A reader looks a little further than the longest comment, of 64 KiB, is
/// long, and for the place of a larger end before that.
const TAIL_BYTES: usize = 66 << 10;
/// A file that is small.
const SMALL_FILE_BYTES: u64 = 256 << 10;
/// Entries of an archive: the files, and as many folders.
const ENTRIES: usize = 2 * SKILL_FILES;

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

/// What the archive of a version says of it.
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
    /// What its SKILL.md says of it, cut to [`SKILL_DESCRIPTION_CHARS`]; `None` if an earlier version of this program packed it.
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
    writer: ZipWriter<Cursor<Vec<u8>>>,
    files: Vec<VersionFile>,
    main: Bytes,
    unpacked: u64,
}

impl std::fmt::Debug for Packer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Packer").field("files", &self.files.len()).finish_non_exhaustive()
    }
}

impl Default for Packer {
    fn default() -> Self {
        let writer = ZipWriter::new(Cursor::new(Vec::new()));
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
            return Err(too_large(&format!("unpacked, and may have {} MiB", VERSION_UNPACKED_BYTES >> 20)));
        }
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
        self.writer.start_file(path, options).map_err(unpackable)?;
        self.writer.write_all(bytes).map_err(unpackable)?;
        self.files.push(VersionFile::of(path, bytes));
        if path == MAIN {
            self.main = bytes.clone();
        }
        Ok(())
    }

    /// The bytes of all files so far.
    #[must_use]
    pub fn unpacked(&self) -> u64 {
        self.unpacked
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
        let zip = Bytes::from(self.writer.finish().map_err(unpackable)?.into_inner());
        if zip.len() > VERSION_ZIP_BYTES {
            return Err(too_large(&format!("zipped, and may have {} MiB", VERSION_ZIP_BYTES >> 20)));
        }
        Ok(Package { version, main: self.main, zip })
    }
}

/// The description in a SKILL.md, as much of it as a record has room for.
pub(crate) fn described(main: &[u8], skill: &SkillPath) -> Option<String> {
    let description = read_document(main, skill.folder()).0?.frontmatter.description;
    Some(description.chars().take(SKILL_DESCRIPTION_CHARS).collect())
}

/// Whether an archiver put an entry of this name beside the files.
pub(super) fn is_of_archiver(name: &str) -> bool {
    name.split('/').any(|part| matches!(part, "__MACOSX" | ".DS_Store"))
}

fn too_large(what: &str) -> Diagnostic {
    Diagnostic::new(FindingCode::VersionTooLarge, format!("the skill has too many bytes {what}: move files out of it"))
}

fn unpackable(cause: impl std::fmt::Display) -> Diagnostic {
    Diagnostic::new(FindingCode::ArchiveInvalid, format!("the skill cannot be packed: {cause}"))
}

/// The archive of a version, open for reading.
#[derive(Debug)]
pub struct VersionArchive(ZipArchive<Cursor<Bytes>>);

impl VersionArchive {
    /// Opens an archive.
    ///
    /// # Errors
    /// Why it is none, in words that follow "the archive".
    pub fn open(bytes: Bytes) -> Result<Self, String> {
        check_entries(&bytes)?;
        ZipArchive::new(Cursor::new(bytes)).map(Self).map_err(|cause| format!("cannot be read: {cause}"))
    }

    /// The file at `path`, of at most `most` bytes; `None` if there is none.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn read(&mut self, path: &str, most: u64) -> Result<Option<Bytes>, String> {
        let Some(index) = self.0.index_for_name(path) else { return Ok(None) };
        self.read_at(index, most).map(Some)
    }

    /// The paths, as they are in the archive, and the places to read them from.
    pub(super) fn entries(&self) -> impl Iterator<Item = usize> + use<> {
        0..self.0.len()
    }

    pub(super) fn zip(&mut self) -> &mut ZipArchive<Cursor<Bytes>> {
        &mut self.0
    }

    /// The bytes of the entry `index`, as many as it really has.
    pub(super) fn read_at(&mut self, index: usize, most: u64) -> Result<Bytes, String> {
        let entry = self.0.by_index(index).map_err(|cause| format!("cannot be read: {cause}"))?;
        let mut bytes = Vec::new();
        let read = entry.take(most.saturating_add(1)).read_to_end(&mut bytes);
        read.map_err(|cause| format!("is damaged: {cause}"))?;
        if bytes.len() as u64 > most {
            return Err(format!("holds a file of over {most} bytes"));
        }
        Ok(bytes.into())
    }

    /// The names of its files, but for those that archivers add of their own.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn paths(&mut self) -> Result<Vec<String>, String> {
        let names = self.entries().map(|index| self.name_at(index)).collect::<Result<Vec<_>, _>>()?;
        Ok(names.into_iter().filter(|name| !name.ends_with('/') && !is_of_archiver(name)).collect())
    }

    /// All its files with their paths.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn files(&mut self) -> Result<Vec<(String, Bytes)>, String> {
        let mut left = VERSION_UNPACKED_BYTES;
        let mut files = Vec::new();
        for index in self.entries() {
            let name = self.name_at(index)?;
            let bytes = self.read_at(index, left)?;
            left -= bytes.len() as u64;
            files.push((name, bytes));
        }
        Ok(files)
    }

    fn name_at(&mut self, index: usize) -> Result<String, String> {
        let entry = self.0.by_index_raw(index).map_err(|cause| format!("cannot be read: {cause}"))?;
        entry.name().map(std::borrow::Cow::into_owned).map_err(|cause| format!("has a name that is no text: {cause}"))
    }

    /// Its small files with their paths, up to `most` bytes of them together.
    #[must_use]
    pub fn small_files(&mut self, most: u64) -> Vec<(String, Bytes)> {
        let mut left = most;
        let mut files = Vec::new();
        for index in self.entries() {
            if let Ok(name) = self.name_at(index)
                && let Ok(bytes) = self.read_at(index, left.min(SMALL_FILE_BYTES))
            {
                left -= bytes.len() as u64;
                files.push((name, bytes));
            }
        }
        files
    }

    /// The version that it holds, by reading all of it.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn version(&mut self) -> Result<Version, String> {
        let mut left = VERSION_UNPACKED_BYTES;
        let mut files = Vec::new();
        for index in self.entries() {
            let name = self.name_at(index)?;
            let bytes = self.read_at(index, left)?;
            left -= bytes.len() as u64;
            files.push(VersionFile::of(name, &bytes));
        }
        Ok(Version::new(files))
    }
}

/// Refuses an archive with too many entries before any of them is read: its end says how many there are.
fn check_entries(bytes: &[u8]) -> Result<(), String> {
    let tail = bytes.get(bytes.len().saturating_sub(TAIL_BYTES)..).unwrap_or_default();
    // A comment may hold what looks like an end, and readers differ on which of them counts: each has to be bounded. So do
    // they on which of its two numbers counts.
    for at in memchr::memmem::find_iter(tail, END) {
        let place = at.checked_sub(PLACE_64_BYTES).and_then(|place| tail.get(place..at));
        if place.is_some_and(|place| place.starts_with(END_64)) {
            return Err(format!("is in the form for more than {ENTRIES} entries"));
        }
        for number in [at + 8, at + 10] {
            let count = tail.get(number..number + 2).and_then(|two| two.try_into().ok()).map_or(0, u16::from_le_bytes);
            if usize::from(count) > ENTRIES {
                return Err(format!("has {count} entries and may have {ENTRIES}"));
            }
        }
    }
    Ok(())
}

/// The record in the last bytes of an archive; `None` if they hold none.
#[must_use]
pub fn record_in(tail: &[u8]) -> Option<VersionRecord> {
    let at = memchr::memmem::rfind_iter(tail, END).find(|at| {
        let length = tail.get(at + 20..at + 22).and_then(|two| two.try_into().ok()).map(u16::from_le_bytes);
        length.is_some_and(|length| at + END_BYTES + usize::from(length) == tail.len())
    })?;
    let comment = tail.get(at + END_BYTES..).filter(|comment| comment.len() <= VERSION_RECORD_BYTES)?;
    serde_json::from_slice(comment).ok()
}

/// How many bytes at the end of an archive hold its record.
pub const RECORD_TAIL_BYTES: u64 = (VERSION_RECORD_BYTES + END_BYTES) as u64;

#[cfg(test)]
mod tests {
    use super::*;

    fn from() -> Provenance {
        Provenance { at: Timestamp::UNIX_EPOCH, by: Some("key".into()), source: Some("git PK\x05\x06 main".into()) }
    }

    fn packed(files: &[(&str, &str)]) -> Package {
        let mut packer = Packer::default();
        for (path, text) in files {
            packer.add(path, &Bytes::copy_from_slice(text.as_bytes())).unwrap();
        }
        packer.finish(&SkillPath::parse("a/s").unwrap(), &from()).unwrap()
    }

    #[test]
    fn what_is_packed_is_read_again_with_its_record() {
        let package = packed(&[("SKILL.md", "main"), ("a/b.md", "more"), ("empty", "")]);
        assert_eq!(package.main, "main");
        let mut archive = VersionArchive::open(package.zip.clone()).unwrap();
        assert_eq!(archive.version().unwrap(), package.version);
        assert_eq!(archive.read("a/b.md", 4).unwrap().unwrap(), "more");
        assert_eq!(archive.read("none", 4).unwrap(), None);
        assert!(archive.read("a/b.md", 3).is_err(), "a file may be larger than its entry says");
        let tail = &package.zip[package.zip.len().saturating_sub(500)..];
        for bytes in [&package.zip[..], tail] {
            let record = record_in(bytes).unwrap();
            assert_eq!((record.digest.as_str(), record.files, record.size), (package.version.digest(), 3, 8));
            assert_eq!((record.by, record.source), (from().by, from().source));
        }
        assert_eq!(record_in(&tail[..tail.len() - 1]), None);
    }

    #[test]
    fn a_damaged_archive_is_an_error_and_never_other_bytes() {
        let package = packed(&[("SKILL.md", &"text ".repeat(100))]);
        for at in 0..package.zip.len() {
            let mut bytes = package.zip.to_vec();
            bytes[at] ^= 0x5a;
            if let Ok(mut archive) = VersionArchive::open(bytes.into())
                && let Ok(version) = archive.version()
            {
                let same = version == package.version;
                let renamed = version.files().iter().all(|file| file.path != "SKILL.md");
                assert!(same || renamed, "byte {at}");
            }
        }
        assert!(VersionArchive::open(package.zip.slice(1..20)).is_err());
    }

    // S-LIMIT-1: Every limit stands in `src/limits/`, is taken at n and refused at n + 1.
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

    #[test]
    fn an_archive_of_too_many_entries_is_refused_by_its_end_wherever_that_stands() {
        let end = |numbers: [u8; 4], after: usize| {
            let (begin, rest) = (b"PK\x05\x06\0\0\0\0".to_vec(), [0; 10]);
            let place = [b"PK\x06\x07".to_vec(), vec![0; 16]].concat();
            let small = [begin, numbers.to_vec(), rest.to_vec(), vec![b' '; after]].concat();
            (small.clone(), [place, small].concat())
        };
        for after in [0, 1, 0xffff, 0xffff + 16, 0xffff + 64] {
            for (numbers, count) in
                [([0xff, 0xff, 1, 0], "65535"), ([1, 0, 0xff, 0xff], "65535"), ([0x21, 0x4e, 1, 0], "20001")]
            {
                let (small, _) = end(numbers, after);
                assert!(check_entries(&small).unwrap_err().contains(count), "{numbers:?} {after}");
            }
            let (small, large) = end([0x20, 0x4e, 0x20, 0x4e], after);
            assert!(check_entries(&small).is_ok(), "20,000 entries are taken");
            assert!(check_entries(&large).unwrap_err().contains("more than 20000"), "{after}");
        }
        assert!(check_entries(b"PK\x06\x07").is_ok(), "an archive in this one may be of another form");
    }
}
