//! The messages that answer the calls of a turn, in the two shapes in which models write calls.

use serde::{Deserialize, Serialize};

/// The shape of a turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TurnFormat {
    /// `tool_use` blocks in `content`, answered by one user message of `tool_result` blocks.
    #[default]
    Anthropic,
    /// `tool_calls` as in an assistant message of Chat Completions, answered by a `tool` message for each.
    Openai,
}

/// The answer to a turn, in the shape of the turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(untagged)]
pub enum TurnReply {
    /// To `tool_use` blocks.
    Results(ToolResults),
    /// To `tool_calls`.
    Messages(ToolMessages),
}

/// The message that answers a turn of `tool_use` blocks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ToolResults {
    /// Whose message it is.
    pub role: Role,
    /// One result for each call, in the order of the calls.
    pub content: Vec<ToolResult>,
}

/// Whose message results are: the protocol has the user say them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = MessageRole)]
pub enum Role {
    /// The user's.
    #[default]
    User,
}

/// What came of one call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ToolResult {
    /// What sort of block it is.
    #[serde(rename = "type")]
    pub block: ToolResultType,
    /// The id of the call.
    pub tool_use_id: String,
    /// The result as the model reads it.
    pub content: String,
    /// Whether it failed; absent where it did not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
    /// The code of its error, if the request asks for details. APIs of models reject a block that has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The id under which the call waits for a person, if it waits and the request asks for details.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval_id: Option<String>,
}

/// The sort of block a result is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolResultType {
    /// `tool_result`.
    #[default]
    ToolResult,
}

/// The messages that answer a turn of `tool_calls`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ToolMessages {
    /// One for each call, in the order of the calls. They go behind the message with the calls as they are.
    pub messages: Vec<ToolMessage>,
}

/// The message that answers one call. If the call failed, its text begins with `Error: `.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ToolMessage {
    /// Whose message it is.
    pub role: ToolRole,
    /// The id of the call.
    pub tool_call_id: String,
    /// The result as the model reads it.
    pub content: String,
    /// The code of its error, if it failed and the request asks for details. APIs of models reject a message that has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The id under which the call waits for a person, if it waits and the request asks for details.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval_id: Option<String>,
}

/// Whose message the answer to one call is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolRole {
    /// The tool's.
    #[default]
    Tool,
}
