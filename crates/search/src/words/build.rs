//! Building the index: documents are cut into terms first, then each term gets its weight.

use std::convert::Infallible;

use super::{
    RankingStep, Steps,
    document::SearchDocument,
    gist,
    gists::Gists,
    index::{IndexLanguages, Posting, Postings, SearchIndex, is_spelled, name_of, other_forms, term_of},
    language::{Language, Languages},
    lengths::FieldNumbers,
    lexicon,
    term_strengths::{DocumentTerms, TermPlace, TermUse, parts, strengths, whole},
    vocabulary::Vocabulary,
    word_map::WordMap,
    word_split::{Spacing, fold, words},
    word_vectors::WordVector,
};
use skillmount_base::{
    budget::{StopReason, WorkBudget},
    path::SkillPath,
};
use skillmount_wire::SearchField;

impl SearchIndex {
    /// Indexes `documents`, which may be in any order.
    pub fn build<'a>(documents: impl IntoIterator<Item = SearchDocument<'a>>) -> Self {
        Self::build_with(documents, Steps::ALL)
    }

    /// Indexes with some steps left out, to measure the effect of each.
    pub fn build_with<'a>(documents: impl IntoIterator<Item = SearchDocument<'a>>, steps: Steps) -> Self {
        let Ok(index) = build_while(documents, steps, |_| Ok::<_, Infallible>(()));
        index
    }

    /// Indexes with every step. Each byte of text costs a step of the allowance, which is checked before each document.
    ///
    /// # Errors
    /// The reason why the work ended early.
    pub fn build_within<'a>(
        documents: impl IntoIterator<Item = SearchDocument<'a>>,
        work: &WorkBudget,
    ) -> Result<Self, StopReason> {
        build_while(documents, Steps::ALL, |bytes| work.spend(bytes))
    }

    /// The bytes the index takes on the heap, the skill paths it shares with the catalog included.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        let skills: usize = self.skills.iter().map(|skill| skill.as_str().len() + size_of::<[usize; 2]>()).sum();
        skills
            + self.skills.capacity() * size_of::<SkillPath>()
            + self.terms.memory_bytes()
            + self.spellings.memory_bytes()
            + (self.languages.of_terms.capacity() + self.languages.of_spellings.capacity()) * size_of::<Languages>()
            + self.names.iter().map(|(name, _)| name.len() + size_of::<(Box<str>, u32)>()).sum::<usize>()
            + self.postings.ends.capacity() * size_of::<u32>()
            + self.postings.all.capacity() * size_of::<Posting>()
            + self.vectors.capacity() * size_of::<Option<WordVector>>()
            + self.gists.memory_bytes()
    }

    /// The different words of names, descriptions, lists and categories. A word of a question that none of them is may be compared
    /// with each.
    #[must_use]
    pub fn known_words(&self) -> usize {
        self.spellings.len()
    }
}

fn build_while<'a, E>(
    documents: impl IntoIterator<Item = SearchDocument<'a>>,
    steps: Steps,
    mut spend: impl FnMut(u64) -> Result<(), E>,
) -> Result<SearchIndex, E> {
    let mut documents: Vec<_> = documents.into_iter().collect();
    documents.sort_by_key(|document| document.skill);
    let mut builder = Builder::new(steps);
    for document in &documents {
        spend(document.bytes())?;
        builder.add(document);
    }
    builder.finish(documents.iter().map(|document| document.skill.clone()).collect(), || spend(1))
}

/// The data gathered while documents are added in byte order of their paths.
struct Builder {
    steps: Steps,
    /// Every word seen, by language, so that each is stemmed once.
    known: [WordMap<VocabularyWord>; Language::ALL.len()],
    terms: WordMap<u32>,
    /// The languages of terms are in the order in which the terms were found.
    languages: IndexLanguages,
    names: Vec<(Box<str>, u32)>,
    /// The vector of each term; none of them if the step is left out.
    vectors: Vec<Option<WordVector>>,
    documents: Vec<DocumentTerms>,
    /// The words of the document that is added.
    found: Vec<TermUse>,
}

/// Takes the place of a term for stop words that stand only in headings and bodies.
const NO_TERM: u32 = u32::MAX;

/// A word of some documents of one language. There are very many, so it is small.
struct VocabularyWord {
    /// Its term, or [`NO_TERM`].
    term: u32,
    is_stop_word: bool,
    spacing: Spacing,
    /// Whether it stands in other fields than headings and body.
    is_spelling: bool,
}

impl VocabularyWord {
    /// An occurrence in a field; `None` if the word has no term.
    fn place(&self, field: SearchField) -> Option<TermPlace> {
        let Self { term, is_stop_word, spacing, .. } = *self;
        (term != NO_TERM).then_some(TermPlace { term, field, spacing, has_length: !is_stop_word })
    }
}

impl Builder {
    fn new(steps: Steps) -> Self {
        Self {
            steps,
            known: Default::default(),
            terms: WordMap::default(),
            languages: IndexLanguages::default(),
            names: Vec::new(),
            vectors: Vec::new(),
            documents: Vec::new(),
            found: Vec::new(),
        }
    }

    fn add(&mut self, document: &SearchDocument<'_>) {
        let language = language_of(document);
        self.languages.all.insert(language);
        self.add_names(document);
        let mut found = std::mem::take(&mut self.found);
        found.clear();
        for field in SearchField::ALL {
            if !self.searches(field) {
                continue;
            }
            let from = found.len();
            for text in document.texts(field) {
                self.add_text(&fold(text), field, language, &mut found);
            }
            if field == SearchField::Keywords && self.steps.has(RankingStep::Fields) {
                // A list that repeats a word says it once.
                let mut own = found.split_off(from);
                own.sort_unstable();
                own.dedup();
                found.append(&mut own);
            }
        }
        let mut lengths = FieldNumbers::default();
        for TermPlace { field, spacing, .. } in found.iter().filter_map(|one| parts(*one)).filter(|one| one.has_length)
        {
            lengths.add(field, spacing, 1.0);
        }
        self.documents.push(DocumentTerms { found: found.as_slice().into(), lengths });
        self.found = found;
    }

    fn add_names(&mut self, document: &SearchDocument<'_>) {
        let number = number(self.documents.len());
        let mut names: Vec<_> =
            document.texts(SearchField::Name).map(name_of).filter(|name| !name.is_empty()).collect();
        names.dedup();
        self.names.extend(names.into_iter().map(|name| (name, number)));
    }

    fn searches(&self, field: SearchField) -> bool {
        match field {
            SearchField::Headings => self.steps.has(RankingStep::Headings),
            SearchField::Body => self.steps.has(RankingStep::Body),
            SearchField::Category => self.steps.has(RankingStep::Fields),
            _ => true,
        }
    }

    fn add_text(&mut self, folded: &str, field: SearchField, language: Language, found: &mut Vec<TermUse>) {
        let counted_as = if self.steps.has(RankingStep::Fields) { field } else { SearchField::Description };
        for word in words(folded) {
            let place = self.term(word, language, field);
            found.extend(place.map(|place| whole(TermPlace { field: counted_as, ..place })));
        }
        for form in other_forms(folded, field) {
            let place = self.term(&form, language, field);
            found.extend(place.map(|place| whole(TermPlace { field: counted_as, has_length: false, ..place })));
        }
    }

    /// The term of a word in a field, and how the word is written; `None` for a stop word that is not indexed there.
    fn term(&mut self, word: &str, language: Language, field: SearchField) -> Option<TermPlace> {
        let is_spelling = is_spelled(field);
        let known = self.known.get_mut(language as usize)?;
        if let Some(known) = known.get_mut(word)
            && (known.term != NO_TERM || !is_spelling)
        {
            known.is_spelling |= is_spelling;
            return known.place(field);
        }
        let term = term_of(self.steps, word, language, field).map(|(stem, is_stop_word)| {
            let next = number(self.terms.len());
            let term = *self.terms.get_or_insert(&stem, next);
            record_language(&mut self.languages.of_terms, term, language);
            if self.steps.has(RankingStep::Gists) {
                let meaning = || WordVector::from_stem(&stem, lexicon::meaning_of_form(word, language));
                let vector = if is_stop_word { None } else { meaning() };
                record_meaning(&mut self.vectors, term, vector, language);
            }
            (term, is_stop_word)
        });
        let (term, is_stop_word) = term.unwrap_or((NO_TERM, true));
        let vocabulary = VocabularyWord { term, is_stop_word, spacing: self.steps.spacing(word), is_spelling };
        let place = vocabulary.place(field);
        known.insert(word, vocabulary);
        place
    }

    /// Builds the index of `skills`, the paths of the added documents. `go_on` is called before each of them, and
    /// before each word that has a meaning.
    fn finish<E>(self, skills: Vec<SkillPath>, mut go_on: impl FnMut() -> Result<(), E>) -> Result<SearchIndex, E> {
        let mean_lengths = FieldNumbers::means(|| self.documents.iter().map(|document| &document.lengths));
        let mut sorted: Vec<(Box<str>, u32)> = self.terms.into_words().collect();
        sorted.sort_unstable();
        let mut places = vec![0; sorted.len()];
        for (place, (_, term)) in (0_u32..).zip(&sorted) {
            if let Some(own) = places.get_mut(*term as usize) {
                *own = place;
            }
        }
        let (all, ends) = strengths(&self.documents, &places, mean_lengths, &mut go_on)?;
        let vectors = sorted.iter().map(|(_, term)| self.vectors.get(*term as usize).copied().flatten()).collect();
        let of_terms = sorted.iter().map(|(_, term)| self.languages.of_terms.get(*term as usize).copied());
        let of_terms = of_terms.map(Option::unwrap_or_default).collect();
        let (spellings, of_spellings) = spellings(self.known);
        let mut names = self.names;
        names.sort_unstable();
        let mut index = SearchIndex {
            skills,
            terms: Vocabulary::of_sorted(sorted.iter().map(|(stem, _)| &**stem)),
            spellings: Vocabulary::of_sorted(spellings.iter().map(|word| &**word)).with_endings(),
            languages: IndexLanguages { all: self.languages.all, of_terms, of_spellings },
            names,
            steps: self.steps,
            postings: Postings { ends, all },
            mean_lengths,
            vectors,
            gists: Gists::default(),
        };
        if self.steps.has(RankingStep::Gists) {
            index.gists = gist::of_skills(&index, go_on)?;
        }
        Ok(index)
    }
}

/// The words as they are spelled except stop words, sorted, and the languages of each.
fn spellings(known: [WordMap<VocabularyWord>; Language::ALL.len()]) -> (Vec<Box<str>>, Vec<Languages>) {
    let of_language = |(language, known): (Language, WordMap<VocabularyWord>)| {
        let spelled = known.into_words().filter(|(_, known)| known.is_spelling && !known.is_stop_word);
        spelled.map(move |(word, _)| (word, language))
    };
    let mut spelled: Vec<_> = Language::ALL.into_iter().zip(known).flat_map(of_language).collect();
    spelled.sort_unstable();
    let (mut words, mut languages) = (Vec::<Box<str>>::new(), Vec::<Languages>::new());
    for (word, language) in spelled {
        if words.last() != Some(&word) {
            words.push(word);
            languages.push(Languages::default());
        }
        if let Some(languages) = languages.last_mut() {
            languages.insert(language);
        }
    }
    (words, languages)
}

/// Notes that a skill of this language contains a term.
fn record_language(languages: &mut Vec<Languages>, term: u32, language: Language) {
    let term = term as usize;
    if languages.len() <= term {
        languages.resize(term + 1, Languages::default());
    }
    if let Some(languages) = languages.get_mut(term) {
        languages.insert(language);
    }
}

/// Notes what a word means of which a term was made. If languages share the term, English decides, whichever skill came first.
fn record_meaning(vectors: &mut Vec<Option<WordVector>>, term: u32, vector: Option<WordVector>, language: Language) {
    match vectors.get_mut(term as usize) {
        None => vectors.push(vector),
        Some(known) if known.is_none() || language == Language::English => *known = vector.or(*known),
        Some(_) => {}
    }
}

/// The language of the skill: the language of its description if clear, otherwise of its body.
pub(super) fn language_of(document: &SearchDocument<'_>) -> Language {
    let prose = [SearchField::Description, SearchField::WhenToUse, SearchField::Body];
    let guesses = prose.into_iter().filter_map(|field| {
        let texts: Vec<_> = document.texts(field).map(fold).collect();
        Language::guess(texts.iter().flat_map(|text| words(text)))
    });
    guesses.into_iter().next().unwrap_or(Language::English)
}

/// A position in 32 bits: an index has fewer than 2^32 postings.
fn number(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX)
}
