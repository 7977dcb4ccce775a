//! What can go wrong in a store, named by what the caller can do.

use std::sync::Arc;

use crate::error::{Code, Error, Outcome};

type Source = Arc<dyn std::error::Error + Send + Sync + 'static>;

/// Why a request to a store failed. Cheap to clone: one failure may answer many waiting callers.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// No object of that key; for a put with `IfMatch`: it was deleted.
    #[error("no such object")]
    NotFound,
    /// A get with `if_none_match`: the version is still that one.
    #[error("the object has not changed")]
    NotModified,
    /// `if_match` or `IfAbsent` does not hold; nothing was changed by this attempt.
    #[error("the object is not the expected version")]
    PreconditionFailed,
    /// Another conditional write was under way; nothing was changed, try again.
    #[error("another write was under way")]
    Busy,
    /// The range starts after the end.
    #[error("the range starts after the end of the object")]
    RangeNotSatisfiable,
    /// The store cannot hold such a key or do such a thing.
    #[error("the store cannot do that: {0}")]
    Unsupported(String),
    /// Credentials or bucket policy refuse it.
    #[error("the store denied access")]
    Denied(#[source] Source),
    /// The object lies in an archived storage class: it is listed, and cannot be read until it is restored.
    #[error("the object is archived")]
    Archived,
    /// No answer, or a failure that may pass.
    #[error("the store is not available")]
    Unavailable {
        /// Whether a change that was asked for may have landed.
        outcome: Outcome,
        /// What went wrong.
        #[source]
        source: Source,
    },
}

impl StoreError {
    /// A failure that certainly changed nothing.
    pub fn not_applied(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Unavailable { outcome: Outcome::NotApplied, source: Arc::from(source.into()) }
    }

    /// A failure after which a change may or may not be there.
    pub fn unknown(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Unavailable { outcome: Outcome::Unknown, source: Arc::from(source.into()) }
    }

    /// A store that answers, but not as a store must.
    pub(crate) fn broken(what: &str) -> Self {
        Self::not_applied(what.to_owned())
    }

    /// Whether trying the same request again may help, and cannot hurt for a read.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Busy | Self::Unavailable { .. })
    }
}

impl From<StoreError> for Error {
    /// For errors that no operation has given a closer meaning to.
    fn from(error: StoreError) -> Self {
        let unavailable = |message: &str, outcome| {
            Error::new(Code::StoreUnavailable, message).with_outcome(outcome).with_source(error.clone())
        };
        match &error {
            StoreError::NotFound => {
                Error::new(Code::FileNotFound, "the file is not there any more; list the folder again")
            }
            StoreError::PreconditionFailed | StoreError::NotModified => {
                Error::new(Code::EditConflict, "somebody else changed the file at the same time; read it and try again")
                    .with_outcome(Outcome::NotApplied)
            }
            StoreError::RangeNotSatisfiable => {
                Error::new(Code::OffsetOutOfRange, "the range starts after the end of the file; look at its size")
            }
            StoreError::Unsupported(what) => {
                Error::new(Code::InvalidPath, format!("this store cannot do that: {what}"))
            }
            StoreError::Denied(_) => unavailable(
                "the store refused the service's credentials; an operator can find out why with `skillmount doctor`",
                Outcome::NotApplied,
            ),
            StoreError::Archived => Error::new(
                Code::Denied,
                "the file lies in an archived storage class; it can be read once somebody has restored it in the bucket",
            ),
            StoreError::Busy => unavailable("the store is busy with that file; try again", Outcome::NotApplied),
            StoreError::Unavailable { outcome: Outcome::NotApplied, .. } => {
                unavailable("the store did not answer in time and nothing was changed; try again", Outcome::NotApplied)
            }
            StoreError::Unavailable { .. } => unavailable(
                "the store did not answer in time; read the file to see whether the change is there",
                Outcome::Unknown,
            ),
        }
    }
}
