//! The general meaning of words: a vector for each of the most frequent English stems.
//!
//! This is a table and not a model: the vectors of the words of a text are added up, in any order. The numbers were chosen so that
//! such sums come near to the vectors that a sentence encoder makes of whole texts. `lexicon/README.md` names the encoder and the
//! texts, and says how the file is made.

use std::{num::NonZeroU16, sync::LazyLock};

use super::{language::Language, word_map::QuickMap};

/// The numbers of a vector.
pub(super) const NUMBERS: usize = 128;

/// A word that has a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WordVector(NonZeroU16);

impl WordVector {
    /// The vector of a word of any language: of its first English meaning, or else of its stem, since languages share
    /// words.
    pub(super) fn from_stem<'word>(stem: &str, meant: impl IntoIterator<Item = &'word str>) -> Option<Self> {
        let meant = meant.into_iter().find_map(|meant| Self::of_english(&Language::English.stem(meant)));
        meant.or_else(|| Self::of_english(stem))
    }

    fn of_english(stem: &str) -> Option<Self> {
        TABLE.places.get(stem).copied()
    }

    /// Adds the vector so many times.
    pub(super) fn add_to(self, sum: &mut [f32; NUMBERS], times: f32) {
        let place = usize::from(self.0.get()) - 1;
        let bytes = TABLE.bytes.chunks_exact(NUMBERS).nth(place).unwrap_or_default();
        for (sum, byte) in sum.iter_mut().zip(bytes) {
            *sum += times * f32::from(i8::from_ne_bytes([*byte]));
        }
    }
}

/// The file, read.
struct Table {
    places: QuickMap<&'static str, WordVector>,
    /// The vectors one after the other, a byte for each number.
    bytes: &'static [u8],
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let numbers = (1..=u16::MAX).filter_map(NonZeroU16::new).map(WordVector);
    let places = include_str!("lexicon/word_vectors.txt").lines().zip(numbers).collect();
    Table { places, bytes: include_bytes!("lexicon/word_vectors.bin") }
});

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::QuantizedVector;

    fn vector(word: &str) -> QuantizedVector {
        let mut sum = [0.0; NUMBERS];
        WordVector::of_english(&Language::English.stem(word)).expect(word).add_to(&mut sum, 1.0);
        QuantizedVector::quantize(&sum).unwrap()
    }

    #[test]
    fn each_stem_has_a_vector_and_is_a_stem() {
        let stems: Vec<_> = include_str!("lexicon/word_vectors.txt").lines().collect();
        assert_eq!(TABLE.bytes.len(), stems.len() * NUMBERS);
        assert_eq!(TABLE.places.len(), stems.len(), "each stands there once");
        assert!(stems.is_sorted());
    }

    #[test]
    fn words_of_one_topic_are_nearer_than_others() {
        let near = |one: &str, other: &str| {
            let other = vector(other);
            vector(one).cosine(&other.numbers, other.length)
        };
        for (one, like, unlike) in [
            ("slow", "performance", "invoice"),
            ("bug", "debugging", "holiday"),
            ("invoice", "payment", "kubernetes"),
            ("chart", "visualization", "mail"),
        ] {
            assert!(near(one, like) > 0.2 + near(one, unlike), "{one}: {like} {unlike}");
        }
    }

    #[test]
    fn a_word_that_is_not_in_the_table_has_none() {
        assert_eq!(["zzqx", "", "Invoice"].map(WordVector::of_english), [None; 3]);
    }

    #[test]
    fn a_word_of_another_language_has_the_vector_of_what_it_means() {
        let invoice = WordVector::of_english(&Language::English.stem("invoice"));
        assert!(invoice.is_some());
        assert_eq!(WordVector::from_stem("factur", ["zzqx", "invoices"]), invoice);
        assert_eq!((WordVector::from_stem("invoic", []), WordVector::from_stem("factur", ["zzqx"])), (invoice, None));
    }
}
