//! A regular expression that is held against lines. Its cost is known before it runs.
//!
//! Three engines of one crate share the work. A lazy DFA over the whole text finds the next line that can match. It
//! costs a step for each byte and is charged nothing. Its table has a bound. If an expression fills the table again and
//! again, the DFA gives up, and the NFA searches the current line with every state at once. The NFA is charged states ×
//! bytes of the line before it runs, so a line that is too expensive costs nothing. Word boundaries of Unicode are more
//! than a DFA can see in text that is not ASCII. The first DFA runs without them, so it finds too many lines and never
//! too few. A second DFA, or else the NFA, judges each of these lines with them.

use std::sync::{Mutex, PoisonError};

use regex_automata::{
    Input, MatchError, MatchErrorKind, MatchKind,
    hybrid::dfa::{self, DFA},
    nfa::thompson::{
        NFA, WhichCaptures,
        pikevm::{self, PikeVM},
    },
    util::prefilter::Prefilter,
};
use regex_syntax::{
    ParserBuilder,
    hir::{Class, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Look},
};

use crate::{
    budget::{StopReason, WorkBudget},
    limits::{REGEX_NEST, REGEX_PROGRAM_BYTES},
};

/// How often a DFA fills its table in a run before it gives up. A table is filled in some milliseconds.
const FILLS: usize = 8;
/// The highest charge for these fills. Each fill writes a table of [`REGEX_PROGRAM_BYTES`], with some steps for each
/// byte.
const FILLS_STEPS: u64 = (FILLS as u64 + 1) * 8 * REGEX_PROGRAM_BYTES as u64;

/// Which part of the steps that are left may go into showing a line from where its hit begins.
const START_OF_HIT_PART: u64 = 16;

/// A compiled expression, shared by threads. Each search takes a [`RegexCache`] from a pool. So the entries that the
/// search of one file added serve the next.
#[derive(Debug)]
pub(crate) struct LineRegex {
    /// Finds lines; judges them too if there is no `exact`.
    lines: DFA,
    /// The expression with its word boundaries, if it has any of Unicode.
    exact: Option<DFA>,
    nfa: PikeVM,
    states: u64,
    idle: Mutex<Vec<RegexCache>>,
}

/// The tables that the engines fill while they search.
#[derive(Debug)]
pub(crate) struct RegexCache {
    lines: dfa::Cache,
    exact: Option<dfa::Cache>,
    nfa: pikevm::Cache,
}

/// Where a line is that matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LineSpan {
    pub(crate) start: usize,
    /// The place behind the line, with its line feed if there is one.
    pub(crate) end: usize,
    /// Where the first hit in it ends.
    pub(crate) hit: usize,
}

impl LineRegex {
    /// Compiles `pattern`, or the text `pattern` if `literal`.
    ///
    /// # Errors
    /// Why it cannot be compiled, in words.
    pub(crate) fn new(pattern: &str, literal: bool, ignore_case: bool) -> Result<Self, String> {
        let escaped = literal.then(|| regex_syntax::escape(pattern));
        let mut parser = ParserBuilder::new();
        parser.utf8(false).multi_line(true).case_insensitive(ignore_case).nest_limit(REGEX_NEST);
        let parsed = parser.build().parse(escaped.as_deref().unwrap_or(pattern)).map_err(|cause| cause.to_string())?;
        let hir = within_line(parsed)?;
        let nfa = compile(&hir)?;
        let has_boundary = hir.properties().look_set().contains_word_unicode();
        let lines = if has_boundary {
            let wider = without_boundaries(hir.clone());
            build(compile(&wider)?, &wider)?
        } else {
            build(nfa.clone(), &hir)?
        };
        Ok(Self {
            lines,
            exact: has_boundary.then(|| build(nfa.clone(), &hir)).transpose()?,
            states: nfa.states().len() as u64,
            nfa: PikeVM::new_from_nfa(nfa).map_err(|cause| cause.to_string())?,
            idle: Mutex::default(),
        })
    }

    /// The steps that a search through so many bytes takes at worst.
    pub(crate) fn worst_steps(&self, bytes: usize) -> u64 {
        self.states.saturating_mul(bytes as u64)
    }

    /// Tables to search with, used ones if there are any.
    pub(crate) fn tables(&self) -> RegexCache {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        idle.unwrap_or_else(|| RegexCache {
            lines: self.lines.create_cache(),
            exact: self.exact.as_ref().map(DFA::create_cache),
            nfa: self.nfa.create_cache(),
        })
    }

    /// Keeps tables for the next search.
    pub(crate) fn put_back(&self, tables: RegexCache) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(tables);
    }

    /// The first line at or after `at`, which is the start of a line, that matches.
    ///
    /// # Errors
    /// [`StopReason`] if the work was cancelled, or if the line at hand costs more than `work` has left.
    pub(crate) fn next_line(
        &self,
        text: &[u8],
        mut at: usize,
        tables: &mut RegexCache,
        work: &WorkBudget,
    ) -> Result<Option<LineSpan>, StopReason> {
        while at < text.len() {
            let input = Input::new(text).range(at..).earliest(true);
            let (place, certain) = match self.lines.try_search_fwd(&mut tables.lines, &input) {
                Ok(None) => return Ok(None),
                Ok(Some(half)) => (half.offset(), self.exact.is_none()),
                Err(gave_up) => {
                    let place = place_of(&gave_up).max(at);
                    work.spend(self.fills_cost(place - at))?;
                    tables.lines.reset(&self.lines);
                    let line = line_around(text, place);
                    if line.start > at {
                        // Every line before this one was looked at.
                        at = line.start;
                        continue;
                    }
                    (place, false)
                }
            };
            let line = line_around(text, place);
            if line.start >= text.len() {
                return Ok(None);
            }
            if certain {
                return Ok(Some(line));
            }
            if let Some(hit) = self.judge(text.get(line.start..line.end).unwrap_or_default(), tables, work)? {
                return Ok(Some(LineSpan { hit: line.start + hit, ..line }));
            }
            at = line.end;
        }
        Ok(None)
    }

    /// Where the first hit in one line ends, by the exact expression.
    fn judge(&self, line: &[u8], tables: &mut RegexCache, work: &WorkBudget) -> Result<Option<usize>, StopReason> {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        if let (Some(exact), Some(cache)) = (&self.exact, &mut tables.exact) {
            match exact.try_search_fwd(cache, &Input::new(line).earliest(true)) {
                Ok(half) => return Ok(half.map(|half| half.offset())),
                // Text that is not ASCII before the first hit, or a table that filled too often.
                Err(_) => cache.reset(exact),
            }
        }
        work.spend(self.worst_steps(line.len()))?;
        Ok(self.nfa.find(&mut tables.nfa, Input::new(line).earliest(true)).map(|hit| hit.end()))
    }

    /// Where the first hit in a line that matches begins, if a small part of the steps that are left pays for finding out.
    pub(crate) fn start_of_hit(&self, line: &[u8], tables: &mut RegexCache, work: &WorkBudget) -> Option<usize> {
        let cost = self.worst_steps(line.len());
        if cost > work.left() / START_OF_HIT_PART || work.spend(cost).is_err() {
            return None;
        }
        self.nfa.find(&mut tables.nfa, Input::new(line)).map(|hit| hit.start())
    }

    /// The DFA's cost for tables while it went through so many bytes. It is at most the NFA's cost.
    fn fills_cost(&self, bytes: usize) -> u64 {
        self.worst_steps(bytes).min(FILLS_STEPS)
    }
}

fn compile(hir: &Hir) -> Result<NFA, String> {
    let config =
        NFA::config().utf8(false).nfa_size_limit(Some(REGEX_PROGRAM_BYTES)).which_captures(WhichCaptures::Implicit);
    NFA::compiler().configure(config).build_from_hir(hir).map_err(|cause| cause.to_string())
}

fn build(nfa: NFA, hir: &Hir) -> Result<DFA, String> {
    let config = DFA::config()
        .match_kind(MatchKind::LeftmostFirst)
        .prefilter(Prefilter::from_hir_prefix(MatchKind::LeftmostFirst, hir))
        .unicode_word_boundary(true)
        .cache_capacity(REGEX_PROGRAM_BYTES)
        .skip_cache_capacity_check(true)
        .minimum_cache_clear_count(Some(FILLS));
    DFA::builder().configure(config).build_from_nfa(nfa).map_err(|cause| cause.to_string())
}

/// Where a search ended that could not go on.
fn place_of(error: &MatchError) -> usize {
    match error.kind() {
        MatchErrorKind::Quit { offset, .. } | MatchErrorKind::GaveUp { offset } => *offset,
        _ => 0,
    }
}

/// The line that holds the byte at `place`, or ends there.
fn line_around(text: &[u8], place: usize) -> LineSpan {
    let (before, after) = text.split_at_checked(place).unwrap_or((text, &[]));
    let start = memchr::memrchr(b'\n', before).map_or(0, |feed| feed + 1);
    let end = memchr::memchr(b'\n', after).map_or(text.len(), |feed| place + feed + 1);
    LineSpan { start, end, hit: place }
}

/// The expression within a line: it matches no line feed, and the ends of the text are the ends of the line.
fn within_line(hir: Hir) -> Result<Hir, String> {
    let refuse = || Err("a line feed cannot be matched, because lines are searched one by one".to_owned());
    Ok(match hir.into_kind() {
        HirKind::Literal(literal) if literal.0.contains(&b'\n') => return refuse(),
        HirKind::Class(Class::Unicode(mut class)) if !class.ranges().is_empty() => {
            class.difference(&ClassUnicode::new([ClassUnicodeRange::new('\n', '\n')]));
            if class.ranges().is_empty() {
                return refuse();
            }
            Hir::class(Class::Unicode(class))
        }
        HirKind::Class(Class::Bytes(mut class)) if !class.ranges().is_empty() => {
            class.difference(&ClassBytes::new([ClassBytesRange::new(b'\n', b'\n')]));
            if class.ranges().is_empty() {
                return refuse();
            }
            Hir::class(Class::Bytes(class))
        }
        HirKind::Look(Look::Start) => Hir::look(Look::StartLF),
        HirKind::Look(Look::End) => Hir::look(Look::EndLF),
        other => each_part(other, &mut within_line)?,
    })
}

/// The expression without word boundaries of Unicode: it matches every line that the expression does.
fn without_boundaries(hir: Hir) -> Hir {
    let mut part = |part| Ok::<_, std::convert::Infallible>(without_boundaries(part));
    match hir.into_kind() {
        HirKind::Look(look) if is_unicode_boundary(look) => Hir::empty(),
        other => match each_part(other, &mut part) {
            Ok(wider) => wider,
            Err(never) => match never {},
        },
    }
}

fn is_unicode_boundary(look: Look) -> bool {
    matches!(
        look,
        Look::WordUnicode
            | Look::WordUnicodeNegate
            | Look::WordStartUnicode
            | Look::WordEndUnicode
            | Look::WordStartHalfUnicode
            | Look::WordEndHalfUnicode
    )
}

/// The same kind of expression with each of its parts changed. Its depth was bounded when it was parsed.
fn each_part<E>(kind: HirKind, change: &mut dyn FnMut(Hir) -> Result<Hir, E>) -> Result<Hir, E> {
    Ok(match kind {
        HirKind::Empty => Hir::empty(),
        HirKind::Literal(literal) => Hir::literal(literal.0),
        HirKind::Class(class) => Hir::class(class),
        HirKind::Look(look) => Hir::look(look),
        HirKind::Repetition(mut repetition) => {
            repetition.sub = Box::new(change(*repetition.sub)?);
            Hir::repetition(repetition)
        }
        HirKind::Capture(mut capture) => {
            capture.sub = Box::new(change(*capture.sub)?);
            Hir::capture(capture)
        }
        HirKind::Concat(parts) => Hir::concat(parts.into_iter().map(change).collect::<Result<_, _>>()?),
        HirKind::Alternation(parts) => Hir::alternation(parts.into_iter().map(change).collect::<Result<_, _>>()?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::WORK_STEPS;

    /// The lines that match, by their numbers, and the steps that were charged.
    fn lines(pattern: &str, text: &str, steps: u64) -> Result<(Vec<usize>, u64), StopReason> {
        let expression = LineRegex::new(pattern, false, false).unwrap();
        let work = WorkBudget::of_steps(steps);
        let mut tables = expression.tables();
        let (mut found, mut at) = (Vec::new(), 0);
        while let Some(line) = expression.next_line(text.as_bytes(), at, &mut tables, &work)? {
            found.push(text[..line.start].matches('\n').count() + 1);
            at = line.end;
        }
        Ok((found, steps - work.left()))
    }

    #[test]
    fn ends_of_the_text_are_ends_of_lines_and_empty_hits_are_lines() {
        for (pattern, text, expected) in [
            ("^b", "a\nb\nab\nb", &[2, 4][..]),
            (r"\Ab$", "a\nb\nab\nb", &[2, 4]),
            (r"b\z", "a\nb\nab\nbc", &[2, 3]),
            ("x*", "a\n\nb", &[1, 2, 3]),
            ("^$", "a\n\nb\n", &[2]),
            ("[^a]", "a\na\nab", &[3]),
            (r"a\sb", "a\nb\na b", &[3]),
            ("a", "", &[]),
        ] {
            assert_eq!(lines(pattern, text, WORK_STEPS), Ok((expected.to_vec(), 0)), "{pattern}");
        }
        assert!(LineRegex::new("a\\nb", false, false).is_err_and(|why| why.contains("line feed")));
    }

    #[test]
    fn word_boundaries_are_those_of_unicode_and_ascii_lines_are_free() {
        let text = "canción de amor\nderiva\nson de mar\n»de«\nañode\n";
        let (found, charged) = lines(r"\bde\b", text, WORK_STEPS).unwrap();
        assert_eq!(found, [1, 3, 4]);
        assert!(charged > 0, "lines that are not ASCII are judged by the NFA");
        assert_eq!(lines(r"\bde\b", "son de mar\nderiva\n", WORK_STEPS), Ok((vec![1], 0)));
        assert_eq!(lines(r"\bde\b", &format!("{}\nson de mar", "ñ".repeat(1000)), WORK_STEPS), Ok((vec![2], 0)));
    }

    // S-BUDGET-2: Work over its budget is `too_expensive`, at once, and the answer says what to change.
    #[test]
    fn an_expression_the_dfa_cannot_hold_pays_by_line_and_a_line_too_dear_is_refused_beforehand() {
        let hostile = r"[01]*1[01]{3000}x";
        let digits =
            |count: u32| (0..count).map(|at| if at.wrapping_mul(2_654_435_761) >> 13 & 1 == 0 { '0' } else { '1' });
        let long: String = digits(2 << 20).collect();
        let before = WorkBudget::of_steps(WORK_STEPS);
        let expression = LineRegex::new(hostile, false, false).unwrap();
        assert_eq!(expression.next_line(long.as_bytes(), 0, &mut expression.tables(), &before), Err(StopReason::Spent));
        assert!(before.left() > WORK_STEPS / 2, "the line itself was not begun: {}", before.left());
        let short: String = digits(2000).chain("1".chars()).chain(digits(3000)).chain("x".chars()).collect();
        let (found, charged) = lines(hostile, &format!("{short}y\n{short}\nno"), WORK_STEPS).unwrap();
        assert_eq!(found, [1, 2]);
        assert!(charged < WORK_STEPS / 4, "{charged}");
    }

    #[test]
    fn ordinary_expressions_never_pay() {
        let text = "The quick brown fox — día de año nuevo, 三十 words; ¿qué? \t fin.\n".repeat(4000);
        for pattern in [r"\w+\s\w+", r"(?i)\p{Greek}+|z{3}", r"[a-z]+@[a-z]+\.[a-z]{2,}", "x{200}", "(a|b|c)+d$"] {
            assert_eq!(lines(pattern, &text, WORK_STEPS).unwrap().1, 0, "{pattern}");
        }
    }

    #[test]
    fn a_search_that_is_cancelled_ends_at_the_next_line_that_would_be_charged() {
        let expression = LineRegex::new(r"\bx\b", false, false).unwrap();
        let work = WorkBudget::of_steps(WORK_STEPS);
        work.cancel();
        assert_eq!(
            expression.next_line("ñx\n".as_bytes(), 0, &mut expression.tables(), &work),
            Err(StopReason::Cancelled)
        );
    }
}
