//! What the log says of an operation: its name, what it was about, what came of it, and how long it took.
//!
//! At the level `debug`, so that a service says it only if it is asked to. What an operation is about is put into words only if
//! the log takes them.

use tokio::time::Instant;

use super::SkillBackend;
use crate::{error::Result, path::Id, wire::Operation};

/// An operation that has begun.
pub(crate) struct OperationNote<'who> {
    user: &'who Id,
    session: &'who Id,
    operation: Operation,
    subject: Option<String>,
    began: Instant,
}

impl<'who> OperationNote<'who> {
    /// Notes that `operation` begins in this session. `subject` says what it is about.
    pub(crate) fn begin(
        (user, session): (&'who Id, &'who Id),
        operation: Operation,
        subject: impl FnOnce() -> String,
    ) -> Self {
        let is_read = tracing::enabled!(tracing::Level::DEBUG);
        Self { user, session, operation, subject: is_read.then(subject), began: Instant::now() }
    }

    /// Writes the note, and returns what came of the operation.
    pub(crate) fn ended<T>(self, outcome: Result<T>) -> Result<T> {
        let Self { user, session, operation, subject: Some(subject), began } = self else { return outcome };
        let ms = (began.elapsed().as_secs_f64() * 1e6).round() / 1e3;
        let result = outcome.as_ref().map_or_else(|error| error.code().as_str(), |_| "ok");
        tracing::debug!(operation = operation.name(), subject, result, ms, %user, %session, "operation");
        outcome
    }
}

impl SkillBackend {
    /// Notes that `operation` begins in this session.
    pub(super) fn begin(&self, operation: Operation, subject: impl FnOnce() -> String) -> OperationNote<'_> {
        OperationNote::begin((self.user(), &self.session), operation, subject)
    }
}

/// The paths of an operation on several files.
pub(crate) fn paths_of<'path>(paths: impl Iterator<Item = &'path str>) -> String {
    paths.collect::<Vec<_>>().join(" ")
}
