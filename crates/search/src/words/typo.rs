//! Repair of misspelt words: the known words that are a few keystrokes away.

use std::ops::Range;

use rapidfuzz::distance::osa::{Args, BatchComparator};

use super::vocabulary::Vocabulary;

/// The number of slips allowed in a word of this many characters: none below 4, one below 8, then two.
pub(super) fn forgiven(characters: usize) -> usize {
    match characters {
        0..=3 => 0,
        4..=7 => 1,
        _ => 2,
    }
}

/// The numbers of the words of `known` with which a word is compared.
pub(super) fn compared(word: &str, known: &Vocabulary) -> Range<u32> {
    match word.chars().next() {
        Some(first) if forgiven(word.chars().count()) > 0 => known.beginning_with(first.encode_utf8(&mut [0; 4])),
        _ => 0..0,
    }
}

/// The words of all `known` that are nearest to `word`, all at one distance, with this distance. `admits` accepts each. The first
/// letter must match: it is nearly always right, and it limits the search to a small part of each vocabulary.
pub(super) fn nearest<'known>(
    word: &str,
    known: impl IntoIterator<Item = &'known Vocabulary>,
    mut admits: impl FnMut(&Vocabulary, &str) -> bool,
) -> (Vec<&'known str>, usize) {
    let mut allowed = forgiven(word.chars().count());
    if allowed == 0 {
        return (Vec::new(), 0);
    }
    let (mut found, comparator) = (Vec::new(), BatchComparator::new(word.chars()));
    for known in known {
        for other in compared(word, known).map(|number| known.word(number)) {
            let Some(slips) = slips(&comparator, other, allowed).filter(|_| admits(known, other)) else { continue };
            if slips < allowed {
                allowed = slips;
                found.clear();
            }
            found.push(other);
        }
    }
    (found, allowed)
}

/// Whether `word` is one slip away from one of `others`.
pub(super) fn is_slip_of(word: &str, others: &[&str]) -> bool {
    let first = word.chars().next();
    let compared = BatchComparator::new(word.chars());
    forgiven(word.chars().count()) > 0
        && others.iter().any(|other| other.chars().next() == first && slips(&compared, other, 1).is_some())
}

/// The number of insertions, deletions, substitutions and swaps of neighbours (optimal string alignment) between `word`
/// and `other`; `None` if it is over `allowed`.
pub(super) fn slips(word: &BatchComparator<char>, other: &str, allowed: usize) -> Option<usize> {
    word.distance_with_args(other.chars(), &Args::default().score_cutoff(allowed))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distance(one: &str, two: &str) -> Option<usize> {
        slips(&BatchComparator::new(one.chars()), two, 2)
    }

    #[test]
    fn a_slip_of_each_kind_counts_one() {
        for (wrong, right) in [("wirte", "write"), ("pipline", "pipeline"), ("reviiew", "review"), ("tezt", "test")] {
            assert_eq!(distance(wrong, right), Some(1), "{wrong}");
        }
        assert_eq!(distance("test", "test"), Some(0));
        assert_eq!(distance("kitten", "sitting"), None);
        assert_eq!(distance("日本語", "日本"), Some(1));
    }

    #[test]
    fn only_the_nearest_words_are_offered_and_none_for_short_or_strange_words() {
        let known = Vocabulary::of_sorted(["gates", "gets", "security", "test"]);
        let offered = |word: &str| nearest(word, [&known], |_, _| true).0;
        assert_eq!(offered("gats"), ["gates", "gets"]);
        assert_eq!(offered("tets"), ["test"]);
        assert_eq!(offered("scurtiy"), Vec::<&str>::new());
        assert_eq!(offered("sceuritty"), ["security"]);
        assert_eq!(offered("tes"), Vec::<&str>::new());
        let more = Vocabulary::of_sorted(["gats", "teas"]);
        assert_eq!(nearest("tets", [&known, &more], |_, _| true), (vec!["test", "teas"], 1));
        assert_eq!(nearest("gats", [&known, &more], |_, _| true), (vec!["gats"], 0));
    }
}
