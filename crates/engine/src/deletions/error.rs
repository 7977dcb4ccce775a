//! Why the deletion of a user could not be read, for callers that treat damage apart from an outage.

use crate::{error::Error, store::StoreError};

/// Why a tombstone or a receipt could not be read. Converts into the [`Error`] for clients.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum DeletionError {
    /// The object is damaged, or a newer version of the program wrote it. No retry helps.
    #[error(transparent)]
    Damaged(Error),
    /// The store gave no answer, or the id is too long for a key.
    #[error(transparent)]
    Unavailable(#[from] Error),
}

impl From<StoreError> for DeletionError {
    fn from(error: StoreError) -> Self {
        Self::Unavailable(error.into())
    }
}

impl From<DeletionError> for Error {
    fn from(error: DeletionError) -> Self {
        match error {
            DeletionError::Damaged(error) | DeletionError::Unavailable(error) => error,
        }
    }
}
