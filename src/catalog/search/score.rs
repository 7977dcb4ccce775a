//! From the words of a question to ranked skills.

use super::{
    index::SearchIndex,
    query::{self, Meaning},
};
use crate::{error::Result, path::SkillPath};

/// How fast further occurrences stop counting (`k1` of BM25).
const SATURATION: f32 = 1.2;
/// The share of a question's information below which a skill is no answer to it.
const LEAST_SHARE: f32 = 0.1;
/// The share of the best score below which a skill is not worth naming.
const LEAST_OF_BEST: f32 = 0.3;

/// A skill that answers a question.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// Which.
    pub skill: SkillPath,
    /// The share of the question's information it answers, from 0 to 1.
    pub score: f32,
}

/// What a search found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// The best, best first; equals in byte order of their paths.
    pub hits: Vec<Hit>,
    /// How many there are, those beyond the limit included.
    pub total: usize,
}

impl SearchIndex {
    /// The skills that answer `query`, a sentence or a few words, among those `filter` lets pass: at most `limit` of
    /// them, and how many there are. A query without a telling word finds nothing.
    ///
    /// # Errors
    /// `invalid_request` for a query over `SEARCH_QUERY_BYTES`, or of more than `SEARCH_QUERY_WORDS` different words.
    pub fn search(&self, query: &str, filter: impl Fn(&SkillPath) -> bool, limit: usize) -> Result<Found> {
        let meanings = query::meanings(self, query)?;
        let information: f32 = meanings.iter().map(|meaning| meaning.information).sum();
        let mut scores = vec![0.0_f32; self.skills.len()];
        for meaning in &meanings {
            self.add(meaning, &mut scores);
        }
        let scored = self.skills.iter().zip(scores).filter(|(skill, score)| *score > 0.0 && filter(skill));
        let mut found: Vec<(&SkillPath, f32)> = scored.map(|(skill, score)| (skill, score / information)).collect();
        let best = found.iter().map(|(_, score)| *score).fold(0.0, f32::max);
        found.retain(|(_, score)| *score >= LEAST_SHARE.max(best * LEAST_OF_BEST));
        // The sort is stable and the skills come in byte order.
        found.sort_by(|one, two| two.1.total_cmp(&one.1));
        let total = found.len();
        let hits = found.into_iter().take(limit).map(|(skill, score)| Hit { skill: skill.clone(), score }).collect();
        Ok(Found { hits, total })
    }

    /// Adds what one word of the question brings: for each skill, the best of the terms the word may stand for.
    fn add(&self, meaning: &Meaning, scores: &mut [f32]) {
        let mut gains: Vec<(u32, f32)> = Vec::new();
        for (term, factor) in &meaning.terms {
            gains.extend(self.postings(*term).iter().map(|posting| (posting.document, posting.strength * factor)));
        }
        gains.sort_unstable_by(|one, two| one.0.cmp(&two.0).then(two.1.total_cmp(&one.1)));
        gains.dedup_by_key(|(document, _)| *document);
        for (document, gain) in gains {
            if let Some(score) = scores.get_mut(document as usize) {
                *score += gain * meaning.information;
            }
        }
    }
}

/// What so many weighted occurrences are worth, between 0 and 1.
pub(super) fn saturated(occurrences: f32) -> f32 {
    occurrences / (occurrences + SATURATION)
}
