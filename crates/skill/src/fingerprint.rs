//! The files of a folder as a listing shows them, as one word: enough to see whether a folder has changed.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use skillmount_base::path::ETag;

/// The bytes of a fingerprint. A user gains nothing from two own folders with the same fingerprint.
const BYTES: usize = 16;

/// The paths and object versions of a folder's files, as one word.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fingerprint(String);

impl Fingerprint {
    /// The fingerprint as hex digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A fingerprint under way.
#[derive(Clone, Debug, Default)]
pub struct Fingerprinter(Sha256);

impl Fingerprinter {
    /// Adds a file. Files are added in byte order of their paths.
    pub fn add(&mut self, path: &str, etag: &ETag) {
        self.0.update(format!("{path}\0{etag}\0"));
    }

    /// The fingerprint of the files that were added.
    #[must_use]
    pub fn finish(self) -> Fingerprint {
        let mut hex = hex::encode(self.0.finalize());
        hex.truncate(2 * BYTES);
        Fingerprint(hex)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(files: &[(&str, &str)]) -> Fingerprint {
        let mut fingerprint = Fingerprinter::default();
        for (path, etag) in files {
            fingerprint.add(path, &ETag::new(etag));
        }
        fingerprint.finish()
    }

    #[test]
    fn a_fingerprint_changes_with_each_path_and_each_version() {
        let files = of(&[("SKILL.md", "1"), ("a.md", "2")]);
        assert_eq!(files, of(&[("SKILL.md", "1"), ("a.md", "2")]));
        assert_eq!(files.as_str().len(), 2 * BYTES);
        for other in
            [&[("SKILL.md", "1")][..], &[("SKILL.md", "1"), ("a.md", "3")], &[("SKILL.md", "1"), ("b.md", "2")]]
        {
            assert_ne!(files, of(other));
        }
        assert_ne!(of(&[("a", "bc")]), of(&[("ab", "c")]));
    }
}
