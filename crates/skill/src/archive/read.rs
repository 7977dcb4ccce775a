//! The archive of a version as it is read: opened, bounded and looked through.
//!
//! Others may have changed the objects in a bucket, so reading is bounded like the reading of an upload.

use std::{
    io::{Cursor, Read as _},
    ops::Range,
};

use bytes::Bytes;
use zip::ZipArchive;

use super::{
    bounds::{ENTRIES, Member, is_of_archiver, longer_than, no_text, unreadable},
    package::VersionRecord,
};
use crate::version::{Version, VersionFile};
use skillmount_base::limits::{VERSION_RECORD_BYTES, VERSION_UNPACKED_BYTES};

/// The end of an archive without its comment, and how it begins.
const END_BYTES: usize = 22;
const END: &[u8] = b"PK\x05\x06";
/// How the place of a larger end begins, of which an archive of this size has no need.
const END_64: &[u8] = b"PK\x06\x07";
/// The length of the record with the place of a larger end, just before the end.
const PLACE_64_BYTES: usize = 20;
/// Where an end is looked for, from the end of the file. A reader looks a little further than the longest comment, of 64 KiB, is
/// long, and for the place of a larger end before that.
const TAIL_BYTES: usize = 66 << 10;
/// A file that is small.
const SMALL_FILE_BYTES: u64 = 256 << 10;
/// The bits of a Unix mode that give the kind of a file, and those of a plain one and of a folder.
const KIND: u32 = 0o170_000;
const PLAIN: u32 = 0o100_000;
const FOLDER: u32 = 0o040_000;

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
        ZipArchive::new(Cursor::new(bytes)).map(Self).map_err(unreadable)
    }

    /// The file at `path`, of at most `most` bytes; `None` if there is none.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn read(&mut self, path: &str, most: u64) -> Result<Option<Bytes>, String> {
        let Some(index) = self.0.index_for_name(path) else { return Ok(None) };
        self.read_at(index, most).map(Some)
    }

    /// The places of its entries.
    pub(crate) fn entries(&self) -> Range<usize> {
        0..self.0.len()
    }

    /// Whether two entries have one name, so that readers differ on the content.
    pub(crate) fn is_ambiguous(&self) -> bool {
        self.0.has_duplicate_names()
    }

    /// The entry `index`; `None` for a folder, and for a file that an archiver added.
    pub(crate) fn member(&mut self, index: usize) -> Result<Option<Member>, String> {
        let entry = self.0.by_index_raw(index).map_err(unreadable)?;
        let name = entry.name().map_err(no_text)?.into_owned();
        let kind = entry.unix_mode().map_or(0, |mode| mode & KIND);
        if entry.encrypted() {
            return Err("is encrypted: send it without a password".to_owned());
        }
        if entry.is_symlink() || ![0, PLAIN, FOLDER].contains(&kind) {
            return Ok(Some(Member::Other(name)));
        }
        let is_folder = entry.is_dir() || kind == FOLDER || name.ends_with('/');
        Ok(if is_folder { None } else { Member::file(name) })
    }

    /// The bytes of the entry `index`, as many as it really has.
    fn read_at(&mut self, index: usize, most: u64) -> Result<Bytes, String> {
        self.read_up_to(index, most)?.ok_or_else(|| longer_than(most))
    }

    /// As [`read_at`](Self::read_at); `None` if it has more than `most`.
    pub(crate) fn read_up_to(&mut self, index: usize, most: u64) -> Result<Option<Bytes>, String> {
        let entry = self.0.by_index(index).map_err(unreadable)?;
        let mut bytes = Vec::new();
        let read = entry.take(most.saturating_add(1)).read_to_end(&mut bytes);
        read.map_err(|cause| format!("is damaged: {cause}"))?;
        Ok((bytes.len() as u64 <= most).then(|| bytes.into()))
    }

    /// The names of its files, without the files that archivers add.
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
        self.files_up_to(VERSION_UNPACKED_BYTES)
    }

    /// As [`files`](Self::files), if they have at most `most` bytes together.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn files_up_to(&mut self, most: u64) -> Result<Vec<(String, Bytes)>, String> {
        self.each(most, |name, bytes| (name, bytes))
    }

    /// Calls `make` for each file and returns the results, if all files have at most `most` bytes together.
    fn each<T>(&mut self, most: u64, make: impl Fn(String, Bytes) -> T) -> Result<Vec<T>, String> {
        let mut left = most;
        let mut files = Vec::new();
        for index in self.entries() {
            let name = self.name_at(index)?;
            let bytes = self.read_at(index, left)?;
            left -= bytes.len() as u64;
            files.push(make(name, bytes));
        }
        Ok(files)
    }

    fn name_at(&mut self, index: usize) -> Result<String, String> {
        let entry = self.0.by_index_raw(index).map_err(unreadable)?;
        entry.name().map(std::borrow::Cow::into_owned).map_err(no_text)
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

    /// The version in this archive, computed by reading all files.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn version(&mut self) -> Result<Version, String> {
        self.each(VERSION_UNPACKED_BYTES, |name, bytes| VersionFile::from_bytes(name, &bytes)).map(Version::new)
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
    use jiff::Timestamp;

    use super::*;
    use crate::{Package, Packer, Provenance};
    use skillmount_base::path::SkillPath;

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
