//! A published state of a skill: its files by content, wherever they lie.
//!
//! A snapshot names the objects of one store; a version names bytes. So two stores with the same skill have different
//! snapshots and one version.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// One file of a version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VersionFile {
    /// Its path below the skill's folder.
    pub path: String,
    /// Its size in bytes.
    pub size: u64,
    /// The SHA-256 of its bytes, as 64 hex digits.
    pub sha256: String,
}

impl VersionFile {
    /// The file at `path` with these bytes.
    #[must_use]
    pub fn from_bytes(path: impl Into<String>, bytes: &[u8]) -> Self {
        Self { path: path.into(), size: bytes.len() as u64, sha256: hex::encode(Sha256::digest(bytes)) }
    }

    /// Whether `bytes` are its content.
    #[must_use]
    pub fn holds(&self, bytes: &[u8]) -> bool {
        self.size == bytes.len() as u64 && self.sha256 == hex::encode(Sha256::digest(bytes))
    }
}

/// The files of a published skill, sorted by path, and their digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    digest: String,
    files: Vec<VersionFile>,
}

impl Version {
    /// The version of these files, which may be in any order.
    #[must_use]
    pub fn new(mut files: Vec<VersionFile>) -> Self {
        files.sort_by(|one, two| one.path.cmp(&two.path));
        Self { digest: version_digest(files.iter()), files }
    }

    /// `sha256:` and 64 hex digits: see `version_digest`.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The files in byte order of their paths.
    #[must_use]
    pub fn files(&self) -> &[VersionFile] {
        &self.files
    }

    /// The bytes of all files.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.files.iter().map(|file| file.size).sum()
    }
}

/// The digest of a version: the SHA-256 over (path, SHA-256 of the bytes as hex, size) of each file, each closed by a
/// NUL. `files` are in byte order of their paths.
pub(crate) fn version_digest<'file>(files: impl Iterator<Item = &'file VersionFile>) -> String {
    let mut hash = Sha256::new();
    for file in files {
        hash.update(format!("{}\0{}\0{}\0", file.path, file.sha256, file.size));
    }
    format!("sha256:{}", hex::encode(hash.finalize()))
}

/// Whether `text` is written as the digest of a version: `sha256:` and 64 hex digits in lower case.
#[must_use]
pub fn is_version_digest(text: &str) -> bool {
    text.strip_prefix("sha256:").is_some_and(is_sha256)
}

/// Whether `text` is 64 hex digits in lower case.
pub(super) fn is_sha256(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_that_of_paths_contents_and_sizes_in_any_order_and_never_changes() {
        let one =
            Version::new(vec![VersionFile::from_bytes("b.md", b"two"), VersionFile::from_bytes("SKILL.md", b"one")]);
        let two =
            Version::new(vec![VersionFile::from_bytes("SKILL.md", b"one"), VersionFile::from_bytes("b.md", b"two")]);
        assert_eq!((&one, one.size()), (&two, 6));
        assert_ne!(one.digest(), Version::new(vec![VersionFile::from_bytes("SKILL.md", b"one")]).digest());
        // Written down: a bucket holds versions by this name for ever.
        let text = "SKILL.md\x007692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed\x003\0\
                    b.md\x003fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3\x003\0";
        assert_eq!(one.digest(), format!("sha256:{}", hex::encode(Sha256::digest(text))));
        assert!(is_version_digest(one.digest()));
        for odd in ["", "sha256:", "sha256:ABC", "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"] {
            assert!(!is_version_digest(odd), "{odd}");
        }
    }

    #[test]
    fn a_file_holds_its_own_bytes_and_no_others() {
        let file = VersionFile::from_bytes("a", b"text");
        assert!(file.holds(b"text") && !file.holds(b"Text") && !file.holds(b""));
    }
}
