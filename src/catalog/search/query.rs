//! The words of a question, and the terms of the index that each can mean.

use std::collections::BTreeSet;

use super::{
    Step, bridge,
    index::SearchIndex,
    language::Language,
    typo,
    words::{fold, words},
};
use crate::{
    error::{Code, Error, Result},
    limits::{SEARCH_QUERY_BYTES, SEARCH_QUERY_WORDS},
};

/// The weight of a translation, relative to the word itself.
const TRANSLATED: f32 = 0.8;
/// The weight of a repaired word, for each slip.
const REPAIRED: f32 = 0.8;
/// The weight of a longer word that begins or ends with the word asked for: `compraventa` for `venta`.
const COMPOUND: f32 = 0.3;
/// The shortest word, in bytes, that is looked for in longer ones.
const COMPOUND_BYTES: usize = 5;

/// One word of a question.
#[derive(Debug, PartialEq)]
pub(super) struct Meaning {
    /// The terms that it can mean, each with its weight.
    pub(super) terms: Vec<(u32, f32)>,
    /// Its information: the fewer skills contain it, the more. A word that no skill contains has the most and finds
    /// nothing.
    pub(super) information: f32,
}

impl Meaning {
    /// Whether the index contains one of its terms.
    pub(super) fn is_known(&self) -> bool {
        !self.terms.is_empty()
    }
}

/// The words of `query` except stop words, each once.
pub(super) fn meanings(index: &SearchIndex, query: &str) -> Result<Vec<Meaning>> {
    if query.len() > SEARCH_QUERY_BYTES {
        return Err(refused(&format!("{} bytes long; the limit is {SEARCH_QUERY_BYTES}", query.len())));
    }
    let folded = fold(query);
    let language = Language::guess(words(&folded));
    let asked: BTreeSet<&str> = words(&folded).filter(|word| tells(index, word, language)).collect();
    if asked.len() > SEARCH_QUERY_WORDS {
        return Err(refused(&format!("{} different words long; the limit is {SEARCH_QUERY_WORDS}", asked.len())));
    }
    let mut meanings: Vec<Meaning> = Vec::new();
    for word in asked {
        let meaning = Reading { index, language, terms: Vec::new() }.meaning(word);
        // Two forms of one word count once.
        if !meaning.is_known() || !meanings.iter().any(|other| other.terms.first() == meaning.terms.first()) {
            meanings.push(meaning);
        }
    }
    Ok(meanings)
}

fn refused(what: &str) -> Error {
    Error::new(Code::InvalidRequest, format!("the query is {what}; ask with one sentence or a few words"))
}

fn tells(index: &SearchIndex, word: &str, language: Option<Language>) -> bool {
    let is_small = || is_small_number(word) || likely(language).any(|language| language.is_stop_word(word));
    !index.steps.has(Step::StopWords) || !is_small()
}

/// Days, hours and amounts do not describe a skill; `13485` may.
fn is_small_number(word: &str) -> bool {
    word.len() <= 2 && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// The possible languages of a question.
pub(super) fn likely(guess: Option<Language>) -> impl Iterator<Item = Language> {
    Language::ALL.into_iter().filter(move |language| guess.is_none_or(|guess| guess == *language))
}

/// A word and its terms found so far.
struct Reading<'index> {
    index: &'index SearchIndex,
    language: Option<Language>,
    terms: Vec<(u32, f32)>,
}

impl Reading<'_> {
    fn meaning(mut self, word: &str) -> Meaning {
        self.take(word, 1.0);
        if self.index.steps.has(Step::Bridge) {
            self.translate(word, TRANSLATED);
        }
        let exact = self.terms.len();
        if self.index.steps.has(Step::Repair) {
            self.compounds(word);
            if self.terms.is_empty() && !self.repair(word) {
                return Meaning { terms: Vec::new(), information: 0.0 };
            }
        }
        let telling = self.terms.get(..exact).filter(|exact| !exact.is_empty()).unwrap_or(&self.terms);
        let held: usize = telling.iter().map(|(term, _)| self.index.postings(*term).len()).sum();
        let information = information(held, self.index.skills.len());
        Meaning { terms: self.terms, information }
    }

    /// Adds the stems of `word` in both languages, because a skill is indexed in its own.
    fn take(&mut self, word: &str, factor: f32) {
        let stems = self.index.steps.has(Step::Stems);
        for language in Language::ALL {
            let stem = if stems { language.stem(word) } else { word.to_owned() };
            if let Some(term) = self.index.terms.find(&stem)
                && !self.terms.iter().any(|(known, _)| *known == term)
            {
                self.terms.push((term, factor));
            }
        }
    }

    fn translate(&mut self, word: &str, factor: f32) {
        for language in likely(self.language) {
            for translation in bridge::translations(word, language) {
                self.take(translation, factor);
            }
        }
    }

    fn compounds(&mut self, word: &str) {
        if word.len() < COMPOUND_BYTES {
            return;
        }
        let known = &self.index.spellings;
        let longer: Vec<u32> = known.beginning_with(word).chain(known.ending_with(word)).collect();
        for number in longer {
            self.take(self.index.spellings.word(number), COMPOUND);
        }
    }

    /// Adds the nearest known words and their translations. Returns false for a misspelt stop word: `shoud` must not
    /// find a skill about shouting.
    fn repair(&mut self, word: &str) -> bool {
        let is_small = |language: Language| typo::is_slip_of(word, language.stop_words());
        if self.index.steps.has(Step::StopWords) && likely(self.language).any(is_small) {
            return false;
        }
        let mut known = vec![&self.index.spellings];
        if self.index.steps.has(Step::Bridge) {
            for language in likely(self.language) {
                known.push(bridge::spellings(language));
            }
        }
        let (nearest, slips) = typo::nearest(word, known);
        let factor = (0..slips).fold(1.0, |factor, _| factor * REPAIRED);
        for right in nearest {
            self.take(right, factor);
            if self.index.steps.has(Step::Bridge) {
                self.translate(right, factor * TRANSLATED);
            }
        }
        true
    }
}

/// The inverse document frequency of BM25.
pub(super) fn information(held: usize, skills: usize) -> f32 {
    let count = |number: usize| f32::from(u16::try_from(number).unwrap_or(u16::MAX));
    let (held, skills) = (count(held.min(skills)), count(skills));
    (1.0 + (skills - held + 0.5) / (held + 0.5)).ln()
}
