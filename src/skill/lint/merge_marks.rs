//! Marks of a merge that nobody finished. An agent would read both sides of it as instructions.
//!
//! Only the marks that a pull leaves are meant, with its names of the two sides: a skill about merges shows those of others.

use super::places::place;
use crate::skill::{Diagnostic, FindingCode};

/// The lines before, between and after the two sides, in their order.
const MARKS: [&str; 3] = ["<<<<<<< mine", "=======", ">>>>>>> theirs"];

/// The first place that a merge left open, with its line.
pub(super) fn merge_marks(text: &str) -> Option<Diagnostic> {
    let mut wanted = MARKS.iter().peekable();
    let mut begin = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if wanted.next_if(|mark| line.trim_end() == **mark).is_some() {
            begin.get_or_insert(at);
        }
        at += line.len();
    }
    if wanted.peek().is_some() {
        return None;
    }
    let (line, column) = place(text.get(..begin?).unwrap_or_default());
    let message = "two authors changed these lines, and both versions stand between marks here: keep what is right, and \
                   remove the marks";
    Some(Diagnostic::new(FindingCode::MergeMarks, message).at(line, column))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_merge_that_is_open_is_found_where_it_begins() {
        let open = "a\n<<<<<<< mine\nx\n=======\ny\n>>>>>>> theirs\nc\n";
        let found = merge_marks(open).unwrap();
        assert_eq!((found.code.as_str(), found.line), ("merge_marks", Some(2)));
        assert!(merge_marks(&open.replace('\n', "\r\n")).is_some());
        for text in [
            "",
            "Heading\n=======\n",
            "<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> main\n",
            "A line `<<<<<<< mine` comes first, then =======, then >>>>>>> theirs.\n",
            ">>>>>>> theirs\n=======\n<<<<<<< mine\n",
        ] {
            assert_eq!(merge_marks(text), None, "{text}");
        }
    }
}
