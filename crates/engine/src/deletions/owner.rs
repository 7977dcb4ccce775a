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

/// A listener for the begin and the end of a user's deletion. A call can be repeated for one deletion.
pub(crate) trait DeletionListener: fmt::Debug + Send + Sync {
    /// A user is being deleted. Data of the user that is only in memory must not be written to the store any more.
    fn deletion_started(&self, user: &Id);

    /// The deletion of a user is done. Remembered data of the user is void, and the id can be used again.
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

    /// The monitor of deletions for the fence before the store.
    pub(crate) fn monitor(&self) -> Arc<dyn DeletionMonitor> {
        self.0.clone()
    }
}
