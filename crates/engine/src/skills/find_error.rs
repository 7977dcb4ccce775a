//! Why a skill of the catalog was not found, for callers that look for a draft in its place.

use crate::error::Error;

/// Why a skill of the catalog was not found. Converts into the [`Error`] for clients.
#[derive(Clone, Debug, thiserror::Error)]
pub(super) enum FindError {
    /// The reader may know of no such skill, or the skill cannot be read.
    #[error(transparent)]
    Unknown(Error),
    /// Any other reason, such as a store that gives no answer.
    #[error(transparent)]
    Other(#[from] Error),
}

impl From<FindError> for Error {
    fn from(error: FindError) -> Self {
        match error {
            FindError::Unknown(error) | FindError::Other(error) => error,
        }
    }
}
