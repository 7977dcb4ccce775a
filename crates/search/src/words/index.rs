//! The index: terms, and the skills in which each term occurs.

use std::sync::Arc;

use super::{
    RankingStep, Steps,
    gists::Gists,
    language::{Language, Languages},
    lengths::FieldNumbers,
    vocabulary::Vocabulary,
    word_forms::{FormKind, forms, glued},
    word_split::{fold, words},
    word_vectors::WordVector,
};
use skillmount_base::path::SkillPath;
use skillmount_wire::SearchField;

/// A searchable catalog: an immutable value, rebuilt when the catalog changes.
#[derive(Debug)]
#[must_use]
pub struct SearchIndex {
    /// In byte order, so that the number of a document is also its rank among equals.
    pub(super) skills: Vec<SkillPath>,
    /// Stems, and stop words behind [`STOP_WORD`].
    pub(super) terms: Vocabulary,
    /// Words as written, folded, from all fields except headings and body. Misspelt words are repaired to these.
    pub(super) spellings: Vocabulary,
    pub(super) languages: IndexLanguages,
    /// The words of each name, and the number of the skill, sorted. A skill whose name differs from its folder's has two.
    pub(super) names: Vec<(Box<str>, u32)>,
    pub(super) steps: Steps,
    pub(super) postings: Postings,
    /// The mean number of words of each field, over the skills that have such words there.
    pub(super) mean_lengths: FieldNumbers,
    /// The vector of each term. There are no vectors if the step is left out.
    pub(super) vectors: Vec<Option<WordVector>>,
    pub(super) gists: Gists,
}

/// The languages of the skills of an index.
#[derive(Debug, Default)]
pub(super) struct IndexLanguages {
    /// Those of all skills.
    pub(super) all: Languages,
    /// Those of the skills that contain each term.
    pub(super) of_terms: Vec<Languages>,
    /// Those of the skills in which each spelling stands.
    pub(super) of_spellings: Vec<Languages>,
}

/// The first character of the term of a stop word. No word has it.
const STOP_WORD: char = '\u{1}';

/// The term of a stop word. It differs from every stem, so a word of a question finds it only if stop words count.
pub(super) fn stop_word_term(word: &str) -> String {
    format!("{STOP_WORD}{word}")
}

/// The term of a word in a field of a skill of this language; `None` for a stop word in the headings or the body. The
/// second value is whether the word is a stop word, which has no part in the lengths of fields.
pub(super) fn term_of(steps: Steps, word: &str, language: Language, field: SearchField) -> Option<(String, bool)> {
    if steps.has(RankingStep::StopWords) && language.is_stop_word(word) {
        return is_spelled(field).then(|| (stop_word_term(word), true));
    }
    let stem = if steps.has(RankingStep::Stems) { language.stem(word) } else { word.to_owned() };
    Some((stem, false))
}

/// Whether words of a field are kept as they are spelled: in all fields except headings and body.
pub(super) fn is_spelled(field: SearchField) -> bool {
    !matches!(field, SearchField::Headings | SearchField::Body)
}

/// The forms beside the words themselves by which a field is found. Headings and body have none: there are many, and few are
/// names.
pub(super) fn other_forms(folded: &str, field: SearchField) -> Vec<String> {
    if !is_spelled(field) {
        return Vec::new();
    }
    let other = forms(folded).filter(|form| form.kind != FormKind::Word).map(|form| form.word.to_owned());
    other.chain(glued(folded)).collect()
}

/// A name as words with a space between them.
pub(super) fn name_of(text: &str) -> Box<str> {
    words(&fold(text)).collect::<Vec<_>>().join(" ").into()
}

/// The skills of an index that a question may learn of. Words of the other skills count as words of no skill.
#[derive(Clone, Debug, Default)]
pub struct VisibleSkills {
    /// Whether each skill is visible, by its number, and how many are. `None` if all are.
    some: Option<(Arc<[bool]>, usize)>,
}

impl VisibleSkills {
    /// Every skill.
    pub const ALL: Self = Self { some: None };

    pub(super) fn is_all(&self) -> bool {
        self.some.is_none()
    }

    pub(super) fn has(&self, document: usize) -> bool {
        self.some.as_ref().is_none_or(|(visible, _)| visible.get(document).copied().unwrap_or_default())
    }

    /// How many skills of `index` are visible.
    pub(super) fn count(&self, index: &SearchIndex) -> usize {
        self.some.as_ref().map_or(index.skills.len(), |(_, count)| *count)
    }

    /// How many visible skills contain `term`.
    pub(super) fn holders(&self, index: &SearchIndex, term: u32) -> usize {
        let postings = postings(index, term);
        match &self.some {
            None => postings.len(),
            Some(_) => postings.iter().filter(|posting| self.has(posting.document as usize)).count(),
        }
    }

    /// Whether a visible skill contains `term`.
    pub(super) fn has_holder(&self, index: &SearchIndex, term: u32) -> bool {
        self.is_all() || postings(index, term).iter().any(|posting| self.has(posting.document as usize))
    }
}

impl SearchIndex {
    /// The skills of this index that `is_visible` accepts.
    #[must_use]
    pub fn visible(&self, is_visible: impl Fn(&SkillPath) -> bool) -> VisibleSkills {
        let visible: Arc<[bool]> = self.skills.iter().map(is_visible).collect();
        let count = visible.iter().filter(|is_visible| **is_visible).count();
        VisibleSkills { some: (count < visible.len()).then_some((visible, count)) }
    }

    /// The languages of the skills in which `word` stands as it is, except in headings and body.
    pub(super) fn languages_of(&self, word: &str) -> Languages {
        let number = self.spellings.find(word);
        let languages = number.and_then(|number| self.languages.of_spellings.get(number as usize));
        languages.copied().unwrap_or_default()
    }

    /// The numbers of the skills that have this name.
    pub(super) fn named(&self, name: &str) -> Vec<u32> {
        let from = self.names.partition_point(|(other, _)| &**other < name);
        let named = self.names.iter().skip(from).take_while(|(other, _)| &**other == name);
        named.map(|(_, document)| *document).collect()
    }
}

/// The skills of all terms.
#[derive(Debug)]
pub(super) struct Postings {
    /// The end of the postings of each term.
    pub(super) ends: Vec<u32>,
    pub(super) all: Vec<Posting>,
}

/// One skill in which a term occurs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Posting {
    pub(super) document: u32,
    /// The weight of the term for the skill, between 0 and 1.
    pub(super) strength: f32,
}

/// The skills in which `term` occurs, in byte order of their paths.
pub(super) fn postings(index: &SearchIndex, term: u32) -> &[Posting] {
    let at = term as usize;
    let end = index.postings.ends.get(at).copied().unwrap_or_default() as usize;
    let start =
        at.checked_sub(1).and_then(|before| index.postings.ends.get(before)).copied().unwrap_or_default() as usize;
    index.postings.all.get(start..end).unwrap_or_default()
}
