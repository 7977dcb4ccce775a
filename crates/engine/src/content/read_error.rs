//! Why a skill could not be read, for callers that treat a gone version or a damaged object apart from an outage.

use crate::{error::Error, store::StoreError};

/// Why a skill, a version or a draft could not be read. Converts into the [`Error`] for clients.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum ReadError {
    /// The archive is not there, or does not hold the version that its name says.
    #[error(transparent)]
    VersionGone(Error),
    /// A head or a draft is damaged, or a newer version of the program wrote it. No retry helps.
    #[error(transparent)]
    Damaged(Error),
    /// The skill has more files or bytes than a load takes.
    #[error(transparent)]
    TooLarge(Error),
    /// The version of the file that the caller asked for is gone.
    #[error(transparent)]
    Changed(Error),
    /// Any other reason, such as a store that gives no answer.
    #[error(transparent)]
    Other(#[from] Error),
}

impl From<StoreError> for ReadError {
    fn from(error: StoreError) -> Self {
        Self::Other(error.into())
    }
}

impl From<ReadError> for Error {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::VersionGone(error)
            | ReadError::Damaged(error)
            | ReadError::TooLarge(error)
            | ReadError::Changed(error)
            | ReadError::Other(error) => error,
        }
    }
}
