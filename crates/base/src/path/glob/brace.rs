//! Braces: `{a,b}`, nested, and ranges `{1..3}`, `{a..e..2}`.
//!
//! A pattern is parsed into a tree. The size of its expansion is counted on the tree before it is built.

use std::{iter::Peekable, str::Chars};

use crate::limits::{GLOB_ALTERNATIVES, GLOB_EXPANDED_BYTES, GLOB_NESTING};

enum Piece {
    /// As written, escapes included.
    Text(String),
    Choice(Vec<Vec<Piece>>),
    Range(Range),
}

/// Every alternative of `pattern`; none if a brace is never closed.
///
/// # Errors
/// Words that complete "the glob …" if the alternatives are too many, too large or too deeply nested.
pub(super) fn expand(pattern: &str) -> Result<Vec<String>, String> {
    let mut parser = Parser { chars: pattern.chars().peekable() };
    let Some(pieces) = parser.sequence(0)? else { return Ok(Vec::new()) };
    let size = Size::from_pieces(&pieces);
    if size.count > GLOB_ALTERNATIVES {
        return Err(format!("expands to more than {GLOB_ALTERNATIVES} alternatives: use fewer braces"));
    }
    if size.bytes > GLOB_EXPANDED_BYTES {
        return Err(format!("expands to more than {GLOB_EXPANDED_BYTES} bytes: use fewer braces"));
    }
    Ok(build(&pieces))
}

struct Parser<'a> {
    chars: Peekable<Chars<'a>>,
}

impl Parser<'_> {
    /// Reads up to the end, or inside braces up to the `,` or `}` that closes this branch; `None` for an open brace.
    fn sequence(&mut self, depth: usize) -> Result<Option<Vec<Piece>>, String> {
        let mut pieces = Vec::new();
        let mut text = String::new();
        while let Some(c) = self.chars.next_if(|c| depth == 0 || !matches!(c, ',' | '}')) {
            match c {
                '{' => {
                    pieces.push(Piece::Text(std::mem::take(&mut text)));
                    match self.braces(depth + 1)? {
                        Some(inner) => pieces.extend(inner),
                        None => return Ok(None),
                    }
                }
                '\\' => {
                    text.push('\\');
                    text.extend(self.chars.next());
                }
                c => text.push(c),
            }
        }
        pieces.push(Piece::Text(text));
        Ok(Some(pieces))
    }

    /// Reads the branches behind a `{` and its `}`. One branch alone is a range or plain text.
    fn braces(&mut self, depth: usize) -> Result<Option<Vec<Piece>>, String> {
        if depth > GLOB_NESTING {
            return Err(format!("has more than {GLOB_NESTING} braces open at once: use fewer"));
        }
        let mut branches = Vec::new();
        loop {
            let Some(branch) = self.sequence(depth)? else { return Ok(None) };
            branches.push(branch);
            match self.chars.next() {
                Some(',') => {}
                Some(_) => break,
                None => return Ok(None),
            }
        }
        if branches.len() > 1 {
            return Ok(Some(vec![Piece::Choice(branches)]));
        }
        let only = branches.pop().unwrap_or_default();
        if let [Piece::Text(text)] = only.as_slice()
            && let Some(range) = Range::parse(text)
        {
            return Ok(Some(vec![Piece::Range(range)]));
        }
        let (open, close) = (Piece::Text("{".to_owned()), Piece::Text("}".to_owned()));
        Ok(Some(std::iter::once(open).chain(only).chain([close]).collect()))
    }
}

/// The number of alternatives and of all their bytes.
#[derive(Clone, Copy)]
struct Size {
    count: usize,
    bytes: usize,
}

impl Size {
    fn from_pieces(pieces: &[Piece]) -> Self {
        pieces.iter().map(Self::of_piece).fold(Self { count: 1, bytes: 0 }, |one, two| Self {
            count: one.count.saturating_mul(two.count),
            bytes: one.bytes.saturating_mul(two.count).saturating_add(two.bytes.saturating_mul(one.count)),
        })
    }

    fn of_piece(piece: &Piece) -> Self {
        match piece {
            Piece::Text(text) => Self { count: 1, bytes: text.len() },
            Piece::Choice(branches) => {
                branches.iter().map(|branch| Self::from_pieces(branch)).fold(Self { count: 0, bytes: 0 }, |one, two| {
                    Self { count: one.count.saturating_add(two.count), bytes: one.bytes.saturating_add(two.bytes) }
                })
            }
            Piece::Range(range) => Self { count: range.count(), bytes: range.count().saturating_mul(range.width) },
        }
    }
}

fn build(pieces: &[Piece]) -> Vec<String> {
    pieces.iter().fold(vec![String::new()], |heads, piece| match piece {
        Piece::Text(text) => heads.into_iter().map(|head| head + text).collect(),
        Piece::Choice(branches) => join(&heads, &branches.iter().flat_map(|branch| build(branch)).collect::<Vec<_>>()),
        Piece::Range(range) => join(&heads, &range.words()),
    })
}

fn join(heads: &[String], tails: &[String]) -> Vec<String> {
    heads.iter().flat_map(|head| tails.iter().map(move |tail| format!("{head}{tail}"))).collect()
}

/// `{first..last}` or `{first..last..step}`, over numbers or ASCII letters.
struct Range {
    first: i64,
    last: i64,
    step: u64,
    /// The width of the longest word, if one of them begins with a zero: numbers are padded to it.
    width: usize,
    padded: bool,
    letters: bool,
}

impl Range {
    fn parse(text: &str) -> Option<Self> {
        let parts: Vec<&str> = text.split("..").collect();
        let (first, last, step) = match parts.as_slice() {
            [first, last] => (*first, *last, "1"),
            [first, last, step] => (*first, *last, *step),
            _ => return None,
        };
        let step = step.parse::<i64>().ok()?.unsigned_abs().max(1);
        if let (Some(first), Some(last)) = (letter(first), letter(last)) {
            return Some(Self { first, last, step, width: 1, padded: false, letters: true });
        }
        let zero = |text: &str| text.trim_start_matches('-').len() > 1 && text.trim_start_matches('-').starts_with('0');
        let padded = zero(first) || zero(last);
        let width = first.len().max(last.len());
        Some(Self { first: first.parse().ok()?, last: last.parse().ok()?, step, width, padded, letters: false })
    }

    fn count(&self) -> usize {
        let steps = self.first.abs_diff(self.last) / self.step;
        usize::try_from(steps).unwrap_or(usize::MAX).saturating_add(1)
    }

    fn words(&self) -> Vec<String> {
        let step = i64::try_from(self.step).unwrap_or(i64::MAX);
        let step = if self.first <= self.last { step } else { -step };
        let numbers = std::iter::successors(Some(self.first), |at| at.checked_add(step)).take(self.count());
        numbers.map(|number| self.word(number)).collect()
    }

    fn word(&self, number: i64) -> String {
        match u8::try_from(number) {
            Ok(letter) if self.letters => char::from(letter).to_string(),
            _ if self.padded => format!("{number:0width$}", width = self.width),
            _ => number.to_string(),
        }
    }
}

fn letter(text: &str) -> Option<i64> {
    match text.as_bytes() {
        [letter] if letter.is_ascii_alphabetic() => Some(i64::from(*letter)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_expand_in_order() {
        for (pattern, expected) in [
            ("a{b,c{d,e}}f", vec!["abf", "acdf", "acef"]),
            ("{,x}{1..3}", vec!["1", "2", "3", "x1", "x2", "x3"]),
            ("{3..-1..2}", vec!["3", "1", "-1"]),
            ("{08..10}", vec!["08", "09", "10"]),
            ("{c..a}", vec!["c", "b", "a"]),
            ("{a}{}{b{c,d}}", vec!["{a}{}{bc}", "{a}{}{bd}"]),
            (r"{a\,b,c}", vec![r"a\,b", "c"]),
            ("a,b}", vec!["a,b}"]),
            ("{a..}", vec!["{a..}"]),
            ("{a,b", vec![]),
        ] {
            assert_eq!(expand(pattern).unwrap(), expected, "{pattern}");
        }
    }

    #[test]
    fn nesting_and_total_size_are_bounded() {
        let nested = |depth: usize| format!("{}a{}", "{".repeat(depth), "}".repeat(depth));
        assert!(expand(&nested(GLOB_NESTING)).is_ok() && expand(&nested(GLOB_NESTING + 1)).is_err());
        let sized = |bytes: usize| expand(&format!("{{1..1000..1}}{}", "x".repeat(bytes)));
        assert_eq!(GLOB_EXPANDED_BYTES / 1000, 65);
        assert!(sized(65 - 4).is_ok() && sized(65 - 3).is_err());
    }
}
