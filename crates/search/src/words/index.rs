//! The index: terms, and the skills in which each term occurs.

use super::{Steps, gists::Gists, lengths::FieldNumbers, vocabulary::Vocabulary, word_vectors::WordVector};
use skillmount_base::path::SkillPath;

/// A searchable catalog: an immutable value, rebuilt when the catalog changes.
#[derive(Debug)]
#[must_use]
pub struct SearchIndex {
    /// In byte order, so that the number of a document is also its rank among equals.
    pub(super) skills: Vec<SkillPath>,
    /// Stems.
    pub(super) terms: Vocabulary,
    /// Words as written, folded, from all fields except headings and body. Misspelt words are repaired to these.
    pub(super) spellings: Vocabulary,
    pub(super) steps: Steps,
    /// The end of the postings of each term.
    pub(super) ends: Vec<u32>,
    pub(super) postings: Vec<Posting>,
    /// The mean number of words of each field, over the skills that have such words there.
    pub(super) mean_lengths: FieldNumbers,
    /// The vector of each term. There are no vectors if the step is left out.
    pub(super) vectors: Vec<Option<WordVector>>,
    pub(super) gists: Gists,
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
    let end = index.ends.get(at).copied().unwrap_or_default() as usize;
    let start = at.checked_sub(1).and_then(|before| index.ends.get(before)).copied().unwrap_or_default() as usize;
    index.postings.get(start..end).unwrap_or_default()
}
