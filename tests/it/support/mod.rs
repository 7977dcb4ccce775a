//! What several test files stand on: worlds to act in, clocks, and stores in folders of their own.

pub(crate) mod world;

use std::{path::Path, sync::Arc};

use skillmount::{
    clock::{Clock, SystemClock},
    store::{DirectoryStore, SharedStore},
};
use tempfile::TempDir;

/// The machine's clock.
pub(crate) fn clock() -> Arc<dyn Clock> {
    Arc::new(SystemClock::new())
}

/// A directory store in `folder`.
pub(crate) fn directory(folder: &Path) -> SharedStore {
    Arc::new(DirectoryStore::open(folder, clock()).unwrap())
}

/// A directory store in a new folder, which is removed when the guard is dropped.
pub(crate) fn temporary_directory() -> (TempDir, SharedStore) {
    let folder = TempDir::new().unwrap();
    let store = directory(folder.path());
    (folder, store)
}
