//! The request of a prompt, and the rendered prompt.

use serde::{Deserialize, Serialize};
use utoipa::IntoParams;

use super::PromptExplanation;
use crate::PromptMode;
use skillmount_base::{limits::PROMPT_TOKENS, path::ETag};

/// How the listing is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "snake_case")]
#[schema(as = PromptFormat)]
pub enum Format {
    /// `<available_skills>`, as most models have been taught.
    #[default]
    Xml,
    /// A frontmatter block for each skill.
    Yaml,
    /// A list, the shortest of them.
    Markdown,
    /// One JSON object, instructions included.
    Json,
}

/// What a caller may choose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub struct PromptRequest {
    /// What the prompt holds; the policy's `prompt_mode` if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<PromptMode>,
    /// How the listing is written.
    pub format: Format,
    /// Only skills in this category or below it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// Tokens at most, 2,000 if absent: of the listing and the sentences around it, which are never cut, whatever the budget.
    /// The instructions of a loaded skill come on top.
    pub max_tokens: usize,
    /// Say of each skill why it is in the prompt, shortened, or not in it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub explain: bool,
}

impl Default for PromptRequest {
    fn default() -> Self {
        Self { mode: None, format: Format::default(), category: None, max_tokens: PROMPT_TOKENS, explain: false }
    }
}

/// A prompt and what is known of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = PromptReply)]
pub struct Rendering {
    /// The text for the system prompt.
    pub prompt: String,
    /// The mode it was made in.
    pub mode: PromptMode,
    /// How the listing is written.
    pub format: Format,
    /// The tokens of `prompt`.
    pub tokens: usize,
    /// What counted them; `estimate` for a quarter of the bytes.
    pub tokenizer: String,
    /// Skills it names.
    pub shown: usize,
    /// Skills it could have named: those of the category that the policy lets be seen.
    pub total: usize,
    /// Whether the budget left no room for all of them, or for their descriptions.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// What of each skill is in it and why, if the request asks for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explain: Option<PromptExplanation>,
}

impl Rendering {
    /// The tag of the prompt's bytes.
    #[must_use]
    pub fn etag(&self) -> ETag {
        ETag::of_bytes(self.prompt.as_bytes())
    }
}
