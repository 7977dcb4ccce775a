//! Building the index: documents are cut into terms first, then each term gets its weight.

use std::{
    collections::{BTreeSet, HashMap},
    convert::Infallible,
};

use super::{
    Step, Steps,
    document::{Field, SearchDocument},
    index::{Posting, SearchIndex},
    language::Language,
    score::saturated,
    vocabulary::Vocabulary,
    words::{fold, words},
};
use crate::{
    budget::{Stop, Work},
    path::SkillPath,
};

impl SearchIndex {
    /// Indexes `documents`, which may be in any order.
    #[must_use]
    pub fn build<'a>(documents: impl IntoIterator<Item = SearchDocument<'a>>) -> Self {
        Self::build_with(documents, Steps::ALL)
    }

    /// Indexes with some steps left out, to measure the effect of each.
    #[must_use]
    pub fn build_with<'a>(documents: impl IntoIterator<Item = SearchDocument<'a>>, steps: Steps) -> Self {
        let Ok(index) = Self::build_while(documents, steps, |_| Ok::<_, Infallible>(()));
        index
    }

    /// Indexes with every step. Each byte of text costs a step of the allowance, which is checked before each document.
    ///
    /// # Errors
    /// The reason why the work ended early.
    pub fn build_within<'a>(
        documents: impl IntoIterator<Item = SearchDocument<'a>>,
        work: &Work,
    ) -> Result<Self, Stop> {
        Self::build_while(documents, Steps::ALL, |bytes| work.spend(bytes))
    }

    fn build_while<'a, E>(
        documents: impl IntoIterator<Item = SearchDocument<'a>>,
        steps: Steps,
        mut spend: impl FnMut(u64) -> Result<(), E>,
    ) -> Result<Self, E> {
        let mut documents: Vec<_> = documents.into_iter().collect();
        documents.sort_by_key(|document| document.skill);
        let mut builder = Builder::new(steps);
        for document in &documents {
            spend(document.bytes())?;
            builder.add(document);
        }
        builder.finish(documents.iter().map(|document| document.skill.clone()).collect(), || spend(1))
    }
}

/// The data gathered while documents are added in byte order of their paths.
struct Builder {
    steps: Steps,
    /// Every word, by language, with its term, so that each word is stemmed once.
    known: [HashMap<Box<str>, u32>; Language::ALL.len()],
    terms: HashMap<Box<str>, u32>,
    spellings: BTreeSet<Box<str>>,
    documents: Vec<Vec<Occurrence>>,
}

/// How often a term occurs in one field of one document.
struct Occurrence {
    term: u32,
    field: Field,
    count: f32,
}

impl Builder {
    fn new(steps: Steps) -> Self {
        Self {
            steps,
            known: Default::default(),
            terms: HashMap::new(),
            spellings: BTreeSet::new(),
            documents: Vec::new(),
        }
    }

    fn add(&mut self, document: &SearchDocument<'_>) {
        let language = language_of(document);
        let mut found = Vec::new();
        for field in Field::ALL {
            if !self.searches(field) {
                continue;
            }
            for text in document.texts(field) {
                self.add_text(&fold(text), field, language, &mut found);
            }
        }
        found.sort_unstable();
        let counted = found.chunk_by(|one, two| one == two).filter_map(|same| {
            let (field, term) = *same.first()?;
            Some(Occurrence { term, field, count: count(same.len()) })
        });
        self.documents.push(counted.collect());
    }

    fn searches(&self, field: Field) -> bool {
        match field {
            Field::Headings => self.steps.has(Step::Headings),
            Field::Body => self.steps.has(Step::Body),
            Field::Category => self.steps.has(Step::Fields),
            _ => true,
        }
    }

    fn add_text(&mut self, folded: &str, field: Field, language: Language, found: &mut Vec<(Field, u32)>) {
        let counted_as = if self.steps.has(Step::Fields) { field } else { Field::Description };
        for word in words(folded) {
            if self.steps.has(Step::StopWords) && language.is_stop_word(word) {
                continue;
            }
            if !matches!(field, Field::Headings | Field::Body) && !self.spellings.contains(word) {
                self.spellings.insert(word.into());
            }
            found.push((counted_as, self.term(word, language)));
        }
    }

    fn term(&mut self, word: &str, language: Language) -> u32 {
        let [english, spanish] = &mut self.known;
        let known = if language == Language::English { english } else { spanish };
        if let Some(term) = known.get(word) {
            return *term;
        }
        let stem = if self.steps.has(Step::Stems) { language.stem(word) } else { word.to_owned() };
        let next = number(self.terms.len());
        let term = *self.terms.entry(stem.into()).or_insert(next);
        known.insert(word.into(), term);
        term
    }

    /// Builds the index of `skills`, the paths of the added documents. `go_on` is called before each of them.
    fn finish<E>(self, skills: Vec<SkillPath>, go_on: impl FnMut() -> Result<(), E>) -> Result<SearchIndex, E> {
        let mut by_term = strengths(&self.documents, self.terms.len(), go_on)?;
        drop(self.documents);
        let mut sorted: Vec<(Box<str>, u32)> = self.terms.into_iter().collect();
        sorted.sort_unstable();
        let mut postings = Vec::with_capacity(by_term.iter().map(Vec::len).sum());
        let mut ends = Vec::with_capacity(sorted.len());
        for (_, term) in &sorted {
            postings.extend(by_term.get_mut(*term as usize).map(std::mem::take).unwrap_or_default());
            ends.push(number(postings.len()));
        }
        Ok(SearchIndex {
            skills,
            terms: Vocabulary::of_sorted(sorted.iter().map(|(stem, _)| &**stem)),
            spellings: Vocabulary::of_sorted(self.spellings.iter().map(|word| &**word)).with_endings(),
            steps: self.steps,
            ends,
            postings,
        })
    }
}

/// The language of the skill: that of its description if it is clear, otherwise that of its body.
pub(super) fn language_of(document: &SearchDocument<'_>) -> Language {
    let prose = [Field::Description, Field::WhenToUse, Field::Body];
    let guesses = prose.into_iter().filter_map(|field| {
        let text: String = document.texts(field).map(|text| fold(text) + " ").collect();
        Language::guess(words(&text))
    });
    guesses.into_iter().next().unwrap_or(Language::English)
}

/// BM25F: the occurrences of a term in a document are added up over its fields, each with the weight and length
/// normalisation of the field. Only the sum saturates.
fn strengths<E>(
    documents: &[Vec<Occurrence>],
    terms: usize,
    mut go_on: impl FnMut() -> Result<(), E>,
) -> Result<Vec<Vec<Posting>>, E> {
    let mut by_term: Vec<Vec<Posting>> = Vec::new();
    by_term.resize_with(terms, Vec::new);
    let mean = Field::ALL.map(|field| {
        let holding = documents.iter().filter(|one| length(one, field) > 0.0).count();
        documents.iter().map(|one| length(one, field)).sum::<f32>() / count(holding.max(1))
    });
    for (document, occurrences) in (0_u32..).zip(documents) {
        go_on()?;
        let mut worth = HashMap::<u32, f32>::new();
        for (field, mean) in Field::ALL.into_iter().zip(mean) {
            let (weight, strictness) = field.weight();
            let norm = 1.0 - strictness + strictness * length(occurrences, field) / mean.max(1.0);
            for occurrence in occurrences.iter().filter(|occurrence| occurrence.field == field) {
                *worth.entry(occurrence.term).or_default() += weight * occurrence.count / norm;
            }
        }
        for (term, worth) in worth {
            if let Some(postings) = by_term.get_mut(term as usize) {
                postings.push(Posting { document, strength: saturated(worth) });
            }
        }
    }
    Ok(by_term)
}

/// The number of words of one field.
fn length(occurrences: &[Occurrence], field: Field) -> f32 {
    occurrences.iter().filter(|occurrence| occurrence.field == field).map(|occurrence| occurrence.count).sum()
}

/// A count as a factor. Counts over 16 bits make no difference.
fn count(number: usize) -> f32 {
    f32::from(u16::try_from(number).unwrap_or(u16::MAX))
}

/// A position in 32 bits: an index has fewer than 2^32 postings.
fn number(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX)
}
