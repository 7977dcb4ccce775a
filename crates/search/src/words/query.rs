//! The terms of the index that a word of a question can mean.

use std::collections::{HashMap, HashSet};

use super::{
    RankingStep,
    chat::{self, CommonWordLoad, MessageWord},
    cost::SearchCost,
    everyday,
    factor::count,
    index::{SearchIndex, VisibleSkills, stop_word_term},
    language::{Language, Languages},
    lexicon, typo,
    word_split::is_sign,
    word_vectors::WordVector,
};
use skillmount_base::{error::Result, limits::SEARCH_COMPOUNDS};

/// The weight of a repaired word, for each slip.
const REPAIRED: f32 = 0.8;
/// The weight of a part of a German compound.
const APART: f32 = 0.8;
/// The weight of a longer word that begins or ends with the word asked for: `compraventa` for `venta`.
const COMPOUND: f32 = 0.3;
/// The shortest word, in bytes, that is looked for in longer ones.
const COMPOUND_BYTES: usize = 5;

/// How a term was found for a word of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MatchRoute {
    /// It is the stem of the word.
    Itself,
    /// It is in a word that begins or ends with the word asked for.
    Compound,
    /// It means the same in the other language.
    Translation,
    /// It is in the nearest known word, because the word is not known.
    Repair,
    /// It means the same as the nearest known word, in the other language.
    TranslatedRepair,
}

/// A term that a word of a question can mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TermWeight {
    pub(super) term: u32,
    /// Its weight.
    pub(super) factor: f32,
    pub(super) way: MatchRoute,
}

/// One word of a question.
#[derive(Debug, PartialEq)]
pub(super) struct QueryWord {
    /// The word, folded.
    pub(super) word: String,
    /// The terms that it can mean.
    pub(super) senses: Vec<TermWeight>,
    /// Its information: the fewer skills contain it, the more. A word that no skill contains has the most and finds
    /// nothing.
    pub(super) information: f32,
    /// The general information, independent of the catalog.
    pub(super) general: f32,
    /// The word vector, for an everyday word that no skill contains literally.
    pub(super) vector: Option<WordVector>,
    /// The part of its information that the message around the word leaves.
    pub(super) kept: f32,
    /// The power of ten of its general frequency, if it is an everyday word.
    everyday: Option<f32>,
}

impl QueryWord {
    /// Whether the index contains one of its terms.
    pub(super) fn is_known(&self) -> bool {
        !self.senses.is_empty()
    }

    /// Reduces the information to this part.
    fn weaken(&mut self, part: f32) {
        self.information *= part;
        self.general *= part;
        self.kept *= part;
    }
}

/// In a long message, reduces the information of everyday words, and of words that stand far from the task.
pub(super) fn quieten(meanings: &mut [QueryWord], folded: &str, spent: &mut SearchCost) -> Result<()> {
    let everyday = meanings.iter().filter(|meaning| meaning.everyday.is_some());
    let crowd = CommonWordLoad::from_sum(everyday.map(|meaning| meaning.information).sum());
    if let Some(crowd) = crowd {
        for meaning in meanings.iter_mut() {
            meaning.weaken(meaning.everyday.map_or(1.0, |power| crowd.kept(power)));
        }
    }
    let spoken = MessageWord::all(folded);
    let attention = chat::attention(spoken.len(), crowd);
    if attention <= 0.0 {
        return Ok(());
    }
    spent.take(chat::PASSAGE * spoken.len())?;
    let known = meanings.iter().filter(|meaning| meaning.is_known());
    let told: HashMap<&str, f32> = known.map(|meaning| (meaning.word.as_str(), meaning.information)).collect();
    let parts = chat::passages(&spoken, |word| told.get(word).copied().unwrap_or_default());
    for meaning in meanings {
        // Parts of glued words and versions are no words of the message. Logs have many.
        let part = parts.get(meaning.word.as_str()).copied().unwrap_or_default();
        meaning.weaken(chat::heard(part, attention));
    }
    Ok(())
}

/// A word and its senses found so far.
pub(super) struct Reading<'index> {
    index: &'index SearchIndex,
    visible: &'index VisibleSkills,
    language: Option<Language>,
    senses: Vec<TermWeight>,
    /// The terms of the senses.
    terms: HashSet<u32>,
    /// How many more unknown words of the question are compared with all known words.
    repairs: &'index mut usize,
    /// The words that were looked up or compared.
    pub(super) steps: usize,
}

impl<'index> Reading<'index> {
    pub(super) fn new(
        (index, visible): (&'index SearchIndex, &'index VisibleSkills),
        language: Option<Language>,
        repairs: &'index mut usize,
    ) -> Self {
        Self { index, visible, language, senses: Vec::new(), terms: HashSet::new(), repairs, steps: 0 }
    }

    /// The meaning of a stop word or a small number: it finds itself alone, and has the least information.
    pub(super) fn small(&mut self, word: &str) -> QueryWord {
        self.take(word, 1.0, MatchRoute::Itself);
        let (word, senses) = (word.to_owned(), std::mem::take(&mut self.senses));
        let information = everyday::LEAST;
        QueryWord { word, senses, information, general: information, vector: None, kept: 1.0, everyday: None }
    }

    /// Adds the skills that contain `word` as a stop word of their language.
    pub(super) fn take_stop_word(&mut self, word: &str) {
        self.steps += 1;
        if let Some(term) = self.index.terms.find(&stop_word_term(word)) {
            self.take_term(term, 1.0, MatchRoute::Itself);
        }
    }

    pub(super) fn meaning(&mut self, word: &str) -> QueryWord {
        self.take(word, 1.0, MatchRoute::Itself);
        if self.index.steps.has(RankingStep::Stems)
            && let Some(singular) = Language::abbreviation(word)
        {
            self.take(singular, 1.0, MatchRoute::Itself);
        }
        if self.index.steps.has(RankingStep::Lexicon) {
            self.translate(word, 1.0, MatchRoute::Translation);
        }
        if self.senses.is_empty() {
            self.translate_from_any(word);
        }
        let exact = self.senses.len();
        if self.index.steps.has(RankingStep::Repair) {
            self.compounds(word);
            if self.senses.is_empty() && !self.repair(word) {
                let (word, senses) = (word.to_owned(), Vec::new());
                return QueryWord {
                    word,
                    senses,
                    information: 0.0,
                    general: 0.0,
                    vector: None,
                    kept: 1.0,
                    everyday: None,
                };
            }
        }
        let telling = self.senses.get(..exact).filter(|exact| !exact.is_empty()).unwrap_or(&self.senses);
        let held: usize = telling.iter().map(|sense| self.visible.holders(self.index, sense.term)).sum();
        let (information, everyday) = (information(held, self.visible.count(self.index)), self.everyday(word));
        let general = everyday::general(everyday);
        let information = everyday.map_or(information, |power| information.min(everyday::ceiling(power)));
        let vector = everyday.filter(|_| exact == 0).and_then(|_| self.vector(word));
        let (word, senses) = (word.to_owned(), std::mem::take(&mut self.senses));
        QueryWord { word, senses, information, general, vector, kept: 1.0, everyday }
    }

    /// The vector of the meaning of a word.
    fn vector(&self, word: &str) -> Option<WordVector> {
        let of = |language: Language| match language {
            Language::English => WordVector::from_stem(&language.stem(word), []),
            _ => WordVector::from_stem(&language.stem(word), lexicon::translations(word, language).iter().copied()),
        };
        Language::likely(self.language).find_map(of)
    }

    fn everyday(&self, word: &str) -> Option<f32> {
        if self.index.steps.has(RankingStep::Everyday) { everyday::power(word, self.language) } else { None }
    }

    /// Adds the stems of `word`, because a skill is indexed in its own language: the stems in English, Spanish, the language of
    /// the question and each language whose skills have the word as it is. A word of a question whose language is not
    /// certain may be of any language of the catalog. A stem in such a language counts for terms of that language.
    fn take(&mut self, word: &str, factor: f32, way: MatchRoute) {
        let is_uncertain = way == MatchRoute::Itself && self.language.is_none();
        let in_catalog = if is_uncertain { self.index.languages.all } else { Languages::default() };
        let languages = in_catalog.or(self.index.languages_of(word));
        for language in Language::ALL {
            if let Some(term) = self.term_in(word, language, languages) {
                self.take_term(term, factor, way);
            }
        }
    }

    /// The term of `word` as a word of `language`, if that is a usual language or one of `others`.
    fn term_in(&mut self, word: &str, language: Language, others: Languages) -> Option<u32> {
        let is_usual = matches!(language, Language::English | Language::Spanish) || self.language == Some(language);
        if !is_usual && !others.has(language) {
            return None;
        }
        self.steps += 1;
        let stems = self.index.steps.has(RankingStep::Stems);
        let stem = if stems { language.stem(word) } else { word.to_owned() };
        let is_of = |term: u32| self.index.languages.of_terms.get(term as usize).is_some_and(|own| own.has(language));
        self.index.terms.find(&stem).filter(|term| is_usual || is_of(*term))
    }

    /// Whether a visible skill has this spelling.
    fn is_spelled(&mut self, word: &str) -> bool {
        if self.visible.is_all() {
            return true;
        }
        let languages = self.index.languages_of(word);
        Language::ALL.into_iter().any(|language| {
            let term = self.term_in(word, language, languages);
            term.is_some_and(|term| self.visible.has_holder(self.index, term))
        })
    }

    fn take_term(&mut self, term: u32, factor: f32, way: MatchRoute) {
        if self.visible.has_holder(self.index, term) && self.terms.insert(term) {
            self.senses.push(TermWeight { term, factor, way });
        }
    }

    fn translate(&mut self, word: &str, factor: f32, way: MatchRoute) {
        for language in Language::likely(self.language) {
            self.translate_from(language, word, factor, way);
        }
    }

    fn translate_from(&mut self, language: Language, word: &str, factor: f32, way: MatchRoute) {
        for translation in lexicon::translations(word, language) {
            self.take(translation, factor, way);
        }
    }

    /// Adds what a word that no skill contains means in any language: a short question does not say in which it is asked. In
    /// English such a word is misspelt.
    fn translate_from_any(&mut self, word: &str) {
        if self.index.steps.has(RankingStep::Lexicon) && self.language != Some(Language::English) {
            for language in Language::ALL {
                self.translate_from(language, word, 1.0, MatchRoute::Translation);
            }
        }
    }

    /// Adds the meanings of the two words that a German compound consists of. Returns whether there are such words.
    fn take_apart(&mut self, word: &str) -> bool {
        if !self.index.steps.has(RankingStep::Lexicon) || self.language == Some(Language::English) {
            return false;
        }
        self.steps += word.len();
        let is_known = |part: &str| {
            let term = self.index.terms.find(&Language::English.stem(part));
            term.is_some_and(|term| self.visible.has_holder(self.index, term))
        };
        for part in lexicon::parts(word, is_known).into_iter().flatten() {
            self.take(part, APART, MatchRoute::Translation);
            self.translate_from(Language::German, part, APART, MatchRoute::Translation);
        }
        !self.senses.is_empty()
    }

    fn compounds(&mut self, word: &str) {
        let known = &self.index.spellings;
        let mut longer: Vec<u32> = Vec::new();
        if is_sign(word) {
            longer.extend(self.spelled(known.beginning_with(word)));
        } else if word.len() >= COMPOUND_BYTES {
            longer.extend(self.spelled(known.beginning_with(word)));
            longer.extend(self.spelled(known.ending_with(word)));
        }
        for number in longer {
            self.take(self.index.spellings.word(number), COMPOUND, MatchRoute::Compound);
        }
    }

    /// The first of these spellings that a visible skill has, [`SEARCH_COMPOUNDS`] at most.
    fn spelled(&mut self, numbers: impl Iterator<Item = u32>) -> Vec<u32> {
        let index = self.index;
        numbers.filter(|number| self.is_spelled(index.spellings.word(*number))).take(SEARCH_COMPOUNDS).collect()
    }

    /// Adds the parts of a compound, or the nearest known words and their translations. Returns false for a misspelt stop word: `shoud` must not
    /// find a skill about shouting. Names of things with digits, such as ids, are not misspelt words.
    fn repair(&mut self, word: &str) -> bool {
        if typo::forgiven(word.chars().count()) == 0 || word.contains(char::is_numeric) {
            return true;
        }
        let is_small = |language: Language| typo::is_slip_of(word, language.stop_words());
        if self.index.steps.has(RankingStep::StopWords) && Language::likely(self.language).any(is_small) {
            return false;
        }
        let mut known = vec![&self.index.spellings];
        if self.index.steps.has(RankingStep::Lexicon) {
            for language in Language::likely(self.language) {
                known.extend(lexicon::spellings(language));
            }
        }
        let Some(left) = self.repairs.checked_sub(1) else { return true };
        *self.repairs = left;
        if self.take_apart(word) {
            return true;
        }
        self.steps += known.iter().map(|known| typo::compared(word, known).len()).sum::<usize>();
        let index = self.index;
        let (nearest, slips) = typo::nearest(word, known, |from, other| {
            // A word of the lexicon is of no skill.
            !std::ptr::eq(from, &raw const index.spellings) || self.is_spelled(other)
        });
        let factor = (0..slips).fold(1.0, |factor, _| factor * REPAIRED);
        for right in nearest.into_iter().take(SEARCH_COMPOUNDS) {
            self.take(right, factor, MatchRoute::Repair);
            if self.index.steps.has(RankingStep::Lexicon) {
                self.translate(right, factor, MatchRoute::TranslatedRepair);
            }
        }
        true
    }
}

/// The inverse document frequency of BM25.
pub(super) fn information(held: usize, skills: usize) -> f32 {
    let (held, skills) = (count(held.min(skills)), count(skills));
    (1.0 + (skills - held + 0.5) / (held + 0.5)).ln()
}
