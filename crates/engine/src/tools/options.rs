//! The options of a caller for results, and the choices that the policy makes.

use std::num::NonZeroUsize;

use crate::{
    limits::TOOL_RESULT_BYTES,
    wire::{EffectivePolicy, Instructions, PromptMode},
};

/// Bytes for each token when results are cut: the usual estimate, exact enough for a limit.
const TOKEN_BYTES: usize = 4;

/// The options of a caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolOptions {
    /// Bytes of one result at most, its notes included.
    pub result_bytes: usize,
    /// Whether results of failed calls have a code and the id under which the call waits. APIs of models reject both.
    pub details: bool,
}

impl Default for ToolOptions {
    fn default() -> Self {
        Self { result_bytes: TOOL_RESULT_BYTES, details: false }
    }
}

impl From<Option<NonZeroUsize>> for ToolOptions {
    fn from(result_tokens: Option<NonZeroUsize>) -> Self {
        let bytes = |tokens: NonZeroUsize| tokens.get().saturating_mul(TOKEN_BYTES);
        Self { result_bytes: result_tokens.map_or(TOOL_RESULT_BYTES, bytes), details: false }
    }
}

/// Where this policy has the instructions of a loaded skill.
pub(super) fn instructions_place(policy: &EffectivePolicy) -> Instructions {
    match policy.session().prompt_mode {
        PromptMode::TwoState | PromptMode::Combined => Instructions::InPrompt,
        PromptMode::Listing | PromptMode::Discover => Instructions::InReply,
    }
}
