//! The files of a skill on their way in: checked one by one, and refused together.
//!
//! A name that is fine here may be harmful where the skill is unpacked, so every system must accept the names. They
//! cannot lead out of the folder, and links are refused. So are two names that a disk without letter case confuses.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    convert::Infallible,
};

use bytes::Bytes;

use super::{
    Diagnostic, FindingCode, Package, Packer, Provenance, Quality, Severity, VersionArchive,
    archive::{MAIN, Member, grows_too_much, longer_than, tar, too_large_unpacked},
    content_findings, folded, hidden_in_file, lint, name_finding, quality,
    root::{common_root, is_of_another_system},
};
use skillmount_base::{
    limits::{SKILL_FINDINGS, UPLOAD_FILE_BYTES, VERSION_RATIO, VERSION_UNPACKED_BYTES},
    path::{KeyPrefix, SkillPath, is_of_tools},
    text::is_text,
};

/// Files of one skill that are being taken in.
#[derive(Debug, Default)]
pub struct SkillUpload {
    packer: Packer,
    /// Each path and each folder above a path, in the form of a disk without letter case. The value is the original
    /// spelling, and whether it is a file.
    names: BTreeMap<String, (String, bool)>,
    paths: Vec<String>,
    findings: Vec<Diagnostic>,
    /// Hidden characters of files other than SKILL.md, one finding for each of the first of them.
    hidden: Vec<Diagnostic>,
}

/// A skill that passed the checks, with warnings for its author.
#[derive(Clone, Debug)]
pub struct CheckedSkill {
    /// The skill.
    pub package: Package,
    /// Warnings.
    pub findings: Vec<Diagnostic>,
    /// How well it serves agents.
    pub quality: Quality,
}

impl SkillUpload {
    /// The findings about the paths of a skill's files: twins, and names that no file of a skill may have. The first of
    /// many findings.
    pub fn path_findings<'path>(paths: impl IntoIterator<Item = &'path str>) -> Vec<Diagnostic> {
        let mut upload = Self::default();
        paths.into_iter().filter_map(|path| upload.check_path(path)).take(SKILL_FINDINGS).collect()
    }

    /// Takes one file. Secrets and hidden characters are looked for in text.
    pub fn add(&mut self, path: &str, bytes: &Bytes) {
        if self.findings.len() > SKILL_FINDINGS || self.packer.is_over() {
            return;
        }
        let is_text = is_text(bytes);
        let refused = self
            .check_path(path)
            .or_else(|| name_finding(path))
            .or_else(|| if is_text { forbidden_in(path, bytes) } else { None });
        if is_text && path != MAIN && self.hidden.len() < SKILL_FINDINGS {
            self.hidden.extend(hidden_in_file(bytes).map(|found| found.in_file(path)));
        }
        match refused.map_or_else(|| self.packer.add(path, bytes), Err) {
            Ok(()) => self.paths.push(path.to_owned()),
            Err(finding) => self.findings.push(finding),
        }
    }

    /// Takes several files. If they all lie in one folder with a SKILL.md, that folder is the skill's.
    pub fn add_files(&mut self, files: &[(String, Bytes)]) {
        let paths: Vec<_> = files.iter().map(|(path, _)| path.as_str()).collect();
        let bytes = |index: usize| Ok(files.get(index).map(|(_, bytes)| bytes.clone()).unwrap_or_default());
        let Ok(()): Result<(), Infallible> = self.add_each(&paths, bytes);
    }

    /// As [`add_files`](Self::add_files), for files that `read` returns in turn. `read` gets the index of the file in
    /// `paths`.
    ///
    /// # Errors
    /// Those of `read`.
    pub fn add_each<E>(&mut self, paths: &[&str], mut read: impl FnMut(usize) -> Result<Bytes, E>) -> Result<(), E> {
        let root = common_root(paths.iter().copied());
        for (index, path) in paths.iter().enumerate() {
            if self.packer.is_over() {
                break;
            }
            self.add(path.get(root..).unwrap_or_default(), &read(index)?);
        }
        Ok(())
    }

    /// Takes all files of an archive. If they all lie in one folder with a SKILL.md, that folder is the skill's.
    pub fn add_archive(&mut self, bytes: Bytes) {
        let unpacked = self.unpack(bytes);
        self.record_damage(unpacked);
    }

    /// As [`add_archive`](Self::add_archive), of an archive in the format tar.gz.
    pub fn add_tarball(&mut self, bytes: &[u8]) {
        let unpacked = self.untar(bytes);
        self.record_damage(unpacked);
    }

    fn record_damage(&mut self, unpacked: Result<(), String>) {
        let damage =
            unpacked.err().map(|why| Diagnostic::new(FindingCode::ArchiveInvalid, format!("the archive {why}")));
        self.findings.extend(damage);
    }

    fn untar(&mut self, archive: &[u8]) -> Result<(), String> {
        let mut names = Vec::new();
        for member in tar::members(archive)? {
            match member {
                Member::File(name) => names.push(name),
                Member::Other(name) => self.findings.push(not_a_file(&name)),
            }
        }
        let root = common_root(names.iter().map(String::as_str));
        tar::files(archive, |name, bytes| self.add(name.get(root..).unwrap_or_default(), bytes))
    }

    fn unpack(&mut self, bytes: Bytes) -> Result<(), String> {
        let packed = bytes.len() as u64;
        let mut archive = VersionArchive::open(bytes)?;
        if archive.is_ambiguous() {
            return Err("has one name twice: pack each file once".to_owned());
        }
        let mut files = Vec::new();
        for index in archive.entries() {
            match archive.member(index)? {
                Some(Member::File(name)) => files.push((index, name)),
                Some(Member::Other(name)) => self.findings.push(not_a_file(&name)),
                None => {}
            }
        }
        let root = common_root(files.iter().map(|(_, name)| name.as_str()));
        for (index, name) in files {
            let left = VERSION_UNPACKED_BYTES.saturating_sub(self.packer.unpacked());
            let most = left.min(UPLOAD_FILE_BYTES as u64);
            let Some(bytes) = archive.read_up_to(index, most)? else {
                if most == UPLOAD_FILE_BYTES as u64 {
                    return Err(longer_than(most));
                }
                self.findings.push(too_large_unpacked());
                return Ok(());
            };
            if grows_too_much(packed, self.packer.unpacked() + bytes.len() as u64) {
                return Err(format!("grows to more than {VERSION_RATIO} times its size when it is unpacked"));
            }
            self.add(name.get(root..).unwrap_or_default(), &bytes);
        }
        Ok(())
    }

    /// Why no file may be called `path` here.
    fn check_path(&mut self, path: &str) -> Option<Diagnostic> {
        let bad = KeyPrefix::all().key(path).err().map(|error| error.message().to_owned());
        let bad = bad.or_else(|| is_of_another_system(path).then(|| format!("{path:?} is a path of another system")));
        if let Some(why) = bad {
            return Some(Diagnostic::new(
                FindingCode::PathInvalid,
                format!("{why}: give a path below the skill's folder"),
            ));
        }
        if is_of_tools(path) {
            let message =
                format!("{path} belongs to a tool, which would act on it where the skill is pulled: leave it out");
            return Some(Diagnostic::new(FindingCode::PathInvalid, message));
        }
        let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        for end in ends {
            let (name, is_file) = (path.get(..end).unwrap_or_default(), end == path.len());
            match self.names.entry(folded(name)) {
                Entry::Vacant(free) => drop(free.insert((name.to_owned(), is_file))),
                Entry::Occupied(taken) if !is_file && *taken.get() == (name.to_owned(), false) => {}
                Entry::Occupied(taken) => {
                    let (other, was_file) = taken.get();
                    let message = match (other == name, is_file == *was_file) {
                        (true, true) => format!("{name} comes twice: send each file once"),
                        (true, false) => format!("{name} is a file and a folder at once: rename one"),
                        _ => format!("{name} and {other} are one name on many disks: rename one"),
                    };
                    return Some(Diagnostic::new(FindingCode::PathTwins, message));
                }
            }
        }
        None
    }

    /// Checks the whole and packs it.
    ///
    /// # Errors
    /// All findings, if one of them is an error.
    pub fn finish(mut self, skill: &SkillPath, from: &Provenance) -> Result<CheckedSkill, Vec<Diagnostic>> {
        if self.findings.is_empty() {
            if self.paths.iter().any(|path| path == MAIN) {
                let package = match self.packer.finish(skill, from) {
                    Ok(package) => package,
                    Err(finding) => return Err(vec![finding]),
                };
                let paths: Vec<&str> = self.paths.iter().map(String::as_str).collect();
                let mut findings = lint(&package.main, skill.folder(), Some(&paths));
                findings.append(&mut self.hidden);
                let is_refused = findings.iter().any(|finding| finding.severity == Severity::Error);
                if is_refused {
                    return Err(findings);
                }
                let size = package.version.size();
                let quality = quality(&package.main, skill.folder(), &paths, size, &findings);
                return Ok(CheckedSkill { package, findings, quality });
            }
            let message = format!("there is no {MAIN} at the top: a skill is a folder with one");
            self.findings.push(Diagnostic::new(FindingCode::SkillFileMissing, message));
        }
        Err(self.findings)
    }
}

fn not_a_file(name: &str) -> Diagnostic {
    let message = format!("{name} is a link or a device: put the file itself there");
    Diagnostic::new(FindingCode::NotAFile, message)
}

/// The first thing in a file that no skill may hold, named with the file.
fn forbidden_in(path: &str, bytes: &[u8]) -> Option<Diagnostic> {
    let found = content_findings(bytes).into_iter().next()?;
    Some(found.in_file(path))
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write as _};

    use jiff::Timestamp;
    use zip::{ZipWriter, write::SimpleFileOptions};

    use super::*;

    const GOOD: &str = "---\nname: demo\ndescription: What it does.\n---\nBody\n";

    fn zipped(files: &[(&str, &[u8])], link: Option<&str>) -> Bytes {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        for (path, bytes) in files {
            zip.start_file(*path, SimpleFileOptions::default()).unwrap();
            zip.write_all(bytes).unwrap();
        }
        if let Some(name) = link {
            zip.add_symlink(name, "/etc/passwd", SimpleFileOptions::default()).unwrap();
        }
        zip.finish().unwrap().into_inner().into()
    }

    fn taken(zip: Bytes) -> Result<CheckedSkill, Vec<String>> {
        let mut upload = SkillUpload::default();
        upload.add_archive(zip);
        let from = Provenance { at: Timestamp::UNIX_EPOCH, by: None, source: None };
        let taken = upload.finish(&SkillPath::parse("a/demo").unwrap(), &from);
        taken.map_err(|findings| findings.into_iter().map(|one| one.code).collect())
    }

    fn refused(files: &[(&str, &[u8])]) -> Vec<String> {
        let mut all = vec![("SKILL.md", GOOD.as_bytes())];
        all.extend_from_slice(files);
        taken(zipped(&all, None)).map(|_| ()).unwrap_err()
    }

    // S-PUBLISH-15: The paths of a version lead nowhere outside it and belong to no tool (`.git`, `node_modules`,
    // `.DS_Store`, `.skillmount.json`), and the service follows no link.
    #[test]
    fn each_bad_archive_is_refused_for_its_fault() {
        let of_tools = [".git/config", "a/.GIT/x", "node_modules/x/a.js", ".skillmount.json"];
        for name in ["../x", "/etc/x", "a/../../x", "a//b", "a\\b", "C:x", "./x"].into_iter().chain(of_tools) {
            assert_eq!(refused(&[(name, b"x")]), ["path_invalid"], "{name}");
        }
        for root in ["..", "", ".", "C:", ".git", "node_modules", "\u{1}", "a\\b"] {
            let files =
                [("SKILL.md", GOOD.as_bytes()), ("x.txt", b"x")].map(|(name, text)| (format!("{root}/{name}"), text));
            let files: Vec<_> = files.iter().map(|(name, text)| (name.as_str(), *text)).collect();
            let codes = taken(zipped(&files, None)).map(|_| ()).unwrap_err();
            assert_eq!(codes.first().map(String::as_str), Some("path_invalid"), "all below {root:?}: {codes:?}");
        }
        assert_eq!(refused(&[("a.md", b"x"), ("A.md", b"y")]), ["path_twins"]);
        assert_eq!(refused(&[("d/a.md", b"x"), ("D/b.md", b"y")]), ["path_twins"]);
        for (one, other) in [("caf\u{e9}", "cafe\u{301}"), ("λόγος", "λόγοσ"), ("ſaft", "saft"), ("\u{b5}", "\u{3bc}")]
        {
            assert_eq!(refused(&[(one, b"x"), (other, b"y")]), ["path_twins"], "{one} {other}");
        }
        assert_eq!(refused(&[("a", b"x"), ("a/b", b"y")]), ["path_twins"], "a file is no folder");
        assert_eq!(refused(&[(".env", b"A=1")]), ["secret_file"]);
        assert_eq!(refused(&[("bin.theirs", b"x")]), ["merge_marks"]);
        assert_eq!(refused(&[("zeros", &vec![0; 8 << 20])]), ["archive_invalid"], "a bomb");
        // The packer writes no name twice, so one is made another's.
        let twice = zipped(&[("SKILL.md", GOOD.as_bytes()), ("a1.md", b"x"), ("a2.md", b"y")], None).to_vec();
        let at: Vec<_> = memchr::memmem::find_iter(&twice, b"a2.md").collect();
        let twice = at.iter().fold(twice, |mut bytes, at| {
            bytes[at + 1] = b'1';
            bytes
        });
        assert_eq!((at.len(), taken(twice.into()).unwrap_err()), (2, vec!["archive_invalid".to_owned()]));
        assert_eq!(taken(zipped(&[("SKILL.md", GOOD.as_bytes())], Some("x"))).unwrap_err(), ["not_a_file"]);
        assert_eq!(taken(zipped(&[("a/b.md", b"x")], None)).unwrap_err(), ["skill_file_missing"]);
        assert_eq!(taken(zipped(&[("SKILL.md", b"no frontmatter")], None)).unwrap_err()[0], "frontmatter_missing");
        assert_eq!(taken(Bytes::from_static(b"no zip")).unwrap_err(), ["archive_invalid"]);
    }

    // S-LIMIT-1: Every limit stands in `crates/base/src/limits/`; the service takes n and refuses n + 1.
    #[test]
    fn files_are_taken_up_to_all_bytes_that_a_version_has_and_no_more_is_read_then() {
        let mut upload = SkillUpload::default();
        let zeros = Bytes::from(vec![0; UPLOAD_FILE_BYTES]);
        for number in 0..VERSION_UNPACKED_BYTES / zeros.len() as u64 {
            upload.add(&number.to_string(), &zeros);
        }
        assert_eq!(upload.findings, []);
        upload.add_archive(zipped(&[("SKILL.md", b"x"), ("more", b"x")], None));
        let codes = |upload: &SkillUpload| upload.findings.iter().map(|one| one.code.clone()).collect::<Vec<_>>();
        assert_eq!(codes(&upload), ["version_too_large"]);
        upload.add("one", &Bytes::from_static(b"x"));
        let read = |_| -> Result<Bytes, Infallible> { panic!("it is not even read") };
        upload.add("two", &Bytes::from_static(b"x"));
        let Ok(()) = upload.add_each(&["three"], read);
        assert_eq!(codes(&upload), ["version_too_large", "version_too_large"]);
    }

    #[test]
    fn a_folder_around_the_skill_and_notes_of_archivers_are_passed_over() {
        let plain = taken(zipped(&[("SKILL.md", GOOD.as_bytes()), ("r/a.md", b"a")], None)).unwrap();
        let inside = [("demo/SKILL.md", GOOD.as_bytes()), ("__MACOSX/demo/._x", b"x"), ("demo/r/a.md", b"a")];
        let inside = taken(zipped(&inside, None)).unwrap();
        assert_eq!(inside.package.version, plain.package.version);
        assert_eq!(inside.package.version.files().len(), 2);
    }

    // S-QUALITY-1: A published skill gets a score of 0 to 100 with a reason for each missing point, and no score
    // prevents publishing.
    #[test]
    fn hidden_characters_in_any_text_file_are_found_and_cost_points() {
        let with = |files: &[(&str, &[u8])]| {
            let main = [("SKILL.md", GOOD.as_bytes())];
            taken(zipped(&[&main, files].concat(), None)).unwrap()
        };
        let of_hidden = |taken: &CheckedSkill| {
            let found = taken.findings.iter().filter(|found| found.code == "hidden_characters");
            found.map(|found| found.message.clone()).collect::<Vec<_>>()
        };
        let plain = with(&[("references/how.md", "\u{feff}👩\u{200d}🚀\r\n".as_bytes())]);
        assert!(of_hidden(&plain).is_empty());
        let hidden = with(&[("references/how.md", "one\ntwo \u{e0041}\u{202e}".as_bytes())]);
        let found = of_hidden(&hidden);
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("references/how.md, line 2: 2 invisible"), "{found:?}");
        assert_eq!(hidden.quality.score, plain.quality.score - 30);
        assert!(hidden.quality.reasons.iter().any(|reason| reason.security && reason.message == found[0]));
        let disguised = with(&[("references/\u{202e}dm.how", b"text")]);
        let found = of_hidden(&disguised);
        assert!(found.len() == 1 && found[0].contains(r"references/\u{202e}dm.how"), "{found:?}");
        assert!(disguised.quality.reasons.iter().any(|reason| reason.security && reason.message == found[0]));
        let names: Vec<String> = (0..SKILL_FINDINGS + 5).map(|number| format!("{number}.md")).collect();
        let many: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), "\u{202e}".as_bytes())).collect();
        assert_eq!(of_hidden(&with(&many)).len(), SKILL_FINDINGS);
    }

    #[test]
    fn names_that_only_look_alike_are_all_taken() {
        let files: [(&str, &[u8]); 4] =
            [("SKILL.md", GOOD.as_bytes()), ("[...next].ts", b"x"), ("foo..bar", b"x"), ("d/d/d", b"x")];
        assert_eq!(taken(zipped(&files, None)).unwrap().package.version.files().len(), 4);
    }
}
