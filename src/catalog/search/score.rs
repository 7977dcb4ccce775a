//! From the words of a question to ranked skills.

use super::{
    Step,
    index::SearchIndex,
    query::{self, Meaning},
};
use crate::{error::Result, path::SkillPath};

/// How fast further occurrences stop counting (`k1` of BM25).
const SATURATION: f32 = 1.2;
/// The share of a question's known information that a skill must contain. Words that no skill contains do not count:
/// names, dates and greetings would hide good results.
const LEAST_COVERED: f32 = 0.2;

/// A skill that answers a question.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchHit {
    /// Its path.
    pub skill: SkillPath,
    /// The share of the question's information it answers, from 0 to 1.
    pub score: f32,
}

/// The result of a search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchResults {
    /// The best skills, best first; equals in byte order of their paths.
    pub hits: Vec<SearchHit>,
    /// The number of all matches, those beyond the limit included.
    pub total: usize,
}

impl SearchIndex {
    /// Finds the skills that answer `query`, a sentence or a few words, among those that `filter` accepts. Returns at
    /// most `limit` of them, and the number of all. A query of stop words finds nothing.
    ///
    /// # Errors
    /// `invalid_request` for a query over `SEARCH_QUERY_BYTES`, or of more than `SEARCH_QUERY_WORDS` different words.
    pub fn search(&self, query: &str, filter: impl Fn(&SkillPath) -> bool, limit: usize) -> Result<SearchResults> {
        let meanings = query::meanings(self, query)?;
        let information: f32 = meanings.iter().map(|meaning| meaning.information).sum();
        let known: f32 = meanings.iter().filter(|one| one.is_known()).map(|one| one.information).sum();
        let mut tallies = vec![Tally::default(); self.skills.len()];
        for meaning in &meanings {
            self.add(meaning, &mut tallies);
        }
        let least = if self.steps.has(Step::CutOff) { LEAST_COVERED * known } else { 0.0 };
        let answers = self
            .skills
            .iter()
            .zip(tallies)
            .filter(|(skill, tally)| tally.score > 0.0 && tally.covered >= least && filter(skill));
        let mut found: Vec<(&SkillPath, f32)> =
            answers.map(|(skill, tally)| (skill, tally.score / information)).collect();
        // The sort is stable and the skills come in byte order.
        found.sort_by(|one, two| two.1.total_cmp(&one.1));
        let total = found.len();
        let hits =
            found.into_iter().take(limit).map(|(skill, score)| SearchHit { skill: skill.clone(), score }).collect();
        Ok(SearchResults { hits, total })
    }

    /// Adds the score of one word of the question. For each skill, the best of the terms that the word can mean counts.
    fn add(&self, meaning: &Meaning, tallies: &mut [Tally]) {
        let mut gains = vec![0.0_f32; tallies.len()];
        for (term, factor) in &meaning.terms {
            for posting in self.postings(*term) {
                if let Some(gain) = gains.get_mut(posting.document as usize) {
                    *gain = gain.max(posting.strength * factor);
                }
            }
        }
        for (tally, gain) in tallies.iter_mut().zip(gains).filter(|(_, gain)| *gain > 0.0) {
            tally.score += gain * meaning.information;
            tally.covered += meaning.information;
        }
    }
}

/// The score of one skill so far.
#[derive(Clone, Default)]
struct Tally {
    /// The information of its matches, each weighted by its posting.
    score: f32,
    /// The information of the words that it contains.
    covered: f32,
}

/// The saturated value of so many weighted occurrences, between 0 and 1.
pub(super) fn saturated(occurrences: f32) -> f32 {
    occurrences / (occurrences + SATURATION)
}
