//! Archives in the format tar.gz, in which hosts offer skills: read once for the names and once for the files, so that no more
//! than one file is in memory unpacked.

use std::{
    borrow::Cow,
    cell::Cell,
    io::{self, Read},
};

use bytes::Bytes;
use flate2::read::MultiGzDecoder;
use tar::{Archive, Entry, EntryType};

use super::bounds::{ENTRIES, Member, RATIO_FROM, no_text, unreadable};
use skillmount_base::limits::{UPLOAD_FILE_BYTES, VERSION_RATIO, VERSION_UNPACKED_BYTES};

/// The most bytes of an entry beside its content: the header, a long name with its own header, and the padding of
/// blocks.
const ENTRY_BYTES: u64 = 4096;
/// The longest path that is read; every valid path of a skill is shorter.
const PATH_BYTES: usize = 2048;

/// Gzip, unpacked up to the limit of a skill.
struct BoundedGunzip<'archive> {
    inner: MultiGzDecoder<&'archive [u8]>,
    left: &'archive Cell<u64>,
}

impl Read for BoundedGunzip<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        let left = self.left.get().checked_sub(read as u64).ok_or_else(|| io::Error::other("it grows too much"))?;
        self.left.set(left);
        Ok(read)
    }
}

type Part<'run, 'archive> = Entry<'run, BoundedGunzip<'archive>>;

/// The files of a tar.gz and what stands in their place, in order.
///
/// # Errors
/// Why it is no archive of a skill, in words that follow "the archive".
pub(crate) fn members(archive: &[u8]) -> Result<Vec<Member>, String> {
    let mut members = Vec::new();
    each(archive, |member, _| {
        members.push(member);
        Ok(())
    })?;
    Ok(members)
}

/// Gives each file of a tar.gz with its bytes to `take`.
///
/// # Errors
/// As [`members`].
pub(crate) fn files(archive: &[u8], mut take: impl FnMut(&str, &Bytes)) -> Result<(), String> {
    each(archive, |member, part| {
        let Member::File(path) = member else { return Ok(()) };
        let mut bytes = Vec::new();
        part.take(UPLOAD_FILE_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(unreadable)?;
        take(&path, &bytes.into());
        Ok(())
    })
}

fn each(packed: &[u8], mut take: impl FnMut(Member, &mut Part<'_, '_>) -> Result<(), String>) -> Result<(), String> {
    let most = VERSION_UNPACKED_BYTES.min(RATIO_FROM.max((packed.len() as u64).saturating_mul(VERSION_RATIO)));
    let left = Cell::new(most + ENTRY_BYTES);
    let mut archive = Archive::new(BoundedGunzip { inner: MultiGzDecoder::new(packed), left: &left });
    let mut unpacked = 0u64;
    for (number, part) in archive.entries().map_err(unreadable)?.enumerate() {
        let mut part = part.map_err(unreadable)?;
        left.set(left.get() + ENTRY_BYTES);
        unpacked = unpacked.saturating_add(part.size());
        if number == ENTRIES {
            return Err(format!("has more than {ENTRIES} entries"));
        }
        if unpacked > most {
            return Err(format!(
                "grows to more than {} MiB, or than {VERSION_RATIO} times its size, when it is unpacked",
                VERSION_UNPACKED_BYTES >> 20
            ));
        }
        let path = path(&part)?;
        let member = match part.header().entry_type() {
            // A folder, and what programs write at the head of an archive.
            EntryType::Directory | EntryType::XGlobalHeader => continue,
            EntryType::Regular | EntryType::Continuous => Member::file(path),
            _ => Some(Member::Other(path)),
        };
        member.map_or(Ok(()), |member| take(member, &mut part))?;
    }
    Ok(())
}

/// The path of an entry. `tar` writes `./` before the paths of a folder that it packs from
/// inside.
fn path(part: &Part<'_, '_>) -> Result<String, String> {
    let bytes: Cow<'_, [u8]> = part.path_bytes();
    if bytes.len() > PATH_BYTES {
        return Err(format!("has a name of {} bytes", bytes.len()));
    }
    let path = str::from_utf8(&bytes).map_err(no_text)?;
    Ok(path.strip_prefix("./").unwrap_or(path).to_owned())
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::{Compression, write::GzEncoder};
    use jiff::Timestamp;
    use tar::{Builder, Header};

    use super::*;
    use crate::{CheckedSkill, Provenance, SkillUpload};
    use skillmount_base::path::SkillPath;

    const GOOD: &str = "---\nname: demo\ndescription: What it does.\n---\nBody\n";

    /// A part of an archive: type, raw path and bytes.
    type Written<'part> = (EntryType, &'part str, &'part [u8]);

    fn file<'part>(path: &'part str, bytes: &'part [u8]) -> Written<'part> {
        (EntryType::Regular, path, bytes)
    }

    fn tarred(parts: &[Written<'_>]) -> Bytes {
        let mut archive = Builder::new(GzEncoder::new(Vec::new(), Compression::best()));
        for (kind, path, bytes) in parts {
            let mut header = Header::new_gnu();
            // The library writes no path that it would not unpack, so this is done by hand.
            header.as_mut_bytes()[..path.len()].copy_from_slice(path.as_bytes());
            header.set_entry_type(*kind);
            header.set_size(bytes.len() as u64);
            header.set_mode(0o644);
            if matches!(kind, EntryType::Symlink | EntryType::Link) {
                header.as_mut_bytes()[157..168].copy_from_slice(b"/etc/passwd");
            }
            header.set_cksum();
            archive.append(&header, *bytes).unwrap();
        }
        archive.into_inner().unwrap().finish().unwrap().into()
    }

    fn taken(archive: &[u8]) -> Result<CheckedSkill, Vec<(String, String)>> {
        let mut upload = SkillUpload::default();
        upload.add_tarball(archive);
        let from = Provenance { at: Timestamp::UNIX_EPOCH, by: None, source: None };
        let taken = upload.finish(&SkillPath::parse("a/demo").unwrap(), &from);
        taken.map_err(|findings| findings.into_iter().map(|one| (one.code, one.message)).collect())
    }

    fn codes(parts: &[Written<'_>]) -> Vec<String> {
        let mut all = vec![file("SKILL.md", GOOD.as_bytes())];
        all.extend_from_slice(parts);
        taken(&tarred(&all)).unwrap_err().into_iter().map(|(code, _)| code).collect()
    }

    #[test]
    fn a_folder_is_taken_however_it_was_packed() {
        let plain = taken(&tarred(&[file("SKILL.md", GOOD.as_bytes()), file("r/a.md", b"a")])).unwrap();
        for (folder, around) in [("./", "."), ("demo/", "demo"), ("./demo/", "./demo")] {
            let (main, other) = (format!("{folder}SKILL.md"), format!("{folder}r/a.md"));
            let note = format!("{folder}.DS_Store");
            let parts = [
                (EntryType::XGlobalHeader, "pax_global_header", &b"12 comment=a\n"[..]),
                (EntryType::Directory, around, b""),
                file(&main, GOOD.as_bytes()),
                file(&note, b"x"),
                file(&other, b"a"),
            ];
            assert_eq!(taken(&tarred(&parts)).unwrap().package.version, plain.package.version, "{folder}");
        }
        let mut twice = GzEncoder::new(Vec::new(), Compression::fast());
        twice.write_all(b"").unwrap();
        let members = [twice.finish().unwrap(), tarred(&[file("SKILL.md", GOOD.as_bytes())]).to_vec()].concat();
        assert_eq!(taken(&members).unwrap().package.version.files().len(), 1, "gzip may have several members");
    }

    #[test]
    fn each_bad_archive_is_refused_for_its_fault() {
        use EntryType::{Block, Char, Fifo, GNUSparse, Link, Regular, Symlink};
        assert!(["not_a_file", "archive_invalid"].contains(&codes(&[(GNUSparse, "x", b"")])[0].as_str()));
        for name in ["../x", "/etc/x", "a/../../x", "a//b", "a\\b", "C:x", "././x"] {
            assert_eq!(codes(&[(Regular, name, b"x")]), ["path_invalid"], "{name}");
        }
        assert_eq!(codes(&[(Regular, "a.md", b"x"), (Regular, "A.md", b"y")]), ["path_twins"]);
        assert_eq!(codes(&[(Regular, "d/a.md", b"x"), (Regular, "D/b.md", b"y")]), ["path_twins"]);
        assert_eq!(codes(&[(Regular, "a", b"x"), (Regular, "a", b"y")]), ["path_twins"], "one name twice");
        assert_eq!(codes(&[(Regular, "a", b"x"), (Regular, "a/b", b"y")]), ["path_twins"], "a file is no folder");
        for kind in [Symlink, Link, Char, Block, Fifo] {
            assert_eq!(codes(&[(kind, "x", b"")]), ["not_a_file"], "{kind:?}");
        }
        assert_eq!(
            codes(&[(Symlink, "d", b""), (Regular, "d/x", b"y")]),
            ["not_a_file"],
            "nothing goes through a link"
        );
        assert_eq!(codes(&[(Regular, ".env", b"A=1")]), ["secret_file"]);
        assert_eq!(codes(&[(Regular, "caf\u{e9}", b"x"), (Regular, "cafe\u{301}", b"y")]), ["path_twins"]);
        let none = tarred(&[(Regular, "a/b.md", b"x")]);
        assert_eq!(taken(&none).unwrap_err()[0].0, "skill_file_missing");
        let whole = tarred(&[(Regular, "SKILL.md", GOOD.as_bytes()), (Regular, "a", &vec![7; 5000])]);
        for bad in [Bytes::from_static(b"no gzip"), Bytes::from_static(b"\x1f\x8bx"), whole.slice(..whole.len() / 2)] {
            assert_eq!(taken(&bad).unwrap_err()[0].0, "archive_invalid");
        }
    }

    #[test]
    fn an_archive_that_grows_is_left_before_it_has_grown() {
        let main = (EntryType::Regular, "SKILL.md", GOOD.as_bytes());
        let bomb = tarred(&[main, (EntryType::Regular, "zeros", &vec![0; 8 << 20])]);
        let (code, message) = taken(&bomb).unwrap_err().remove(0);
        assert!(code == "archive_invalid" && message.contains("grows"), "{message}");
        // An archive whose names grow. Names are no files: the library keeps a long name in memory.
        let long = tarred(&[(EntryType::GNULongName, "././@LongLink", &vec![b'a'; 8 << 20]), main]);
        assert_eq!(taken(&long).unwrap_err()[0].0, "archive_invalid");
        // An archive that announces a huge size, and an archive with too many entries.
        let mut lies = Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        let mut header = Header::new_gnu();
        header.set_size(u64::MAX / 2);
        header.set_entry_type(EntryType::Regular);
        header.set_cksum();
        lies.append(&header, &b"x"[..]).unwrap();
        let lies = lies.into_inner().unwrap().finish().unwrap();
        assert_eq!(taken(&lies).unwrap_err()[0].0, "archive_invalid");
        let names: Vec<String> = (0..=ENTRIES).map(|number| format!("f{number}")).collect();
        let folders: Vec<_> = names.iter().map(|name| (EntryType::Directory, name.as_str(), &b""[..])).collect();
        let (code, message) = taken(&tarred(&folders)).unwrap_err().remove(0);
        assert!(code == "archive_invalid" && message.contains("entries"), "{message}");
    }
}
