//! Batches of messages on one line, which version 2025-03-26 of the protocol has. The answers to one batch are one line too.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

/// The version with batches.
const VERSION: &str = "2025-03-26";

/// The batches of one host that are not answered yet. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(super) struct Batches(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    /// Whether the conversation is of the version with batches.
    are_allowed: bool,
    open: Vec<Batch>,
}

/// One batch.
#[derive(Debug, Default)]
struct Batch {
    /// The ids of its requests without an answer.
    waiting: Vec<Value>,
    answers: Vec<Value>,
}

impl Batches {
    /// Whether a host may send a batch now.
    pub(super) fn are_allowed(&self) -> bool {
        self.state(|state| state.are_allowed)
    }

    /// Begins a batch of requests with these ids, some of whose messages are answered already. Returns all answers if no request
    /// waits.
    pub(super) fn begin(&self, waiting: Vec<Value>, answers: Vec<Value>) -> Option<Vec<Value>> {
        if waiting.is_empty() {
            return Some(answers).filter(|answers| !answers.is_empty());
        }
        self.state(|state| state.open.push(Batch { waiting, answers }));
        None
    }

    /// The lines to write for a message of the server: the message itself, the answers of a batch that it completes, or none.
    pub(super) fn lines_for(&self, message: Value) -> Option<Value> {
        self.state(|state| {
            if message.pointer("/result/protocolVersion").is_some_and(|version| version == VERSION) {
                state.are_allowed = true;
            }
            let is_answer = message.get("result").is_some() || message.get("error").is_some();
            let Some(id) = message.get("id").filter(|_| is_answer) else { return Some(message) };
            let Some(at) = state.open.iter().position(|batch| batch.waiting.contains(id)) else { return Some(message) };
            let batch = state.open.get_mut(at)?;
            batch.waiting.retain(|waiting| waiting != id);
            batch.answers.push(message);
            batch.waiting.is_empty().then(|| Value::Array(state.open.remove(at).answers))
        })
    }

    fn state<T>(&self, work: impl FnOnce(&mut State) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
