//! A search pattern and its hits in the lines of a file. The file comes in pieces.
//!
//! A piece is searched up to where the context of a hit would reach beyond it; the rest waits for the next piece. So a large file
//! takes the memory of two pieces, and its hits are the same as if it came whole. Which files are binary is decided as
//! ripgrep does it: a NUL at the beginning hides the file, a NUL in a line that matches ends it.

use std::sync::Arc;

use bytes::Bytes;

use super::expression::{LineRegex, LineSpan, RegexCache};
use crate::{
    budget::{StopReason, WorkBudget},
    error::{Code, Error, Result},
    limits::{GREP_LINE_BYTES, GREP_LINE_COST, REGEX_BYTES, SEARCH_LINE_BYTES},
};

/// How much of the beginning of a file may hold no NUL, as in ripgrep.
const NUL_PROBE_BYTES: usize = 64 << 10;

/// A compiled pattern. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Pattern(Arc<LineRegex>);

/// A line that matched, with its neighbours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The number of the line, from 1.
    pub line: u64,
    /// The line.
    pub text: String,
    /// The lines before it.
    pub before: Vec<String>,
    /// The lines after it.
    pub after: Vec<String>,
}

/// How much of its hits the search of a file keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HitLimit {
    /// The most hits; with 0 the search counts the lines that match, and keeps none.
    pub hits: usize,
    /// Bytes by [`Hit::size`]. The hit that exceeds them is the last one kept.
    pub bytes: usize,
}

/// How the search of one file stands after some of its pieces.
#[derive(Debug)]
pub struct FileSearch {
    pattern: Pattern,
    context: usize,
    /// The bytes of the hits so far are subtracted.
    limit: HitLimit,
    /// The end of the pieces so far: lines of context, and the bytes that were not searched yet.
    kept: Vec<u8>,
    /// The place in `kept` of the first line that was not searched, and the number of this line.
    resume: usize,
    line: u64,
    /// The first hits, up to the limit.
    pub hits: Vec<Hit>,
    /// The lines that matched. If the search keeps hits, counting ends with the last of them.
    pub count: u64,
    /// Whether further pieces would change nothing.
    pub is_done: bool,
    /// Whether it ended at a line over [`SEARCH_LINE_BYTES`].
    pub is_cut: bool,
}

impl Hit {
    /// Bytes of its lines, with [`GREP_LINE_COST`] for each.
    #[must_use]
    pub fn size(&self) -> usize {
        let lines = self.before.iter().chain(&self.after).chain([&self.text]);
        lines.map(|line| line.len() + GREP_LINE_COST).sum()
    }
}

impl Pattern {
    /// # Errors
    /// `invalid_pattern` if the pattern does not compile, is too long, or would take too much memory.
    pub fn new(pattern: &str, literal: bool, ignore_case: bool) -> Result<Self> {
        if pattern.len() > REGEX_BYTES {
            return Err(invalid(format!("the pattern has {} bytes and may have {REGEX_BYTES}", pattern.len())));
        }
        if pattern.is_empty() {
            return Err(invalid("the pattern is empty; give the text to look for".to_owned()));
        }
        match LineRegex::new(pattern, literal, ignore_case) {
            Ok(expression) => Ok(Self(Arc::new(expression))),
            Err(cause) => {
                let hint = if literal { "" } else { "; to look for plain text, set literal: true" };
                Err(invalid(format!("the pattern does not compile: {cause}{hint}")))
            }
        }
    }

    /// The steps that a search through so many bytes takes at worst.
    #[must_use]
    pub fn worst_steps(&self, bytes: usize) -> u64 {
        self.0.worst_steps(bytes)
    }

    /// The search of one file: its first hits up to `limit`, with `context` lines around each.
    #[must_use]
    pub fn file(&self, context: usize, limit: HitLimit) -> FileSearch {
        FileSearch {
            pattern: self.clone(),
            context,
            limit,
            kept: Vec::new(),
            resume: 0,
            line: 1,
            hits: Vec::new(),
            count: 0,
            is_done: false,
            is_cut: false,
        }
    }
}

impl FileSearch {
    /// Searches the next piece of the file. All but the last have 64 KiB at least.
    ///
    /// # Errors
    /// `too_expensive` if `work` has too few steps for a line that the fast engines cannot judge.
    pub fn feed(&mut self, piece: &Bytes, is_last: bool, work: &WorkBudget) -> Result<()> {
        if self.is_done {
            return Ok(());
        }
        let is_first = self.line == 1 && self.kept.is_empty();
        if is_first && memchr::memchr(0, piece.get(..NUL_PROBE_BYTES).unwrap_or(piece)).is_some() {
            self.is_done = true;
            return Ok(());
        }
        if self.kept.is_empty() {
            return self.search(piece, is_last, work);
        }
        let mut text = std::mem::take(&mut self.kept);
        text.extend_from_slice(piece);
        self.search(&text, is_last, work)
    }

    fn search(&mut self, text: &[u8], is_last: bool, work: &WorkBudget) -> Result<()> {
        let end = if is_last { text.len() } else { back_over_lines(text, complete(text), self.context) };
        let searchable = text.get(..end).unwrap_or(text);
        let expression = self.pattern.0.clone();
        let mut tables = expression.tables();
        while let Some(line) = self.next_line(&expression, searchable, &mut tables, work)? {
            self.pass(searchable, line.start);
            self.take(text, line, |line| expression.start_of_hit(line, &mut tables, work));
            self.pass(searchable, line.end);
            if self.is_done {
                break;
            }
        }
        expression.put_back(tables);
        self.pass(searchable, end.max(self.resume));
        self.is_done |= is_last;
        if !self.is_done {
            self.keep(text, end);
        }
        Ok(())
    }

    fn next_line(
        &self,
        expression: &LineRegex,
        text: &[u8],
        tables: &mut RegexCache,
        work: &WorkBudget,
    ) -> Result<Option<LineSpan>> {
        expression.next_line(text, self.resume, tables, work).map_err(search_error)
    }

    /// Counts the lines up to `to`, where a line begins.
    fn pass(&mut self, text: &[u8], to: usize) {
        let passed = text.get(self.resume..to).unwrap_or_default();
        self.line += memchr::memchr_iter(b'\n', passed).count() as u64;
        self.resume = to;
    }

    /// Takes a line that matches.
    fn take(&mut self, text: &[u8], line: LineSpan, start_of_hit: impl FnOnce(&[u8]) -> Option<usize>) {
        let bytes = text.get(line.start..line.end).unwrap_or_default();
        if memchr::memchr(0, bytes).is_some() {
            self.is_done = true;
            return;
        }
        self.count += 1;
        if self.limit.hits == 0 {
            return;
        }
        let hit = Hit {
            line: self.line,
            text: shown_at_hit(bytes, |line_text| start_of_hit(line_text).unwrap_or(line.hit - line.start)),
            before: before(text.get(..line.start).unwrap_or_default(), self.context),
            after: after(text.get(line.end..).unwrap_or_default(), self.context),
        };
        let left = self.limit.bytes.checked_sub(hit.size());
        self.hits.push(hit);
        self.is_done = self.hits.len() >= self.limit.hits || left.is_none();
        self.limit.bytes = left.unwrap_or_default();
    }

    /// Keeps what the next piece needs: the context before `from`, and what follows.
    fn keep(&mut self, text: &[u8], from: usize) {
        let start = back_over_lines(text, from, self.context);
        let kept = text.get(start..).unwrap_or_default();
        if kept.len() > SEARCH_LINE_BYTES {
            (self.is_done, self.is_cut) = (true, true);
            return;
        }
        self.resume = from - start;
        self.kept = kept.to_vec();
    }
}

/// The error of a search that was stopped.
fn search_error(reason: StopReason) -> Error {
    reason.into_error(
        "the pattern is too expensive for these lines: use shorter repetitions or fewer alternatives, set literal: true, or search fewer files with path or glob",
    )
}

fn invalid(message: String) -> Error {
    Error::new(Code::InvalidPattern, message)
}

/// Where the last complete line of `text` ends.
fn complete(text: &[u8]) -> usize {
    memchr::memrchr(b'\n', text).map_or(0, |feed| feed + 1)
}

/// The place `count` lines before `from`, where a line begins.
fn back_over_lines(text: &[u8], from: usize, count: usize) -> usize {
    (0..count).fold(from, |at, _| complete(text.get(..at.saturating_sub(1)).unwrap_or_default()))
}

/// A line that matched; if it is too long to show, the part of it around the first hit.
fn shown_at_hit(line: &[u8], hit: impl FnOnce(&[u8]) -> usize) -> String {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    if line.len() <= GREP_LINE_BYTES {
        return shown(line);
    }
    let hit = hit(line);
    let from = hit.saturating_sub(GREP_LINE_BYTES / 4).min(line.len().saturating_sub(GREP_LINE_BYTES));
    if from == 0 {
        return shown(line);
    }
    let part = line.get(from..from + GREP_LINE_BYTES).unwrap_or(line);
    let part = String::from_utf8_lossy(part);
    format!("…{part}… [cut: from byte {from} of the line, which has {} bytes]", line.len())
}

/// The last `count` lines of `bytes`.
fn before(bytes: &[u8], count: usize) -> Vec<String> {
    let body = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    if bytes.is_empty() {
        return Vec::new();
    }
    let mut lines: Vec<String> = body.rsplit(|byte| *byte == b'\n').take(count).map(shown).collect();
    lines.reverse();
    lines
}

/// The first `count` lines of `bytes`.
fn after(bytes: &[u8], count: usize) -> Vec<String> {
    bytes.split_inclusive(|byte| *byte == b'\n').take(count).map(shown).collect()
}

/// A line without its line feed, cut if it is too long to show.
fn shown(line: &[u8]) -> String {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    match line.get(..GREP_LINE_BYTES) {
        Some(head) if line.len() > GREP_LINE_BYTES => {
            format!("{}… [cut: the line has {} bytes]", String::from_utf8_lossy(head), line.len())
        }
        _ => String::from_utf8_lossy(line).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::limits::{GREP_REPLY_BYTES, WORK_STEPS};

    fn limit(hits: usize) -> HitLimit {
        HitLimit { hits, bytes: GREP_REPLY_BYTES }
    }

    /// The search of a text that comes in pieces of so many bytes.
    fn search(pattern: &Pattern, text: &[u8], piece: usize, context: usize, wanted: usize) -> FileSearch {
        let mut file = pattern.file(context, limit(wanted));
        let work = WorkBudget::of_steps(WORK_STEPS);
        let mut pieces = text.chunks(piece).peekable();
        while let Some(piece) = pieces.next() {
            file.feed(&Bytes::copy_from_slice(piece), pieces.peek().is_none(), &work).unwrap();
        }
        file
    }

    fn hits(pattern: &str, text: &str, context: usize) -> Vec<Hit> {
        let pattern = Pattern::new(pattern, false, false).unwrap();
        search(&pattern, text.as_bytes(), usize::MAX, context, 100).hits
    }

    #[test]
    fn hits_are_the_same_however_the_file_comes_in_pieces() {
        let line = |line: u32| if line.is_multiple_of(7) { format!("needle {line}\n") } else { format!("{line}\n") };
        let text = (0..200).map(line).chain(["needle at the end".to_owned()]).collect::<Vec<_>>().concat();
        let pattern = Pattern::new("needle", false, false).unwrap();
        for context in [0, 1, 3] {
            let whole = search(&pattern, text.as_bytes(), usize::MAX, context, 1000);
            assert_eq!(whole.hits.len(), 30);
            for piece in [1, 5, 64, 1000] {
                let pieces = search(&pattern, text.as_bytes(), piece, context, 1000);
                assert_eq!((&pieces.hits, pieces.count), (&whole.hits, whole.count), "{piece} {context}");
            }
        }
    }

    #[test]
    fn a_line_is_searched_at_its_limit_and_ends_the_file_beyond_it() {
        let pattern = Pattern::new("x$", false, false).unwrap();
        let mut file = pattern.file(0, limit(10));
        let work = WorkBudget::of_steps(WORK_STEPS);
        file.feed(&vec![b'x'; SEARCH_LINE_BYTES].into(), false, &work).unwrap();
        assert!(!file.is_cut);
        file.feed(&Bytes::from_static(b"x"), false, &work).unwrap();
        assert!(file.is_cut && file.is_done && file.count == 0);
    }

    #[test]
    fn a_nul_at_the_beginning_hides_a_file_and_one_in_a_line_that_matches_ends_it() {
        let pattern = Pattern::new("x", true, false).unwrap();
        assert_eq!(search(&pattern, b"x\n\0\nx", usize::MAX, 0, 9).count, 0);
        let late = [&b"x\n"[..], &vec![b'y'; NUL_PROBE_BYTES], b"\nx\nx\0\nx"].concat();
        assert_eq!(search(&pattern, &late, usize::MAX, 0, 9).count, 2);
    }

    #[test]
    fn a_hit_comes_with_its_line_and_its_neighbours() {
        let found = hits("b+", "a\nbb\nc\nb", 1);
        let plain = |hit: &Hit| (hit.line, hit.text.clone(), hit.before.clone(), hit.after.clone());
        assert_eq!(plain(&found[0]), (2, "bb".into(), vec!["a".to_owned()], vec!["c".to_owned()]));
        assert_eq!(plain(&found[1]), (4, "b".into(), vec!["c".to_owned()], vec![]));
    }

    #[test]
    fn counting_goes_on_where_no_hits_are_wanted_and_stops_where_enough_are_there() {
        let pattern = Pattern::new("x", true, false).unwrap();
        let all = search(&pattern, b"x\nx\nx\n", usize::MAX, 0, 0);
        assert_eq!((all.hits, all.count), (vec![], 3));
        assert_eq!(search(&pattern, b"x\nx\nx\n", usize::MAX, 0, 2).hits.len(), 2);
    }

    #[test]
    fn the_hits_of_a_file_end_with_the_one_that_exceeds_their_bytes() {
        let line = "x".repeat(968) + "\n";
        let pattern = Pattern::new("x", true, false).unwrap();
        let work = WorkBudget::of_steps(WORK_STEPS);
        for (context, bytes, expected) in [(0, 4999, 5), (0, 5000, 6), (1, 4999, 2), (1, 5000, 3)] {
            let mut file = pattern.file(context, HitLimit { hits: 1000, bytes });
            file.feed(&line.repeat(100).into(), true, &work).unwrap();
            assert_eq!((file.hits.len(), file.is_done), (expected, true), "{context} {bytes}");
            assert_eq!(file.hits[0].size(), 1000 * (1 + context));
        }
    }

    #[test]
    fn patterns_that_would_explode_are_refused_at_once() {
        for bad in ["(x{1000}){1000}", "(", "(?=a)", "", &"(".repeat(2000)] {
            assert_eq!(Pattern::new(bad, false, false).unwrap_err().code(), Code::InvalidPattern, "{bad:.20}");
        }
        assert!(hits("(a+)+$", &format!("{}b", "a".repeat(50_000)), 0).is_empty());
        let literal = Pattern::new("a.b", true, false).unwrap();
        assert_eq!(search(&literal, b"axb\na.b", usize::MAX, 0, 9).hits[0].line, 2);
    }

    #[test]
    fn patterns_are_taken_at_their_limit_and_refused_beyond_it() {
        assert!(Pattern::new(&"a".repeat(REGEX_BYTES), true, false).is_ok());
        assert!(Pattern::new(&"a".repeat(REGEX_BYTES + 1), true, false).is_err());
    }

    #[test]
    fn of_a_line_that_is_too_long_the_part_around_the_first_hit_is_shown() {
        for at in [0, 100, GREP_LINE_BYTES, 5 * GREP_LINE_BYTES, 10 * GREP_LINE_BYTES] {
            let line = format!("{}needle{}", "é".repeat(at / 2), "é".repeat((10 * GREP_LINE_BYTES - at) / 2));
            let text = &hits("need.e", &format!("{line}\nneedle\n"), 0)[0].text;
            assert!(text.contains("needle") && text.ends_with("bytes]"), "{at}");
            assert!(text.len() < GREP_LINE_BYTES + 100, "{at}");
        }
    }

    #[test]
    fn a_line_is_shown_whole_at_its_limit_and_cut_aloud_beyond_it() {
        let text = |size| hits("x", &"x".repeat(size), 0)[0].text.clone();
        assert_eq!(text(GREP_LINE_BYTES).len(), GREP_LINE_BYTES);
        assert!(text(GREP_LINE_BYTES + 1).ends_with("bytes]"));
    }
}
