//! Repair of misspelt words: the known words that are a few keystrokes away.

use super::vocabulary::Vocabulary;

/// The number of slips allowed in a word of this many characters: none below 4, one below 8, then two.
pub(super) fn forgiven(characters: usize) -> usize {
    match characters {
        0..=3 => 0,
        4..=7 => 1,
        _ => 2,
    }
}

/// The nearest words to `word` in all of `known`, which have one distance, with that distance. The first letter must
/// match: it is nearly always right, and it limits the search to a small part of each vocabulary.
pub(super) fn nearest<'known>(
    word: &str,
    known: impl IntoIterator<Item = &'known Vocabulary>,
) -> (Vec<&'known str>, usize) {
    let letters: Vec<char> = word.chars().collect();
    let mut allowed = forgiven(letters.len());
    let Some(first) = letters.first().filter(|_| allowed > 0) else { return (Vec::new(), 0) };
    let (mut found, mut scratch) = (Vec::new(), Scratch::default());
    for known in known {
        for other in known.beginning_with(first.encode_utf8(&mut [0; 4])).map(|number| known.word(number)) {
            let Some(distance) = scratch.distance(&letters, other, allowed) else { continue };
            if distance < allowed {
                allowed = distance;
                found.clear();
            }
            found.push(other);
        }
    }
    (found, allowed)
}

/// Whether `word` is one slip away from one of `others`.
pub(super) fn is_slip_of(word: &str, others: &[&str]) -> bool {
    let letters: Vec<char> = word.chars().collect();
    let mut scratch = Scratch::default();
    forgiven(letters.len()) > 0
        && others.iter().any(|other| {
            other.chars().next() == letters.first().copied() && scratch.distance(&letters, other, 1).is_some()
        })
}

/// Rows of the distance table, kept between words.
#[derive(Default)]
pub(super) struct Scratch {
    other: Vec<char>,
    rows: [Vec<usize>; 3],
}

impl Scratch {
    /// The number of insertions, deletions, substitutions and swaps of neighbours (optimal string alignment) between
    /// `word` and `other`; `None` if it is over `allowed`.
    pub(super) fn distance(&mut self, word: &[char], other: &str, allowed: usize) -> Option<usize> {
        // A character has at most four bytes, so this skips most words without decoding them.
        if other.len() + allowed < word.len() || other.len() > 4 * (word.len() + allowed) {
            return None;
        }
        self.other.clear();
        self.other.extend(other.chars());
        if self.other.len().abs_diff(word.len()) > allowed {
            return None;
        }
        let [before, above, row] = &mut self.rows;
        above.clear();
        above.extend(0..=self.other.len());
        for (at, letter) in word.iter().enumerate() {
            row.clear();
            row.push(at + 1);
            let swapped = at.checked_sub(1).and_then(|at| word.get(at));
            for (column, other) in self.other.iter().enumerate() {
                let kept = cell(above, column) + usize::from(letter != other);
                let mut best = kept.min(cell(above, column + 1) + 1).min(cell(row, column) + 1);
                let crossed = column
                    .checked_sub(1)
                    .filter(|left| swapped == Some(other) && self.other.get(*left) == Some(letter));
                if let Some(left) = crossed {
                    best = best.min(cell(before, left) + 1);
                }
                row.push(best);
            }
            if row.iter().all(|distance| *distance > allowed) {
                return None;
            }
            std::mem::swap(before, above);
            std::mem::swap(above, row);
        }
        above.last().copied().filter(|distance| *distance <= allowed)
    }
}

fn cell(row: &[usize], column: usize) -> usize {
    row.get(column).copied().unwrap_or(usize::MAX / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distance(one: &str, two: &str) -> Option<usize> {
        Scratch::default().distance(&one.chars().collect::<Vec<_>>(), two, 2)
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
        let offered = |word: &str| nearest(word, [&known]).0;
        assert_eq!(offered("gats"), ["gates", "gets"]);
        assert_eq!(offered("tets"), ["test"]);
        assert_eq!(offered("scurtiy"), Vec::<&str>::new());
        assert_eq!(offered("sceuritty"), ["security"]);
        assert_eq!(offered("tes"), Vec::<&str>::new());
        let more = Vocabulary::of_sorted(["gats", "teas"]);
        assert_eq!(nearest("tets", [&known, &more]), (vec!["test", "teas"], 1));
        assert_eq!(nearest("gats", [&known, &more]), (vec!["gats"], 0));
    }
}
