//! The merge of one file of a skill, which two authors may have changed.

use bytes::Bytes;
use sha2::{Digest as _, Sha256};
use similar::{DiffTag, TextDiff, TextMerge};

use crate::text::is_text;

/// A file in three versions: in their common base, at its author, and in the store. `None` means that the file is absent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sides<'file> {
    /// The SHA-256 of the common base.
    pub(crate) base: Option<&'file str>,
    pub(crate) mine: Option<&'file Bytes>,
    pub(crate) theirs: Option<&'file Bytes>,
}

/// The outcome of one file in a pull.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FileResolution {
    /// Both have the same.
    Same,
    /// Only the other author changed it, so the other version counts.
    Theirs,
    /// Only its author changed it, so the file stays.
    Mine,
    /// Both changed it.
    Both,
}

impl Sides<'_> {
    pub(crate) fn settle(&self) -> FileResolution {
        let is_base = |side: Option<&Bytes>| match (side, self.base) {
            (None, None) => true,
            (Some(bytes), Some(base)) => hex::encode(Sha256::digest(bytes)) == base,
            _ => false,
        };
        match (self.mine, self.theirs) {
            (mine, theirs) if mine == theirs => FileResolution::Same,
            (mine, _) if is_base(mine) => FileResolution::Theirs,
            (_, theirs) if is_base(theirs) => FileResolution::Mine,
            _ => FileResolution::Both,
        }
    }
}

/// A text that two authors changed, with the changes of both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MergedText {
    pub(crate) bytes: Bytes,
    /// Whether both changed the same lines. The text then has both, one after the other, between marks.
    pub(crate) is_marked: bool,
}

/// The bytes as a text whose lines can be compared and joined.
#[must_use]
pub fn text_of(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok().filter(|_| is_text(bytes))
}

/// Merges line by line. Without a base, each difference is marked. Returns `None` if one of the versions is not text.
pub(crate) fn merge(base: Option<&Bytes>, mine: &Bytes, theirs: &Bytes) -> Option<MergedText> {
    let text = |bytes: &'_ Bytes| -> Option<String> {
        let text = text_of(bytes)?;
        // The next line would join a last line without an end.
        Some(if text.is_empty() || text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") })
    };
    let (mine, theirs) = (text(mine)?, text(theirs)?);
    // A base that is not text counts as no base.
    let Some(base) = base.and_then(text) else { return Some(mark_differences(&mine, &theirs)) };
    let mut merge = TextMerge::from_lines(base.as_str(), mine.as_str(), theirs.as_str());
    merge.labels("before", "mine", "theirs");
    Some(MergedText { is_marked: merge.is_conflicted(), bytes: merge.to_string().into() })
}

/// Both texts, with marks around the lines in which they differ.
fn mark_differences(mine: &str, theirs: &str) -> MergedText {
    let diff = TextDiff::from_lines(mine, theirs);
    let mut marked = String::new();
    for change in diff.ops() {
        let mine: String = change.old_range().filter_map(|line| diff.old_slice(line)).collect();
        let theirs: String = change.new_range().filter_map(|line| diff.new_slice(line)).collect();
        if change.tag() == DiffTag::Equal {
            marked.push_str(&mine);
        } else {
            marked.extend(["<<<<<<< mine\n", &mine, "=======\n", &theirs, ">>>>>>> theirs\n"]);
        }
    }
    MergedText { is_marked: diff.ops().iter().any(|change| change.tag() != DiffTag::Equal), bytes: marked.into() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bytes(text: &str) -> Bytes {
        Bytes::copy_from_slice(text.as_bytes())
    }

    #[test]
    fn a_file_goes_by_who_changed_it() {
        let [one, two, three] = ["1", "2", "3"].map(bytes);
        let base = hex::encode(Sha256::digest(&one));
        let settle = |base: Option<&str>, mine, theirs| Sides { base, mine, theirs }.settle();
        let base = Some(base.as_str());
        for (mine, theirs, expected) in [
            (Some(&two), Some(&two), FileResolution::Same),
            (None, None, FileResolution::Same),
            (Some(&one), Some(&two), FileResolution::Theirs),
            (Some(&one), None, FileResolution::Theirs),
            (Some(&two), Some(&one), FileResolution::Mine),
            (None, Some(&one), FileResolution::Mine),
            (Some(&two), Some(&three), FileResolution::Both),
            (None, Some(&two), FileResolution::Both),
            (Some(&two), None, FileResolution::Both),
        ] {
            assert_eq!(settle(base, mine, theirs), expected, "{mine:?} {theirs:?}");
        }
        assert_eq!(settle(None, None, Some(&one)), FileResolution::Theirs);
        assert_eq!(settle(None, Some(&one), None), FileResolution::Mine);
        assert_eq!(settle(None, Some(&one), Some(&two)), FileResolution::Both, "nobody knows who changed it");
    }

    #[test]
    fn changes_of_other_lines_are_joined_and_those_of_the_same_stand_between_marks() {
        let base = bytes("a\nb\nc\n");
        let merged = merge(Some(&base), &bytes("A\nb\nc\n"), &bytes("a\nb\nC")).unwrap();
        assert_eq!((merged.bytes, merged.is_marked), (bytes("A\nb\nC\n"), false));
        let merged = merge(Some(&base), &bytes("a\nx\nc\n"), &bytes("a\ny\nc\n")).unwrap();
        assert_eq!(merged.bytes, bytes("a\n<<<<<<< mine\nx\n=======\ny\n>>>>>>> theirs\nc\n"));
        assert!(merged.is_marked);
        assert_eq!(merge(None, &bytes("\0"), &base), None);
    }

    #[test]
    fn without_a_base_each_difference_stands_between_marks_and_no_line_of_both_does() {
        let merged = merge(None, &bytes("a\nmine\nb\nc\n"), &bytes("a\ntheirs\nb\nc\nd")).unwrap();
        let expected =
            "a\n<<<<<<< mine\nmine\n=======\ntheirs\n>>>>>>> theirs\nb\nc\n<<<<<<< mine\n=======\nd\n>>>>>>> theirs\n";
        assert_eq!((merged.bytes, merged.is_marked), (bytes(expected), true));
    }

    proptest! {
        #[test]
        fn no_line_that_either_added_is_lost(
            base in "([abc]\n){0,8}", mine in "([abcm]\n){0,8}m?", theirs in "([abct]\n){0,8}t?",
        ) {
            let count = |text: &str, line: &str| text.lines().filter(|one| *one == line).count();
            for base in [Some(bytes(&base)), None] {
                let merged = merge(base.as_ref(), &bytes(&mine), &bytes(&theirs)).unwrap();
                let merged = std::str::from_utf8(&merged.bytes).unwrap();
                prop_assert_eq!(count(merged, "m"), count(&mine, "m"));
                prop_assert_eq!(count(merged, "t"), count(&theirs, "t"));
            }
        }
    }
}
