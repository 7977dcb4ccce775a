//! The documents that an agent framework sends and gets in each turn.

use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use skillmount_base::path::ETag;
use utoipa::{IntoParams, ToSchema};

use super::TurnFormat;
use crate::PromptMode;

/// How to write the tools.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ToolListRequest {
    /// The family of models they are for.
    #[serde(default)]
    #[param(inline)]
    pub format: DefinitionShape,
    /// The mode the prompt is asked for in, if it is not the policy's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<PromptMode>,
}

/// The tools a session may use now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ToolList {
    /// In an order that never changes, each as the format has it.
    #[schema(value_type = Vec<Object>)]
    pub tools: Vec<Value>,
}

impl ToolList {
    /// The tag of these very tools.
    #[must_use]
    pub fn etag(&self) -> ETag {
        ETag::of_bytes(self.tools.iter().map(Value::to_string).collect::<Vec<_>>().join("\n").as_bytes())
    }
}

/// What a model said in one turn.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolCallsRequest {
    /// The shape of its calls, which is that of the answer; `anthropic` if absent. The query takes it too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<TurnFormat>,
    /// With `anthropic`: the blocks of its message. Those of type `tool_use` are run, others are passed over.
    #[schema(value_type = Vec<Object>)]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub content: Vec<Value>,
    /// With `openai`: the `tool_calls` of its message. Those of type `function` are run, others are passed over.
    #[schema(value_type = Vec<Object>)]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<Value>,
    /// The mode the prompt is asked for in, if it is not the policy's: the instructions of a loaded skill are in the result or
    /// in the prompt, never in both.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<PromptMode>,
    /// How long one result may be, in tokens of four bytes; 25,000 if absent.
    #[schema(value_type = Option<usize>, minimum = 1)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_tokens: Option<NonZeroUsize>,
}

/// How a turn is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct TurnParameters {
    /// The shape of the calls, if the body does not say it.
    #[param(inline)]
    pub format: Option<TurnFormat>,
}

/// How a definition is written: each family of models has its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DefinitionShape {
    /// `{name, description, input_schema}`.
    #[default]
    Anthropic,
    /// `{type: "function", function: {name, description, parameters}}`, as Chat Completions takes them.
    Openai,
    /// `{name, description, inputSchema, outputSchema, annotations}`.
    Mcp,
}
