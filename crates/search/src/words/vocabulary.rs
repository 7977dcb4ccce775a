//! A sorted list of strings in one buffer, searched from the front and from the back.

use std::ops::Range;

/// Strings in byte order, each with its position as its number.
#[derive(Debug, Default)]
pub(super) struct Vocabulary {
    text: String,
    /// The end of each string in `text`.
    ends: Vec<u32>,
    /// The numbers in the order of the reversed strings, to find endings.
    backwards: Vec<u32>,
}

impl Vocabulary {
    /// The vocabulary of `words`, which must be sorted and distinct.
    pub(super) fn of_sorted<'word>(words: impl IntoIterator<Item = &'word str>) -> Self {
        let mut made = Self::default();
        for word in words {
            made.text.push_str(word);
            made.ends.push(u32::try_from(made.text.len()).unwrap_or(u32::MAX));
        }
        made.text.shrink_to_fit();
        made.ends.shrink_to_fit();
        made
    }

    /// The vocabulary of `words` with an index of endings.
    pub(super) fn with_endings(mut self) -> Self {
        let mut order: Vec<(u64, u32)> =
            (0_u32..).take(self.len()).map(|number| (last_letters(self.word(number)), number)).collect();
        let backwards = |number: u32| self.word(number).bytes().rev();
        order.sort_unstable_by(|(one, first), (two, second)| {
            // Nearly all words differ in their last eight bytes.
            one.cmp(two).then_with(|| backwards(*first).cmp(backwards(*second)))
        });
        self.backwards = order.into_iter().map(|(_, number)| number).collect();
        self
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The string with this number; empty if there is none.
    pub(super) fn word(&self, number: u32) -> &str {
        let at = number as usize;
        let end = self.ends.get(at).copied().unwrap_or_default() as usize;
        let start = at.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or_default() as usize;
        self.text.get(start..end).unwrap_or_default()
    }

    /// The number of `word`.
    pub(super) fn find(&self, word: &str) -> Option<u32> {
        let at = self.first(|other| other < word);
        (self.word(at) == word && (at as usize) < self.len()).then_some(at)
    }

    /// The numbers of the strings that begin with `start`.
    pub(super) fn beginning_with(&self, start: &str) -> Range<u32> {
        self.first(|other| other < start)..self.first(|other| other < start || other.starts_with(start))
    }

    /// The numbers of the strings that end with `end`.
    pub(super) fn ending_with(&self, end: &str) -> impl Iterator<Item = u32> {
        let before = |other: &str| other.bytes().rev().lt(end.bytes().rev());
        let from = self.backwards.partition_point(|number| before(self.word(*number)));
        let tail = self.backwards.get(from..).unwrap_or_default();
        tail.iter().copied().take_while(move |number| self.word(*number).ends_with(end))
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.text.capacity() + size_of::<u32>() * (self.ends.capacity() + self.backwards.capacity())
    }

    /// The number of the first string for which `before` is false. The strings for which it is true come first.
    fn first(&self, before: impl Fn(&str) -> bool) -> u32 {
        let (mut low, mut high) = (0_u32, u32::try_from(self.len()).unwrap_or(u32::MAX));
        while low < high {
            let middle = low + (high - low) / 2;
            if before(self.word(middle)) { low = middle + 1 } else { high = middle }
        }
        low
    }
}

/// The last eight bytes of a word as a number, that of the last byte first. A shorter word comes before a longer one.
fn last_letters(word: &str) -> u64 {
    let last = word.bytes().rev().chain(std::iter::repeat(0)).take(8);
    last.fold(0, |number, byte| number << 8 | u64::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_whole_by_their_beginning_and_by_their_end() {
        let all = ["a", "compraventa", "venta", "ventana", "ventas"];
        let vocabulary = Vocabulary::of_sorted(all).with_endings();
        for (number, word) in (0_u32..).zip(all) {
            assert_eq!((vocabulary.find(word), vocabulary.word(number)), (Some(number), word));
        }
        assert_eq!((vocabulary.find("vent"), vocabulary.find("z"), vocabulary.find("")), (None, None, None));
        assert_eq!(vocabulary.beginning_with("venta"), 2..5);
        assert!(vocabulary.beginning_with("x").is_empty());
        assert_eq!(vocabulary.ending_with("venta").collect::<Vec<_>>(), [2, 1]);
        assert_eq!(vocabulary.ending_with("x").count(), 0);
        assert_eq!(Vocabulary::default().find("a"), None);
    }
}
