//! Messages that chat beside their task: which of their words tell less for it.
//!
//! A request of a sentence or two is taken as it is. In a longer message the everyday words would outweigh the task together,
//! though each tells little. So each of them tells the less, the more of them there are, and the most common ones fall fastest.
//! And a task stands together: in a long message a word tells the less, the less the passage
//! around it tells.

use std::collections::BTreeMap;

/// What the everyday words of a request tell together at most.
const TOGETHER: f32 = 15.0;
/// How fast everyday words fall beyond that.
const FALL: f32 = 0.6;
/// The power of ten at which a word tells nothing in a crowd, and how far below it a word keeps all.
const EMPTY: f32 = 6.5;
const SPAN: f32 = 3.0;
/// The crowd from which on passages count: everyday words that tell twice as much as those of a request. Requests of several
/// sentences have fewer.
const LONG: f32 = std::f32::consts::LN_2;
/// The words of a passage.
const PASSAGE: usize = 20;
/// The most that passages count, so that in a message of many pages the others are heard too.
const HEARD: f32 = 2.0;

/// How much more the everyday words of a message tell together than those of a request: its natural logarithm.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crowd(f32);

impl Crowd {
    /// The crowd of everyday words that tell `together` so much; `None` in a request.
    pub(super) fn of(together: f32) -> Option<Self> {
        (together > TOGETHER).then(|| Self((together / TOGETHER).ln()))
    }

    /// The part of its information that an everyday word keeps which stands so often (a power of ten) in a thousand million.
    pub(super) fn kept(self, power: f32) -> f32 {
        // Not quite nothing, so that a message of such words alone still finds.
        ((EMPTY - power) / SPAN).clamp(0.01, 1.0).powf(FALL * self.0)
    }

    /// The part of its information that a word keeps whose passage tells this part of what the densest tells.
    pub(super) fn heard(self, part: f32) -> f32 {
        part.clamp(0.01, 1.0).powf((self.0 - LONG).clamp(0.0, HEARD))
    }
}

/// For each of `words`, which stand in the order of the message, the part that the best passage around it has of what the densest
/// passage tells. `tells` is what a word tells.
pub(super) fn passages<'word>(words: &[&'word str], tells: impl Fn(&str) -> f32) -> BTreeMap<&'word str, f32> {
    let told: Vec<f32> = words.iter().map(|word| tells(word)).collect();
    let size = PASSAGE.min(words.len()).max(1);
    let mut best = vec![0.0_f32; words.len()];
    for (from, passage) in told.windows(size).enumerate() {
        let told = passage.iter().sum::<f32>();
        for best in best.iter_mut().skip(from).take(size) {
            *best = best.max(told);
        }
    }
    let densest = best.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
    let mut parts = BTreeMap::<&str, f32>::new();
    for (word, best) in words.iter().zip(best) {
        let part = parts.entry(word).or_default();
        *part = part.max(best / densest);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_no_crowd_and_the_more_common_a_word_is_the_more_it_loses_in_one() {
        assert!(Crowd::of(TOGETHER).is_none());
        let [small, large] = [3.0, 10.0].map(|times| Crowd::of(times * TOGETHER).unwrap());
        for power in [4.0, 5.0, 6.0] {
            assert!(small.kept(power) > large.kept(power) && large.kept(power) > large.kept(power + 0.5));
        }
        assert!((large.kept(3.0) - 1.0).abs() < f32::EPSILON && large.kept(7.7) > 0.0);
        assert!(small.heard(0.5) > large.heard(0.5) && large.heard(0.5) > large.heard(0.2) && large.heard(0.0) > 0.0);
        let several_sentences = Crowd::of(1.5 * TOGETHER).unwrap();
        assert!((several_sentences.heard(0.2) - 1.0).abs() < f32::EPSILON);
    }

    #[test]
    fn a_word_has_the_best_of_the_passages_it_stands_in() {
        let mut words = vec!["so"; 60];
        (words[0], words[57], words[58]) = ("weather", "debug", "cluster");
        let parts = passages(&words, |word| if word == "so" { 0.0 } else { 3.0 });
        let part = |word| parts[word];
        assert!((part("cluster") - 1.0).abs() < f32::EPSILON && (part("so") - 1.0).abs() < f32::EPSILON);
        assert!((part("weather") - 0.5).abs() < f32::EPSILON);
        assert_eq!((passages(&["so"], |_| 0.0)["so"], passages(&[], |_| 1.0).len()), (0.0, 0));
    }
}
