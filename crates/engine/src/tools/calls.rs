//! A turn of tool calls: the calls that a model wrote in, the messages that answer them out.
//!
//! Every call is answered, whatever becomes of it, because a model is stuck without: a failure is a result that begins
//! with `Error: `. The whole turn is an error only if it has no call, if a call has no id, or if the session cannot be
//! read.

use futures_util::{StreamExt as _, stream};
use serde_json::Value;

use super::{
    conversation::Conversation,
    error_text,
    input::ParsedCall,
    options::{ToolOptions, instructions_place},
    order::rounds,
    turn::{
        DecodedCall, Failure, ToolAnswer, WrittenCall, decoded, function_calls, steps, tool_messages, tool_results,
        tool_use_blocks,
    },
};
use crate::{
    context::SessionState,
    error::{Code, Error, Result},
    handle::SessionBackend,
    limits::{TOOL_CALLS, TOOL_PARALLEL},
    wire::{EffectivePolicy, TextFormat, ToolCallsRequest, ToolMessages, ToolResults, TurnFormat, TurnReply},
};

/// Runs the calls of one turn, in either shape. With `details` the result of a failed call has the code of its error. A call
/// that waits for a person has the id of the approval too. Without `details` the reply is a message for a model as it is.
///
/// # Errors
/// As [`run`] and [`run_functions`]; `invalid_request` for a turn that holds calls of both shapes.
pub async fn run_turn(backend: &SessionBackend, turn: ToolCallsRequest, details: bool) -> Result<TurnReply> {
    let ToolCallsRequest { format, content, tool_calls, mode: _, result_tokens } = turn;
    if !content.is_empty() && !tool_calls.is_empty() {
        let message = "a turn has its calls in `content` or in `tool_calls`; send the member that the model wrote";
        return Err(Error::new(Code::InvalidRequest, message));
    }
    let options = ToolOptions { details, ..ToolOptions::from(result_tokens) };
    match format.unwrap_or_default() {
        TurnFormat::Anthropic => run(backend, content, options).await.map(TurnReply::Results),
        TurnFormat::Openai => run_functions(backend, tool_calls, options).await.map(TurnReply::Messages),
    }
}

/// Runs the calls of one turn: the `tool_use` blocks among `blocks`. Blocks of other types are passed over.
///
/// The outcome is as if the calls had run one after the other. Calls on the same path, or on a folder and a path in it,
/// keep their order if any of them writes. Loading and unloading keep their order with every other call. All others run
/// at once, [`TOOL_PARALLEL`] at a time. Calls beyond [`TOOL_CALLS`] are answered but not run.
///
/// # Errors
/// `invalid_request` if there is no call, or one has no id to answer to; the store's if the session cannot be read.
pub async fn run(backend: &SessionBackend, blocks: Vec<Value>, options: ToolOptions) -> Result<ToolResults> {
    answer_all(backend, tool_use_blocks(blocks)?, options).await.map(tool_results)
}

/// Runs the calls of one turn as [`run`] does: the function calls among the `tool_calls` of an assistant message of Chat
/// Completions. Calls of other types are passed over.
///
/// # Errors
/// As [`run`]. Arguments that are not the text of a JSON object are an error of their call alone.
pub async fn run_functions(backend: &SessionBackend, calls: Vec<Value>, options: ToolOptions) -> Result<ToolMessages> {
    answer_all(backend, function_calls(calls)?, options).await.map(tool_messages)
}

/// The outcome of a call that was run by itself.
#[derive(Clone, Debug)]
pub struct CallOutcome {
    /// The text for the model; for a call that failed it begins with `Error: `.
    pub text: String,
    /// The reply as a document, by the output schema of its tool; the error of a call that failed.
    pub reply: Result<Value>,
}

impl CallOutcome {
    /// The outcome of a call that failed.
    #[must_use]
    pub fn failed(error: Error) -> Self {
        Self { text: error_text::error(&error), reply: Err(error) }
    }
}

/// Runs one call of a conversation. The outcome has the reply as a document of the same window too. Its
/// text ends with the notes of the conversation.
///
/// # Errors
/// The store's if the session cannot be read. That the call fails is no error of this.
pub async fn run_one(
    backend: &SessionBackend,
    name: &str,
    input: Value,
    options: ToolOptions,
    conversation: &Conversation,
) -> Result<CallOutcome> {
    // The call takes the state that its tool is found by.
    let mut backend = backend.clone();
    let SessionState { policy, .. } = backend.read_ahead().await?;
    let notes = conversation.notes(&backend, &policy);
    let room = options.result_bytes.saturating_sub(notes.len());
    let form = TextFormat { room, instructions: instructions_place(&policy) };
    let ran = match ParsedCall::parse(name, Ok(input), &policy) {
        Ok(call) => call.run_structured(&backend, form).await,
        Err(error) => Err(error),
    };
    Ok(match ran {
        Ok((text, reply)) => CallOutcome { text: text + &notes, reply: Ok(reply) },
        Err(error) => {
            let failed = CallOutcome::failed(error);
            CallOutcome { text: failed.text + &notes, ..failed }
        }
    })
}

/// Runs the calls, and answers them in their order.
async fn answer_all(
    backend: &SessionBackend,
    calls: Vec<WrittenCall>,
    options: ToolOptions,
) -> Result<Vec<ToolAnswer>> {
    // The first call that runs takes the state that the tools are found by.
    let mut backend = backend.clone();
    let SessionState { policy, .. } = backend.read_ahead().await?;
    let steps = steps(&calls);
    let calls = backend.errand().run_sized(steps, move |_| Ok(decoded(calls))).await?;
    let read = |(at, DecodedCall { id, name, input }): (usize, DecodedCall)| {
        (id, if at < TOOL_CALLS { ParsedCall::parse(&name, input, &policy) } else { Err(too_many()) })
    };
    let (ids, calls): (Vec<_>, Vec<_>) = calls.into_iter().enumerate().map(read).unzip();
    let turn = Turn { backend: &backend, options, policy: &policy };
    let rounds = rounds(calls.iter().map(|call| call.as_ref().ok()));
    let mut answers: Vec<Option<Result<String>>> = calls.iter().map(|_| None).collect();
    for round in 0..=rounds.iter().copied().max().unwrap_or(0) {
        let due = rounds.iter().zip(ids.iter().zip(&calls)).enumerate().filter(|(_, (theirs, _))| **theirs == round);
        let answering = due.map(|(at, (_, (id, call)))| async move { (at, turn.answer(id, call).await) });
        let mut answered = stream::iter(answering.collect::<Vec<_>>()).buffer_unordered(TOOL_PARALLEL);
        while let Some((at, answer)) = answered.next().await {
            if let Some(place) = answers.get_mut(at) {
                *place = Some(answer);
            }
        }
    }
    let left = || Err(Error::internal("a call was left without an answer"));
    Ok(ids
        .into_iter()
        .zip(answers)
        .map(|(id, answer)| ToolAnswer::from_answer(id, answer.unwrap_or_else(left), options.details))
        .collect())
}

fn too_many() -> Error {
    let message =
        format!("this call was not run: {TOOL_CALLS} calls is the most for one turn; make it again in the next");
    Error::new(Code::RateLimited, message)
}

/// The common input of the calls of one turn.
#[derive(Clone, Copy)]
struct Turn<'a> {
    backend: &'a SessionBackend,
    options: ToolOptions,
    policy: &'a EffectivePolicy,
}

impl Turn<'_> {
    async fn answer(self, id: &str, call: &Result<ParsedCall>) -> Result<String> {
        let form = TextFormat { room: self.options.result_bytes, instructions: instructions_place(self.policy) };
        call.clone()?.run(&self.backend.clone().for_call(id), form).await
    }
}

impl ToolAnswer {
    fn from_answer(id: String, answer: Result<String>, details: bool) -> Self {
        match answer {
            Ok(text) => Self { id, text, failure: None },
            Err(error) => Self { id, text: error_text::error(&error), failure: Some(Failure::of(&error, details)) },
        }
    }
}

impl Failure {
    fn of(error: &Error, details: bool) -> Self {
        if !details {
            return Self::default();
        }
        let approval_id = error.details().get("approval_id").and_then(Value::as_str).map(str::to_owned);
        Self { code: Some(error.name().to_owned()), approval_id }
    }
}
