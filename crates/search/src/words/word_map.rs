//! A map from the words of thousands of skills.
//!
//! Nearly all words are short: they are kept as numbers, beside their values, and found without a look elsewhere.
//! Hashes are keyed by a number that no author can guess, so no author can write a skill whose words all fall into one
//! place.

use std::collections::HashMap;

use foldhash::fast::RandomState;

/// A map with quick hashes.
pub(super) type QuickMap<K, V> = HashMap<K, V, RandomState>;

/// Values by word. A word has no zero byte.
#[derive(Debug)]
pub(super) struct WordMap<V> {
    short: QuickMap<[u64; 2], V>,
    long: QuickMap<Box<str>, V>,
}

impl<V> Default for WordMap<V> {
    fn default() -> Self {
        Self { short: QuickMap::default(), long: QuickMap::default() }
    }
}

impl<V> WordMap<V> {
    pub(super) fn get_mut(&mut self, word: &str) -> Option<&mut V> {
        match number(word) {
            Some(short) => self.short.get_mut(&short),
            None => self.long.get_mut(word),
        }
    }

    /// The value of a word. A word without a value gets `value`.
    pub(super) fn get_or_insert(&mut self, word: &str, value: V) -> &mut V {
        match number(word) {
            Some(short) => self.short.entry(short).or_insert(value),
            None => self.long.entry(word.into()).or_insert(value),
        }
    }

    /// The number of words.
    pub(super) fn len(&self) -> usize {
        self.short.len() + self.long.len()
    }

    pub(super) fn insert(&mut self, word: &str, value: V) {
        match number(word) {
            Some(short) => self.short.insert(short, value),
            None => self.long.insert(word.into(), value),
        };
    }

    /// The words and their values, in no order.
    pub(super) fn into_words(self) -> impl Iterator<Item = (Box<str>, V)> {
        self.short.into_iter().map(|(short, value)| (word(short), value)).chain(self.long)
    }
}

/// A word of up to sixteen bytes as a number, in two halves.
fn number(word: &str) -> Option<[u64; 2]> {
    let (first, second) = word.as_bytes().split_at_checked(8).unwrap_or((word.as_bytes(), &[]));
    (second.len() <= 8).then(|| [eight(first), eight(second)])
}

/// Up to eight bytes as a number.
fn eight(bytes: &[u8]) -> u64 {
    if let (Some(low), Some(high)) = (bytes.first_chunk(), bytes.last_chunk()) {
        // The middle is in both.
        let (low, high) = (u64::from(u32::from_le_bytes(*low)), u64::from(u32::from_le_bytes(*high)));
        return low | high << (8 * (bytes.len() - 4));
    }
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// The word that is this number.
fn word(number: [u64; 2]) -> Box<str> {
    let bytes = number.map(u64::to_le_bytes);
    let word = bytes.as_flattened().split(|byte| *byte == 0).next().unwrap_or_default();
    String::from_utf8_lossy(word).into()
}

#[cfg(test)]
mod tests {
    use std::{
        collections::{BTreeMap, HashSet},
        hash::BuildHasher as _,
    };

    use foldhash::fast::FixedState;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_map_of_words_is_a_map(words in prop::collection::vec("[a-zñ不]{1,20}", 0..60)) {
            let mut map = WordMap::default();
            for (at, word) in words.iter().enumerate() {
                map.insert(word, at);
            }
            let mut right: BTreeMap<Box<str>, usize> = words.iter().map(|word| (word.as_str()).into()).zip(0..).collect();
            for (word, at) in &right {
                prop_assert_eq!(map.get_mut(word), Some(&mut at.clone()));
            }
            prop_assert_eq!(map.get_mut("Absent"), None);
            prop_assert_eq!(map.len(), right.len());
            prop_assert_eq!(*map.get_or_insert("Absent", 99), 99);
            prop_assert_eq!(*map.get_or_insert("Absent", 100), 99);
            right.insert("Absent".into(), 99);
            prop_assert_eq!(map.into_words().collect::<BTreeMap<_, _>>(), right);
        }
    }

    #[test]
    fn hashes_of_like_words_lie_apart_whatever_the_key() {
        let words: Vec<String> = (0..4096).map(|number| format!("word{number}")).collect();
        let long: Vec<String> = words.iter().map(|word| format!("a long word: {word}")).collect();
        for key in (1..=256_u64).map(|number| number.wrapping_mul(0x2545_f491_4f6c_dd1d)) {
            let quick = FixedState::with_seed(key);
            let short: HashSet<u64> = words.iter().map(|word| quick.hash_one(number(word).unwrap()) >> 50).collect();
            let long: HashSet<u64> = long.iter().map(|word| quick.hash_one(word) >> 50).collect();
            // Of 16,384 places, 4,096 throws of a die take about 3,600.
            assert!(short.len() > 3500 && long.len() > 3500, "{key} {} {}", short.len(), long.len());
        }
    }
}
