//! A search pattern, and its hits in the bytes of one file. The engine is ripgrep's; so are its answers.

use grep_matcher::Matcher as _;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkMatch};

use crate::{
    error::{Code, Error, Result},
    limits::{GREP_LINE_BYTES, REGEX_BYTES, REGEX_NEST, REGEX_PROGRAM_BYTES},
};

/// A compiled pattern: linear in the text whatever the pattern, and bounded in memory.
#[derive(Clone, Debug)]
pub(super) struct Pattern(RegexMatcher);

/// One line that matched, with its neighbours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hit {
    pub(super) line: u64,
    pub(super) text: String,
    pub(super) before: Vec<String>,
    pub(super) after: Vec<String>,
}

impl Hit {
    /// Bytes of its text.
    pub(super) fn size(&self) -> usize {
        self.before.iter().chain(&self.after).map(String::len).sum::<usize>() + self.text.len()
    }
}

impl Pattern {
    /// # Errors
    /// `invalid_pattern` for one that does not compile, is too long, or would take too much memory.
    pub(super) fn new(pattern: &str, literal: bool, ignore_case: bool) -> Result<Self> {
        if pattern.len() > REGEX_BYTES {
            return Err(invalid(format!("the pattern has {} bytes and may have {REGEX_BYTES}", pattern.len())));
        }
        if pattern.is_empty() {
            return Err(invalid("the pattern is empty; give the text to look for".to_owned()));
        }
        let mut builder = RegexMatcherBuilder::new();
        builder
            .fixed_strings(literal)
            .case_insensitive(ignore_case)
            .line_terminator(Some(b'\n'))
            .size_limit(REGEX_PROGRAM_BYTES)
            .dfa_size_limit(REGEX_PROGRAM_BYTES)
            .nest_limit(REGEX_NEST);
        match builder.build(pattern) {
            Ok(matcher) => Ok(Self(matcher)),
            Err(cause) => {
                let hint = if literal { "" } else { "; to look for plain text, set literal: true" };
                Err(invalid(format!("the pattern does not compile: {cause}{hint}")))
            }
        }
    }

    /// The first `wanted` hits with `context` lines around each, and how many lines match in all; counting ends where
    /// the hits wanted do, unless none are.
    ///
    /// # Errors
    /// `internal` where the engine gives up, which bytes in memory give it no reason to.
    pub(super) fn hits(&self, bytes: &[u8], context: usize, wanted: usize) -> Result<(Vec<Hit>, u64)> {
        let mut sink = Hits { pattern: &self.0, bytes, context, wanted, found: Vec::new(), count: 0 };
        searcher().search_slice(&self.0, bytes, &mut sink).map_err(Error::internal)?;
        Ok((sink.found, sink.count))
    }
}

fn searcher() -> Searcher {
    SearcherBuilder::new().line_number(true).bom_sniffing(false).binary_detection(BinaryDetection::quit(0)).build()
}

fn invalid(message: String) -> Error {
    Error::new(Code::InvalidPattern, message)
}

struct Hits<'bytes> {
    pattern: &'bytes RegexMatcher,
    bytes: &'bytes [u8],
    context: usize,
    wanted: usize,
    found: Vec<Hit>,
    count: u64,
}

impl Sink for Hits<'_> {
    type Error = std::io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, Self::Error> {
        self.count += 1;
        if self.wanted == 0 {
            return Ok(true);
        }
        let start = usize::try_from(found.absolute_byte_offset()).map_err(std::io::Error::other)?;
        let end = start + found.bytes().len();
        self.found.push(Hit {
            line: found.line_number().unwrap_or_default(),
            text: self.shown_at_hit(found.bytes())?,
            before: before(self.bytes.get(..start).unwrap_or_default(), self.context),
            after: after(self.bytes.get(end..).unwrap_or_default(), self.context),
        });
        Ok(self.found.len() < self.wanted)
    }
}

impl Hits<'_> {
    /// A line that matched; where it is too long to show, the part of it around the first hit.
    fn shown_at_hit(&self, line: &[u8]) -> Result<String, std::io::Error> {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let hit = self.pattern.find(line).map_err(std::io::Error::other)?.map_or(0, |hit| hit.start());
        let from = hit.saturating_sub(GREP_LINE_BYTES / 4).min(line.len().saturating_sub(GREP_LINE_BYTES));
        if from == 0 {
            return Ok(shown(line));
        }
        let part = line.get(from..from + GREP_LINE_BYTES).unwrap_or_default();
        let part = String::from_utf8_lossy(part);
        Ok(format!("…{part}… [cut: from byte {from} of the line, which has {} bytes]", line.len()))
    }
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

/// A line without its line feed, cut where it is too long to show.
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

    fn hits(pattern: &str, text: &str, context: usize) -> Vec<Hit> {
        Pattern::new(pattern, false, false).unwrap().hits(text.as_bytes(), context, 100).unwrap().0
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
        assert_eq!(pattern.hits(b"x\nx\nx\n", 0, 0).unwrap(), (vec![], 3));
        assert_eq!(pattern.hits(b"x\nx\nx\n", 0, 2).unwrap().0.len(), 2);
    }

    #[test]
    fn patterns_that_would_explode_are_refused_at_once() {
        for bad in ["(x{1000}){1000}", "(", "(?=a)", "", &"(".repeat(2000)] {
            assert_eq!(Pattern::new(bad, false, false).unwrap_err().code(), Code::InvalidPattern, "{bad:.20}");
        }
        assert!(hits("(a+)+$", &format!("{}b", "a".repeat(50_000)), 0).is_empty());
        assert_eq!(Pattern::new("a.b", true, false).unwrap().hits(b"axb\na.b", 0, 9).unwrap().0[0].line, 2);
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
