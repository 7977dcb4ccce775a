//! What each of the five verbs of [`Store`](super::Store) is asked with, and what it answers.

use std::{collections::BTreeMap, ops::Range};

use bytes::Bytes;
use jiff::Timestamp;

use crate::path::ETag;

/// One of the verbs of [`Store`](super::Store).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verb {
    /// `get`.
    Get,
    /// `put`.
    Put,
    /// `head`.
    Head,
    /// `list`.
    List,
    /// `delete`.
    Delete,
}

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

/// How to get. The default asks for the whole of the newest version.
///
/// ```
/// use skillmount::{path::ETag, store::GetOptions};
///
/// let first_kilobyte = GetOptions::range(0..1024);
/// let one_version = GetOptions::pinned(ETag::new("v7"));
/// let if_changed = GetOptions { if_none_match: Some(ETag::new("v7")), ..GetOptions::default() };
/// # assert!(first_kilobyte.range.is_some() && one_version.if_match == if_changed.if_none_match);
/// ```
#[derive(Clone, Debug, Default)]
pub struct GetOptions {
    /// Which bytes; all of them if `None`. A range that starts at or after the end gives
    /// [`StoreError::RangeNotSatisfiable`](super::StoreError::RangeNotSatisfiable), but `0..n` of an empty object gives no bytes.
    pub range: Option<Range<u64>>,
    /// Only this version: otherwise [`StoreError::PreconditionFailed`](super::StoreError::PreconditionFailed) (or `NotFound`).
    pub if_match: Option<ETag>,
    /// Not this version: otherwise [`StoreError::NotModified`](super::StoreError::NotModified).
    pub if_none_match: Option<ETag>,
    /// The newest version this process has seen will do, without asking the store: for a base that a conditional write
    /// is going to check anyway. Stores without memory of their own ignore it.
    pub remembered: bool,
    /// How long a layer with a memory keeps what it returns. Stores without one ignore it.
    pub keep: Keep,
}

/// How long a layer with a memory keeps an object that was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
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
///
/// A store that meets a condition which it does not know answers [`StoreError::Unsupported`] and writes nothing.
///
/// [`StoreError::Unsupported`]: super::StoreError::Unsupported
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
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

/// Where a page of a listing ended. It is opaque to callers, and good for the same prefix and options only.
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
    /// Only this version, where the store can ([`Capabilities::conditional_delete`](super::Capabilities::conditional_delete)).
    pub if_match: Option<ETag>,
}
