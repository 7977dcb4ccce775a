//! The calls of a turn in the two shapes in which models write them, and the messages that answer them.
//!
//! In one shape a message has blocks of type `tool_use`, whose input is an object. In the shape of Chat Completions a
//! message has a list beside its text, and arguments are the text of a JSON object. The calls of both shapes run in the
//! same way.

use serde_json::{Map, Value};

use crate::{
    error::{Code, Error, Result},
    json::Allowance,
    wire::{Role, ToolMessage, ToolMessages, ToolResult, ToolResultType, ToolResults, ToolRole},
};

/// The work of reading a byte of arguments, as for a byte of a body.
const STEPS_PER_BYTE: u64 = 4;

/// A call as a model wrote it.
#[derive(Debug)]
pub(super) struct WrittenCall {
    /// The id by which the answer names the call.
    id: String,
    /// The name of the tool.
    name: String,
    input: WrittenInput,
}

/// The input of a call.
#[derive(Debug)]
enum WrittenInput {
    Value(Value),
    /// The text of a JSON object, as it should be.
    Text(String),
}

/// A call whose input is JSON, or the error of input that is not.
#[derive(Debug)]
pub(super) struct DecodedCall {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) input: Result<Value>,
}

/// The answer to one call.
#[derive(Debug)]
pub(super) struct ToolAnswer {
    /// The id of the call.
    pub(super) id: String,
    pub(super) text: String,
    /// The facts about a call that failed.
    pub(super) failure: Option<Failure>,
}

/// The facts about a failed call for programs: models read its text.
#[derive(Debug, Default)]
pub(super) struct Failure {
    /// The code of its error; absent if nobody asked for details.
    pub(super) code: Option<String>,
    /// The id under which it waits for a person.
    pub(super) approval_id: Option<String>,
}

/// The `tool_use` blocks among `blocks`.
///
/// # Errors
/// `invalid_request` if there is none, or if one has no id.
pub(super) fn tool_use_blocks(blocks: Vec<Value>) -> Result<Vec<WrittenCall>> {
    let is_call = |block: &Value| block.get("type").and_then(Value::as_str) == Some("tool_use");
    let read = |(at, mut block): (usize, Value)| {
        let Some(id) = text_of(&block, "id") else { return Err(without_id("tool_use block", at)) };
        let name = text_of(&block, "name").unwrap_or_default();
        let input = block.get_mut("input").map_or_else(|| Value::Object(Map::new()), Value::take);
        Ok(WrittenCall { id, name, input: WrittenInput::Value(input) })
    };
    let calls: Vec<_> = blocks.into_iter().filter(is_call).enumerate().map(read).collect::<Result<_>>()?;
    if calls.is_empty() {
        return Err(no_calls("`content` has no block of type `tool_use`", "`tool_calls` with the format `openai`"));
    }
    Ok(calls)
}

/// The function calls among `calls`. Some servers leave out their type.
///
/// # Errors
/// `invalid_request` if there is none, or if one has no id.
pub(super) fn function_calls(calls: Vec<Value>) -> Result<Vec<WrittenCall>> {
    let is_call = |call: &Value| match call.get("type") {
        None | Some(Value::Null) => call.get("function").is_some(),
        Some(kind) => kind.as_str() == Some("function"),
    };
    let read = |(at, mut call): (usize, Value)| {
        let Some(id) = text_of(&call, "id") else { return Err(without_id("function call", at)) };
        let mut function = call.get_mut("function").map(Value::take).unwrap_or_default();
        let name = text_of(&function, "name").unwrap_or_default();
        let input = match function.get_mut("arguments").map(Value::take) {
            Some(Value::String(text)) => WrittenInput::Text(text),
            Some(given) => WrittenInput::Value(given),
            None => WrittenInput::Value(Value::Object(Map::new())),
        };
        Ok(WrittenCall { id, name, input })
    };
    let calls: Vec<_> = calls.into_iter().filter(is_call).enumerate().map(read).collect::<Result<_>>()?;
    if calls.is_empty() {
        let other = "`content` with the format `anthropic`";
        return Err(no_calls("`tool_calls` has no call of type `function`", other));
    }
    Ok(calls)
}

/// The work that [`decoded`] is at most.
pub(super) fn steps(calls: &[WrittenCall]) -> u64 {
    let bytes = calls.iter().map(|call| match &call.input {
        WrittenInput::Value(_) => 0,
        WrittenInput::Text(text) => text.len() as u64,
    });
    STEPS_PER_BYTE.saturating_mul(bytes.sum())
}

/// The calls with their inputs read. The inputs of a turn share the bounds of one request.
pub(super) fn decoded(calls: Vec<WrittenCall>) -> Vec<DecodedCall> {
    let allowance = Allowance::default();
    let decode = |WrittenCall { id, name, input }| {
        let input = match input {
            WrittenInput::Value(value) => Ok(value),
            WrittenInput::Text(text) => allowance.read("the JSON of its arguments", text.as_bytes()),
        };
        DecodedCall { id, name, input }
    };
    calls.into_iter().map(decode).collect()
}

fn text_of(value: &Value, member: &str) -> Option<String> {
    value.get(member).and_then(Value::as_str).map(str::to_owned)
}

fn without_id(what: &str, at: usize) -> Error {
    Error::new(Code::InvalidRequest, format!("the {what} {} has no id, so no result can name it", at + 1))
}

fn no_calls(looked_for: &str, other: &str) -> Error {
    let message = format!("{looked_for}, so there is nothing to run; calls of the other shape are sent as {other}");
    Error::new(Code::InvalidRequest, message)
}

/// The message that answers a turn of `tool_use` blocks.
pub(super) fn tool_results(answers: Vec<ToolAnswer>) -> ToolResults {
    let result = |ToolAnswer { id, text, failure }| {
        let is_error = failure.is_some();
        let Failure { code, approval_id } = failure.unwrap_or_default();
        ToolResult { block: ToolResultType::ToolResult, tool_use_id: id, content: text, is_error, code, approval_id }
    };
    ToolResults { role: Role::User, content: answers.into_iter().map(result).collect() }
}

/// The messages that answer a turn of `tool_calls`.
pub(super) fn tool_messages(answers: Vec<ToolAnswer>) -> ToolMessages {
    let message = |ToolAnswer { id, text, failure }| {
        let Failure { code, approval_id } = failure.unwrap_or_default();
        ToolMessage { role: ToolRole::Tool, tool_call_id: id, content: text, code, approval_id }
    };
    ToolMessages { messages: answers.into_iter().map(message).collect() }
}
