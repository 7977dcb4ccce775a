//! The options and the answer of each verb of [`Store`](super::Store).

use std::{collections::BTreeMap, ops::Range};

use bytes::Bytes;
use jiff::Timestamp;

use super::{StoreError, StoreResult};
use skillmount_base::path::ETag;

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
    /// `tag`.
    Tag,
    /// `purge`.
    Purge,
}

impl Verb {
    /// Its name in logs.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::Put => "put",
            Self::Head => "head",
            Self::List => "list",
            Self::Delete => "delete",
            Self::Tag => "tag",
            Self::Purge => "purge",
        }
    }
}

/// User metadata of an object: small, lower-case ASCII names, ASCII values, 2 KB in all as on S3.
pub type Metadata = BTreeMap<String, String>;

/// Tags of an object, by which rules of the bucket choose objects: up to 10, names and values of ASCII letters, digits and
/// `+ - = . _ : / @`.
pub type Tags = BTreeMap<String, String>;

/// The description of an object, without its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectMeta {
    /// The size of the whole object, in bytes.
    pub size: u64,
    /// The version.
    pub etag: ETag,
    /// The time it was written.
    pub modified_at: Timestamp,
    /// The metadata of the writer; empty in listings.
    pub metadata: Metadata,
}

/// Bytes of an object, all from one version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// The object they belong to.
    pub meta: ObjectMeta,
    /// The range of these bytes; shorter than requested if the object ends earlier.
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

/// The options of a get. The default reads the whole of the newest version.
///
/// ```
/// use skillmount_base::path::ETag;
/// use skillmount_store::GetOptions;
///
/// let first_kilobyte = GetOptions::range(0..1024);
/// let one_version = GetOptions::pinned(ETag::new("v7"));
/// let if_changed = GetOptions::default().with_if_none_match(ETag::new("v7"));
/// # assert!(first_kilobyte.range.is_some() && one_version.if_match == if_changed.if_none_match);
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct GetOptions {
    /// The bytes to read; all if `None`. A range that starts at or after the end is
    /// [`StoreError::RangeNotSatisfiable`](super::StoreError::RangeNotSatisfiable), but `0..n` of an empty object is no
    /// bytes.
    pub range: Option<Range<u64>>,
    /// If set, only this version: otherwise [`StoreError::PreconditionFailed`](super::StoreError::PreconditionFailed)
    /// (or `NotFound`).
    pub if_match: Option<ETag>,
    /// Not this version: otherwise [`StoreError::NotModified`](super::StoreError::NotModified).
    pub if_none_match: Option<ETag>,
    /// The size of the version in `if_match`, if a listing or an earlier answer gave it. A store behind a network rejects an
    /// answer of another size, because a body that is cut can state the length that is left.
    pub size: Option<u64>,
    /// Whether the newest version that this process has seen is enough, without asking the store: for a base that a
    /// conditional write is going to check anyway. Stores without memory ignore it.
    pub remembered: bool,
    /// How long a layer with memory keeps the object. Stores without memory ignore it.
    pub keep: CachePolicy,
}

/// How long a layer with memory keeps an object that was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CachePolicy {
    /// While it is the newest version, and there is room.
    #[default]
    Newest,
    /// While there is room: later gets will name this version.
    Pinned,
    /// Not at all: it is read once.
    Not,
}

impl GetOptions {
    /// The bytes `range` of the newest version.
    pub fn range(range: Range<u64>) -> Self {
        Self { range: Some(range), ..Self::default() }
    }

    /// All bytes of exactly this version, which later gets will name too.
    pub fn pinned(etag: ETag) -> Self {
        Self { if_match: Some(etag), keep: CachePolicy::Pinned, ..Self::default() }
    }

    /// The same, of the bytes `range` only.
    pub fn with_range(self, range: Range<u64>) -> Self {
        Self { range: Some(range), ..self }
    }

    /// The same, of any version but this one.
    pub fn with_if_none_match(self, etag: ETag) -> Self {
        Self { if_none_match: Some(etag), ..self }
    }

    /// The same, of a version of this size, if it is known.
    pub fn with_size(self, size: impl Into<Option<u64>>) -> Self {
        Self { size: size.into(), ..self }
    }

    /// The same, kept in memory as long as `keep` says.
    pub fn with_keep(self, keep: CachePolicy) -> Self {
        Self { keep, ..self }
    }
}

/// The condition of a put.
///
/// A store that does not know a condition returns [`StoreError::Unsupported`] and writes nothing.
///
/// [`StoreError::Unsupported`]: super::StoreError::Unsupported
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum PutCondition {
    /// Nothing: the last writer wins.
    #[default]
    Always,
    /// There is no object of that key.
    IfAbsent,
    /// The object is still this version; `NotFound` if it is gone.
    IfMatch(ETag),
}

/// The options of a put.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct PutOptions {
    /// The condition.
    pub condition: PutCondition,
    /// The metadata to attach.
    pub metadata: Metadata,
    /// The tags to attach. A store that keeps none, or that is not allowed to set them, writes the object without.
    pub tags: Tags,
}

impl PutOptions {
    /// The same under this condition.
    pub fn with_condition(self, condition: PutCondition) -> Self {
        Self { condition, ..self }
    }

    /// The same with this metadata.
    pub fn with_metadata(self, metadata: Metadata) -> Self {
        Self { metadata, ..self }
    }

    /// The same with these tags.
    pub fn with_tags(self, tags: Tags) -> Self {
        Self { tags, ..self }
    }
}

/// The result of a put.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PutResult {
    /// The version that was written.
    pub etag: ETag,
}

/// The options of a listing page.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct ListOptions {
    /// Whether keys with a further `/` are rolled up into `folders`.
    pub delimiter: bool,
    /// Only keys after this one, in byte order.
    pub start_after: Option<String>,
    /// The end of the previous page. The other options must be the same.
    pub page: Option<PageToken>,
    /// Entries of a page, 1 to 1,000; 1,000 if `None`.
    pub max_entries: Option<usize>,
}

impl ListOptions {
    /// The same, with keys that have a further `/` rolled up into `folders`.
    pub fn with_delimiter(self) -> Self {
        Self { delimiter: true, ..self }
    }

    /// The same, of the keys after this one.
    pub fn with_start_after(self, key: impl Into<String>) -> Self {
        Self { start_after: Some(key.into()), ..self }
    }

    /// The same, for the page that begins where the last one ended: [`ListPage::next`], `None` for the first.
    pub fn with_page(self, page: Option<PageToken>) -> Self {
        Self { page, ..self }
    }

    /// The same, with pages of at most `entries`.
    pub fn with_max_entries(self, entries: usize) -> Self {
        Self { max_entries: Some(entries), ..self }
    }
}

/// The end of a listing page. It is opaque to callers, and valid for the same prefix and options only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageToken(pub String);

/// One object of a listing. The key is as the store has it: no virtual path need be able to name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListEntry {
    /// The whole key.
    pub key: String,
    /// The size in bytes.
    pub size: u64,
    /// The version.
    pub etag: ETag,
    /// The time it was written.
    pub modified_at: Timestamp,
}

/// One page of a listing, in byte order of keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListPage {
    /// Objects.
    pub objects: Vec<ListEntry>,
    /// With a delimiter: the prefixes that were rolled up, each ending in `/`.
    pub folders: Vec<String>,
    /// The start of the next page; `None` on the last one.
    pub next: Option<PageToken>,
}

impl ListPage {
    /// Where the page after this one begins, which was asked for at `asked`; `None` after the last.
    ///
    /// # Errors
    /// `Unavailable` if the store gives the same page again, which would go on for ever.
    pub fn next_after(&self, asked: Option<&PageToken>) -> StoreResult<Option<PageToken>> {
        if self.next.is_some() && self.next.as_ref() == asked {
            return Err(StoreError::broken("the store repeats a page of a listing"));
        }
        Ok(self.next.clone())
    }
}

/// The options of a delete.
#[derive(Clone, Debug, Default)]
pub struct DeleteOptions {
    /// Only this version, if the store supports that
    /// ([`Capabilities::conditional_delete`](super::Capabilities::conditional_delete)).
    pub if_match: Option<ETag>,
}

impl DeleteOptions {
    /// The same, of this version only.
    #[must_use]
    pub fn with_if_match(self, etag: ETag) -> Self {
        Self { if_match: Some(etag) }
    }
}

/// One version that [`purge`](super::Store::purge) removed for good.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PurgedVersion {
    /// The whole key, as the store has it.
    pub key: String,
    /// The size in bytes; 0 for a mark of a delete.
    pub size: u64,
    /// Whether it was the object itself, and not an earlier version of it or the mark of a delete.
    pub is_object: bool,
}

/// The result of one call of [`purge`](super::Store::purge).
#[derive(Debug, Default)]
pub struct PurgeReply {
    /// The versions that the call removed.
    pub removed: Vec<PurgedVersion>,
    /// Whether there may be more.
    pub has_more: bool,
    /// Why a version could not be removed, if so.
    pub failed: Option<StoreError>,
}
