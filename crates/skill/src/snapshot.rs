//! The exact files of one skill at one moment.

use std::collections::HashSet;

use bytes::Bytes;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use skillmount_base::{budget::weight, path::ETag};

/// One file of a snapshot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SnapshotFile {
    /// Its path below the skill's folder: `resources/ejemplo.md`.
    pub path: String,
    /// Its size in bytes.
    pub size: u64,
    /// The version of its object.
    pub etag: ETag,
    /// The time that version was written.
    pub modified_at: Timestamp,
}

/// The files of a skill, sorted by path, and their digest. It is a value: a changed skill has another snapshot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[must_use]
pub struct Snapshot {
    digest: String,
    files: Vec<SnapshotFile>,
}

impl Snapshot {
    /// The snapshot of these files, which may be in any order.
    pub fn new(mut files: Vec<SnapshotFile>) -> Self {
        files.sort_by(|one, two| one.path.cmp(&two.path));
        Self { digest: digest(&files), files }
    }

    /// `sha256:` and 64 hex digits: the SHA-256 over the sorted list of (path, size, `ETag`), each closed by a NUL.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The files in byte order of their paths.
    #[must_use]
    pub fn files(&self) -> &[SnapshotFile] {
        &self.files
    }

    /// The file at `path`, if the snapshot has one.
    #[must_use]
    pub fn file(&self, path: &str) -> Option<&SnapshotFile> {
        let at = self.files.binary_search_by(|file| file.path.as_str().cmp(path)).ok()?;
        self.files.get(at)
    }

    /// The same snapshot with one file replaced or added (`Some`), or removed (`None`).
    pub fn with(&self, path: &str, file: Option<SnapshotFile>) -> Self {
        let others = self.files.iter().filter(|old| old.path != path).cloned();
        Self::new(others.chain(file).collect())
    }

    /// Whether the files are sorted and the digest matches them. A snapshot that was read may be wrong.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.files.is_sorted_by(|one, two| one.path < two.path) && self.digest == digest(&self.files)
    }

    /// Whether each file's tag has the form of a tag made from bytes.
    #[must_use]
    pub fn may_identify_bytes(&self) -> bool {
        self.files.iter().all(|file| file.etag.has_form_of_md5())
    }

    /// Whether `files` are the files of this snapshot, each with the bytes that its tag was made from. A tag of another
    /// form matches no bytes.
    #[must_use]
    pub fn holds(&self, files: &[(String, Bytes)]) -> bool {
        let is_told = |(path, bytes): &(String, Bytes)| {
            self.file(path).is_some_and(|file| file.size == bytes.len() as u64 && file.etag == ETag::md5_of(bytes))
        };
        let paths: HashSet<_> = files.iter().map(|(path, _)| path).collect();
        paths.len() == self.files.len() && files.len() == self.files.len() && files.iter().all(is_told)
    }

    /// The bytes it takes in memory.
    #[must_use]
    pub fn weight(&self) -> usize {
        let texts = |file: &SnapshotFile| weight::text(&file.path) + weight::text(file.etag.as_str());
        let texts: usize = self.files.iter().map(texts).sum();
        size_of::<Self>()
            + weight::text(&self.digest)
            + weight::list(self.files.len(), size_of::<SnapshotFile>())
            + texts
    }

    /// The same snapshot without these files.
    pub fn without(&self, paths: &HashSet<&str>) -> Self {
        Self::new(self.files.iter().filter(|file| !paths.contains(file.path.as_str())).cloned().collect())
    }

    /// The bytes of all files.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.files.iter().map(|file| file.size).sum()
    }
}

fn digest(files: &[SnapshotFile]) -> String {
    let mut hash = Sha256::new();
    for file in files {
        hash.update(format!("{}\0{}\0{}\0", file.path, file.size, file.etag));
    }
    format!("sha256:{}", hex::encode(hash.finalize()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, etag: &str) -> SnapshotFile {
        SnapshotFile { path: path.into(), size: 1, etag: ETag::new(etag), modified_at: Timestamp::UNIX_EPOCH }
    }

    #[test]
    fn the_digest_depends_on_the_files_and_not_on_their_order() {
        let one = Snapshot::new(vec![file("b", "1"), file("a", "1")]);
        let two = Snapshot::new(vec![file("a", "1"), file("b", "1")]);
        assert_eq!(one, two);
        assert!(one.digest().starts_with("sha256:") && one.digest().len() == 71);
        assert_ne!(one.digest(), one.with("a", Some(file("a", "2"))).digest());
        assert_eq!(one.with("c", Some(file("c", "1"))).with("c", None), one);
        assert_eq!(one.with("c", Some(file("c", "1"))).without(&HashSet::from(["c", "none"])), one);
    }

    #[test]
    fn bytes_are_those_of_a_snapshot_if_its_tags_say_so() {
        let named = |path: &str, text: &'static str| (path.to_owned(), Bytes::from_static(text.as_bytes()));
        let tagged = |path: &str, text: &str| SnapshotFile { etag: ETag::md5_of(text.as_bytes()), ..file(path, "") };
        let snapshot = Snapshot::new(vec![tagged("a", "1"), tagged("b", "2")]);
        assert_eq!(snapshot.file("a").unwrap().etag.as_str(), "c4ca4238a0b923820dcc509a6f75849b");
        assert!(snapshot.may_identify_bytes() && snapshot.holds(&[named("b", "2"), named("a", "1")]));
        let (a, b) = (named("a", "1"), named("b", "2"));
        let others = [
            vec![],
            vec![a.clone()],
            vec![a.clone(), a.clone()],
            vec![a.clone(), b.clone(), b.clone()],
            vec![a.clone(), named("b", "1")],
            vec![a.clone(), named("c", "2")],
            vec![a.clone(), b.clone(), named("c", "3")],
        ];
        for other in others {
            assert!(!snapshot.holds(&other), "{other:?}");
        }
        for tag in ["1", "c4ca4238a0b923820dcc509a6f75849b-1", "C4CA4238A0B923820DCC509A6F75849B", "m32"] {
            let untold = snapshot.with("a", Some(file("a", tag)));
            assert!(!untold.may_identify_bytes() && !untold.holds(&[a.clone(), b.clone()]), "{tag}");
        }
    }

    #[test]
    fn a_digest_that_is_only_claimed_is_found_out() {
        let snapshot = Snapshot::new(vec![file("a", "1"), file("b", "1")]);
        assert!(snapshot.is_sound());
        assert!(!Snapshot { files: vec![file("a", "2")], ..snapshot.clone() }.is_sound());
        let files = vec![file("b", "1"), file("a", "1")];
        assert!(!Snapshot { digest: digest(&files), files }.is_sound(), "a list out of order finds no file");
    }
}
