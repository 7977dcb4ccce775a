//! The options of a caller for results, and the choices that the policy makes.

use std::num::NonZeroUsize;

use crate::{
    limits::TOOL_RESULT_TOKENS,
    wire::{EffectivePolicy, Instructions, PromptMode},
};

/// Bytes for each token when results are cut: the usual estimate, exact enough for a limit.
const TOKEN_BYTES: usize = 4;

/// The options of a caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolOptions {
    /// How long one result may be, in tokens of four bytes each. A last line that says how to get the rest comes on top.
    pub result_tokens: usize,
}

impl Default for ToolOptions {
    fn default() -> Self {
        Self { result_tokens: TOOL_RESULT_TOKENS }
    }
}

impl ToolOptions {
    /// The same in bytes.
    pub(super) fn room(self) -> usize {
        self.result_tokens.saturating_mul(TOKEN_BYTES)
    }
}

impl From<Option<NonZeroUsize>> for ToolOptions {
    fn from(result_tokens: Option<NonZeroUsize>) -> Self {
        Self { result_tokens: result_tokens.map_or(TOOL_RESULT_TOKENS, NonZeroUsize::get) }
    }
}

/// Where this policy has the instructions of a loaded skill.
pub(super) fn instructions_place(policy: &EffectivePolicy) -> Instructions {
    match policy.session().prompt_mode {
        PromptMode::TwoState | PromptMode::Combined => Instructions::InPrompt,
        PromptMode::Listing | PromptMode::Discover => Instructions::InReply,
    }
}
