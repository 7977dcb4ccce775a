//! The index: terms, and for each term the skills it is found in.

use std::convert::Infallible;

use super::{Steps, build::Builder, document::SearchDocument, vocabulary::Vocabulary};
use crate::{
    budget::{Stop, Work},
    path::SkillPath,
};

/// A searchable catalog: an immutable value, rebuilt when the catalog changes.
#[derive(Debug)]
pub struct SearchIndex {
    /// In byte order, so that the number of a document is also its rank among equals.
    pub(super) skills: Vec<SkillPath>,
    /// Stems.
    pub(super) terms: Vocabulary,
    /// Words as they are written, folded, of all fields but headings and body: what a misspelt word may be repaired to.
    pub(super) spellings: Vocabulary,
    pub(super) steps: Steps,
    /// Where the postings of each term end.
    pub(super) ends: Vec<u32>,
    pub(super) postings: Vec<Posting>,
}

/// One skill a term is found in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Posting {
    pub(super) document: u32,
    /// How much the term says about the skill, between 0 and 1.
    pub(super) strength: f32,
}

impl SearchIndex {
    /// Indexes `documents`, in whatever order they come.
    #[must_use]
    pub fn build<'a>(documents: impl IntoIterator<Item = SearchDocument<'a>>) -> Self {
        Self::build_with(documents, Steps::ALL)
    }

    /// The same with some steps left out, for measuring what they bring.
    #[must_use]
    pub fn build_with<'a>(documents: impl IntoIterator<Item = SearchDocument<'a>>, steps: Steps) -> Self {
        let Ok(index) = Self::build_while(documents, steps, |_| Ok::<_, Infallible>(()));
        index
    }

    /// The same with every step, within an allowance of a step for each byte of text, asked before each document.
    ///
    /// # Errors
    /// Why the work ends before it is done.
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

    /// Bytes the index takes on the heap, the skill paths it shares with the catalog included.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        let skills: usize = self.skills.iter().map(|skill| skill.as_str().len() + size_of::<[usize; 2]>()).sum();
        skills
            + self.skills.capacity() * size_of::<SkillPath>()
            + self.terms.memory_bytes()
            + self.spellings.memory_bytes()
            + self.ends.capacity() * size_of::<u32>()
            + self.postings.capacity() * size_of::<Posting>()
    }

    /// The skills `term` is found in, in byte order of their paths.
    pub(super) fn postings(&self, term: u32) -> &[Posting] {
        let at = term as usize;
        let end = self.ends.get(at).copied().unwrap_or_default() as usize;
        let start = at.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or_default() as usize;
        self.postings.get(start..end).unwrap_or_default()
    }
}
