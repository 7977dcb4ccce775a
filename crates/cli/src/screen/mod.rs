//! The target of results. On a terminal, lists fit the width and numbers are for people. Elsewhere nothing is cut and
//! numbers are exact.

mod table;

use std::time::Duration;

use indicatif::{HumanBytes, HumanDuration};
use jiff::Timestamp;
use unicode_width::UnicodeWidthChar;

pub(super) use table::{Cell, LastColumn, Table};

use crate::skill::shown::one_line;

/// A terminal, or what is none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terminal {
    pub(super) is_terminal: bool,
    /// Its columns, if it is a terminal of known width.
    pub(super) width: Option<usize>,
}

impl Terminal {
    /// A number of bytes.
    pub(super) fn size(self, bytes: u64) -> String {
        if self.is_terminal { HumanBytes(bytes).to_string() } else { bytes.to_string() }
    }

    /// A time, as seen at `now`.
    pub(super) fn time(self, at: Timestamp, now: Timestamp) -> String {
        if !self.is_terminal {
            return at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
        }
        let apart = HumanDuration(Duration::from_secs(at.duration_since(now).unsigned_abs().as_secs()));
        if at > now { format!("in {apart}") } else { format!("{apart} ago") }
    }

    /// A line that begins `indent` columns in, cut to the rest of the width.
    pub(super) fn fitted(self, line: &str, indent: usize) -> String {
        self.width.map_or_else(|| line.to_owned(), |width| cut(line, width.saturating_sub(indent)))
    }
}

/// A text of others on one line, without characters that drive a terminal.
pub(super) fn plain(text: &str) -> String {
    one_line(text).plain().to_owned()
}

/// The columns that a text takes. A wide character takes two.
fn columns(text: &str) -> usize {
    text.chars().map(columns_of).sum()
}

fn columns_of(character: char) -> usize {
    character.width().unwrap_or_default()
}

/// The start of a line that takes at most `most` columns, with a mark if there is more of it.
fn cut(line: &str, most: usize) -> String {
    if columns(line) <= most {
        return line.to_owned();
    }
    let mut left = most.saturating_sub(1);
    let start = line.chars().take_while(|character| {
        let fits = columns_of(*character) <= left;
        left = left.saturating_sub(columns_of(*character));
        fits
    });
    let start: String = start.collect();
    if most == 0 { String::new() } else { format!("{}…", start.trim_end()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TERMINAL: Terminal = Terminal { is_terminal: true, width: Some(10) };
    const PIPE: Terminal = Terminal { is_terminal: false, width: None };

    #[test]
    fn a_line_is_cut_to_its_columns_and_wide_characters_take_two() {
        for (line, fitted) in [
            ("0123456789", "0123456789"),
            ("0123456789a", "012345678…"),
            ("合同审查合", "合同审查合"),
            ("合同审查合同", "合同审查…"),
            ("a合同审查合同", "a合同审查…"),
            ("01234567 9a", "01234567…"),
        ] {
            assert_eq!(TERMINAL.fitted(line, 0), fitted, "{line}");
            assert_eq!(PIPE.fitted(line, 0), line);
        }
        assert_eq!(TERMINAL.fitted("01234567", 4), "01234…");
        assert_eq!(TERMINAL.fitted("01234567", 10), "");
    }

    #[test]
    fn sizes_and_times_are_for_people_on_a_terminal_and_exact_elsewhere() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let now = at("2026-11-22T10:00:00Z");
        assert_eq!((TERMINAL.size(1536), PIPE.size(1536)), ("1.50 KiB".to_owned(), "1536".to_owned()));
        let then = at("2026-11-20T10:00:00.123Z");
        assert_eq!(TERMINAL.time(then, now), "2 days ago");
        assert_eq!(PIPE.time(then, now), "2026-11-20T10:00:00Z");
        assert_eq!(TERMINAL.time(at("2026-12-22T10:00:00Z"), now), "in 4 weeks");
    }
}
