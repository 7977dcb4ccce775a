//! A store in a folder of plain files: the one that needs nothing else installed.
//!
//! An object is the file its key names, so any tool can read and change it; what a file cannot say lies beside, below
//! `.skillmount-store/`. Its `ETag` is modification time and size: our own writes stamp times that strictly increase, a
//! change by hand gets a new time from the system. Each change is checked and made under a file lock, exactly among
//! threads and processes, and reaches its place by a rename, so that whoever reads or crashes sees old or new.
//!
//! Symbolic links are never followed; they are looked for at each request. That is no defence against somebody who
//! swaps folders for links at the same moment: who can do that can change the files anyway.

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

/// What the blocking work is done on.
#[derive(Debug)]
struct Disk {
    layout: Layout,
    clock: Arc<dyn Clock>,
    turns: Turns,
    listings: Listings,
    /// How many folders were read so far: what listings cost.
    folders_read: Arc<AtomicU64>,
}

impl DirectoryStore {
    /// The store in the folder `root`, which is made where it does not exist; `clock` stamps what is written. A folder that
    /// can only be read is opened for reading, and each change is `Denied` with the reason. Blocks.
    ///
    /// # Errors
    /// `Unsupported` for a disk that takes two spellings for one name (upper and lower case, or accents composed and
    /// decomposed), because there one object could be reached by two keys; `Denied` or `Unavailable` where the folder
    /// cannot be used.
    pub fn open(root: impl AsRef<Path>, clock: Arc<dyn Clock>) -> StoreResult<Self> {
        let layout = Layout::open(root.as_ref())?;
        let disk =
            Disk { layout, clock, turns: Turns::new(), listings: Listings::default(), folders_read: Arc::default() };
        Ok(Self { disk: Arc::new(disk) })
    }

    /// Runs `work` where it may block. It is carried to its end even if the caller no longer waits.
    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Disk) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        let disk = Arc::clone(&self.disk);
        tokio::task::spawn_blocking(move || work(&disk)).await.unwrap_or_else(|stopped| {
            // A panic, or the runtime is going down: how far the work came cannot be told.
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
