//! A store in a folder of plain files, which needs nothing else installed.
//!
//! An object is the file that its key names, so any tool can read and change it. Everything else lies below
//! `.skillmount-store/`. The `ETag` is the modification time and size: our own writes stamp strictly increasing times,
//! and a change by hand gets a new time from the system. Each change is checked and made under a file lock, which
//! excludes threads and processes alike, and takes effect by a rename, so that readers see old or new, also after a
//! crash.
//!
//! Symbolic links are never followed; each request checks for them. That is no defence against a process that swaps
//! folders for links at the same moment: it could change the files anyway.

mod layout;
mod listings;
mod read;
mod shard;
mod side;
mod turns;
mod version;
mod walk;
mod write;

use std::{
    path::Path,
    sync::{Arc, atomic::AtomicU64},
};

use async_trait::async_trait;
use bytes::Bytes;

use super::{
    Capabilities, DeleteOptions, FileAndFolder, GetOptions, ListOptions, ListPage, Object, ObjectMeta, PutOptions,
    PutResult, Store, StoreError, StoreResult,
};
use crate::{
    clock::Clock,
    path::{KeyPrefix, ObjectKey},
};
use layout::Layout;
use listings::Listings;
use turns::Turns;

/// Objects as files below one folder. Any number of handles, in any number of processes, may share the folder.
///
/// ```
/// use std::{fs, sync::Arc};
///
/// use skillmount::{
///     clock::SystemClock,
///     path::KeyPrefix,
///     store::{DirectoryStore, PutOptions, Store, StoreExt},
/// };
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

/// Runs the blocking work.
#[derive(Debug)]
struct Disk {
    layout: Layout,
    clock: Arc<dyn Clock>,
    turns: Turns,
    listings: Listings,
    /// The number of folders read so far, which is the cost of listings.
    folders_read: Arc<AtomicU64>,
}

impl DirectoryStore {
    /// Opens the store in the folder `root`, which is created if it does not exist; `clock` stamps writes. A folder
    /// that can only be read is opened for reading, and each change is `Denied` with the reason. Blocks.
    ///
    /// # Errors
    /// `Unsupported` for a disk that folds names (upper and lower case, or accents composed and decomposed), because
    /// there two keys could reach one object; `Denied` or `Unavailable` if the folder cannot be used.
    pub fn open(root: impl AsRef<Path>, clock: Arc<dyn Clock>) -> StoreResult<Self> {
        let layout = Layout::open(root.as_ref())?;
        let disk =
            Disk { layout, clock, turns: Turns::new(), listings: Listings::default(), folders_read: Arc::default() };
        Ok(Self { disk: Arc::new(disk) })
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
}

#[async_trait]
impl Store for DirectoryStore {
    fn capabilities(&self) -> Capabilities {
        Capabilities { conditional_delete: true, file_and_folder: FileAndFolder::Refused, any_key: false }
    }

    async fn get(&self, key: &ObjectKey, options: GetOptions) -> StoreResult<Object> {
        let key = key.clone();
        self.blocking(move |disk| disk.get(&key, &options)).await
    }

    async fn put(&self, key: &ObjectKey, bytes: Bytes, options: PutOptions) -> StoreResult<PutResult> {
        let name = key.clone();
        self.locked(key, move |disk, shard| disk.put(shard, &name, &bytes, options)).await
    }

    async fn head(&self, key: &ObjectKey) -> StoreResult<ObjectMeta> {
        let key = key.clone();
        self.blocking(move |disk| disk.head(&key)).await
    }

    async fn list(&self, prefix: &KeyPrefix, options: ListOptions) -> StoreResult<ListPage> {
        let prefix = prefix.clone();
        self.blocking(move |disk| disk.list(&prefix, &options)).await
    }

    async fn delete(&self, key: &ObjectKey, options: DeleteOptions) -> StoreResult<()> {
        let name = key.clone();
        self.locked(key, move |disk, _held| disk.delete(&name, &options)).await
    }
}
