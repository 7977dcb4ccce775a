//! The owner of deletions.

use std::{
    fmt,
    sync::{Arc, OnceLock},
};

use super::in_progress::DeletionsInProgress;
use crate::{
    path::{Id, MountTemplates},
    store::{DeletionMonitor, StoreHandle},
};

/// What must be done when the deletion of a user begins and ends. It can be called more than once for a deletion.
pub(crate) trait DeletionListener: fmt::Debug + Send + Sync {
    /// A user is being deleted. What is in memory of the user and not yet in the store must not be written any more.
    fn deletion_started(&self, user: &Id);

    /// The deletion of a user is done: nothing that was remembered of the user holds, and the id can be used again.
    fn deletion_finished(&self, user: &Id);
}

/// The owner of deletions. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Deletions(pub(super) Arc<DeletionState>);

#[derive(Debug)]
pub(super) struct DeletionState {
    pub(super) store: StoreHandle,
    pub(super) templates: MountTemplates,
    pub(super) in_progress: DeletionsInProgress,
    pub(super) listener: OnceLock<Arc<dyn DeletionListener>>,
}

impl Deletions {
    /// The deletions of the users of `store`.
    pub(crate) fn new(store: StoreHandle, templates: MountTemplates) -> Self {
        Self(Arc::new(DeletionState {
            store,
            templates,
            in_progress: DeletionsInProgress::default(),
            listener: OnceLock::new(),
        }))
    }

    /// Sets the listener. The first call counts.
    pub(crate) fn set_listener(&self, listener: Arc<dyn DeletionListener>) {
        let _ = self.0.listener.set(listener);
    }

    /// What the fence before the store asks.
    pub(crate) fn monitor(&self) -> Arc<dyn DeletionMonitor> {
        self.0.clone()
    }
}
