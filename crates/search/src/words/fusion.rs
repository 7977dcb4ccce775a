//! The meaning of skills, which counts beside the words that they share with a question.
//!
//! The score of a skill is its lexical score, as a part of the best, and its nearness in meaning, each with its weight. A
//! skill that is near enough is found even if it shares no word. `docs/DECISIONS.md` records how the constants were chosen.

use super::index::SearchIndex;
use skillmount_base::path::SkillPath;

/// The weight of full nearness, where the best lexical score has 1.
const MEANING: f32 = 2.5;
/// The nearness of the nearest skill from which on an encoder has understood the question. Below it, nearness counts less: a
/// language that the encoder does not know, or names and numbers.
const UNDERSTOOD: f32 = 0.4;
/// The nearness from which on a skill is found that shares too little with the question.
pub(super) const NEAR_ENOUGH: f32 = 0.2;
/// The most skills that are found by their meaning alone.
pub(super) const FOUND_BY_MEANING: usize = 100;

/// How near skills are to a question in meaning.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct Similarity {
    /// The cosine for each skill of an index, in its order.
    cosines: Vec<f32>,
    /// The cosine of texts that have nothing to do with each other.
    background: f32,
    /// The steps that it took.
    steps: u64,
}

impl Similarity {
    /// The nearness of the skills of `index`. `cosines` come in byte order of their skills; a skill without one counts as
    /// having nothing to do with the question. `background` is the mean cosine of unrelated texts, in ten-thousandths.
    pub fn new<'a>(index: &SearchIndex, background: i32, cosines: impl Iterator<Item = (&'a SkillPath, f32)>) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "a cosine in ten-thousandths has five digits")]
        let background = background as f32 / 10_000.0;
        let mut cosines = cosines.peekable();
        let aligned = index.skills.iter().map(|skill| {
            while cosines.next_if(|(other, _)| *other < skill).is_some() {}
            cosines.next_if(|(other, _)| *other == skill).map_or(background, |(_, cosine)| cosine)
        });
        Self { cosines: aligned.collect(), background, steps: 0 }
    }

    /// The same, with the number of steps that its computation took. Each search with this result counts these steps.
    pub fn after(self, steps: u64) -> Self {
        Self { steps, ..self }
    }

    /// The steps that it took.
    pub(super) fn steps(&self) -> u64 {
        self.steps
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

    /// How far a skill is above what has nothing to do with the question, from 0 to 1. It is 0 for an encoder to which all texts
    /// are alike: its cosines say nothing.
    pub(super) fn score_for(&self, document: usize) -> f32 {
        let room = 1.0 - self.background;
        if room > 0.0 { ((self.cosine(document) - self.background) / room).clamp(0.0, 1.0) } else { 0.0 }
    }
}

/// The scale of the scores of a question: the best of the skills that answer it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Scale {
    /// The best lexical score.
    pub(super) best: f32,
    /// The share of the question's information that it is.
    pub(super) best_share: f32,
    /// How near skills are, if that counts.
    pub(super) nearness: Option<NearnessScale>,
    /// The weight of nearness in gist, where the best lexical score has 1; 0 if an encoder counts or the question has no gist.
    pub(super) gist: f32,
}

/// The nearness of the skills that a scale is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct NearnessScale {
    /// That of the nearest.
    pub(super) nearest: f32,
    /// That of the one with the best lexical score.
    pub(super) of_best: f32,
}

impl Scale {
    /// The addition of words to the score of a skill with this lexical score.
    pub(super) fn lexical_part(&self, score: f32) -> f32 {
        if self.best > 0.0 { score / self.best / (1.0 + MEANING) } else { 0.0 }
    }

    /// The addition of nearness to the score of a skill.
    pub(super) fn near_part(&self, near: f32) -> f32 {
        let nearest = self.nearness.map_or(0.0, |nearness| nearness.nearest);
        MEANING * near * (nearest / UNDERSTOOD).min(1.0) / (1.0 + MEANING)
    }

    /// The parts of a skill's score without an encoder: from the share of the question's information, and from the
    /// nearness of the gist.
    pub(super) fn parts_of_words(&self, share: f32, gist: f32) -> [f32; 2] {
        [share, self.gist * gist * self.best_share].map(|part| part / (1.0 + self.gist))
    }

    /// The score of a skill of another index, from its share of the question alone. The skill counts as near as the
    /// lexically best skill, reduced by the ratio of the two shares.
    pub(super) fn of_words(&self, share: f32) -> f32 {
        let Some(NearnessScale { of_best, .. }) = self.nearness else { return share };
        let part = if self.best_share > 0.0 { share / self.best_share } else { 1.0 };
        (part * (1.0 / (1.0 + MEANING) + self.near_part(of_best))).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::{super::index::VisibleSkills, *};
    use crate::words::{SearchResults, tests::document};
    use skillmount_base::{error::Code, limits::SEARCH_STEPS};

    /// The results of `query` among skills of these descriptions, each with its cosine.
    fn found(skills: &[(&str, &str, f32)], query: &str) -> SearchResults {
        let paths: Vec<_> = skills.iter().map(|(path, ..)| SkillPath::parse(path).unwrap()).collect();
        let documents = paths.iter().zip(skills).map(|(path, (_, description, _))| document(path, description));
        let index = SearchIndex::build(documents);
        let cosines = paths.iter().zip(skills).map(|(path, (.., cosine))| (path, *cosine));
        let nearness = Similarity::new(&index, 0, cosines);
        index.search_near(query, Some(&nearness), &VisibleSkills::ALL, |_| true, 10).unwrap()
    }

    fn names(results: &SearchResults) -> Vec<&str> {
        results.hits.iter().map(|hit| hit.skill.as_str()).collect()
    }

    #[test]
    fn meaning_outweighs_words_where_an_encoder_understands_the_question_and_not_where_it_does_not() {
        let skills = |scale: f32| {
            [("a/cattery", "Looks after felines.", 0.6 * scale), ("a/hungry", "Feeds the hungry.", 0.1 * scale)]
        };
        assert_eq!(names(&found(&skills(1.0), "my cat is hungry")), ["a/cattery", "a/hungry"]);
        assert_eq!(names(&found(&skills(0.4), "my cat is hungry")), ["a/hungry", "a/cattery"]);
    }

    #[test]
    fn an_encoder_to_which_all_texts_are_alike_says_nothing_of_a_skill() {
        let skills = ["a/b", "a/c"].map(|path| SkillPath::parse(path).unwrap());
        let index = SearchIndex::build(skills.iter().map(|skill| document(skill, "Folds cranes.")));
        for cosine in [0.9, 1.0] {
            let near = Similarity::new(&index, 10_000, skills.iter().map(|skill| (skill, cosine)));
            assert!(near.score_for(0) <= 0.0 && near.score_for(1) <= 0.0, "{cosine}");
            let results = index.search_near("cranes", Some(&near), &VisibleSkills::ALL, |_| true, 10).unwrap();
            assert!(results.hits.iter().all(|hit| hit.score.is_finite()), "{results:?}");
            assert_eq!(names(&results), ["a/b", "a/c"]);
            assert_eq!(index.search_near("stapler", Some(&near), &VisibleSkills::ALL, |_| true, 10).unwrap().total, 0);
        }
    }

    #[test]
    fn scores_lie_between_0_and_1_and_full_marks_in_both_are_1() {
        for cosine in [-1.0, 0.0, 0.3, 1.0] {
            let results = found(&[("a/b", "Folds cranes.", cosine), ("a/c", "Folds maps.", 1.0)], "cranes");
            assert!(results.hits.iter().all(|hit| (0.0..=1.0).contains(&hit.score)), "{results:?}");
        }
        let best = found(&[("a/b", "Folds cranes.", 1.0)], "cranes").hits.remove(0);
        assert!((best.score - 1.0).abs() < 1e-6, "{best:?}");
    }

    #[test]
    fn the_steps_that_nearness_took_are_steps_of_the_search() {
        let skills = ["a/b"].map(|path| SkillPath::parse(path).unwrap());
        let index = SearchIndex::build(skills.iter().map(|skill| document(skill, "Folds cranes.")));
        let near = Similarity::new(&index, 0, skills.iter().map(|skill| (skill, 0.8)));
        let steps = |near: &Similarity| {
            index.search_near("cranes", Some(near), &VisibleSkills::ALL, |_| true, 10).map(|found| found.steps)
        };
        let of_words = steps(&near).unwrap();
        assert_eq!(steps(&near.clone().after(1000)).unwrap(), 1000 + of_words);
        assert_eq!(steps(&near.after(SEARCH_STEPS)).unwrap_err().code(), Code::TooExpensive);
    }

    // S-SEARCH-35: A draft has no vector: its words give it a share of the score of the skill with the best words.
    #[test]
    fn a_skill_without_a_vector_has_the_part_of_the_best_that_its_words_have() {
        let results = found(&[("a/b", "Folds cranes.", 0.8), ("a/c", "Folds maps.", 0.1)], "folds cranes");
        let (best, share) = (results.hits[0].clone(), results.scale.best_share);
        assert!((results.scale.of_words(share) - best.score).abs() < 1e-6);
        assert!((results.scale.of_words(share / 2.0) - best.score / 2.0).abs() < 1e-6);
        assert!((results.scale.of_words(10.0 * share) - 1.0).abs() < 1e-6, "a score is at most 1");
        assert!((Scale::default().of_words(0.3) - 0.3).abs() < 1e-6, "without gist and encoder, it is their share");
    }

    #[test]
    fn a_question_that_was_read_for_its_parts_too_leaves_less_room() {
        let fused = SearchResults { steps: SEARCH_STEPS / 3, ..found(&[("a/b", "Folds cranes.", 0.8)], "cranes") };
        let lexical = SearchResults { scale: Scale::default(), ..fused.clone() };
        assert!(lexical.leave_room_for(3) && fused.leave_room_for(2) && !fused.leave_room_for(3));
    }
}
