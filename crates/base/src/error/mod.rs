//! The one error of the crate. Its kinds follow from the possible reactions of a caller.
//!
//! A [`Code`] is stable and goes over the wire. Its [`Kind`] decides the exit status, the MCP code, and the HTTP status of all codes
//! but two, 415 and 412. The message is for the agent who reads it: the path or name in question, and the next step. Causes lie in
//! `source` and are for logs only: an internal error never shows its cause to a client.

mod code;

use std::{fmt, sync::Arc};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use code::{Code, Kind};

/// The result of every fallible function of the crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The name of the result, for logs and records: `ok`, or that of the error's code.
pub fn result_name<T>(result: &Result<T>) -> &'static str {
    result.as_ref().map_or_else(Error::name, |_| "ok")
}

type Source = Arc<dyn std::error::Error + Send + Sync + 'static>;

/// Whether a failed change is in the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = ChangeOutcome)]
pub enum Outcome {
    /// It is certain that the change is in the store.
    Applied,
    /// It is certain that nothing was changed.
    NotApplied,
    /// Its parts fared differently: the answer names them. Repeating the call completes it.
    Partial,
    /// The change may have landed, or may land yet; read before trying again.
    Unknown,
}

impl Outcome {
    /// The outcome of a change whose parts had these outcomes: theirs if they agree, else `partial`.
    #[must_use]
    pub fn of_all(parts: impl IntoIterator<Item = Self>) -> Option<Self> {
        parts.into_iter().reduce(|one, other| if one == other { one } else { Self::Partial })
    }
}

/// What became of each part of a failed change that has several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = ChangeParts)]
pub struct Parts {
    /// The file, or the files below a folder: `partial` if only some of those went.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<Outcome>,
    /// The session's record of which version of the file it sees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<Outcome>,
    /// The audit record of the change, if the service acknowledges no change without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audit: Option<Outcome>,
}

impl Parts {
    /// The outcome of the whole.
    fn outcome(self) -> Option<Outcome> {
        Outcome::of_all([self.file, self.session, self.audit].into_iter().flatten())
    }
}

#[derive(Clone)]
struct Inner {
    code: Code,
    message: String,
    outcome: Option<Outcome>,
    parts: Option<Parts>,
    details: Map<String, Value>,
    source: Option<Source>,
}

/// An error with a stable code, a message that says what to do next, and details for machines.
///
/// Cheap to clone, because one failed store request may answer many waiting callers.
#[derive(Clone)]
pub struct Error(Box<Inner>);

impl Error {
    /// An error of this code; `message` is for the agent that will read it.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        let message = message.into();
        Self(Box::new(Inner { code, message, outcome: None, parts: None, details: Map::new(), source: None }))
    }

    /// A bug of ours: clients see only that it happened, the log sees `cause`.
    pub fn internal(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        let source: Box<dyn std::error::Error + Send + Sync> = cause.into();
        let mut error =
            Self::new(Code::Internal, "something went wrong inside the service; the log has the request id");
        error.0.source = Some(Arc::from(source));
        error
    }

    /// The same error with its cause attached, for logs.
    #[must_use]
    pub fn with_source(mut self, source: impl std::error::Error + Send + Sync + 'static) -> Self {
        self.0.source = Some(Arc::new(source));
        self
    }

    /// An error of the same code with another message. This error is its cause.
    #[must_use]
    pub fn in_words(self, message: impl Into<String>) -> Self {
        Self::new(self.0.code, message).with_source(self)
    }

    /// The same error, saying whether the change it reports on is in the store.
    #[must_use]
    pub fn with_outcome(mut self, outcome: Outcome) -> Self {
        self.0.outcome = Some(outcome);
        self
    }

    /// The same error, saying what became of each part of the change, and with that of the whole.
    #[must_use]
    pub fn with_parts(mut self, parts: Parts) -> Self {
        self.0.outcome = parts.outcome();
        self.0.parts = Some(parts);
        self
    }

    /// The same error as that of a change. If it has no outcome, the change was refused before anything was
    /// written. After a bug in this program the outcome is unknown.
    #[must_use]
    pub fn of_change(self) -> Self {
        let outcome = match (self.outcome(), self.kind()) {
            (Some(_), _) => return self,
            (None, Kind::Internal) => Outcome::Unknown,
            (None, _) => Outcome::NotApplied,
        };
        self.with_outcome(outcome)
    }

    /// The same error with one more member in its problem document.
    #[must_use]
    pub fn with_detail(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.details.insert(name.to_owned(), value.into());
        self
    }

    /// The stable code.
    #[must_use]
    pub fn code(&self) -> Code {
        self.0.code
    }

    /// The name of the code, for logs, records and documents.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.0.code.as_str()
    }

    /// Whether both errors have one code and one outcome.
    #[must_use]
    pub fn is_alike(&self, other: &Self) -> bool {
        (self.0.code, self.0.outcome) == (other.0.code, other.0.outcome)
    }

    /// The kind of the error, from which a caller sees how to react.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.0.code.kind()
    }

    /// The message without its causes.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Whether the failed change is in the store; `None` if the failed call changes nothing.
    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        self.0.outcome
    }

    /// The outcome of each part of the failed change, if there are several.
    #[must_use]
    pub fn parts(&self) -> Option<Parts> {
        self.0.parts
    }

    /// Further members of the problem document, such as `suggestions` or `occurrences`.
    #[must_use]
    pub fn details(&self) -> &Map<String, Value> {
        &self.0.details
    }

    /// Whether the same request may succeed later without being changed.
    #[must_use]
    pub fn retryable(&self) -> bool {
        matches!(self.kind(), Kind::Unavailable | Kind::TooMany) || self.0.code == Code::EditConflict
    }

    /// The message followed by every cause, for logs and terminals.
    #[must_use]
    pub fn chain(&self) -> String {
        with_causes(self).map(ToString::to_string).collect::<Vec<_>>().join(": ")
    }
}

/// An error and its causes, from the outermost to the innermost.
pub fn with_causes<'error>(
    error: &'error (dyn std::error::Error + 'static),
) -> impl Iterator<Item = &'error (dyn std::error::Error + 'static)> {
    std::iter::successors(Some(error), |error| error.source())
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.0.code, self.chain())?;
        if let Some(outcome) = self.outcome() {
            write!(f, " ({outcome:?})")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_deref().map(|source| source as &(dyn std::error::Error + 'static))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // S-ERROR-2: No client sees the cause of an internal error.
    #[test]
    fn an_internal_error_hides_its_cause_from_the_message_and_keeps_it_in_the_chain() {
        let error = Error::internal("disk on fire");
        assert!(!error.message().contains("fire") && error.chain().ends_with("disk on fire"));
    }
}
