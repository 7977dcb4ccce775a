//! The text of a file as a caller who writes `\n` sees it.
//!
//! The text is searched with `\n` in place of each `\r\n`, and every place in it leads back to the bytes of the file. So a file
//! of both kinds keeps each of its line ends as it is.

use std::{borrow::Cow, ops::Range};

use memchr::memmem;

use crate::wire::Newlines;

/// The bytes of a file as they are searched.
#[derive(Debug)]
pub(crate) struct SearchedText<'file> {
    /// The searched text.
    pub(crate) text: Cow<'file, [u8]>,
    /// The places in `text` of each `\n` that is `\r\n` in the file, from left to right. A file that is edited is
    /// smaller than 4 GiB.
    pairs: Vec<u32>,
    /// Whether the first line of the file ends in `\r\n`.
    begins_with_pair: bool,
}

impl<'file> SearchedText<'file> {
    /// The text to search in `file`.
    pub(crate) fn new(file: &'file [u8], newlines: Newlines) -> Self {
        if newlines == Newlines::Exact || memmem::find(file, b"\r\n").is_none() {
            return Self { text: Cow::Borrowed(file), pairs: Vec::new(), begins_with_pair: false };
        }
        let mut text = Vec::with_capacity(file.len());
        let mut pairs = Vec::new();
        let mut copied_to = 0;
        for at in memmem::find_iter(file, b"\r\n") {
            text.extend_from_slice(file.get(copied_to..at).unwrap_or_default());
            pairs.push(u32::try_from(text.len()).unwrap_or(u32::MAX));
            copied_to = at + 1;
        }
        text.extend_from_slice(file.get(copied_to..).unwrap_or_default());
        let begins_with_pair = memchr::memchr(b'\n', file) == memmem::find(file, b"\r\n").map(|at| at + 1);
        Self { text: Cow::Owned(text), pairs, begins_with_pair }
    }

    /// The bytes of the file that a range of the text stands for.
    pub(crate) fn in_file(&self, range: &Range<usize>) -> Range<usize> {
        range.start + self.pairs_before(range.start)..range.end + self.pairs_before(range.end)
    }

    /// Whether a text that replaces this range ends its lines in `\r\n`: as the first line that ends in the range does, else as
    /// the first line of the file.
    pub(crate) fn ends_in_pairs(&self, range: &Range<usize>) -> bool {
        if self.pairs.is_empty() {
            return false;
        }
        match memchr::memchr(b'\n', self.text.get(range.clone()).unwrap_or_default()) {
            Some(at) => self.pairs.binary_search_by_key(&(range.start + at), |pair| *pair as usize).is_ok(),
            None => self.begins_with_pair,
        }
    }

    fn pairs_before(&self, at: usize) -> usize {
        self.pairs.partition_point(|pair| (*pair as usize) < at)
    }
}
