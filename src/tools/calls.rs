//! A turn of tool calls: all `tool_use` blocks in, one user message of `tool_result` blocks out.
//!
//! Every call is answered, whatever becomes of it, because a model is stuck without: a failure is a result with
//! `is_error`. Only a turn in which a call has no id, or a session that cannot be read at all, is an error of the whole.

use futures_util::{StreamExt as _, stream};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{input::Call, order::rounds, text};
use crate::{
    backend::SkillBackend,
    error::{Code, Error, Result},
    limits::{TOOL_CALLS, TOOL_PARALLEL, TOOL_RESULT_TOKENS},
    session::{EffectivePolicy, PromptMode},
    wire::{Instructions, TextForm},
};

/// What a token counts for in bytes where results are cut: the usual estimate, exact enough for a limit.
const TOKEN_BYTES: usize = 4;

/// What a caller may choose.
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

/// The message that answers a turn of calls.
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
    /// Whether it failed; absent if it did not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
}

/// The sort of block a result is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolResultType {
    /// `tool_result`.
    #[default]
    ToolResult,
}

/// Runs the calls of one turn: the `tool_use` blocks among `blocks`; others are passed over.
///
/// The outcome is as if they had run one after the other: calls that touch one path, or a folder and something in it,
/// keep their order where one of them writes, and so do loading and unloading with everything around them. All others run
/// at once, [`TOOL_PARALLEL`] at a time. Calls beyond [`TOOL_CALLS`] are answered but not run.
///
/// # Errors
/// `invalid_request` where a call has no id to answer to; the store's where the session cannot be read.
pub async fn run(backend: &SkillBackend, blocks: Vec<Value>, options: ToolOptions) -> Result<ToolResults> {
    let policy = backend.state().await?.policy;
    let (ids, calls): (Vec<_>, Vec<_>) = read_blocks(blocks, &policy)?.into_iter().unzip();
    let turn = Turn { backend, options, policy: &policy };
    let rounds = rounds(calls.iter().map(|call| call.as_ref().ok()));
    let mut answers: Vec<Option<Result<String>>> = calls.iter().map(|_| None).collect();
    for round in 0..=rounds.iter().copied().max().unwrap_or(0) {
        let due = rounds.iter().zip(&calls).enumerate().filter(|(_, (theirs, _))| **theirs == round);
        let answering = due.map(|(at, (_, call))| async move { (at, turn.answer(call).await) });
        let mut answered = stream::iter(answering.collect::<Vec<_>>()).buffer_unordered(TOOL_PARALLEL);
        while let Some((at, answer)) = answered.next().await {
            if let Some(place) = answers.get_mut(at) {
                *place = Some(answer);
            }
        }
    }
    let results = ids.into_iter().zip(answers).map(|(id, answer)| {
        ToolResult::of(id, answer.unwrap_or_else(|| Err(Error::internal("a call was left without an answer"))))
    });
    Ok(ToolResults { role: Role::User, content: results.collect() })
}

/// Where this policy has the instructions of a loaded skill.
pub(super) fn instructions_place(policy: &EffectivePolicy) -> Instructions {
    match policy.session().prompt_mode {
        PromptMode::TwoState | PromptMode::Combined => Instructions::InPrompt,
        PromptMode::Listing | PromptMode::Discover => Instructions::InReply,
    }
}

/// The id of each call, and the call or what is wrong with it.
fn read_blocks(blocks: Vec<Value>, policy: &EffectivePolicy) -> Result<Vec<(String, Result<Call>)>> {
    let is_call = |block: &Value| block.get("type").and_then(Value::as_str) == Some("tool_use");
    let mut calls = Vec::new();
    for mut block in blocks.into_iter().filter(is_call) {
        let Some(id) = block.get("id").and_then(Value::as_str).map(str::to_owned) else {
            let message = format!("the tool_use block {} has no id, so no result can name it", calls.len() + 1);
            return Err(Error::new(Code::InvalidRequest, message));
        };
        let input = block.get_mut("input").map_or_else(|| Value::Object(serde_json::Map::new()), Value::take);
        let name = block.get("name").and_then(Value::as_str).unwrap_or_default();
        let call = if calls.len() < TOOL_CALLS { Call::parse(name, input, policy) } else { Err(too_many()) };
        calls.push((id, call));
    }
    Ok(calls)
}

fn too_many() -> Error {
    let message =
        format!("this call was not run: {TOOL_CALLS} calls is the most for one turn; make it again in the next");
    Error::new(Code::RateLimited, message)
}

/// What the calls of one turn share.
#[derive(Clone, Copy)]
struct Turn<'a> {
    backend: &'a SkillBackend,
    options: ToolOptions,
    policy: &'a EffectivePolicy,
}

impl Turn<'_> {
    async fn answer(self, call: &Result<Call>) -> Result<String> {
        let form = TextForm { room: self.options.room(), instructions: instructions_place(self.policy) };
        call.clone()?.run(self.backend, form).await
    }
}

impl ToolResult {
    fn of(id: String, answer: Result<String>) -> Self {
        let is_error = answer.is_err();
        let content = answer.unwrap_or_else(|error| text::error(&error));
        Self { block: ToolResultType::ToolResult, tool_use_id: id, content, is_error }
    }
}
