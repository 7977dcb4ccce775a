//! The information of everyday words, limited by their frequency in English.
//!
//! In a catalog `worried` is rarer than `database` and still says less about a task. So the information of a word has a
//! ceiling, which falls with its general frequency.

use std::{collections::HashMap, sync::LazyLock};

use super::{language::Language, lexicon};

/// The frequency at which a word has no information: a power of ten, in a thousand million words.
const EMPTY: f32 = 7.5;
/// The additional information for each power of ten below that frequency.
const STEP: f32 = 1.5;
/// The information of the rarest words.
const MOST: f32 = 7.5;
/// The least information of any word.
pub(super) const LEAST: f32 = 0.1;

/// The power of ten of each word's frequency.
static WORDS: LazyLock<HashMap<&'static str, f32>> = LazyLock::new(|| {
    let lines = include_str!("lexicon/everyday.txt").lines().filter_map(|line| line.split_once(' '));
    let read = lines.filter_map(|(power, words)| Some((power.parse::<f32>().ok()?, words)));
    read.flat_map(|(power, words)| words.split(' ').map(move |word| (word, power))).collect()
});

/// The power of ten of a word's frequency, or of the frequency of its English meaning; `None` if it is no everyday
/// word.
pub(super) fn power(word: &str, language: Option<Language>) -> Option<f32> {
    let own = WORDS.get(word).copied();
    own.or_else(|| {
        let meant = Language::likely(language).flat_map(|language| lexicon::translations(word, language));
        meant.filter_map(|word| WORDS.get(word).copied()).reduce(f32::max)
    })
}

/// The most information of a word of this power.
pub(super) fn ceiling(power: f32) -> f32 {
    ((EMPTY - power) * STEP).max(LEAST)
}

/// The general information of a word, independent of the catalog.
pub(super) fn general(power: Option<f32>) -> f32 {
    power.map_or(MOST, |power| ceiling(power).min(MOST))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_more_common_a_word_is_the_less_it_may_tell() {
        let english = |word| power(word, Some(Language::English));
        let of = |word| ceiling(english(word).unwrap());
        assert!(of("people") < of("weather") && of("weather") < of("worried"));
        assert_eq!((english("invoice"), english("kubernetes")), (None, None), "they are no everyday words");
        assert_eq!(power("factura", Some(Language::Spanish)), english("bill"), "which it also means");
        assert!(general(None) > general(english("worried")) && general(english("the")) > 0.0);
    }
}
