//! Replacing text in the bytes of a file.
//!
//! A pure function. It works on bytes, so line ends and invalid UTF-8 outside the match stay unchanged.

use crate::text::binary_type;
use std::ops::Range;

use bytes::Bytes;
use memchr::memmem;

use super::line_ends::SearchedText;
use crate::{
    error::{Code, Error, Outcome, Result},
    limits::TEXT_FILE_BYTES,
    path::VirtualPath,
    wire::{EditRequest, Newlines},
};

/// One replacement of a text by another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Replacement {
    old: String,
    new: String,
    /// `new` for a place whose lines end in `\r\n`.
    new_in_pairs: String,
    all: bool,
    newlines: Newlines,
}

/// A file after a replacement.
#[derive(Clone, Debug)]
pub(crate) struct EditedFile {
    pub(crate) bytes: Bytes,
    /// The number of replaced occurrences.
    pub(crate) count: u64,
}

impl Replacement {
    /// Checks the replacement that a call asks for.
    ///
    /// # Errors
    /// `old_string_empty` if `old_string` is empty.
    pub(crate) fn new(request: EditRequest) -> Result<Self> {
        let EditRequest { old_string, new_string, replace_all, newlines, .. } = request;
        Self::check(&old_string)?;
        let (old, new, new_in_pairs) = match newlines {
            Newlines::Exact => (old_string, new_string, String::new()),
            Newlines::File => {
                let new = new_string.replace("\r\n", "\n");
                (old_string.replace("\r\n", "\n"), new.clone(), new.replace('\n', "\r\n"))
            }
        };
        Ok(Self { old, new, new_in_pairs, all: replace_all, newlines })
    }

    /// Checks the text to replace.
    ///
    /// # Errors
    /// `old_string_empty` if it is empty.
    pub(crate) fn check(old: &str) -> Result<()> {
        if old.is_empty() {
            let message = "old_string cannot be empty. Give the exact text to replace, or use write for a new file";
            return Err(not_applied(Code::OldStringEmpty, message.to_owned()));
        }
        Ok(())
    }

    /// The parts by which two replacements differ.
    pub(crate) fn identity(&self) -> [&[u8]; 4] {
        let mode: &[u8] = match (self.all, self.newlines) {
            (true, Newlines::Exact) => b"all",
            (false, Newlines::Exact) => b"one",
            (true, Newlines::File) => b"all lines",
            (false, Newlines::File) => b"one line",
        };
        [b"edit", self.old.as_bytes(), self.new.as_bytes(), mode]
    }

    /// Returns the new bytes and the number of replaced occurrences. Matches are found from left to right and do not overlap.
    ///
    /// # Errors
    /// `binary_file`, `old_string_not_found`, `old_string_not_unique`, `file_too_large`.
    pub(crate) fn apply(&self, path: &VirtualPath, bytes: &Bytes) -> Result<EditedFile> {
        if let Some(kind) = binary_type(bytes) {
            let message =
                format!("Cannot edit binary files with text replacements: {path} is {kind}; upload it whole instead");
            return Err(not_applied(Code::BinaryFile, message));
        }
        let searched = SearchedText::new(bytes, self.newlines);
        // The search runs three times, because a list of millions of matches would take more memory than the file.
        match memmem::find_iter(&searched.text, &self.old).count() {
            0 => Err(self.not_found(path, bytes)),
            count if count > 1 && !self.all => Err(self.not_unique(path, count)),
            count => {
                let size =
                    self.places(&searched).fold(bytes.len(), |size, (place, new)| size - place.len() + new.len());
                if size > TEXT_FILE_BYTES {
                    let message = format!(
                        "{path} would grow to {size} bytes; edit takes files up to {TEXT_FILE_BYTES} bytes. Split the file, or upload it whole"
                    );
                    return Err(not_applied(Code::FileTooLarge, message));
                }
                Ok(EditedFile { bytes: self.splice(bytes, &searched, size), count: count as u64 })
            }
        }
    }

    /// The places of the file that are replaced, and what by.
    fn places<'text>(&'text self, searched: &'text SearchedText) -> impl Iterator<Item = (Range<usize>, &'text [u8])> {
        memmem::find_iter(&searched.text, &self.old).map(|start| {
            let found = start..start + self.old.len();
            let new = if searched.ends_in_pairs(&found) { &self.new_in_pairs } else { &self.new };
            (searched.in_file(&found), new.as_bytes())
        })
    }

    fn splice(&self, bytes: &Bytes, searched: &SearchedText, size: usize) -> Bytes {
        let mut edited = Vec::with_capacity(size);
        let mut copied_to = 0;
        for (place, new) in self.places(searched) {
            edited.extend_from_slice(bytes.get(copied_to..place.start).unwrap_or_default());
            edited.extend_from_slice(new);
            copied_to = place.end;
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
        apply_with(Newlines::Exact, text, old, new, all)
    }

    fn apply_with(newlines: Newlines, text: &[u8], old: &str, new: &str, all: bool) -> Result<(Vec<u8>, u64)> {
        let path = VirtualPath::parse("/workspace/a").unwrap();
        let request = EditRequest { replace_all: all, newlines, ..EditRequest::new(path.as_str(), old, new) };
        let replacement = Replacement::new(request)?;
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

    // S-EDIT-5: With `newlines: "file"`, a line end of the call matches either line end of the file.
    #[test]
    fn line_ends_of_a_call_are_those_of_the_file() {
        let edit = |text: &str, old, new, all| {
            let (bytes, count) = apply_with(Newlines::File, text.as_bytes(), old, new, all).unwrap();
            (String::from_utf8(bytes).unwrap(), count)
        };
        assert_eq!(edit("a\r\nb\r\nc", "a\nb", "x\ny\nz", false), ("x\r\ny\r\nz\r\nc".into(), 1));
        assert_eq!(edit("a\nb\n", "a\r\nb", "x\r\ny", false), ("x\ny\n".into(), 1));
        assert_eq!(
            edit("a\r\nb\nc\nd\r\n", "c\nd", "c\ne", false),
            ("a\r\nb\nc\ne\r\n".into(), 1),
            "each place keeps its own"
        );
        assert_eq!(edit("a\r\nb", "b", "b\nc", false), ("a\r\nb\r\nc".into(), 1), "as the first line");
        assert_eq!(edit("\r\n\r\n\n", "\n", "", true), (String::new(), 3));
        assert_eq!(edit("a\rb\r\n", "\n", ";", false), ("a\rb;".into(), 1), "a lone return is text");
        assert_eq!(apply(b"a\r\nb", "a\nb", "x", false).unwrap_err().code(), Code::OldStringNotFound);
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
