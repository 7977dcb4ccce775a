//! Leftovers of an unfinished merge: marks in a text, and the other author's file beside a file that is no text. An
//! agent would read both sides of the marks as instructions.
//!
//! Only the leftovers of a pull count, with its names of the two sides: a skill about merges shows marks of other
//! tools.

use crate::{Diagnostic, FindingCode};

/// The lines before, between and after the two sides, in their order.
const MARKS: [&str; 3] = ["<<<<<<< mine", "=======", ">>>>>>> theirs"];

/// The end of the name of the other author's file, which a pull puts beside a file that cannot be joined.
const THEIRS: &str = ".theirs";

/// Where a pull puts the other author's file beside the one at `path`.
#[must_use]
pub fn theirs_beside(path: &str) -> String {
    format!("{path}{THEIRS}")
}

/// Judges a file of a skill by its name: whether a pull put it beside another, and no author has chosen between the two.
pub(super) fn left_beside(path: &str) -> Option<Diagnostic> {
    let own = path.strip_suffix(THEIRS).filter(|own| !own.is_empty() && !own.ends_with('/'))?;
    let message = format!(
        "{path} is what another author made of {own}, left by a pull: keep one of the two as {own}, and remove the other"
    );
    Some(Diagnostic::new(FindingCode::MergeMarks, message))
}

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
    let before = text.get(..begin?).unwrap_or_default();
    let message = "two authors changed these lines, and both versions stand between marks here: keep what is right, and \
                   remove the marks";
    Some(Diagnostic::new(FindingCode::MergeMarks, message).after(before))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_another_author_is_told_by_its_name() {
        for path in ["bin", "r/logo.png"] {
            let found = left_beside(&theirs_beside(path)).unwrap();
            assert_eq!((found.code.as_str(), found.message.contains(path)), ("merge_marks", true));
        }
        for path in ["theirs", ".theirs", "r/.theirs", "a.theirs/b", "a.theirs.md"] {
            assert_eq!(left_beside(path), None, "{path}");
        }
    }

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
