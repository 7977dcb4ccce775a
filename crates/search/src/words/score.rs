//! From the words of a question to ranked skills.

use super::{
    RankingStep,
    cost::SearchCost,
    fusion::{FOUND_BY_MEANING, NEAR_ENOUGH, NearnessScale, Scale, Similarity},
    gist::QuestionGist,
    gists::Gists,
    index::{SearchIndex, VisibleSkills, postings},
    query::{QueryWord, TermWeight},
    question::{self, Question},
};
use skillmount_base::{error::Result, limits::SEARCH_STEPS, path::SkillPath};
use skillmount_wire::SearchConfidence;

/// How fast further occurrences stop counting (`k1` of BM25).
const SATURATION: f32 = 1.5;
/// The share of a question's known information that a skill must contain. Words that no skill contains do not count:
/// names, dates and greetings would hide good results.
pub(super) const LEAST_COVERED: f32 = 0.2;
/// The share of the best score with which a skill is found even if it contains less: a long message has many words, and no
/// skill contains a fifth of them.
pub(super) const NEAR_BEST: f32 = 0.33;
/// The strength of an answer from which on it is trusted. Most small talk has less, and few of the questions that are
/// answered among the first five.
const TRUSTED: f32 = 2.0;
/// The weight of the share of the question in the strength of an answer. The rest is the general information of the
/// answered words.
const SHARE_PART: f32 = 0.3;
/// The same where nearness in meaning counts too, and the strength that full nearness has.
const TRUSTED_FUSED: f32 = 4.75;
const NEAR_PART: f32 = 16.0;

/// A skill that answers a question.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchHit {
    /// Its path.
    pub skill: SkillPath,
    /// The quality beside the other skills, from 0 to 1: by the share of the question's information, and by the
    /// subject.
    pub score: f32,
    /// That share alone.
    pub(super) share: f32,
    /// Whether it is likely to answer it.
    pub confidence: SearchConfidence,
}

/// The confidence in a skill that answers this share of a question. `told` is the general information of the answered words,
/// and `near` the nearness of the skill in meaning, if known. Small talk gets a low confidence, and so does a question to
/// which there is no skill.
fn confidence(share: f32, told: f32, near: Option<f32>) -> SearchConfidence {
    let strength = told.powf(1.0 - SHARE_PART) * share.powf(SHARE_PART);
    let trusted = match near {
        None => strength >= TRUSTED,
        Some(near) => strength + NEAR_PART * near >= TRUSTED_FUSED,
    };
    if trusted { SearchConfidence::High } else { SearchConfidence::Low }
}

/// The result of a search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchResults {
    /// The best skills, best first; equals in byte order of their paths.
    pub hits: Vec<SearchHit>,
    /// The number of all matches, those beyond the limit included.
    pub total: usize,
    /// The steps that it took, of [`SEARCH_STEPS`].
    pub steps: u64,
    /// The scale of the scores.
    pub(super) scale: Scale,
    /// The nearness in meaning from which on a skill is found by it alone.
    pub(super) nearest: f32,
}

impl SearchResults {
    /// Whether the same question may be asked so many times, this one included, in one answer. If nearness in meaning counts, it was
    /// read once more, for the parts that are encoded.
    #[must_use]
    pub fn leave_room_for(&self, times: u64) -> bool {
        let times = times + u64::from(self.scale.nearness.is_some());
        self.steps.saturating_mul(times) <= SEARCH_STEPS
    }

    /// These results and those of another index, whose skills have no vectors: at most `limit`, best first.
    #[must_use]
    pub fn with_words_of(mut self, others: Self, limit: usize) -> Self {
        self.total += others.total;
        self.steps += others.steps;
        let scale = self.scale;
        let score = |hit: &SearchHit| if scale.nearness.is_some() { scale.of_words(hit.share) } else { hit.score };
        self.hits.extend(others.hits.into_iter().map(|hit| SearchHit { score: score(&hit), ..hit }));
        self.hits.sort_by(|one, two| two.score.total_cmp(&one.score));
        self.hits.truncate(limit);
        self
    }
}

impl SearchIndex {
    /// Finds the skills that answer `query`, a few words or a whole message, among the skills that `filter` accepts.
    /// Returns at most `limit` of them, and the number of all. A query of stop words finds the skills that contain each of
    /// them in another field than headings and body.
    ///
    /// # Errors
    /// `invalid_request` for a query over `SEARCH_QUERY_BYTES`, or of more than `SEARCH_QUERY_WORDS` different words.
    /// `too_expensive` for a query that takes more than `SEARCH_STEPS`.
    pub fn search(&self, query: &str, filter: impl Fn(&SkillPath) -> bool, limit: usize) -> Result<SearchResults> {
        self.search_near(query, None, &VisibleSkills::ALL, filter, limit)
    }

    /// As [`search`](Self::search), where nearness in meaning counts beside words. A skill that is near is found even if it
    /// shares no word with the question, and a query of stop words finds what is near. `filter` accepts some of the skills in
    /// `visible`. The others change no result.
    ///
    /// # Errors
    /// As [`search`](Self::search).
    pub fn search_near(
        &self,
        query: &str,
        nearness: Option<&Similarity>,
        visible: &VisibleSkills,
        filter: impl Fn(&SkillPath) -> bool,
        limit: usize,
    ) -> Result<SearchResults> {
        let mut spent = SearchCost::default();
        spent.take_all(nearness.map_or(0, Similarity::steps))?;
        let question = question::read(self, visible, query, &mut spent)?;
        let tallies = tallies(self, &question.words, &mut spent)?;
        let information = question.information();
        let gist = gist(self, &question.words, nearness, &mut spent)?;
        let mut found: Vec<Candidate<'_>> = (self.skills.iter().zip(tallies).enumerate())
            .filter(|(document, (skill, tally))| {
                let is_near = || nearness.is_some_and(|nearness| nearness.score_for(*document) >= NEAR_ENOUGH);
                (tally.score > 0.0 || is_near()) && visible.has(*document) && filter(skill)
            })
            .map(|(document, (skill, tally))| {
                let gist = gist.as_ref().map_or(0.0, |gist| gist.cosine(self, document));
                let is_named = question.named.iter().any(|named| *named as usize == document);
                Candidate { skill, near: nearness.map(|one| one.score_for(document)), gist, tally, is_named }
            })
            .collect();
        let scale = Scale {
            gist: gist.as_ref().map_or(0.0, |gist| gist.weight),
            ..scale_of(&found, information, nearness.is_some())
        };
        let nearest = nearness.map_or(0.0, |_| nearest_of(&found));
        if self.steps.has(RankingStep::CutOff) {
            let least = LeastAnswer::new(&question, scale.best);
            found.retain(|one| {
                one.near.is_some_and(|near| near >= nearest)
                    || (one.tally.score > 0.0 && least.has(one.tally.covered, one.tally.score))
            });
        }
        let share = |one: &Candidate<'_>| share_of(one.tally.score, information);
        let score = |one: &Candidate<'_>| match one.near {
            None => scale.parts_of_words(share(one), one.gist).iter().sum(),
            Some(near) => scale.lexical_part(one.tally.score) + scale.near_part(near),
        };
        // The sort is stable and the skills come in byte order.
        found.sort_by(|one, two| score(two).total_cmp(&score(one)));
        let total = found.len();
        let hit = |one: Candidate<'_>| SearchHit {
            skill: one.skill.clone(),
            score: score(&one),
            share: share(&one),
            confidence: if one.is_named {
                SearchConfidence::High
            } else {
                confidence(share(&one), one.tally.told, one.near)
            },
        };
        let steps = spent.steps();
        Ok(SearchResults { hits: found.into_iter().take(limit).map(hit).collect(), total, steps, scale, nearest })
    }
}

/// The gist of a question, if no encoder counts.
pub(super) fn gist(
    index: &SearchIndex,
    meanings: &[QueryWord],
    nearness: Option<&Similarity>,
    spent: &mut SearchCost,
) -> Result<Option<QuestionGist>> {
    if nearness.is_some() || index.skills.is_empty() || !index.steps.has(RankingStep::Gists) {
        return Ok(None);
    }
    let senses: usize = meanings.iter().map(|meaning| meaning.senses.len().max(1)).sum();
    spent.take(Gists::steps(index.skills.len() + senses))?;
    Ok(QuestionGist::from_words(index, meanings))
}

/// The scores of all skills, in their order.
pub(super) fn tallies(index: &SearchIndex, meanings: &[QueryWord], spent: &mut SearchCost) -> Result<Vec<SkillScore>> {
    let mut tallies = vec![SkillScore::default(); index.skills.len()];
    let mut gains = Gains { of: vec![0.0; index.skills.len()], touched: Vec::new() };
    for meaning in meanings {
        spent.take(meaning.senses.iter().map(|sense| postings(index, sense.term).len()).sum())?;
        add(index, meaning, &mut gains, &mut tallies);
    }
    Ok(tallies)
}

/// Adds the score of one word of the question. For each skill, the best of the terms that the word can mean counts.
fn add(index: &SearchIndex, meaning: &QueryWord, gains: &mut Gains, tallies: &mut [SkillScore]) {
    for TermWeight { term, factor, .. } in &meaning.senses {
        for posting in postings(index, *term) {
            let Some(gain) = gains.of.get_mut(posting.document as usize) else { continue };
            if *gain == 0.0 {
                gains.touched.push(posting.document);
            }
            *gain = gain.max(posting.strength * factor);
        }
    }
    for document in gains.touched.drain(..) {
        let at = document as usize;
        if let (Some(gain), Some(tally)) = (gains.of.get_mut(at), tallies.get_mut(at)) {
            tally.score += *gain * meaning.information;
            tally.told += *gain * meaning.general;
            tally.covered += meaning.information;
            *gain = 0.0;
        }
    }
}

/// A skill that may answer a question.
struct Candidate<'index> {
    skill: &'index SkillPath,
    tally: SkillScore,
    /// How near it is in meaning, if that is known.
    near: Option<f32>,
    /// How near its gist is, if no encoder counts.
    gist: f32,
    /// Whether the question is its name.
    is_named: bool,
}

/// The scale of the scores of these skills.
fn scale_of(found: &[Candidate<'_>], information: f32, has_nearness: bool) -> Scale {
    // Of equals the first.
    let first = found.iter().reduce(|best, one| if one.tally.score > best.tally.score { one } else { best });
    let best = first.map_or(0.0, |first| first.tally.score);
    let nearness = has_nearness.then(|| NearnessScale {
        nearest: found.iter().filter_map(|one| one.near).fold(0.0, f32::max),
        of_best: first.and_then(|first| first.near).unwrap_or_default(),
    });
    Scale { best, best_share: share_of(best, information), nearness, gist: 0.0 }
}

/// The share of a question's `information` that a lexical score is.
pub(super) fn share_of(score: f32, information: f32) -> f32 {
    if information > 0.0 { score / information } else { 0.0 }
}

/// The nearness from which on skills are found by their meaning alone.
fn nearest_of(found: &[Candidate<'_>]) -> f32 {
    let mut near: Vec<f32> = found.iter().filter_map(|one| one.near).filter(|near| *near >= NEAR_ENOUGH).collect();
    near.sort_by(|one, two| two.total_cmp(one));
    near.get(FOUND_BY_MEANING).copied().unwrap_or(NEAR_ENOUGH)
}

/// How much of a question a skill must contain to be found.
pub(super) struct LeastAnswer {
    covered: f32,
    score: f32,
}

impl LeastAnswer {
    /// A share of the known information, or of the `best` score, so that the best itself is always found. If the question needs all
    /// words, the information of all.
    pub(super) fn new(question: &Question, best: f32) -> Self {
        if question.needs_all {
            return Self { covered: question.information(), score: f32::INFINITY };
        }
        Self { covered: LEAST_COVERED * question.known(), score: NEAR_BEST * best }
    }

    /// Whether a skill that contains words of this information, and has this score, contains enough.
    pub(super) fn has(&self, covered: f32, score: f32) -> bool {
        covered >= self.covered || score >= self.score
    }
}

/// The additions of one word to the scores of skills. They are cleared after each word, so that a rare word costs no
/// look at every skill.
struct Gains {
    of: Vec<f32>,
    /// The skills that it adds something to.
    touched: Vec<u32>,
}

/// The score of one skill so far.
#[derive(Clone, Default)]
pub(super) struct SkillScore {
    /// The information of its matches, each weighted by its posting.
    pub(super) score: f32,
    /// The same with the general information of the words.
    told: f32,
    /// The information of the words that it contains.
    covered: f32,
}

/// The saturated value of so many weighted occurrences, between 0 and 1.
pub(super) fn saturated(occurrences: f32) -> f32 {
    occurrences / (occurrences + SATURATION)
}
