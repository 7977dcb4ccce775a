//! Boosts skills that were loaded after like questions.
//!
//! If the same user's sessions loaded a skill after a like question, the skill gets a small boost among the found
//! skills. The boost is a part of the distance to the best possible score, so no score leaves its range. Boosts are
//! never negative, so no skill is found or lost by them. Everything is counted in whole numbers and days: replicas that
//! have the same loads give the same answers on the same day.

use std::collections::BTreeMap;

use sha2::{Digest as _, Sha256};

use super::{
    everyday,
    language::Language,
    score::SearchResults,
    word_split::{fold, words},
};
use skillmount_base::{
    limits::{DISCOVERY_QUERY_BYTES, FEEDBACK_DAYS},
    path::SkillPath,
};

/// The largest boost, as a part of the product of the score and its distance to 1.
const MOST: f32 = 0.5;
/// The likeness of two questions from which on one says something of the other.
const LIKE: f32 = 0.25;
/// The likeness of questions, all together, that raises a skill by the most.
const ENOUGH: f32 = 1.0;
/// How many numbers there are for words. Of the hundred thousand stems of a language, six share a number. Between ten
/// words of a question and ten of another, one pair in 160 shares a number by chance. So little does not make questions
/// alike.
const NUMBERS: u32 = 1 << 14;

/// A question as the numbers of its words. Several words of a language share each number, so that a number does not say which
/// of them was asked with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QuestionPrint {
    /// A number for each word with information, in order.
    pub words: Vec<u32>,
    /// The general information of the words, in hundredths.
    pub told: u32,
}

impl QuestionPrint {
    /// That of a question, as far as sessions remember questions.
    #[must_use]
    pub fn from_question(question: &str) -> Self {
        let told = words_of(question);
        Self { told: told.values().sum(), words: told.into_keys().collect() }
    }
}

/// A load that followed a question.
#[derive(Clone, Copy, Debug)]
pub struct PastLoad<'load> {
    /// The loaded skill.
    pub skill: &'load SkillPath,
    /// The question, as in a [`QuestionPrint`].
    pub words: &'load [u32],
    /// The general information of the words, likewise.
    pub told: u32,
    /// How many days ago.
    pub days: u32,
}

/// By how much loads raise a skill.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Boost {
    /// The loads after like questions.
    pub loads: usize,
    /// How like their questions were, each the less the older its load, all together.
    likeness: f32,
}

impl Boost {
    /// The addition to a score.
    #[must_use]
    pub fn apply(&self, score: f32) -> f32 {
        MOST * (self.likeness / ENOUGH).min(1.0) * score * (1.0 - score).max(0.0)
    }
}

/// The skills that loads raise for one question.
#[derive(Clone, Debug, Default)]
pub struct Raises(BTreeMap<SkillPath, Boost>);

impl Raises {
    /// Those of a question, by the loads of its user.
    #[must_use]
    pub fn from_loads<'load>(question: &str, loads: impl IntoIterator<Item = PastLoad<'load>>) -> Self {
        let (asked, mut raises) = (words_of(question), BTreeMap::<SkillPath, Boost>::new());
        let all: u32 = asked.values().sum();
        for load in loads {
            let left = FEEDBACK_DAYS.saturating_sub(load.days);
            let shared: u32 = load.words.iter().filter_map(|word| asked.get(word)).sum();
            // An object that another tool wrote may say anything.
            let either = u64::from(all) + u64::from(load.told.max(shared)) - u64::from(shared);
            let likeness = share(shared.into(), either);
            if left > 0 && likeness >= LIKE {
                let raise = raises.entry(load.skill.clone()).or_default();
                raise.loads += 1;
                raise.likeness += likeness * share(left.into(), FEEDBACK_DAYS.into());
            }
        }
        Self(raises)
    }

    /// Whether no skill is raised.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// By how much a skill is raised.
    #[must_use]
    pub fn of_skill(&self, skill: &SkillPath) -> Option<Boost> {
        self.0.get(skill).copied()
    }

    /// Raises what is among the best `reach` that were found, and puts these in order again.
    pub fn apply(&self, results: &mut SearchResults, reach: usize) {
        let hits = &mut results.hits;
        let best = hits.len().min(reach);
        let Some(best) = hits.get_mut(..best).filter(|_| !self.is_empty()) else { return };
        for hit in &mut *best {
            hit.score += self.0.get(&hit.skill).map_or(0.0, |raise| raise.apply(hit.score));
        }
        // The sort is stable, so equals stay in their order.
        best.sort_by(|one, two| two.score.total_cmp(&one.score));
    }
}

/// The general information of each word of a question, in hundredths, by the number of the word.
fn words_of(question: &str) -> BTreeMap<u32, u32> {
    let question = question.get(..question.floor_char_boundary(DISCOVERY_QUERY_BYTES)).unwrap_or_default();
    let folded = fold(question);
    let language = Language::guess(words(&folded));
    let is_small = |word: &str| Language::likely(language).any(|language| language.is_stop_word(word));
    let telling = words(&folded).filter(|word| !is_small(word));
    let numbered = telling.map(|word| {
        let stem = language.unwrap_or(Language::English).stem(word);
        (number_of(&stem), hundredths(everyday::general(everyday::power(word, language))))
    });
    numbered.collect()
}

fn number_of(stem: &str) -> u32 {
    let digest = Sha256::digest(stem);
    digest.first_chunk().map_or(0, |first| u32::from_be_bytes(*first)) % NUMBERS
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the information of a word is less than ten"
)]
fn hundredths(told: f32) -> u32 {
    (told * 100.0).round() as u32
}

#[expect(clippy::cast_precision_loss, reason = "the words of a question tell a few ten thousand hundredths")]
fn share(part: u64, whole: u64) -> f32 {
    if whole == 0 { 0.0 } else { part as f32 / whole as f32 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::SearchHit;
    use skillmount_wire::SearchConfidence;

    fn results(scores: &[(&str, f32)]) -> SearchResults {
        let hit = |(skill, score): &(&str, f32)| SearchHit {
            skill: SkillPath::parse(skill).unwrap(),
            score: *score,
            share: *score,
            confidence: SearchConfidence::High,
        };
        SearchResults { hits: scores.iter().map(hit).collect(), total: scores.len(), ..SearchResults::default() }
    }

    fn raised(asked: &str, past: &[(&str, &str, u32)], scores: &[(&str, f32)]) -> Vec<(String, f32)> {
        let past: Vec<_> = past
            .iter()
            .map(|(question, skill, days)| {
                (QuestionPrint::from_question(question), SkillPath::parse(skill).unwrap(), *days)
            })
            .collect();
        let loads = past.iter().map(|(print, skill, days)| PastLoad {
            skill,
            words: &print.words,
            told: print.told,
            days: *days,
        });
        let mut found = results(scores);
        Raises::from_loads(asked, loads).apply(&mut found, usize::MAX);
        assert_eq!((found.total, found.hits.len()), (scores.len(), scores.len()));
        found.hits.into_iter().map(|hit| (hit.skill.to_string(), hit.score)).collect()
    }

    const SCORES: [(&str, f32); 2] = [("a", 0.5), ("b", 0.45)];

    #[test]
    fn a_load_raises_its_skill_for_like_questions_and_no_others() {
        let past = [("convert the quarterly invoices to spreadsheets", "b", 0)];
        let like = raised("turn invoices into a spreadsheet, quarterly", &past, &SCORES);
        assert_eq!(like[0].0, "b", "{like:?}");
        assert!(like[0].1 <= 0.45 + 0.5 * 0.45 * 0.55 && (like[1].1 - 0.5).abs() < 1e-6, "{like:?}");
        let unlike = raised("schedule a meeting with the convert team", &past, &SCORES);
        assert_eq!(unlike, [("a".to_owned(), 0.5), ("b".to_owned(), 0.45)]);
        assert_eq!(raised("", &past, &SCORES), unlike);
        assert_eq!(raised("please help me with this", &[("please help me with that", "b", 0)], &SCORES), unlike);
    }

    #[test]
    fn what_loads_add_is_bounded_and_goes_with_time() {
        let question = "convert the quarterly invoices";
        let of = |days: u32, times: usize| {
            let raised = raised(question, &vec![(question, "b", days); times], &SCORES);
            raised.into_iter().find(|(skill, _)| skill == "b").unwrap().1
        };
        assert!(of(0, 1) > of(30, 1) && of(30, 1) > of(80, 1) && of(FEEDBACK_DAYS - 1, 1) > 0.45);
        assert!((of(FEEDBACK_DAYS, 1) - 0.45).abs() < 1e-6);
        assert!((of(0, 1) - of(0, 500)).abs() < 1e-6, "as much as once");
        for score in [0.0, 0.3, 0.9, 1.0] {
            let all = raised(question, &[(question, "b", 0); 9], &[("b", score)]);
            assert!(all[0].1 >= score && all[0].1 <= 1.0, "{all:?}");
        }
    }

    // S-SEARCH-42: One object of the user holds past loads: the skill, the day, and numbers of the words, each shared
    // by several words of a language.
    #[test]
    fn a_print_has_numbers_of_stems_and_no_words() {
        let print = QuestionPrint::from_question("Convert the invoices!");
        assert_eq!(print.words, QuestionPrint::from_question("converting an INVOICE").words);
        assert_eq!(print.words.len(), 2);
        assert_eq!(QuestionPrint::from_question("the of and"), QuestionPrint::default());
        let long = "a word, ".repeat(DISCOVERY_QUERY_BYTES / 8);
        assert_eq!(QuestionPrint::from_question(&format!("{long} invoice")), QuestionPrint::from_question("word"));
        let numbers = (0..500).map(|number| format!("w{number}")).collect::<Vec<_>>().join(" ") + " ";
        assert!(QuestionPrint::from_question(&numbers).words.len() <= DISCOVERY_QUERY_BYTES / 3);
    }
}
