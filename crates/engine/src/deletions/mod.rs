//! The deletion of users, and the knowledge of who is being deleted.
//!
//! A user who is deleted has a tombstone outside its own part of the bucket. While it stands, calls for the user are denied.
//! The store refuses writes of calls that began before. The first sweep removes everything at once. The second follows 60 s
//! later: by then every process knows of the tombstone, and what it had sent before is over. The second sweep removes what was
//! written meanwhile. A process that sees a tombstone without work continues it, so a deletion survives the process that began it.

mod deletion;
mod in_progress;
mod sweep;
mod tombstone;
mod watch;

use std::{
    fmt,
    sync::{Arc, OnceLock},
};

use in_progress::DeletionsInProgress;

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
pub struct Deletions(Arc<DeletionState>);

#[derive(Debug)]
struct DeletionState {
    store: StoreHandle,
    templates: MountTemplates,
    in_progress: DeletionsInProgress,
    listener: OnceLock<Arc<dyn DeletionListener>>,
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
