//! The order of changes to a key.
//!
//! Inside the process, callers queue for a shard in order and without a thread. Only the first of the queue tries the
//! file lock, which another process may hold. It returns between tries and does not wait inside the system, so a stuck
//! lock holds a caller until its deadline, and never a thread that reading needs.

use std::{sync::Arc, time::Duration};

use tokio::{
    sync::{Mutex, OwnedMutexGuard},
    time::{Instant, timeout_at},
};

use super::{DirectoryStore, Disk, layout::lock_index, shard::Shard};
use crate::{
    limits::LOCK_TIMEOUT,
    path::ObjectKey,
    store::{Cause, StoreError, StoreResult, backoff::Backoff, disk::unusable},
};

/// The first pause before a held lock is tried again; it doubles up to [`LAST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_millis(1);
/// The longest pause between tries. Two processes that write without pause still find each other's gaps.
const LAST_PAUSE: Duration = Duration::from_millis(10);

/// The queues of a process, one for each lock.
#[derive(Debug)]
pub(super) struct Turns(Vec<Arc<Mutex<()>>>);

impl Turns {
    pub(super) fn new() -> Self {
        Self((0..=u8::MAX).map(|_| Arc::default()).collect())
    }

    /// The next turn at lock `index`.
    async fn next(&self, index: u8) -> OwnedMutexGuard<()> {
        // There is a queue for every index; a lone one would be safe as well, because the file lock decides.
        let queue = self.0.get(usize::from(index)).map(Arc::clone).unwrap_or_default();
        queue.lock_owned().await
    }
}

/// The result of trying a lock.
enum LockAttempt<T, W> {
    Done(T),
    /// Another holder has it. The turn and the work are returned.
    Held(OwnedMutexGuard<()>, W),
}

impl DirectoryStore {
    /// Runs `work` under the lock of `key`. Once begun it ends even if the caller no longer waits.
    pub(super) async fn locked<T, W>(&self, key: &ObjectKey, work: W) -> StoreResult<T>
    where
        T: Send + 'static,
        W: FnOnce(&Disk, &mut Shard) -> StoreResult<T> + Send + 'static,
    {
        let index = lock_index(key);
        let deadline = Instant::now() + LOCK_TIMEOUT;
        let mut backoff = Backoff::new(self.disk.clock.clone(), FIRST_PAUSE, LAST_PAUSE, deadline);
        let mut turn = timeout_at(deadline, self.disk.turns.next(index)).await.map_err(|_| self.is_held(index))?;
        let mut work = work;
        loop {
            let tried = self.blocking(move |disk| {
                let now = disk.clock.now().as_nanosecond();
                match disk.layout.try_lock(index, now).map_err(unusable)? {
                    Some(mut shard) => work(disk, &mut shard).map(LockAttempt::Done),
                    None => Ok(LockAttempt::Held(turn, work)),
                }
            });
            match tried.await? {
                LockAttempt::Done(done) => return Ok(done),
                LockAttempt::Held(its_turn, its_work) => (turn, work) = (its_turn, its_work),
            }
            if !backoff.pause().await {
                return Err(self.is_held(index));
            }
        }
    }

    fn is_held(&self, index: u8) -> StoreError {
        let path = self.disk.layout.lock_file(index);
        StoreError::not_applied("the lock was not free in time").because(Cause::LockHeld { path })
    }
}
