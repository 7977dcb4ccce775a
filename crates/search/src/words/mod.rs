//! Ranked search over a catalog, held in memory.
//!
//! Questions are sentences, often misspelt and not always in the language of the skill. So words are folded and
//! stemmed, stop words are dropped, an unknown word is repaired, and skills are ranked by BM25F: one saturating score
//! per word over all fields. A name counts for more than a description, and a description for more than the rest. A
//! text in two scripts, of which one has no spaces between words, has two lengths. A skill need not contain every word
//! of the question: words that no skill contains, such as names and dates, hide nothing. Of skills that share as much
//! with the question, skills of the same subject count for more (`gist`). The score consists of the share of the
//! question's information that a skill answers, and of the skill's nearness.
//!
//! Everything is deterministic: no clock, no randomness, ties in byte order of skill paths. `docs/DECISIONS.md` records
//! the effect of each step; `benches/search.rs` measures it again.

mod build;
mod chat;
mod cost;
mod document;
mod everyday;
mod explain;
mod factor;
mod feedback;
mod fusion;
mod gist;
mod gists;
#[cfg(test)]
mod hostile;
mod index;
mod language;
mod language_file;
mod lengths;
mod lexicon;
mod likeness;
mod matches;
mod passage;
mod quantized;
mod query;
mod question;
mod score;
#[cfg(test)]
mod scripts;
mod term_strengths;
#[cfg(test)]
mod tests;
mod triggers;
mod typo;
mod vocabulary;
mod word_forms;
mod word_map;
mod word_split;
mod word_vectors;

pub use document::SearchDocument;
pub use explain::{ExplainedScore, ParsedQuestion};
pub use feedback::{Boost, PastLoad, QuestionPrint, Raises};
pub use fusion::Similarity;
pub use index::{SearchIndex, VisibleSkills};
pub use likeness::Likeness;
pub use quantized::{NUMBERS_PER_STEP, QuantizedVector, length};
pub use score::{SearchHit, SearchResults};
pub use triggers::{TriggerMatch, TriggerText};
use word_split::Spacing;

/// One step beyond plain BM25, so that a benchmark can measure the effect of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RankingStep {
    /// Fields have weights, and the category is searched as well. Without this step all fields are one text.
    Fields,
    /// A text in two scripts, of which one has no spaces between words, has two lengths. Without this step it has one.
    Scripts,
    /// Words are stemmed.
    Stems,
    /// The body is searched, as far as it was read.
    Body,
    /// The headings of the body are searched.
    Headings,
    /// Stop words are dropped.
    StopWords,
    /// Unknown words are repaired, and completed if they are the beginning or end of a longer one.
    Repair,
    /// Words are translated to English and, the most common ones of work, from English to Spanish.
    Lexicon,
    /// Everyday words have at most the information that their frequency in English allows.
    Everyday,
    /// In a long message, everyday words and words far from the task have less information.
    Chat,
    /// The subject of a skill counts, beside the words that the skill shares with the question.
    Gists,
    /// Skills that contain too little of the question are left out.
    CutOff,
}

/// The steps of an index: all of them, except in benchmarks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct Steps(u16);

impl Steps {
    /// Plain BM25 over names, descriptions and keywords.
    pub const NONE: Self = Self(0);
    /// Every step.
    pub const ALL: Self = Self(u16::MAX);

    /// The same steps and one more.
    pub const fn with(self, step: RankingStep) -> Self {
        Self(self.0 | 1 << step as u8)
    }

    /// The same steps without one.
    pub const fn without(self, step: RankingStep) -> Self {
        Self(self.0 & !(1 << step as u8))
    }

    /// Whether the index takes `step`.
    #[must_use]
    pub const fn has(self, step: RankingStep) -> bool {
        self.0 & (1 << step as u8) != 0
    }

    /// How a word is written, as far as it counts for lengths.
    fn spacing(self, word: &str) -> Spacing {
        if self.has(RankingStep::Scripts) { Spacing::from_word(word) } else { Spacing::Spaced }
    }
}
