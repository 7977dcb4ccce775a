//! The port to object storage: five verbs, each atomic on one key.
//!
//! The decision that shapes it: a `get` returns bytes, not a stream. Objects larger than [`limits::CHUNK_BYTES`] are
//! read in ranges under `if_match`, so a retry always covers the body too, memory is bounded by the chunk, and two
//! versions of an object can never be spliced together. Three stores implement it (S3, a directory, memory), layers wrap
//! any of them ([`Metered`], [`Cached`], [`Breaker`], [`Faulty`]), and one conformance suite runs on all.
//!
//! [`limits::CHUNK_BYTES`]: crate::limits::CHUNK_BYTES

mod backoff;
mod breaker;
mod cached;
mod cause;
mod commit;
mod directory;
mod error;
mod faulty;
mod known_names;
mod memory;
mod metered;
mod newest;
mod probe;
#[cfg(feature = "s3")]
mod s3;
mod verb;

use std::{collections::BTreeMap, fmt, ops::Range, sync::Arc};

use async_trait::async_trait;
use bytes::Bytes;
use jiff::Timestamp;

pub use breaker::Breaker;
pub use cached::Cached;
pub use cause::Cause;
pub use commit::{Base, Commit, Committer, Mark};
pub use directory::DirectoryStore;
pub use error::{StoreError, Trouble};
pub use faulty::{Fault, Faulty};
pub use memory::MemoryStore;
pub use metered::{Ledger, LedgerCounts, Metered, Requests, Tally};
pub use probe::{Conditions, probe_conditions};
#[cfg(feature = "s3")]
pub use s3::{S3Options, S3Store};
pub use verb::Verb;

use crate::path::{ETag, KeyPrefix, ObjectKey};

/// A store behind any number of layers.
pub type SharedStore = Arc<dyn Store>;

/// What the fallible verbs return.
pub type StoreResult<T> = Result<T, StoreError>;

/// User metadata of an object: small, lower-case ASCII names, ASCII values, 2 KB in all as on S3.
pub type Metadata = BTreeMap<String, String>;

/// What is known of an object without its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectMeta {
    /// The whole object, in bytes.
    pub size: u64,
    /// Which version this is.
    pub etag: ETag,
    /// When it was written.
    pub modified_at: Timestamp,
    /// What the writer attached; empty in listings.
    pub metadata: Metadata,
}

/// Bytes of an object, all from one version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// The object they belong to.
    pub meta: ObjectMeta,
    /// Which bytes of it these are; shorter than asked for where the object ends.
    pub range: Range<u64>,
    /// The bytes themselves.
    pub bytes: Bytes,
}

impl Object {
    /// Whether `bytes` is the whole object.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.range.start == 0 && self.range.end == self.meta.size
    }
}

/// How to get.
#[derive(Clone, Debug, Default)]
pub struct GetOptions {
    /// Which bytes; all of them where `None`. A range that starts at or after the end gives
    /// [`StoreError::RangeNotSatisfiable`], but `0..n` of an empty object gives no bytes.
    pub range: Option<Range<u64>>,
    /// Only this version: otherwise [`StoreError::PreconditionFailed`] (or `NotFound`).
    pub if_match: Option<ETag>,
    /// Not this version: otherwise [`StoreError::NotModified`].
    pub if_none_match: Option<ETag>,
    /// The newest version this process has seen will do, without asking the store: for a base that a conditional write
    /// is going to check anyway. Stores without memory of their own ignore it.
    pub remembered: bool,
    /// How long a layer with a memory keeps what it returns. Stores without one ignore it.
    pub keep: Keep,
}

/// How long a layer with a memory keeps an object that was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// As long as it is the newest version, and there is room.
    #[default]
    Newest,
    /// As long as there is room: this version will be asked for by its tag.
    Pinned,
    /// Not at all: it is looked at once.
    Not,
}

impl GetOptions {
    /// The bytes `range` of the newest version.
    #[must_use]
    pub fn range(range: Range<u64>) -> Self {
        Self { range: Some(range), ..Self::default() }
    }

    /// All bytes of exactly this version.
    #[must_use]
    pub fn pinned(etag: ETag) -> Self {
        Self { if_match: Some(etag), ..Self::default() }
    }
}

/// What must hold for a put to land.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum PutCondition {
    /// Nothing: the last writer wins.
    #[default]
    Always,
    /// No object of that key exists.
    IfAbsent,
    /// The object is still this version; `NotFound` where it is gone.
    IfMatch(ETag),
}

/// How to put.
#[derive(Clone, Debug, Default)]
pub struct PutOptions {
    /// What must hold.
    pub condition: PutCondition,
    /// What to attach.
    pub metadata: Metadata,
}

/// What a put left behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PutResult {
    /// The version that was written.
    pub etag: ETag,
}

/// How to list one page.
#[derive(Clone, Debug, Default)]
pub struct ListOptions {
    /// Whether keys with a further `/` are rolled up into `folders`.
    pub delimiter: bool,
    /// Only keys after this one, in byte order.
    pub start_after: Option<String>,
    /// Where the previous page ended; carries the other options' meaning on.
    pub page: Option<PageToken>,
    /// Entries of a page, 1 to 1,000; 1,000 where `None`.
    pub max_entries: Option<usize>,
}

/// Where a page of a listing ended; opaque, good for the same prefix and options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageToken(pub String);

/// One object of a listing. The key is as the store has it: it may be one no virtual path can name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListEntry {
    /// The whole key.
    pub key: String,
    /// Bytes.
    pub size: u64,
    /// Which version.
    pub etag: ETag,
    /// When it was written.
    pub modified_at: Timestamp,
}

/// One page of a listing, in byte order of keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListPage {
    /// Objects.
    pub objects: Vec<ListEntry>,
    /// With a delimiter: the prefixes that were rolled up, each ending in `/`.
    pub folders: Vec<String>,
    /// Where to go on; `None` on the last page.
    pub next: Option<PageToken>,
}

/// How to delete.
#[derive(Clone, Debug, Default)]
pub struct DeleteOptions {
    /// Only this version, where the store can ([`Capabilities::conditional_delete`]).
    pub if_match: Option<ETag>,
}

/// What a store can do beyond the least: the only excuses the conformance suite takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// `DELETE` honours `if_match`.
    pub conditional_delete: bool,
    /// What becomes of a put that would make a path a file and a folder.
    pub file_and_folder: FileAndFolder,
    /// Keys may hold segments over 255 bytes, empty segments and `.`/`..`: anything, as on S3.
    pub any_key: bool,
}

/// What a store does with a put that would make a path a file and a folder at once: `a` beside `a/b`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileAndFolder {
    /// It refuses the second of the two: [`StoreError::BelowFile`], [`StoreError::IsFolder`].
    Refused,
    /// It refuses the second if this process knows of the first, and sends no request to find out.
    RefusedIfKnown,
    /// It holds both, as S3 does.
    Held,
}

/// Object storage, one key at a time. Object-safe; layers forward every method.
///
/// Every verb is atomic per key, and after a successful `put` or `delete` every later `get`, `head` and `list`, by
/// whatever process, sees it.
#[async_trait]
pub trait Store: fmt::Debug + Send + Sync {
    /// What this store can do.
    fn capabilities(&self) -> Capabilities;

    /// Bytes of an object.
    async fn get(&self, key: &ObjectKey, options: GetOptions) -> StoreResult<Object>;

    /// Writes a whole object.
    async fn put(&self, key: &ObjectKey, bytes: Bytes, options: PutOptions) -> StoreResult<PutResult>;

    /// What is known of an object, metadata included.
    async fn head(&self, key: &ObjectKey) -> StoreResult<ObjectMeta>;

    /// One page of the keys below `prefix`. The pages of one listing may lack what was written after it began.
    async fn list(&self, prefix: &KeyPrefix, options: ListOptions) -> StoreResult<ListPage>;

    /// Removes an object. Removing what is not there succeeds.
    async fn delete(&self, key: &ObjectKey, options: DeleteOptions) -> StoreResult<()>;
}

/// Conveniences over the five verbs.
#[async_trait]
pub trait StoreExt: Store {
    /// Every object below `prefix`, page after page, up to `most` of them; the flag says whether there are more.
    ///
    /// # Errors
    /// The first page that fails; a page token that repeats, which a broken store may do forever.
    async fn list_all(&self, prefix: &KeyPrefix, most: usize) -> StoreResult<(Vec<ListEntry>, bool)> {
        let mut entries = Vec::new();
        let mut page = None;
        loop {
            let options = ListOptions { page: page.clone(), ..ListOptions::default() };
            let listed = self.list(prefix, options).await?;
            entries.extend(listed.objects);
            if entries.len() > most {
                entries.truncate(most);
                return Ok((entries, true));
            }
            match listed.next {
                None => return Ok((entries, false)),
                next if next == page => return Err(StoreError::broken("the store repeats a page of a listing")),
                next => page = next,
            }
        }
    }
}

impl<S: Store + ?Sized> StoreExt for S {}
