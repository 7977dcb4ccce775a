//! Lines of large files: where they begin, and how to cut a window of them out of a stream of chunks.
//!
//! The index remembers the byte offset of every 64th line, as far as the file was read. So a later window costs one
//! request of little more than the window's bytes. A full index drops every second offset and doubles its stride, so
//! its memory has a bound.

use std::sync::Arc;

use crate::{
    limits::{LINE_INDEX_ENTRIES, LINE_INDEX_STRIDE, READ_BYTES},
    path::ETag,
};

/// Where lines begin in one version of a file, as far as it was read from the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineIndex {
    etag: ETag,
    size: u64,
    stride: u64,
    /// `offsets[i]` is where line `i * stride` begins.
    offsets: Vec<u64>,
    /// How far the file was read, without a gap.
    scanned: u64,
    /// Line feeds in that part.
    feeds: u64,
    /// Whether the last byte read was a line feed.
    closed: bool,
}

/// A line and the byte it begins at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineStart {
    /// The number of the line, from 0.
    pub line: u64,
    /// The byte where it begins.
    pub at: u64,
}

impl LineIndex {
    /// The index of this version of a file of `size` bytes, of which nothing was read yet.
    #[must_use]
    pub fn new(etag: ETag, size: u64) -> Self {
        Self { etag, size, stride: LINE_INDEX_STRIDE, offsets: vec![0], scanned: 0, feeds: 0, closed: true }
    }

    /// The version of the file.
    #[must_use]
    pub fn etag(&self) -> &ETag {
        &self.etag
    }

    /// The bytes of the file.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// How many lines there are, once the end was reached. A last line without a line feed counts.
    #[must_use]
    pub fn total_lines(&self) -> Option<u64> {
        (self.scanned >= self.size).then(|| self.feeds + u64::from(!self.closed))
    }

    /// The nearest known line start at or before `line`.
    #[must_use]
    pub fn start_before(&self, line: u64) -> LineStart {
        let known = self.offsets.len().saturating_sub(1) as u64;
        let index = (line / self.stride).min(known);
        let at = usize::try_from(index).ok().and_then(|index| self.offsets.get(index)).copied().unwrap_or(0);
        LineStart { line: index * self.stride, at }
    }

    /// A byte at or after the end of line `line - 1`, as near as known; `None` if that was not read yet.
    #[must_use]
    pub fn end_before(&self, line: u64) -> Option<u64> {
        let index = line.div_ceil(self.stride);
        let known = usize::try_from(index).ok().and_then(|index| self.offsets.get(index)).copied();
        known.or_else(|| self.total_lines().map(|_| self.size))
    }

    /// Takes note of `bytes`, which lie at `at`. The index grows only by bytes that follow its end, and a shared index
    /// is copied only then.
    pub fn update(self: &mut Arc<Self>, at: u64, bytes: &[u8]) {
        let known = self.scanned.checked_sub(at).and_then(|known| usize::try_from(known).ok());
        if let Some(new) = known.and_then(|known| bytes.get(known..)).filter(|new| !new.is_empty()) {
            Arc::make_mut(self).go_on(new);
        }
    }

    fn go_on(&mut self, new: &[u8]) {
        for feed in memchr::memchr_iter(b'\n', new) {
            self.feeds += 1;
            if self.feeds.is_multiple_of(self.stride) {
                self.remember(self.scanned + feed as u64 + 1);
            }
        }
        self.closed = new.last() == Some(&b'\n');
        self.scanned += new.len() as u64;
    }

    fn remember(&mut self, offset: u64) {
        // Before the push: a full vector would double.
        if self.offsets.len() == LINE_INDEX_ENTRIES {
            let mut index = 0;
            self.offsets.retain(|_| {
                index += 1;
                index % 2 == 1
            });
            self.stride *= 2;
        }
        self.offsets.push(offset);
    }
}

/// Cuts the lines `offset..offset + limit` out of chunks that follow each other.
#[derive(Debug)]
pub struct Window {
    offset: u64,
    limit: u64,
    /// The line the next byte belongs to.
    line: u64,
    /// Where the next byte lies in the file.
    at: u64,
    taken: Vec<u8>,
    /// Lines begun in `taken`.
    lines: u64,
    /// Whether the last line taken is whole.
    whole: bool,
    full: bool,
    /// Whether the window is full because of its bytes and not of its lines.
    cut: bool,
}

impl Window {
    /// The window of `limit` lines from line `offset` on, for a reader that begins at `from`.
    #[must_use]
    pub fn new(offset: u64, limit: u64, from: LineStart) -> Self {
        let (line, at) = (from.line, from.at);
        Self { offset, limit, line, at, taken: Vec::new(), lines: 0, whole: true, full: limit == 0, cut: false }
    }

    /// Where the next chunk must begin.
    #[must_use]
    pub fn at(&self) -> u64 {
        self.at
    }

    /// Whether all lines asked for, or as many bytes as fit, were taken.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.full
    }

    /// The bytes taken, the number of lines they hold, and whether they were cut for their size.
    #[must_use]
    pub fn finish(self) -> (Vec<u8>, u64, bool) {
        (self.taken, self.lines, self.cut)
    }

    /// Takes what it wants of the next chunk.
    pub fn feed(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() && !self.full {
            let (piece, ends_line) = match memchr::memchr(b'\n', bytes) {
                Some(feed) => (bytes.get(..=feed).unwrap_or(bytes), true),
                None => (bytes, false),
            };
            bytes = bytes.get(piece.len()..).unwrap_or_default();
            if self.line >= self.offset && !self.take(piece) {
                return;
            }
            self.at += piece.len() as u64;
            if ends_line {
                self.line += 1;
                self.whole = true;
                self.full = self.lines == self.limit;
            }
        }
    }

    /// Takes one piece of a line; false if it does not fit any more. A line that is too long all by itself is cut.
    fn take(&mut self, piece: &[u8]) -> bool {
        let room = READ_BYTES.saturating_sub(self.taken.len());
        if piece.len() > room {
            self.cut = true;
            self.full = true;
            if self.lines <= 1 && (!self.whole || self.lines == 0) {
                self.taken.extend_from_slice(piece.get(..room).unwrap_or(piece));
                self.lines = 1;
            } else if !self.whole {
                self.drop_unfinished_line();
            }
            return false;
        }
        if self.whole {
            self.lines += 1;
            self.whole = false;
        }
        self.taken.extend_from_slice(piece);
        true
    }

    /// Gives back the beginning of a line that turned out not to fit, so that windows end at line ends.
    fn drop_unfinished_line(&mut self) {
        let end = memchr::memrchr(b'\n', &self.taken).map_or(0, |feed| feed + 1);
        self.taken.truncate(end);
        self.lines -= 1;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn index_of(text: &[u8]) -> Arc<LineIndex> {
        let mut index = Arc::new(LineIndex::new(ETag::new("e"), text.len() as u64));
        index.update(0, text);
        index
    }

    fn window(text: &[u8], chunk: usize, offset: u64, limit: u64) -> (Vec<u8>, u64) {
        let mut window = Window::new(offset, limit, LineStart { line: 0, at: 0 });
        for piece in text.chunks(chunk) {
            window.feed(piece);
        }
        let (bytes, lines, _) = window.finish();
        (bytes, lines)
    }

    proptest! {
        #[test]
        fn a_window_holds_exactly_its_lines(text in "[ab\n]{0,60}", chunk in 1usize..9, offset in 0u64..12, limit in 0u64..12) {
            let lines: Vec<&str> = text.split_inclusive('\n').collect();
            let from = usize::try_from(offset).unwrap().min(lines.len());
            let to = from.saturating_add(usize::try_from(limit).unwrap()).min(lines.len());
            let (bytes, count) = window(text.as_bytes(), chunk, offset, limit);
            prop_assert_eq!(bytes, lines[from..to].concat().into_bytes());
            prop_assert_eq!(count, (to - from) as u64);
        }

        #[test]
        fn the_index_counts_lines_whatever_the_chunks(text in "[ab\n]{0,80}", chunk in 1usize..9) {
            let mut index = Arc::new(LineIndex::new(ETag::new("e"), text.len() as u64));
            let mut at = 0;
            for piece in text.as_bytes().chunks(chunk) {
                index.update(at, piece);
                at += piece.len() as u64;
            }
            prop_assert_eq!(index.total_lines(), Some(text.lines().count() as u64));
            prop_assert_eq!(index, index_of(text.as_bytes()));
        }
    }

    #[test]
    fn a_known_line_is_found_within_a_stride() {
        let text = "0123456789\n".repeat(1000);
        let index = index_of(text.as_bytes());
        for line in [0, 1, 63, 64, 65, 500, 999] {
            let start = index.start_before(line);
            assert!(start.line <= line && line - start.line < LINE_INDEX_STRIDE && start.at == start.line * 11);
            let end = index.end_before(line).unwrap();
            assert!(end >= line * 11 && end - line * 11 <= LINE_INDEX_STRIDE * 11);
        }
    }

    #[test]
    fn an_index_that_others_hold_is_copied_only_to_learn() {
        let mut index = Arc::new(LineIndex::new(ETag::new("e"), 4));
        index.update(0, b"a\n");
        let held = index.clone();
        for (at, known) in [(0, &b"a\n"[..]), (1, b"\n"), (2, b""), (3, b"x")] {
            index.update(at, known);
            assert!(Arc::ptr_eq(&index, &held), "{at}");
        }
        index.update(1, b"\nb\n");
        assert_eq!((held.total_lines(), index.total_lines()), (None, Some(2)));
    }

    #[test]
    fn the_index_doubles_its_stride_beyond_its_limit_and_still_finds_lines() {
        let lines = LINE_INDEX_ENTRIES * usize::try_from(LINE_INDEX_STRIDE).unwrap();
        let at_limit = index_of("\n".repeat(lines - 1).as_bytes());
        assert_eq!((at_limit.stride, at_limit.offsets.len()), (LINE_INDEX_STRIDE, LINE_INDEX_ENTRIES));
        let beyond = index_of("\n".repeat(lines).as_bytes());
        assert_eq!(beyond.stride, 2 * LINE_INDEX_STRIDE);
        assert!(beyond.offsets.capacity() <= LINE_INDEX_ENTRIES);
        assert_eq!(beyond.start_before(129), LineStart { line: 128, at: 128 });
    }

    #[test]
    fn a_window_is_taken_at_its_byte_limit_and_cut_at_a_line_end_beyond_it() {
        let line = format!("{}\n", "x".repeat(READ_BYTES / 4 - 1));
        let (bytes, lines) = window(line.repeat(4).as_bytes(), 1000, 0, 10);
        assert_eq!((bytes.len(), lines), (READ_BYTES, 4));
        let (bytes, lines) = window(format!("a\n{}", line.repeat(4)).as_bytes(), 1000, 0, 10);
        assert_eq!((bytes.len(), lines), (2 + 3 * READ_BYTES / 4, 4));
    }

    #[test]
    fn a_line_too_long_for_any_window_is_cut_and_said_to_be() {
        let text = "y".repeat(READ_BYTES + 1);
        let mut window = Window::new(0, 1, LineStart { line: 0, at: 0 });
        for piece in text.as_bytes().chunks(1000) {
            window.feed(piece);
        }
        let (bytes, lines, cut) = window.finish();
        assert_eq!((bytes.len(), lines, cut), (READ_BYTES, 1, true));
    }
}
