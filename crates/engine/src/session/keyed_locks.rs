//! A fixed number of locks, chosen by name: two tasks with one name run one after the other. A lock may hold a value.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use tokio::sync::{Mutex, MutexGuard};

/// Names share this many locks by their hash.
const LANES: usize = 256;

/// Locks by name. Two names can share one, so the holder of a lane must not enter another of the same lanes.
#[derive(Debug)]
pub struct KeyedLocks<T = ()>(Vec<Mutex<T>>);

impl<T: Default> Default for KeyedLocks<T> {
    fn default() -> Self {
        Self((0..LANES).map(|_| Mutex::default()).collect())
    }
}

impl<T> KeyedLocks<T> {
    /// Waits for the lane of `name`, and holds it until the guard is dropped.
    #[expect(clippy::indexing_slicing, reason = "a byte is the index of one of 256 lanes")]
    pub async fn lock(&self, name: &str) -> MutexGuard<'_, T> {
        let hash = BuildHasherDefault::<DefaultHasher>::default().hash_one(name);
        self.0[usize::from(hash.to_le_bytes()[0])].lock().await
    }
}
