//! The trait [`Store`]: the promises of every store and every layer for each verb.

use std::{fmt, sync::Arc};

use async_trait::async_trait;
use bytes::Bytes;

use super::{
    DeleteOptions, GetOptions, ListEntry, ListOptions, ListPage, Object, ObjectMeta, PurgeReply, PutOptions, PutResult,
    StoreError, StoreResult, StoreServer, Tags,
};
use skillmount_base::path::{ETag, KeyPrefix, ObjectKey};

/// A store behind any number of layers.
pub type SharedStore = Arc<dyn Store>;

/// The capabilities of a store beyond the minimum. The conformance suite accepts no other exceptions.
///
/// The default lacks all that is optional, and refuses a path that is both file and folder. A flat map declares
/// [`Held`](FileAndFolder::Held). A store outside this crate begins with the default and changes what differs:
///
/// ```
/// use skillmount_store::{Capabilities, FileAndFolder};
///
/// let mut capabilities = Capabilities::default();
/// capabilities.file_and_folder = FileAndFolder::Held;
/// capabilities.any_key = true;
/// assert!(!capabilities.conditional_delete);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a capability by itself")]
pub struct Capabilities {
    /// [`delete`](Store::delete) honours `if_match`. A store without this may ignore the condition. The service then reads the
    /// version first, and sends the condition too.
    pub conditional_delete: bool,
    /// The effect of a put that would make a path both a file and a folder.
    pub file_and_folder: FileAndFolder,
    /// Keys may have segments over 255 bytes, empty segments and `.`/`..`, as on S3. The service makes no such key, but
    /// other tools may. The suite cannot test it, because no [`ObjectKey`] is such a key.
    pub any_key: bool,
    /// Objects keep the tags of [`PutOptions::tags`] and [`tag`](Store::tag). A store without this writes objects untagged.
    pub tags: bool,
    /// [`purge`](Store::purge) removes versions for good. A store without this keeps no earlier versions.
    pub versions: bool,
}

/// How a store treats a put that would make a path both a file and a folder: `a` beside `a/b`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FileAndFolder {
    /// It refuses the second of the two: [`StoreError::BelowFile`], [`StoreError::IsFolder`].
    #[default]
    Refused,
    /// It holds both, as S3 does.
    Held,
}

/// Object storage, one key at a time.
///
/// # Promises of every verb
///
/// * **It is atomic for its key.** A reader sees an old version or a new one, never a part of either. There is no
///   operation on two keys.
/// * **It is visible at once.** After a `put` or `delete` has succeeded, every later `get`, `head` and `list` of any
///   process sees it.
/// * **A version has one tag.** Equal `ETag`s on one key mean equal bytes; a tag is opaque and need not be a digest.
/// * **A dropped future may have sent its request.** A change that was under way may still land.
///
/// # Errors
///
/// [`StoreError`] is named by the possible reactions of the caller. These can come from any verb:
///
/// | error | meaning | changed anything |
/// |---|---|---|
/// | [`Unsupported`](StoreError::Unsupported) | the store cannot hold such a key or do such a thing | no |
/// | [`Denied`](StoreError::Denied) | credentials, a policy, a full disk: an operator must fix it | no |
/// | [`Unavailable`](StoreError::Unavailable) | no answer, or a transient failure | its `outcome` says |
///
/// `Unavailable` with the outcome `Unknown` comes from `put` and `delete` only. A store returns it if the request may
/// have been carried out, and it never sends such a request again itself: [`Committer`](super::Committer) finds out the
/// outcome of a put. A read changes nothing, so a store may retry it as often as its deadline allows.
///
/// # Writing a store
///
/// Implement the first five verbs and [`capabilities`](Self::capabilities); [`rules`](super::rules) has what is the
/// same for every store. Then run two suites on it (feature `testing`). `skillmount_store::testing::conformance` checks
/// the behaviours that one handle can show. `conformance_of_two` checks that a second handle sees a change and that
/// objects outlive their handle. Test yourself that objects survive a crash of the process, and that a failure has the
/// right outcome.
///
/// `examples/toy_store.rs` is a whole store with its runs. The trait is object-safe, because layers are joined at run
/// time; a layer forwards every method.
#[async_trait]
pub trait Store: fmt::Debug + Send + Sync {
    /// The capabilities of this store. They are the same for its whole life.
    ///
    /// ```
    /// use skillmount_store::{MemoryStore, Store};
    ///
    /// assert!(MemoryStore::new().capabilities().conditional_delete);
    /// ```
    fn capabilities(&self) -> Capabilities;

    /// The server behind the store, from one request; `None` for a store on this machine, as here.
    async fn server(&self) -> Option<StoreServer> {
        None
    }

    /// One store for each address of the server, for a race between them. Empty if there is one address, as here.
    async fn addresses(&self) -> Vec<SharedStore> {
        Vec::new()
    }

    /// Reads bytes of an object, all from one version: the whole, or the range in `options`.
    ///
    /// A range that reaches over the end is cut there. `0..n` of an empty object is no bytes. Metadata comes with any
    /// range.
    ///
    /// # Races
    /// Several ranges are from one version only if each `get` names it by `if_match`.
    ///
    /// # Errors
    /// `NotFound` if there is no such object. `PreconditionFailed` if `if_match` names another version; a key without
    /// an object may answer either. `NotModified` if `if_none_match` names this version. `RangeNotSatisfiable` if the
    /// range starts at the end or after it.
    ///
    /// ```
    /// use skillmount_base::path::KeyPrefix;
    /// use skillmount_store::{GetOptions, MemoryStore, PutOptions, Store, StoreError};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let store = MemoryStore::new();
    /// let key = KeyPrefix::all().key("u1/notes.md")?;
    /// store.put(&key, "0123456789".into(), PutOptions::default()).await?;
    ///
    /// let part = store.get(&key, GetOptions::range(8..99)).await?;
    /// assert_eq!((part.bytes.as_ref(), part.range, part.meta.size), (b"89".as_slice(), 8..10, 10));
    ///
    /// let unless = GetOptions::default().with_if_none_match(part.meta.etag);
    /// assert!(matches!(store.get(&key, unless).await, Err(StoreError::NotModified)));
    /// # Ok(())
    /// # }
    /// ```
    async fn get(&self, key: &ObjectKey, options: GetOptions) -> StoreResult<Object>;

    /// Writes a whole object with its metadata. Both replace the old ones.
    ///
    /// # Races
    /// Of many puts with [`IfAbsent`](super::PutCondition::IfAbsent), and of many with
    /// [`IfMatch`](super::PutCondition::IfMatch) on one version, one lands at most. A put without a condition always
    /// lands, and the last one stays.
    ///
    /// # Errors
    /// `PreconditionFailed` if the condition does not hold; `NotFound` for `IfMatch` on an object that is gone, which
    /// is not created again; `Busy` if another conditional write was under way. Then nothing was changed: try again.
    ///
    /// ```
    /// use skillmount_base::path::KeyPrefix;
    /// use skillmount_store::{MemoryStore, PutCondition, PutOptions, Store, StoreError};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let store = MemoryStore::new();
    /// let key = KeyPrefix::all().key("u1/notes.md")?;
    /// let only = |condition| PutOptions::default().with_condition(condition);
    ///
    /// let first = store.put(&key, "first".into(), only(PutCondition::IfAbsent)).await?;
    /// store.put(&key, "second".into(), only(PutCondition::IfMatch(first.etag.clone()))).await?;
    /// let late = store.put(&key, "late".into(), only(PutCondition::IfMatch(first.etag))).await;
    /// assert!(matches!(late, Err(StoreError::PreconditionFailed)));
    /// # Ok(())
    /// # }
    /// ```
    async fn put(&self, key: &ObjectKey, bytes: Bytes, options: PutOptions) -> StoreResult<PutResult>;

    /// Reads the description of an object, metadata included, without its bytes.
    ///
    /// # Errors
    /// `NotFound` if there is no such object.
    ///
    /// ```
    /// use skillmount_base::path::KeyPrefix;
    /// use skillmount_store::{Metadata, MemoryStore, PutOptions, Store};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let store = MemoryStore::new();
    /// let key = KeyPrefix::all().key("u1/notes.md")?;
    /// let metadata = Metadata::from([("author".to_owned(), "u1".to_owned())]);
    /// let written = store.put(&key, "text".into(), PutOptions::default().with_metadata(metadata)).await?;
    ///
    /// let meta = store.head(&key).await?;
    /// assert_eq!((meta.size, meta.etag, meta.metadata["author"].as_str()), (4, written.etag, "u1"));
    /// # Ok(())
    /// # }
    /// ```
    async fn head(&self, key: &ObjectKey) -> StoreResult<ObjectMeta>;

    /// Lists one page of the keys below `prefix`, in byte order. With `delimiter`, keys that have a further `/` are
    /// rolled up into `folders`.
    ///
    /// A page has at most 1,000 entries, objects and folders together. Entries have no metadata. Keys are in the form
    /// of the store: [`KeyPrefix::admit`] returns the keys that a path could name. A prefix without objects has an
    /// empty page.
    ///
    /// # Races
    /// The pages of one listing may lack objects written after it began, and may contain objects deleted since.
    ///
    /// # Errors
    /// `Unsupported` for a page token that this store did not make.
    ///
    /// ```
    /// use skillmount_base::path::KeyPrefix;
    /// use skillmount_store::{ListOptions, MemoryStore, PutOptions, Store};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let store = MemoryStore::new();
    /// for name in ["u1/a.md", "u1/drafts/b.md", "u10/c.md"] {
    ///     store.put(&KeyPrefix::all().key(name)?, "text".into(), PutOptions::default()).await?;
    /// }
    ///
    /// let options = ListOptions::default().with_delimiter();
    /// let page = store.list(&KeyPrefix::all().folder("u1")?, options).await?;
    /// assert_eq!(page.objects[0].key, "u1/a.md");
    /// assert_eq!((page.folders, page.next), (vec!["u1/drafts/".to_owned()], None));
    /// # Ok(())
    /// # }
    /// ```
    async fn list(&self, prefix: &KeyPrefix, options: ListOptions) -> StoreResult<ListPage>;

    /// Removes an object. Removing a missing one succeeds.
    ///
    /// # Races
    /// Without `if_match`, a delete removes the version that is there when it arrives. A store without
    /// [`Capabilities::conditional_delete`] may treat every delete so.
    ///
    /// # Errors
    /// `PreconditionFailed` if `if_match` names another version.
    ///
    /// ```
    /// use skillmount_base::path::KeyPrefix;
    /// use skillmount_store::{DeleteOptions, MemoryStore, PutOptions, Store, StoreError};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let store = MemoryStore::new();
    /// let key = KeyPrefix::all().key("u1/notes.md")?;
    /// let old = store.put(&key, "old".into(), PutOptions::default()).await?;
    /// store.put(&key, "new".into(), PutOptions::default()).await?;
    ///
    /// let late = store.delete(&key, DeleteOptions::default().with_if_match(old.etag)).await;
    /// assert!(matches!(late, Err(StoreError::PreconditionFailed)));
    /// store.delete(&key, DeleteOptions::default()).await?;
    /// store.delete(&key, DeleteOptions::default()).await?;
    /// # Ok(())
    /// # }
    /// ```
    async fn delete(&self, key: &ObjectKey, options: DeleteOptions) -> StoreResult<()>;

    /// Replaces the tags of an object. The bytes, the version and the time stay.
    ///
    /// # Errors
    /// `NotFound` if there is no such object; `Unsupported` from a store without [`Capabilities::tags`], as here.
    async fn tag(&self, key: &ObjectKey, tags: Tags) -> StoreResult<()> {
        let _ = (key, tags);
        Err(StoreError::Unsupported("this store keeps no tags".to_owned()))
    }

    /// Removes up to 1,000 versions of objects below `prefix` for good: the objects, their earlier versions, and the
    /// marks of deletes, whatever their keys. Each call begins at the first key that is left.
    ///
    /// # Races
    /// Versions written meanwhile may stay.
    ///
    /// # Errors
    /// `Unsupported` from a store without [`Capabilities::versions`], as here, and from a server that lists no versions. A
    /// version that cannot be removed is in the answer.
    async fn purge(&self, prefix: &KeyPrefix) -> StoreResult<PurgeReply> {
        let _ = prefix;
        Err(StoreError::Unsupported("this store keeps no versions".to_owned()))
    }
}

/// Conveniences over the verbs, for every store.
#[async_trait]
pub trait StoreExt: Store {
    /// Lists all pages of the objects below `prefix`, up to `most` objects. The flag is true if there are more.
    ///
    /// # Errors
    /// The error of the first page that fails. A page token that repeats, as from a broken store, is an error too.
    ///
    /// ```
    /// use skillmount_base::path::KeyPrefix;
    /// use skillmount_store::{MemoryStore, StoreExt};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let store = MemoryStore::new();
    /// for key in ["u1/a", "u1/b", "u1/c"] {
    ///     store.put_raw(key, "text");
    /// }
    /// let (entries, has_more) = store.list_all(&KeyPrefix::all(), 2).await?;
    /// assert_eq!((entries.len(), has_more), (2, true));
    /// # Ok(())
    /// # }
    /// ```
    async fn list_all(&self, prefix: &KeyPrefix, most: usize) -> StoreResult<(Vec<ListEntry>, bool)> {
        let mut entries = Vec::new();
        let mut page = None;
        loop {
            let options = ListOptions { page: page.clone(), ..ListOptions::default() };
            let listed = self.list(prefix, options).await?;
            let next = listed.next_after(page.as_ref());
            entries.extend(listed.objects);
            if entries.len() > most {
                entries.truncate(most);
                return Ok((entries, true));
            }
            page = next?;
            if page.is_none() {
                return Ok((entries, false));
            }
        }
    }

    /// Removes an object if it still has the version `etag`. A store that may ignore the condition is asked for the version just before.
    ///
    /// # Errors
    /// `PreconditionFailed` if another version is there; `NotFound` if the store says that the object is gone; the store's.
    ///
    /// ```
    /// use skillmount_base::path::KeyPrefix;
    /// use skillmount_store::{MemoryStore, StoreError, StoreExt};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let store = MemoryStore::new();
    /// let (old, new) = (store.put_raw("u1/a", "old"), store.put_raw("u1/a", "new"));
    /// let key = KeyPrefix::all().key("u1/a")?;
    /// assert!(matches!(store.delete_version(&key, &old).await, Err(StoreError::PreconditionFailed)));
    /// store.delete_version(&key, &new).await?;
    /// # Ok(())
    /// # }
    /// ```
    async fn delete_version(&self, key: &ObjectKey, etag: &ETag) -> StoreResult<()> {
        if !self.capabilities().conditional_delete && self.head(key).await?.etag != *etag {
            return Err(StoreError::PreconditionFailed);
        }
        self.delete(key, DeleteOptions::default().with_if_match(etag.clone())).await
    }
}

impl<S: Store + ?Sized> StoreExt for S {}
