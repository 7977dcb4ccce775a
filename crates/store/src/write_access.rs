//! The right of a service to write to its store, which may change at run time.

use std::sync::{Arc, PoisonError, RwLock};

use skillmount_base::error::{Code, Error, Result};

/// Why nothing may be written to a store.
///
/// ```
/// use skillmount_store::ReadOnly;
///
/// let moving = ReadOnly::from("it is being moved");
/// assert!(!moving.has_passed);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadOnly {
    /// The reason, for the message `this service only reads: …`.
    pub why: String,
    /// Whether the store passed an earlier probe of its conditional writes and failed the last one. Its service was ready
    /// before, and stays ready for reads.
    pub has_passed: bool,
    /// Whether the store denied a write. It may take writes later, without another start of the service.
    pub is_denial: bool,
}

/// Whether a service may write to its store. Clones share one state.
///
/// ```
/// use skillmount_store::{ReadOnly, WriteAccess};
///
/// let access = WriteAccess::from(ReadOnly::from("it is being moved"));
/// let clone = access.clone();
/// access.set(None);
/// assert!(clone.is_granted());
/// ```
#[derive(Clone, Debug, Default)]
pub struct WriteAccess(Arc<RwLock<Option<Arc<ReadOnly>>>>);

impl From<&str> for ReadOnly {
    /// A reason of a store that never passed.
    fn from(why: &str) -> Self {
        Self { why: why.to_owned(), has_passed: false, is_denial: false }
    }
}

impl From<Option<ReadOnly>> for WriteAccess {
    fn from(read_only: Option<ReadOnly>) -> Self {
        Self(Arc::new(RwLock::new(read_only.map(Arc::new))))
    }
}

impl From<ReadOnly> for WriteAccess {
    fn from(read_only: ReadOnly) -> Self {
        Some(read_only).into()
    }
}

impl WriteAccess {
    /// Why the service may not write; `None` if it may.
    #[must_use]
    pub fn read_only(&self) -> Option<Arc<ReadOnly>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether the service may write.
    #[must_use]
    pub fn is_granted(&self) -> bool {
        self.read_only().is_none()
    }

    /// Sets why the service may not write; `None` if it may from now on.
    pub fn set(&self, read_only: Option<ReadOnly>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = read_only.map(Arc::new);
    }

    /// Checks that the service may write.
    ///
    /// # Errors
    /// `read_only`, with the reason.
    pub fn check(&self) -> Result<()> {
        match self.read_only() {
            None => Ok(()),
            Some(read_only) => Err(Error::new(Code::ReadOnly, format!("this service only reads: {}", read_only.why))),
        }
    }
}
