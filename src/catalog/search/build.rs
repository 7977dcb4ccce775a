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
    /// Every word seen, by language, so that each is stemmed once.
    known: [HashMap<Box<str>, Known>; Language::ALL.len()],
    terms: HashMap<Box<str>, u32>,
    documents: Vec<Counted>,
}

/// A word of some documents of one language.
struct Known {
    /// Its term; `None` for a stop word.
    term: Option<u32>,
    /// Whether it stands in other fields than headings and body.
    is_spelling: bool,
}

/// A document as terms.
struct Counted {
    /// In the order of their terms.
    occurrences: Vec<Occurrence>,
    /// The number of words of each field.
    lengths: [f32; Field::ALL.len()],
}

/// How often a term occurs in one field of one document.
struct Occurrence {
    term: u32,
    field: Field,
    count: f32,
}

impl Builder {
    fn new(steps: Steps) -> Self {
        Self { steps, known: Default::default(), terms: HashMap::new(), documents: Vec::new() }
    }

    fn add(&mut self, document: &SearchDocument<'_>) {
        let language = language_of(document);
        let mut found = Vec::new();
        for field in Field::ALL {
            if !self.searches(field) {
                continue;
            }
            let from = found.len();
            for text in document.texts(field) {
                self.add_text(&fold(text), field, language, &mut found);
            }
            if field == Field::Keywords && self.steps.has(Step::Fields) {
                // A list that repeats a word says it once.
                let own = found.split_off(from).into_iter().collect::<BTreeSet<_>>();
                found.extend(own);
            }
        }
        found.sort_unstable();
        let mut lengths = [0.0; Field::ALL.len()];
        let mut occurrences = Vec::new();
        for same in found.chunk_by(|one, two| one == two) {
            let Some((term, field)) = same.first().copied() else { continue };
            let count = count(same.len());
            if let Some(length) = lengths.get_mut(field as usize) {
                *length += count;
            }
            occurrences.push(Occurrence { term, field, count });
        }
        self.documents.push(Counted { occurrences, lengths });
    }

    fn searches(&self, field: Field) -> bool {
        match field {
            Field::Headings => self.steps.has(Step::Headings),
            Field::Body => self.steps.has(Step::Body),
            Field::Category => self.steps.has(Step::Fields),
            _ => true,
        }
    }

    fn add_text(&mut self, folded: &str, field: Field, language: Language, found: &mut Vec<(u32, Field)>) {
        let counted_as = if self.steps.has(Step::Fields) { field } else { Field::Description };
        let is_spelling = !matches!(field, Field::Headings | Field::Body);
        for word in words(folded) {
            found.extend(self.term(word, language, is_spelling).map(|term| (term, counted_as)));
        }
    }

    /// The term of a word; `None` for a stop word.
    fn term(&mut self, word: &str, language: Language, is_spelling: bool) -> Option<u32> {
        let known = self.known.get_mut(language as usize)?;
        if let Some(known) = known.get_mut(word) {
            known.is_spelling |= is_spelling;
            return known.term;
        }
        let is_stop_word = self.steps.has(Step::StopWords) && language.is_stop_word(word);
        let term = (!is_stop_word).then(|| {
            let stem = if self.steps.has(Step::Stems) { language.stem(word) } else { word.to_owned() };
            let next = number(self.terms.len());
            *self.terms.entry(stem.into()).or_insert(next)
        });
        known.insert(word.into(), Known { term, is_spelling });
        term
    }

    /// Builds the index of `skills`, the paths of the added documents. `go_on` is called before each of them.
    fn finish<E>(self, skills: Vec<SkillPath>, go_on: impl FnMut() -> Result<(), E>) -> Result<SearchIndex, E> {
        let mean_lengths = mean_lengths(&self.documents);
        let mut by_term = strengths(&self.documents, self.terms.len(), mean_lengths, go_on)?;
        drop(self.documents);
        let mut sorted: Vec<(Box<str>, u32)> = self.terms.into_iter().collect();
        sorted.sort_unstable();
        let mut postings = Vec::with_capacity(by_term.iter().map(Vec::len).sum());
        let mut ends = Vec::with_capacity(sorted.len());
        for (_, term) in &sorted {
            postings.extend(by_term.get_mut(*term as usize).map(std::mem::take).unwrap_or_default());
            ends.push(number(postings.len()));
        }
        let known = self.known.iter().flatten().filter(|(_, known)| known.is_spelling && known.term.is_some());
        let spellings: BTreeSet<&str> = known.map(|(word, _)| &**word).collect();
        Ok(SearchIndex {
            skills,
            terms: Vocabulary::of_sorted(sorted.iter().map(|(stem, _)| &**stem)),
            spellings: Vocabulary::of_sorted(spellings).with_endings(),
            steps: self.steps,
            ends,
            postings,
            mean_lengths,
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
    documents: &[Counted],
    terms: usize,
    mean_lengths: [f32; Field::ALL.len()],
    mut go_on: impl FnMut() -> Result<(), E>,
) -> Result<Vec<Vec<Posting>>, E> {
    let mut by_term: Vec<Vec<Posting>> = Vec::new();
    by_term.resize_with(terms, Vec::new);
    for (document, Counted { occurrences, lengths }) in (0_u32..).zip(documents) {
        go_on()?;
        let mut each = [0.0; Field::ALL.len()];
        for (((each, field), length), mean) in each.iter_mut().zip(Field::ALL).zip(lengths).zip(mean_lengths) {
            *each = field.worth(*length, mean);
        }
        let worth = |one: &Occurrence| each.get(one.field as usize).copied().unwrap_or_default() * one.count;
        for same in occurrences.chunk_by(|one, two| one.term == two.term) {
            let Some(postings) = same.first().and_then(|one| by_term.get_mut(one.term as usize)) else { continue };
            postings.push(Posting { document, strength: saturated(same.iter().map(worth).sum()) });
        }
    }
    Ok(by_term)
}

/// The mean number of words of each field, over the documents that have the field.
fn mean_lengths(documents: &[Counted]) -> [f32; Field::ALL.len()] {
    Field::ALL.map(|field| {
        let lengths = documents.iter().filter_map(|one| one.lengths.get(field as usize).copied());
        let (sum, having) = lengths.filter(|length| *length > 0.0).fold((0.0, 0), |(sum, n), one| (sum + one, n + 1));
        sum / count(having.max(1))
    })
}

/// A count as a factor. Counts over 16 bits make no difference.
pub(super) fn count(number: usize) -> f32 {
    f32::from(u16::try_from(number).unwrap_or(u16::MAX))
}

/// A position in 32 bits: an index has fewer than 2^32 postings.
fn number(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX)
}
