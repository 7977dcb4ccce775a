//! The errors of a store, named by the possible reactions of a caller.

use std::{error::Error as StdError, fmt, sync::Arc};

use super::Cause;
use skillmount_base::error::{Code, Error, Outcome};

type Source = Arc<dyn StdError + Send + Sync + 'static>;

/// The result of a fallible verb.
pub type StoreResult<T> = Result<T, StoreError>;

/// The reason why a request to a store failed. Cheap to clone: one failure can answer many waiting callers.
///
/// ```
/// use skillmount_base::{Code, Error, Outcome};
/// use skillmount_store::{Cause, StoreError};
///
/// let failure = StoreError::unknown("connection reset").because(Cause::Unreachable);
/// assert!(failure.is_transient());
///
/// let told = Error::from(failure);
/// assert_eq!((told.code(), told.outcome()), (Code::StoreUnavailable, Some(Outcome::Unknown)));
/// ```
#[derive(Clone, Debug)]
pub enum StoreError {
    /// No object of that key; for a put with `IfMatch`: it was deleted.
    NotFound,
    /// A get with `if_none_match`: that is still the version.
    NotModified,
    /// `if_match` or `IfAbsent` does not hold; nothing was changed by this attempt.
    PreconditionFailed,
    /// Another conditional write was under way. Nothing was changed; try again.
    Busy,
    /// The range starts after the end.
    RangeNotSatisfiable,
    /// A put below an object, whose key this is: a path is either a file or a folder. Nothing was changed.
    BelowFile(String),
    /// A put of a key that other objects lie below: a path is either a file or a folder. Nothing was changed.
    IsFolder,
    /// The store does not support such a key or request.
    Unsupported(String),
    /// The store refuses until an operator fixes the cause: credentials, a policy, a full disk. Nothing was changed.
    Denied(FailureDetail),
    /// No answer, or a transient failure.
    Unavailable {
        /// Whether a requested change may have landed.
        outcome: Outcome,
        /// The failure.
        trouble: FailureDetail,
    },
}

/// A failure: its cause, and the words of the store or the system.
#[derive(Clone, Debug)]
pub struct FailureDetail {
    cause: Cause,
    source: Source,
}

impl StoreError {
    /// A failure that certainly changed nothing.
    pub fn not_applied(source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self::Unavailable { outcome: Outcome::NotApplied, trouble: FailureDetail::from_source(source.into()) }
    }

    /// A failure after which a change may or may not have landed.
    pub fn unknown(source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self::Unavailable { outcome: Outcome::Unknown, trouble: FailureDetail::from_source(source.into()) }
    }

    /// A refusal that does not pass by itself.
    pub fn denied(cause: Cause, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self::Denied(FailureDetail { cause, source: Arc::from(source.into()) })
    }

    /// An answer that a store must not give.
    #[must_use]
    pub fn broken(what: &str) -> Self {
        Self::not_applied(what.to_owned()).because(Cause::Misbehaving)
    }

    /// The same failure for a write that has no effect by itself: if its outcome is unknown, nothing was changed for a caller.
    #[must_use]
    pub fn without_effect(mut self) -> Self {
        if let Self::Unavailable { outcome, .. } = &mut self {
            *outcome = Outcome::NotApplied;
        }
        self
    }

    /// The same failure with this cause. Errors of a kind without a cause stay as they are.
    #[must_use]
    pub fn because(mut self, cause: Cause) -> Self {
        if let Self::Denied(trouble) | Self::Unavailable { trouble, .. } = &mut self {
            trouble.cause = cause;
        }
        self
    }

    /// The cause of the refusal or failure; `None` for an ordinary answer.
    #[must_use]
    pub fn cause(&self) -> Option<&Cause> {
        match self {
            Self::Denied(trouble) | Self::Unavailable { trouble, .. } => Some(&trouble.cause),
            _ => None,
        }
    }

    /// Whether a retry of the same request may help. For a read it does no harm.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Busy => true,
            Self::Unavailable { trouble, .. } => trouble.cause.may_pass(),
            _ => false,
        }
    }
}

impl FailureDetail {
    /// The cause of `source`: a store failure inside another error passes its cause on.
    fn from_source(source: Box<dyn StdError + Send + Sync>) -> Self {
        let cause = source.downcast_ref().and_then(StoreError::cause).cloned().unwrap_or(Cause::Other);
        Self { cause, source: Arc::from(source) }
    }
}

impl fmt::Display for FailureDetail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.cause.cure() {
            Some(cure) => write!(f, "{} (to fix it: {cure})", self.cause),
            None => self.cause.fmt(f),
        }
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound => f.write_str("no such object"),
            Self::NotModified => f.write_str("the object has not changed"),
            Self::PreconditionFailed => f.write_str("the object is not the expected version"),
            Self::Busy => f.write_str("another write was under way"),
            Self::RangeNotSatisfiable => f.write_str("the range starts after the end of the object"),
            Self::BelowFile(file) => write!(f, "{file:?} is an object, and nothing can lie below it"),
            Self::IsFolder => f.write_str("other objects lie below that key"),
            Self::Unsupported(what) => write!(f, "the store cannot do that: {what}"),
            Self::Denied(trouble) | Self::Unavailable { trouble, .. } => trouble.fmt(f),
        }
    }
}

impl StdError for StoreError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            Self::Denied(trouble) | Self::Unavailable { trouble, .. } => Some(&*trouble.source),
            _ => None,
        }
    }
}

impl From<StoreError> for Error {
    /// For errors that no operation gives a closer meaning.
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
            StoreError::BelowFile(_) => {
                Error::new(Code::NotADirectory, "a folder of that path is a file; write to another path")
                    .with_outcome(Outcome::NotApplied)
            }
            StoreError::IsFolder => Error::new(Code::IsADirectory, "that path is a folder; name a file in it")
                .with_outcome(Outcome::NotApplied),
            // The store's own words name keys, so clients do not see them.
            StoreError::Unsupported(_) => Error::new(
                Code::InvalidPath,
                "the store takes no file of that path; use another one, of short and plain names",
            )
            .with_source(error.clone()),
            StoreError::Denied(FailureDetail { cause: Cause::ServedAsItIs { .. }, .. }) => read_only(
                "these skills are served from a folder as they are and cannot be changed here; nothing was changed",
                &error,
            ),
            StoreError::Denied(FailureDetail { cause: Cause::ThroughLink { .. }, .. }) => read_only(
                "that skill is reached through a symbolic link and cannot be changed here; nothing was changed",
                &error,
            ),
            StoreError::Denied(FailureDetail { cause: Cause::UserLeaves, .. }) => Error::new(
                Code::Denied,
                "the user is being deleted, and nothing was changed; there is nothing to try again",
            )
            .with_outcome(Outcome::NotApplied)
            .with_source(error.clone()),
            StoreError::Denied(trouble) => unavailable(refusal(&trouble.cause), Outcome::NotApplied),
            StoreError::Busy => unavailable("the store is busy with that file; try again", Outcome::NotApplied),
            StoreError::Unavailable { outcome: Outcome::NotApplied, .. } => {
                unavailable("the store is not available and nothing was changed; try again", Outcome::NotApplied)
            }
            StoreError::Unavailable { .. } => unavailable(
                "the store did not answer in time; read the file to see whether the change is there",
                Outcome::Unknown,
            ),
        }
    }
}

/// The error of a change that the owner of the files does not want.
fn read_only(message: &str, error: &StoreError) -> Error {
    Error::new(Code::ReadOnly, message).with_outcome(Outcome::NotApplied).with_source(error.clone())
}

/// The message of a refusal for clients: without keys, addresses, or advice that only an operator could follow.
fn refusal(cause: &Cause) -> &'static str {
    match cause {
        Cause::DiskFull => "the store is full and nothing was changed; deleting files that are not needed may help",
        Cause::ReadOnlyDisk => "the store can only be read; nothing was changed",
        Cause::FileTooLarge => "the store takes no file of this size and nothing was changed; write a smaller one",
        Cause::Archived => "the file is archived and cannot be read now; go on without it",
        Cause::NotPermitted { .. } => "the store does not give the service access to that file; nothing was changed",
        _ => "the store refuses the service at the moment; nothing was changed",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_that_was_caused_by_another_keeps_its_cause_and_its_words() {
        let first = StoreError::not_applied("cut off").because(Cause::Timeout);
        let settled = StoreError::unknown(first);
        assert_eq!(settled.cause(), Some(&Cause::Timeout));
        let chain = Error::from(settled).chain();
        assert!(chain.contains("did not answer in time") && chain.ends_with("cut off"), "{chain}");
    }

    #[test]
    fn a_lost_reply_to_a_write_without_an_effect_of_its_own_sends_nobody_to_look() {
        let error = Error::from(StoreError::unknown("cut off").because(Cause::Timeout).without_effect());
        assert_eq!(error.outcome(), Some(Outcome::NotApplied));
        assert_eq!(error.message(), "the store is not available and nothing was changed; try again");
        assert!(error.chain().ends_with("cut off"), "{}", error.chain());
    }

    // S-STORE-3: A client sees a refusal of the store without keys, addresses and advice to operators.
    #[test]
    fn a_client_hears_what_a_client_can_do_and_the_log_hears_the_cause_and_its_cure() {
        for cause in [
            Cause::NoBucket { bucket: "agents".to_owned() },
            Cause::WrongRegion { region: Some("eu-west-1".to_owned()) },
            Cause::ExpiredToken,
            Cause::NoCredentials,
            Cause::AccessDenied { action: "s3:GetObject".to_owned() },
            Cause::NotPermitted { path: Some("/srv/agents/u1/a".to_owned()) },
            Cause::DiskFull,
            Cause::ReadOnlyDisk,
            Cause::FileTooLarge,
            Cause::Archived,
        ] {
            let (sentence, cure) = (cause.to_string(), cause.cure().unwrap());
            let error = Error::from(StoreError::denied(cause, "as the server put it"));
            assert_eq!((error.code(), error.outcome()), (Code::StoreUnavailable, Some(Outcome::NotApplied)));
            for word in ["doctor", "operator", "agents", "eu-west-1", "s3:", "aws ", "chmod", "AWS_", "--"] {
                assert!(!error.message().contains(word), "{word:?} in {}", error.message());
            }
            let chain = error.chain();
            assert!(chain.contains(&sentence) && chain.contains(&cure) && chain.ends_with("as the server put it"));
        }
        let unsupported = Error::from(StoreError::Unsupported("\"agents/u1/a\" cannot be a file".to_owned()));
        assert!(!unsupported.message().contains("u1/"), "{unsupported}");
        assert!(unsupported.chain().contains("agents/u1/a"), "the log hears which key it was");
    }
}
