//! The note of an operation in the log: name, subject, result and duration. It is written at the level `debug`, and puts the
//! subject into words only if that level is on.

use tokio::time::Instant;

use crate::{
    error::{Result, result_name},
    path::Id,
};

/// An operation that has begun, for the log.
pub struct OperationNote {
    user: Id,
    session: Option<Id>,
    operation: &'static str,
    subject: Option<String>,
    began: Instant,
}

impl OperationNote {
    /// Notes that `operation` begins in this session. `subject` describes its subject.
    pub fn begin(
        (user, session): (&Id, Option<&Id>),
        operation: &'static str,
        subject: impl FnOnce() -> String,
    ) -> Self {
        let is_read = tracing::enabled!(tracing::Level::DEBUG);
        let (user, session) = (user.clone(), session.cloned());
        Self { user, session, operation, subject: is_read.then(subject), began: Instant::now() }
    }

    /// Writes the note, and returns the outcome of the operation.
    ///
    /// # Errors
    /// That of `outcome`.
    pub fn ended<T>(self, outcome: Result<T>) -> Result<T> {
        let Self { user, session, operation, subject: Some(subject), began } = self else { return outcome };
        let (ms, result) = (milliseconds(began), result_name(&outcome));
        if let Some(session) = session {
            tracing::debug!(operation, subject, result, ms, %user, %session, "operation");
        } else {
            tracing::debug!(operation, subject, result, ms, %user, "operation");
        }
        outcome
    }
}

/// The milliseconds since `began`, to a thousandth.
#[must_use]
pub fn milliseconds(began: Instant) -> f64 {
    (began.elapsed().as_secs_f64() * 1e6).round() / 1e3
}

/// The paths of an operation on several files.
pub fn paths_of<'path>(paths: impl Iterator<Item = &'path str>) -> String {
    paths.collect::<Vec<_>>().join(" ")
}
