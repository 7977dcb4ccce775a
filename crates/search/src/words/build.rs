//! Building the index: documents are cut into terms first, then each term gets its weight.

use std::convert::Infallible;

use super::{
    RankingStep, Steps,
    document::SearchDocument,
    gist,
    gists::Gists,
    index::{Posting, SearchIndex},
    language::Language,
    lengths::FieldNumbers,
    lexicon,
    score::saturated,
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
            + self.ends.capacity() * size_of::<u32>()
            + self.postings.capacity() * size_of::<Posting>()
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
    /// The vector of each term; none of them if the step is left out.
    vectors: Vec<Option<WordVector>>,
    documents: Vec<DocumentTerms>,
    /// The words of the document that is added.
    found: Vec<TermUse>,
}

/// A term in a field, and how it is written: `term * 16 + spacing * 8 + field`. There is one for each word of each document, so it is
/// small; a catalog has fewer words than two hundred million.
type TermUse = u32;

/// Takes the place of a term for stop words.
const STOP_WORD: u32 = u32::MAX;

/// A word of some documents of one language. There are very many, so it is small.
struct VocabularyWord {
    /// Its term, or [`STOP_WORD`].
    term: u32,
    spacing: Spacing,
    /// Whether it stands in other fields than headings and body.
    is_spelling: bool,
}

/// A document as terms.
struct DocumentTerms {
    /// The terms of its words, in the order of its fields.
    found: Box<[TermUse]>,
    lengths: FieldNumbers,
}

impl Builder {
    fn new(steps: Steps) -> Self {
        Self {
            steps,
            known: Default::default(),
            terms: WordMap::default(),
            vectors: Vec::new(),
            documents: Vec::new(),
            found: Vec::new(),
        }
    }

    fn add(&mut self, document: &SearchDocument<'_>) {
        let language = language_of(document);
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
        for (_, field, spacing) in found.iter().filter_map(|one| parts(*one)) {
            lengths.add(field, spacing, 1.0);
        }
        self.documents.push(DocumentTerms { found: found.as_slice().into(), lengths });
        self.found = found;
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
        let is_spelling = !matches!(field, SearchField::Headings | SearchField::Body);
        for word in words(folded) {
            let term = self.term(word, language, is_spelling);
            found.extend(term.map(|(term, spacing)| whole(term, counted_as, spacing)));
        }
    }

    /// The term of a word, and how the word is written; `None` for a stop word.
    fn term(&mut self, word: &str, language: Language, is_spelling: bool) -> Option<(u32, Spacing)> {
        let known = self.known.get_mut(language as usize)?;
        if let Some(known) = known.get_mut(word) {
            known.is_spelling |= is_spelling;
            return Some((known.term, known.spacing)).filter(|(term, _)| *term != STOP_WORD);
        }
        let is_stop_word = self.steps.has(RankingStep::StopWords) && language.is_stop_word(word);
        let term = (!is_stop_word).then(|| {
            let stem = if self.steps.has(RankingStep::Stems) { language.stem(word) } else { word.to_owned() };
            let next = number(self.terms.len());
            let term = *self.terms.get_or_insert(&stem, next);
            if self.steps.has(RankingStep::Gists) {
                let vector = WordVector::from_stem(&stem, lexicon::meaning_of_form(word, language));
                record_meaning(&mut self.vectors, term, vector, language);
            }
            term
        });
        let spacing = self.steps.spacing(word);
        known.insert(word, VocabularyWord { term: term.unwrap_or(STOP_WORD), spacing, is_spelling });
        term.map(|term| (term, spacing))
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
        let (postings, ends) = strengths(&self.documents, &places, mean_lengths, &mut go_on)?;
        let vectors = sorted.iter().map(|(_, term)| self.vectors.get(*term as usize).copied().flatten()).collect();
        let known = self.known.into_iter().flat_map(WordMap::into_words);
        let spellings = known.filter(|(_, known)| known.is_spelling && known.term != STOP_WORD);
        let mut spellings: Vec<Box<str>> = spellings.map(|(word, _)| word).collect();
        spellings.sort_unstable();
        spellings.dedup();
        let mut index = SearchIndex {
            skills,
            terms: Vocabulary::of_sorted(sorted.iter().map(|(stem, _)| &**stem)),
            spellings: Vocabulary::of_sorted(spellings.iter().map(|word| &**word)).with_endings(),
            steps: self.steps,
            ends,
            postings,
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

/// BM25F: the occurrences of a term in a document are added up over its fields, each with the weight and length
/// normalisation of the field. Only the sum saturates. Returns the postings of all terms, in the order of their `places`, and
/// the end of each term's.
fn strengths<E>(
    documents: &[DocumentTerms],
    places: &[u32],
    mean_lengths: FieldNumbers,
    mut go_on: impl FnMut() -> Result<(), E>,
) -> Result<(Vec<Posting>, Vec<u32>), E> {
    let place = |term: u32| places.get(term as usize).copied().unwrap_or_default();
    let mut sums = Sums { of: vec![0.0; places.len()], touched: Vec::new() };
    let (mut next, end) = beginnings(documents, place, &mut sums);
    let mut postings = vec![Posting { document: 0, strength: 0.0 }; end as usize];
    for (document, DocumentTerms { found, lengths }) in (0_u32..).zip(documents) {
        go_on()?;
        let worths = lengths.worths(&mean_lengths);
        for (term, field, spacing) in found.iter().filter_map(|one| parts(*one)) {
            sums.add(place(term), worths.get(field, spacing));
        }
        for (place, sum) in sums.take() {
            let Some(next) = next.get_mut(place as usize) else { continue };
            if let Some(posting) = postings.get_mut(*next as usize) {
                *posting = Posting { document, strength: saturated(sum) };
            }
            *next += 1;
        }
    }
    // After the last posting of a term, its next place is the beginning of the next term.
    Ok((postings, next))
}

/// Where the postings of each term begin, in the order of places, and where the last ones end.
fn beginnings(documents: &[DocumentTerms], place: impl Fn(u32) -> u32, sums: &mut Sums) -> (Vec<u32>, u32) {
    let mut held = vec![0_u32; sums.of.len()];
    for document in documents {
        for (term, ..) in document.found.iter().filter_map(|one| parts(*one)) {
            sums.add(place(term), 1.0);
        }
        for (place, _) in sums.take() {
            if let Some(held) = held.get_mut(place as usize) {
                *held += 1;
            }
        }
    }
    let mut end = 0;
    for held in &mut held {
        (*held, end) = (end, end + *held);
    }
    (held, end)
}

/// The sums of the words of one document, by the places of their terms. The sums are cleared after each document, so
/// that no document costs a look at every term.
struct Sums {
    of: Vec<f32>,
    /// The places that something was added to.
    touched: Vec<u32>,
}

impl Sums {
    /// Adds something, which is more than nothing.
    fn add(&mut self, place: u32, worth: f32) {
        let Some(sum) = self.of.get_mut(place as usize) else { return };
        if *sum == 0.0 {
            self.touched.push(place);
        }
        *sum += worth;
    }

    /// The sums of a document, after which there are none.
    fn take(&mut self) -> impl Iterator<Item = (u32, f32)> {
        let Self { of, touched } = self;
        touched.drain(..).filter_map(|place| Some((place, std::mem::take(of.get_mut(place as usize)?))))
    }
}

fn whole(term: u32, field: SearchField, spacing: Spacing) -> TermUse {
    term * 16 + spacing as TermUse * 8 + field as TermUse
}

fn parts(found: TermUse) -> Option<(u32, SearchField, Spacing)> {
    let field = SearchField::ALL.get(usize::try_from(found % 8).ok()?)?;
    let spacing = Spacing::ALL.get(usize::try_from(found / 8 % 2).ok()?)?;
    Some((found / 16, *field, *spacing))
}

/// A position in 32 bits: an index has fewer than 2^32 postings.
fn number(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX)
}
