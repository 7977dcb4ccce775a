//! What skills mean, beside the words that they share with a question.
//!
//! The score of a skill is its lexical score, as a part of the best, and its nearness in meaning, each with its weight. A
//! skill that is near enough is found even if it shares no word.

use super::index::SearchIndex;
use crate::path::SkillPath;

/// The weight of nearness, where the best lexical score has 1.
const MEANING: f32 = 1.0;
/// The nearness from which on a skill is found that shares too little with the question.
pub(super) const NEAR_ENOUGH: f32 = 0.2;
/// The most skills that are found by their meaning alone.
pub(super) const FOUND_BY_MEANING: usize = 100;

/// How near skills are to a question in meaning.
#[derive(Clone, Debug, PartialEq)]
pub struct Nearness {
    /// The cosine for each skill of an index, in its order.
    cosines: Vec<f32>,
    /// The cosine of texts that have nothing to do with each other.
    background: f32,
}

impl Nearness {
    /// The nearness of the skills of `index`. `cosines` come in byte order of their skills; a skill without one counts as
    /// having nothing to do with the question. `background` is the mean cosine of unrelated texts, in ten-thousandths.
    #[must_use]
    pub fn new<'a>(index: &SearchIndex, background: i32, cosines: impl Iterator<Item = (&'a SkillPath, f32)>) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "a cosine in ten-thousandths has five digits")]
        let background = background as f32 / 10_000.0;
        let mut cosines = cosines.peekable();
        let aligned = index.skills.iter().map(|skill| {
            while cosines.next_if(|(other, _)| *other < skill).is_some() {}
            cosines.next_if(|(other, _)| *other == skill).map_or(background, |(_, cosine)| cosine)
        });
        Self { cosines: aligned.collect(), background }
    }

    /// A cosine in ten-thousandths.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "a cosine lies between -1 and 1")]
    pub fn in_ten_thousandths(cosine: f32) -> i32 {
        (cosine * 10_000.0).round() as i32
    }

    /// The cosine of a skill of the index.
    pub(super) fn cosine(&self, document: usize) -> f32 {
        self.cosines.get(document).copied().unwrap_or(self.background)
    }

    /// How far a skill is above what has nothing to do with the question, from 0 to 1.
    pub(super) fn of(&self, document: usize) -> f32 {
        ((self.cosine(document) - self.background) / (1.0 - self.background)).clamp(0.0, 1.0)
    }

    /// What nearness adds to the score of a skill.
    pub(super) fn part(&self, document: usize) -> f32 {
        MEANING * self.of(document) / (1.0 + MEANING)
    }
}

/// What the words of a skill add to its score, if the best skill has `best`.
pub(super) fn lexical_part(score: f32, best: f32) -> f32 {
    if best > 0.0 { score / best / (1.0 + MEANING) } else { 0.0 }
}
