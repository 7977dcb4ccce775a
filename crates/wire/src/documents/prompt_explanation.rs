//! The documents of an explained prompt.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What of each skill is in a prompt, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PromptExplanation {
    /// The skills that the session may see, at most 1,000. Skills with more text in the prompt come first.
    pub skills: Vec<PromptSkill>,
    /// How many more there are.
    #[serde(default, skip_serializing_if = "is_none_more")]
    pub more: usize,
    /// The tokens of everything that belongs to no single skill: the sentences, categories and notes.
    pub frame_tokens: usize,
}

/// One skill and its part in a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PromptSkill {
    /// Its path.
    pub skill: String,
    /// How much of it is in the prompt.
    pub status: PromptSkillStatus,
    /// The tokens it takes.
    pub tokens: usize,
    /// In how many sessions it was used, by the counts of when the session began.
    pub uses: u64,
    /// Why, in a sentence.
    pub reason: String,
}

/// How much of a skill is in a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PromptSkillStatus {
    /// Its instructions.
    Instructions,
    /// Its name and its whole description.
    Whole,
    /// Its name and the beginning of its description.
    Shortened,
    /// Its name.
    Name,
    /// Nothing.
    Out,
}

impl PromptSkillStatus {
    /// As it is written in a document.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Instructions => "instructions",
            Self::Whole => "whole",
            Self::Shortened => "shortened",
            Self::Name => "name",
            Self::Out => "out",
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes what it may skip by reference")]
fn is_none_more(more: &usize) -> bool {
    *more == 0
}
