//! A store in a folder of plain files, which needs nothing else installed.
//!
//! The key of an object names its file, so any tool can read and change it. Everything else lies below
//! `.skillmount-store/`. The `ETag` is the modification time and size: our own writes stamp strictly increasing times,
//! and a change by hand gets a new time from the system. Each change is checked and made under a file lock, which
//! excludes threads and processes alike, and takes effect by a rename, so that readers see old or new, also after a
//! crash.
//!
//! Symbolic links are never followed; each request checks for them. That is no defence against a process that swaps
//! folders for links at the same moment: it could change the files anyway.

mod disk;
mod files;
mod layout;
mod list;
mod listings;
mod read;
mod shard;
mod side;
mod turns;
mod version;
mod walk;
mod write;

use std::{path::Path, sync::Arc, time::Duration};

use async_trait::async_trait;
use bytes::Bytes;
use tokio::{
    sync::OwnedMutexGuard,
    time::{Instant, timeout_at},
};

use self::{
    disk::Disk,
    layout::{StoreLayout, lock_index},
    shard::Shard,
};
pub(super) use self::{
    layout::OWN,
    read::{open_seen, read_version},
    version::FileStamp,
};
use super::{
    Capabilities, Cause, DeleteOptions, GetOptions, ListOptions, ListPage, Object, ObjectMeta, PutOptions, PutResult,
    Store, StoreError, StoreResult, backoff::Backoff, disk::unusable,
};
use skillmount_base::{
    clock::Clock,
    limits::LOCK_TIMEOUT,
    path::{KeyPrefix, ObjectKey},
};

/// The first pause before a held lock is tried again; it doubles up to [`LAST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_millis(1);
/// The longest pause between tries. Two processes that write without pause still find each other's gaps.
const LAST_PAUSE: Duration = Duration::from_millis(10);

/// Objects as files below one folder. Any number of handles, in any number of processes, may share the folder.
///
/// ```
/// use std::{fs, sync::Arc};
///
/// use skillmount_base::{clock::SystemClock, path::KeyPrefix};
/// use skillmount_store::{DirectoryStore, PutOptions, Store, StoreExt};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let folder = folder.path();
/// let store = DirectoryStore::open(folder, Arc::new(SystemClock::new()))?;
/// store.put(&KeyPrefix::all().key("anna/notes.md")?, "text".into(), PutOptions::default()).await?;
/// assert_eq!(fs::read_to_string(folder.join("anna/notes.md"))?, "text");
///
/// // What another program puts there is an object too.
/// fs::write(folder.join("anna/by-hand.md"), "text")?;
/// assert_eq!(store.list_all(&KeyPrefix::all(), 10).await?.0.len(), 2);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct DirectoryStore {
    disk: Arc<Disk>,
}

impl DirectoryStore {
    /// Opens the store in the folder `root`, which is created if it does not exist; `clock` stamps writes. A folder
    /// that can only be read is opened for reading, and each change is `Denied` with the reason. Blocks.
    ///
    /// # Errors
    /// `Unsupported` for a disk that folds names (upper and lower case, or accents composed and decomposed), because
    /// there two keys could reach one object; `Denied` or `Unavailable` if the folder cannot be used.
    pub fn open(root: impl AsRef<Path>, clock: Arc<dyn Clock>) -> StoreResult<Self> {
        let layout = StoreLayout::open(root.as_ref())?;
        Ok(Self { disk: Arc::new(Disk::new(layout, clock)) })
    }

    /// Runs `work` on a thread that may block. It ends even if the caller no longer waits.
    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Disk) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        let disk = Arc::clone(&self.disk);
        tokio::task::spawn_blocking(move || work(&disk)).await.unwrap_or_else(|stopped| {
            // A panic, or the runtime is shutting down: the progress of the work is unknown.
            Err(StoreError::unknown(stopped))
        })
    }

    /// Runs `work` under the lock of `key`. Once begun it ends even if the caller no longer waits.
    ///
    /// Only the first of the queue for a lock tries the file lock, which another process may hold. It returns between
    /// tries and does not wait inside the system, so a stuck lock holds a caller until its deadline, and never a thread
    /// that reading needs.
    async fn locked<T, W>(&self, key: &ObjectKey, work: W) -> StoreResult<T>
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

/// The result of trying a lock.
enum LockAttempt<T, W> {
    Done(T),
    /// Another holder has it. The turn and the work are returned.
    Held(OwnedMutexGuard<()>, W),
}

#[async_trait]
impl Store for DirectoryStore {
    fn capabilities(&self) -> Capabilities {
        Capabilities { conditional_delete: true, ..Capabilities::default() }
    }

    async fn get(&self, key: &ObjectKey, options: GetOptions) -> StoreResult<Object> {
        let key = key.clone();
        self.blocking(move |disk| read::get(disk, &key, &options)).await
    }

    async fn put(&self, key: &ObjectKey, bytes: Bytes, options: PutOptions) -> StoreResult<PutResult> {
        let name = key.clone();
        self.locked(key, move |disk, shard| write::put(disk, shard, &name, &bytes, options)).await
    }

    async fn head(&self, key: &ObjectKey) -> StoreResult<ObjectMeta> {
        let key = key.clone();
        self.blocking(move |disk| read::head(disk, &key)).await
    }

    async fn list(&self, prefix: &KeyPrefix, options: ListOptions) -> StoreResult<ListPage> {
        let prefix = prefix.clone();
        self.blocking(move |disk| list::list(disk, &prefix, &options)).await
    }

    async fn delete(&self, key: &ObjectKey, options: DeleteOptions) -> StoreResult<()> {
        let name = key.clone();
        self.locked(key, move |disk, _held| write::delete(disk, &name, &options)).await
    }
}
