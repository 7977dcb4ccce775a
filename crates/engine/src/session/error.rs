//! Why a session or the policy of a user could not be read, for callers that treat damage apart from an outage.

use crate::error::Error;

/// Why a session or the policy of a user could not be read. Converts into the [`Error`] for clients.
#[derive(Clone, Debug, thiserror::Error)]
pub enum SessionError {
    /// Its object is damaged. No retry helps.
    #[error(transparent)]
    Damaged(Error),
    /// The store gave no answer, or the ids are too long for a key.
    #[error(transparent)]
    Unavailable(#[from] Error),
}

impl From<SessionError> for Error {
    fn from(error: SessionError) -> Self {
        match error {
            SessionError::Damaged(error) | SessionError::Unavailable(error) => error,
        }
    }
}
