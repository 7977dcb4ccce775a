//! The order of changes to a key inside the process: callers queue for a lock in order and without a thread.

use std::sync::Arc;

use tokio::sync::{Mutex, OwnedMutexGuard};

/// The queues of a process, one for each lock.
#[derive(Debug)]
pub(super) struct Turns(Vec<Arc<Mutex<()>>>);

impl Turns {
    pub(super) fn new() -> Self {
        Self((0..=u8::MAX).map(|_| Arc::default()).collect())
    }

    /// The next turn at lock `index`.
    pub(super) async fn next(&self, index: u8) -> OwnedMutexGuard<()> {
        // There is a queue for every index; a lone one would be safe as well, because the file lock decides.
        let queue = self.0.get(usize::from(index)).map(Arc::clone).unwrap_or_default();
        queue.lock_owned().await
    }
}
