//! The store of a service, with its folder, clock and conditional writes.

use std::sync::Arc;

use crate::{Committer, ListOptions, SharedStore, WriteAccess};
use skillmount_base::{clock::Clock, error::Result, path::Namespace};

/// A store, the folder of it that a service uses, and whether the service may write there. Cheap to clone.
#[derive(Clone, Debug)]
pub struct StoreHandle {
    store: SharedStore,
    committer: Committer,
    namespace: Namespace,
    clock: Arc<dyn Clock>,
    access: WriteAccess,
}

impl StoreHandle {
    /// The folder `namespace` of `store`, which is written to while there is `access`.
    #[must_use]
    pub fn new(store: SharedStore, namespace: Namespace, clock: Arc<dyn Clock>, access: WriteAccess) -> Self {
        let committer = Committer::new(store.clone(), clock.clone());
        Self { store, committer, namespace, clock, access }
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

    /// Whether the service may write.
    #[must_use]
    pub fn access(&self) -> &WriteAccess {
        &self.access
    }

    /// Checks that the service may write.
    ///
    /// # Errors
    /// `read_only`, with the reason.
    pub fn check_writable(&self) -> Result<()> {
        self.access.check()
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
