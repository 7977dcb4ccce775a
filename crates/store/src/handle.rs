//! The store of a service, with its folder, clock and conditional writes.

use std::sync::Arc;

use crate::{Committer, ListOptions, SharedStore};
use skillmount_base::{
    clock::Clock,
    error::{Code, Error, Result},
    path::Namespace,
};

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
}

impl From<&str> for ReadOnly {
    /// A reason of a store that never passed.
    fn from(why: &str) -> Self {
        Self { why: why.to_owned(), has_passed: false }
    }
}

/// A store, the folder of it that a service uses, and whether the service may write there. Cheap to clone.
#[derive(Clone, Debug)]
pub struct StoreHandle {
    store: SharedStore,
    committer: Committer,
    namespace: Namespace,
    clock: Arc<dyn Clock>,
    /// The reason why nothing can be written.
    read_only: Option<Arc<ReadOnly>>,
}

impl StoreHandle {
    /// The folder `namespace` of `store`. `read_only` is the reason why nothing can be written, if nothing can.
    #[must_use]
    pub fn new(store: SharedStore, namespace: Namespace, clock: Arc<dyn Clock>, read_only: Option<ReadOnly>) -> Self {
        let committer = Committer::new(store.clone(), clock.clone());
        Self { store, committer, namespace, clock, read_only: read_only.map(Arc::new) }
    }

    /// The store.
    #[must_use]
    pub fn store(&self) -> &SharedStore {
        &self.store
    }

    /// The conditional writes to the store.
    pub fn committer(&self) -> &Committer {
        &self.committer
    }

    /// The folder that everything lies below.
    #[must_use]
    pub fn namespace(&self) -> &Namespace {
        &self.namespace
    }

    /// The clock.
    #[must_use]
    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.clock
    }

    /// Why the service may not write; `None` if it may.
    #[must_use]
    pub fn read_only(&self) -> Option<&ReadOnly> {
        self.read_only.as_deref()
    }

    /// Checks that the service may write.
    ///
    /// # Errors
    /// `read_only`, with the reason.
    pub fn check_writable(&self) -> Result<()> {
        match self.read_only() {
            None => Ok(()),
            Some(ReadOnly { why, .. }) => Err(Error::new(Code::ReadOnly, format!("this service only reads: {why}"))),
        }
    }

    /// Checks that the store answers, with the smallest request there is.
    ///
    /// # Errors
    /// The store's.
    pub async fn check_reachable(&self) -> Result<()> {
        let least = ListOptions { max_entries: Some(1), ..ListOptions::default() };
        self.store.list(self.namespace.prefix(), least).await?;
        Ok(())
    }
}
