//! Why a skill was not changed, for callers that go on from a conflict.

use crate::{
    content::ReadError,
    error::{Error, Outcome},
    store::StoreError,
};

/// An error after a change was stored, which another process may complete. The store's words would say that nothing was changed.
pub(super) fn unknown(error: Error) -> Error {
    let error = match error.outcome() {
        Some(Outcome::NotApplied) => {
            error.in_words("the store did not answer in time; look at the skill to see whether the change is there")
        }
        _ => error,
    };
    error.with_outcome(Outcome::Unknown)
}

/// Why a skill was not changed. Converts into the [`Error`] for clients.
#[derive(Clone, Debug, thiserror::Error)]
pub(super) enum ChangeError {
    /// The skill is another than the condition names.
    #[error(transparent)]
    Conflict(Error),
    /// No skill is there to delete.
    #[error(transparent)]
    Nothing(Error),
    /// The publish was undone, because the draft changed or another skill began beside it. Nothing is left of it.
    #[error(transparent)]
    Undone(Error),
    /// No skill may lie here, because of another.
    #[error(transparent)]
    Taken(Error),
    /// Any other reason, such as a store that gives no answer.
    #[error(transparent)]
    Other(#[from] Error),
}

impl From<StoreError> for ChangeError {
    fn from(error: StoreError) -> Self {
        Self::Other(error.into())
    }
}

impl From<ReadError> for ChangeError {
    fn from(error: ReadError) -> Self {
        Self::Other(error.into())
    }
}

impl From<ChangeError> for Error {
    fn from(error: ChangeError) -> Self {
        match error {
            ChangeError::Conflict(error)
            | ChangeError::Nothing(error)
            | ChangeError::Undone(error)
            | ChangeError::Taken(error)
            | ChangeError::Other(error) => error,
        }
    }
}
