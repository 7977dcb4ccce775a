//! Which skill a question means: ranked search over a catalog, held in memory.
//!
//! Questions are sentences, often misspelt and not always in the language of the skill. So words are folded and stemmed,
//! words of asking are dropped, an unknown word is repaired, and skills are ranked by BM25F: one saturating score per
//! word over all fields, a name counting for more than a description and a body for least. A skill need not hold every
//! word of the question: what no skill holds, such as names and dates, hides nothing. The score is the share of the
//! question's information that a skill answers, from 0 to 1, so that scores of questions of every length compare.
//!
//! Everything is deterministic: no clock, no randomness, ties in byte order of skill paths. `docs/DECISIONS.md` tells
//! what each step brought on a hundred questions; `benches/search.rs` measures it again.

mod bridge;
mod build;
mod document;
mod index;
mod language;
mod query;
mod score;
#[cfg(test)]
mod tests;
mod typo;
mod vocabulary;
mod words;

pub use document::SearchDocument;
pub use index::SearchIndex;
pub use score::{Found, Hit};

/// One step beyond plain BM25, so that a benchmark can tell what each brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Fields are weighted, and the category is searched as well; without it all fields are one text.
    Fields,
    /// Words are stemmed.
    Stems,
    /// The body is searched, as far as it is known.
    Body,
    /// So are its headings.
    Headings,
    /// Words without meaning of their own are dropped.
    StopWords,
    /// Unknown words are repaired, and completed where they are the beginning or end of a longer one.
    Repair,
    /// Common words are translated between Spanish and English.
    Bridge,
    /// Skills that hold too little of the question are left out.
    CutOff,
}

/// The steps an index takes: all of them, outside benchmarks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps(u8);

impl Steps {
    /// Plain BM25 over names, descriptions and keywords.
    pub const NONE: Self = Self(0);
    /// Every step.
    pub const ALL: Self = Self(u8::MAX);

    /// These steps and one more.
    #[must_use]
    pub const fn with(self, step: Step) -> Self {
        Self(self.0 | 1 << step as u8)
    }

    /// These steps but one.
    #[must_use]
    pub const fn without(self, step: Step) -> Self {
        Self(self.0 & !(1 << step as u8))
    }

    /// Whether `step` is among them.
    #[must_use]
    pub const fn has(self, step: Step) -> bool {
        self.0 & (1 << step as u8) != 0
    }
}
