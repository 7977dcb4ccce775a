//! Replacing text in the bytes of a file.
//!
//! A pure function. It works on bytes, so line ends and invalid UTF-8 outside the match stay unchanged.

use bytes::Bytes;
use memchr::memmem;

use super::text::binary_type;
use crate::{
    error::{Code, Error, Outcome, Result},
    limits::TEXT_FILE_BYTES,
    path::VirtualPath,
};

/// One replacement of a text by another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Replacement {
    old: String,
    new: String,
    all: bool,
}

/// A file after a replacement.
#[derive(Clone, Debug)]
pub(super) struct Replaced {
    pub(super) bytes: Bytes,
    /// The number of replaced occurrences.
    pub(super) count: u64,
}

impl Replacement {
    /// Checks one replacement of `old` by `new`; `all` replaces every occurrence.
    ///
    /// # Errors
    /// `old_string_empty` if `old` is empty.
    pub(super) fn new(old: String, new: String, all: bool) -> Result<Self> {
        if old.is_empty() {
            let message = "old_string cannot be empty. Give the exact text to replace, or use write for a new file";
            return Err(not_applied(Code::OldStringEmpty, message.to_owned()));
        }
        Ok(Self { old, new, all })
    }

    /// The parts by which two replacements differ.
    pub(super) fn identity(&self) -> [&[u8]; 4] {
        [b"edit", self.old.as_bytes(), self.new.as_bytes(), if self.all { b"all" } else { b"one" }]
    }

    /// Returns the new bytes and the number of replaced occurrences. Matches are found from left to right and do not overlap.
    ///
    /// # Errors
    /// `binary_file`, `old_string_not_found`, `old_string_not_unique`, `file_too_large`.
    pub(super) fn apply(&self, path: &VirtualPath, bytes: &Bytes) -> Result<Replaced> {
        if let Some(kind) = binary_type(bytes) {
            let message =
                format!("Cannot edit binary files with text replacements: {path} is {kind}; upload it whole instead");
            return Err(not_applied(Code::BinaryFile, message));
        }
        // The search runs twice, because a list of millions of matches would take more memory than the file.
        match memmem::find_iter(bytes, &self.old).count() {
            0 => Err(self.not_found(path, bytes)),
            count if count > 1 && !self.all => Err(self.not_unique(path, count)),
            count => {
                let size = bytes.len() - count * self.old.len() + count * self.new.len();
                if size > TEXT_FILE_BYTES {
                    let message = format!(
                        "{path} would grow to {size} bytes; edit takes files up to {TEXT_FILE_BYTES} bytes. Split the file, or upload it whole"
                    );
                    return Err(not_applied(Code::FileTooLarge, message));
                }
                Ok(Replaced { bytes: self.splice(bytes, size), count: count as u64 })
            }
        }
    }

    fn splice(&self, bytes: &Bytes, size: usize) -> Bytes {
        let mut edited = Vec::with_capacity(size);
        let mut copied_to = 0;
        for start in memmem::find_iter(bytes, &self.old) {
            edited.extend_from_slice(bytes.get(copied_to..start).unwrap_or_default());
            edited.extend_from_slice(self.new.as_bytes());
            copied_to = start + self.old.len();
        }
        edited.extend_from_slice(bytes.get(copied_to..).unwrap_or_default());
        edited.into()
    }

    fn not_found(&self, path: &VirtualPath, bytes: &[u8]) -> Error {
        let mut message = format!(
            "String not found in file {path}: '{}'. Read the file and copy the text exactly",
            excerpt(&self.old)
        );
        let without_feed = self.old.strip_suffix('\n').filter(|rest| !rest.is_empty());
        if without_feed.is_some_and(|rest| bytes.ends_with(rest.as_bytes())) {
            message
                .push_str("; the file ends with this text but without the final newline: leave it out of old_string");
        } else if self.old.contains('\n') && !self.old.contains("\r\n") && memmem::find(bytes, b"\r\n").is_some() {
            message.push_str("; the lines of this file end in \\r\\n");
        }
        not_applied(Code::OldStringNotFound, message)
    }

    fn not_unique(&self, path: &VirtualPath, count: usize) -> Error {
        let message = format!(
            "String '{}' appears {count} times in {path}. Use replace_all=true to replace all occurrences, or give a longer old_string with the text around it",
            excerpt(&self.old)
        );
        not_applied(Code::OldStringNotUnique, message).with_detail("occurrences", count)
    }
}

fn not_applied(code: Code, message: String) -> Error {
    Error::new(code, message).with_outcome(Outcome::NotApplied)
}

/// The beginning of a text, enough to recognise it in an error.
fn excerpt(text: &str) -> String {
    const CHARS: usize = 200;
    let mut excerpt: String = text.chars().take(CHARS).collect();
    if excerpt.len() < text.len() {
        excerpt.push('…');
    }
    excerpt
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply(text: &[u8], old: &str, new: &str, all: bool) -> Result<(Vec<u8>, u64)> {
        let path = VirtualPath::parse("/workspace/a").unwrap();
        let replacement = Replacement::new(old.into(), new.into(), all)?;
        replacement
            .apply(&path, &Bytes::copy_from_slice(text))
            .map(|replaced| (replaced.bytes.to_vec(), replaced.count))
    }

    #[test]
    fn only_the_text_named_is_changed() {
        let odd = b"\xef\xbb\xbfone\r\ntwo\xff\r\nthree";
        let (bytes, count) = apply(odd, "two", "2", false).unwrap();
        assert_eq!((bytes.as_slice(), count), (&b"\xef\xbb\xbfone\r\n2\xff\r\nthree"[..], 1));
        assert_eq!(apply(b"aaaa", "aa", "b", true).unwrap(), (b"bb".to_vec(), 2));
        assert_eq!(apply(b"abc", "b", "", false).unwrap().0, b"ac");
    }

    #[test]
    fn empty_missing_and_ambiguous_old_strings_are_three_errors() {
        let code = |text: &[u8], old| apply(text, old, "x", false).unwrap_err().code();
        assert_eq!(code(b"a", ""), Code::OldStringEmpty);
        assert_eq!(code(b"a", "b"), Code::OldStringNotFound);
        assert_eq!(code(b"aa", "a"), Code::OldStringNotUnique);
        assert_eq!(code(b"a\0", "a"), Code::BinaryFile);
    }

    #[test]
    fn the_commonest_reasons_for_a_miss_are_named() {
        let message = |text: &[u8], old| apply(text, old, "x", false).unwrap_err().message().to_owned();
        assert!(message(b"a\nb", "b\n").contains("final newline"));
        assert!(message(b"a\r\nb\r\n", "a\nb").contains("\\r\\n"));
        assert_eq!(apply(b"aa", "a", "x", false).unwrap_err().details()["occurrences"], 2);
    }

    #[test]
    fn a_file_may_grow_to_the_limit_and_not_beyond() {
        let text = vec![b'a'; TEXT_FILE_BYTES - 1];
        let mut full = text.clone();
        full.push(b'b');
        assert_eq!(apply(&full, "b", "c", false).unwrap().0.len(), TEXT_FILE_BYTES);
        assert_eq!(apply(&full, "b", "cc", false).unwrap_err().code(), Code::FileTooLarge);
    }
}
