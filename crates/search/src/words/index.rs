//! The index: terms, and the skills in which each term occurs.

use super::{Steps, gists::Gists, lengths::FieldNumbers, vocabulary::Vocabulary, word_vectors::WordVector};
use skillmount_base::path::SkillPath;

/// A searchable catalog: an immutable value, rebuilt when the catalog changes.
#[derive(Debug)]
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

impl SearchIndex {
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

    /// The skills in which `term` occurs, in byte order of their paths.
    pub(super) fn postings(&self, term: u32) -> &[Posting] {
        let at = term as usize;
        let end = self.ends.get(at).copied().unwrap_or_default() as usize;
        let start = at.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or_default() as usize;
        self.postings.get(start..end).unwrap_or_default()
    }
}
