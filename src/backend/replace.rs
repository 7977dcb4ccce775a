//! Replacing text in the bytes of a file: pure, and every byte that is not replaced stays as it was.

use bytes::Bytes;
use memchr::memmem;

use super::text::binary_type;
use crate::{
    error::{Code, Error, Outcome, Result},
    limits::TEXT_FILE_BYTES,
    path::VirtualPath,
};

/// One replacement, checked as far as it can be without the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Replacement {
    old: String,
    new: String,
    all: bool,
}

impl Replacement {
    /// # Errors
    /// `old_string_empty` where there is nothing to look for.
    pub(super) fn new(old: String, new: String, all: bool) -> Result<Self> {
        if old.is_empty() {
            let message = "old_string cannot be empty. Give the exact text to replace, or use write for a new file";
            return Err(refuse(Code::OldStringEmpty, message.to_owned()));
        }
        Ok(Self { old, new, all })
    }

    /// The bytes after the replacement, and how many occurrences were replaced. Occurrences do not overlap.
    ///
    /// # Errors
    /// `binary_file`, `old_string_not_found`, `old_string_not_unique`, `file_too_large`.
    pub(super) fn apply(&self, path: &VirtualPath, bytes: &Bytes) -> Result<(Bytes, u64)> {
        if let Some(kind) = binary_type(bytes) {
            let message =
                format!("Cannot edit binary files with text replacements: {path} is {kind}; upload it whole instead");
            return Err(refuse(Code::BinaryFile, message));
        }
        // Counted first and found again: a list of millions of places would take more memory than the file.
        match memmem::find_iter(bytes, &self.old).count() {
            0 => Err(self.not_found(path, bytes)),
            hits if hits > 1 && !self.all => Err(self.not_unique(path, hits)),
            hits => {
                let size = bytes.len() - hits * self.old.len() + hits * self.new.len();
                if size > TEXT_FILE_BYTES {
                    let message =
                        format!("{path} would grow to {size} bytes; edit takes files up to {TEXT_FILE_BYTES}");
                    return Err(refuse(Code::FileTooLarge, message));
                }
                Ok((self.splice(bytes, size), hits as u64))
            }
        }
    }

    fn splice(&self, bytes: &Bytes, size: usize) -> Bytes {
        let mut edited = Vec::with_capacity(size);
        let mut kept = 0;
        for hit in memmem::find_iter(bytes, &self.old) {
            edited.extend_from_slice(bytes.get(kept..hit).unwrap_or_default());
            edited.extend_from_slice(self.new.as_bytes());
            kept = hit + self.old.len();
        }
        edited.extend_from_slice(bytes.get(kept..).unwrap_or_default());
        edited.into()
    }

    fn not_found(&self, path: &VirtualPath, bytes: &[u8]) -> Error {
        let mut message =
            format!("String not found in file {path}: '{}'. Read the file and copy the text exactly", shown(&self.old));
        let without_feed = self.old.strip_suffix('\n').filter(|rest| !rest.is_empty());
        if without_feed.is_some_and(|rest| bytes.ends_with(rest.as_bytes())) {
            message
                .push_str("; the file ends with this text but without the final newline: leave it out of old_string");
        } else if self.old.contains('\n') && !self.old.contains("\r\n") && memmem::find(bytes, b"\r\n").is_some() {
            message.push_str("; the lines of this file end in \\r\\n");
        }
        refuse(Code::OldStringNotFound, message)
    }

    fn not_unique(&self, path: &VirtualPath, count: usize) -> Error {
        let message = format!(
            "String '{}' appears {count} times in {path}. Use replace_all=true to replace all instances, or give a longer old_string with the text around it",
            shown(&self.old)
        );
        refuse(Code::OldStringNotUnique, message).with_detail("occurrences", count)
    }
}

fn refuse(code: Code, message: String) -> Error {
    Error::new(code, message).with_outcome(Outcome::NotApplied)
}

/// The beginning of a text, enough to recognise it in an error.
fn shown(text: &str) -> String {
    const SHOWN: usize = 200;
    let mut shown: String = text.chars().take(SHOWN).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply(text: &[u8], old: &str, new: &str, all: bool) -> Result<(Vec<u8>, u64)> {
        let path = VirtualPath::parse("/workspace/a").unwrap();
        let replacement = Replacement::new(old.into(), new.into(), all)?;
        replacement.apply(&path, &Bytes::copy_from_slice(text)).map(|(bytes, count)| (bytes.to_vec(), count))
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
    fn empty_missing_and_ambiguous_are_told_apart() {
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
