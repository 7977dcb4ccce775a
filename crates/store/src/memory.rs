//! A store in memory: for tests, for trials, and as the model for the other stores.
//!
//! A path in it is a file or a folder, as in a directory. A store made [like S3](MemoryStore::like_s3) holds both. A
//! [versioned](MemoryStore::versioned) store keeps replaced and deleted versions, as a versioned bucket does. One mutex
//! around one sorted map makes every verb atomic; the code is simple on purpose.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Bound,
    sync::{Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use bytes::Bytes;
use jiff::Timestamp;

use super::{
    Capabilities, DeleteOptions, FileAndFolder, GetOptions, ListEntry, ListOptions, ListPage, Object, ObjectMeta,
    PurgeReply, PurgedVersion, PutOptions, PutResult, Store, StoreError, StoreResult, Tags,
    rules::{check_get, check_put, clip, page},
};
use skillmount_base::path::{ETag, KeyPrefix, ObjectKey};

/// Versions that one purge removes at most. The next purge removes the rest.
const PURGED: usize = 1000;

/// Objects in a map. Lost with the process.
///
/// ```
/// use skillmount_base::path::KeyPrefix;
/// use skillmount_store::{GetOptions, MemoryStore, Store};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let store = MemoryStore::new();
/// store.put_raw("anna/notes.md", "text");
/// let object = store.get(&KeyPrefix::all().key("anna/notes.md")?, GetOptions::default()).await?;
/// assert_eq!(object.bytes, "text");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Default)]
#[must_use]
pub struct MemoryStore {
    state: Mutex<State>,
    is_like_s3: bool,
    is_versioned: bool,
    tagging: Tagging,
}

/// Where the `ETag` of a new version comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Tagging {
    /// The number of the write in the store.
    #[default]
    Number,
    /// The bytes, as on S3 without a key of KMS.
    Content,
    /// The bytes, and how often they were written to the key. So a second write of equal bytes has another tag, as on
    /// S3 with a key of KMS and in a folder.
    ContentAndWrites,
}

#[derive(Clone, Debug, Default)]
struct State {
    objects: BTreeMap<String, StoredObject>,
    /// The sizes of earlier versions, and a zero for each mark of a delete.
    earlier: BTreeMap<String, Vec<u64>>,
    writes: u64,
    /// How often each content was written to a key.
    written: BTreeMap<(String, ETag), u64>,
}

#[derive(Clone, Debug)]
struct StoredObject {
    meta: ObjectMeta,
    bytes: Bytes,
    tags: Tags,
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty store that holds `a` beside `a/b`, as S3 does: a substitute for a bucket.
    pub fn like_s3() -> Self {
        Self { is_like_s3: true, ..Self::default() }
    }

    /// An empty store like a versioned bucket. Earlier versions cannot be read; they are there until they are purged.
    pub fn versioned() -> Self {
        Self { is_like_s3: true, is_versioned: true, ..Self::default() }
    }

    /// An empty store [like S3](Self::like_s3) with tags computed from the bytes, as S3 does for an object put in one
    /// request.
    pub fn tagged_by_content() -> Self {
        Self { is_like_s3: true, tagging: Tagging::Content, ..Self::default() }
    }

    /// An empty store [like S3](Self::like_s3) whose tags differ from write to write, also if the bytes are equal. A tag
    /// still names the bytes.
    pub fn tagged_by_write() -> Self {
        Self { is_like_s3: true, tagging: Tagging::ContentAndWrites, ..Self::default() }
    }

    /// A store with the same objects, tags and kind, which changes on its own.
    pub fn copy(&self) -> Self {
        let Self { is_like_s3, is_versioned, tagging, .. } = *self;
        Self { state: Mutex::new(self.lock().clone()), is_like_s3, is_versioned, tagging }
    }

    /// The tags of an object; `None` if there is no such object.
    #[must_use]
    pub fn tags_of(&self, key: &str) -> Option<Tags> {
        self.lock().objects.get(key).map(|stored| stored.tags.clone())
    }

    /// How many earlier versions and marks of deletes there are of keys that begin with `prefix`.
    #[must_use]
    pub fn earlier_versions_below(&self, prefix: &str) -> usize {
        let state = self.lock();
        state.earlier.iter().filter(|(key, _)| key.starts_with(prefix)).map(|(_, versions)| versions.len()).sum()
    }

    /// Puts an object under any key, as another tool could on S3, even under a key that no virtual path can name.
    pub fn put_raw(&self, key: &str, bytes: impl Into<Bytes>) -> ETag {
        self.store(&mut self.lock(), key, bytes.into(), PutOptions::default())
    }

    fn store(&self, state: &mut State, key: &str, bytes: Bytes, options: PutOptions) -> ETag {
        let etag = match self.tagging {
            Tagging::Number => None,
            Tagging::Content => Some(ETag::md5_of(&bytes)),
            Tagging::ContentAndWrites => Some(state.tag_of_write(key, ETag::md5_of(&bytes))),
        };
        state.store(key, bytes, options, etag, self.is_versioned)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A panic under the lock cannot leave the map half changed: every change is one insert or remove.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn find(&self, key: &ObjectKey) -> StoreResult<&StoredObject> {
        self.objects.get(key.as_str()).ok_or(StoreError::NotFound)
    }

    /// Refuses a new object that would make a path both a file and a folder.
    fn check_place(&self, key: &str) -> StoreResult<()> {
        let mut above = key.match_indices('/').filter_map(|(at, _)| key.get(..at));
        if let Some(file) = above.find(|folder| self.objects.contains_key(*folder)) {
            return Err(StoreError::BelowFile(file.to_owned()));
        }
        let inside = format!("{key}/");
        let next = self.objects.range::<str, _>((Bound::Included(inside.as_str()), Bound::Unbounded)).next();
        if next.is_some_and(|(below, _)| below.starts_with(&inside)) { Err(StoreError::IsFolder) } else { Ok(()) }
    }

    /// The tag of the next write of the content that `content` names.
    fn tag_of_write(&mut self, key: &str, content: ETag) -> ETag {
        let tag = content.to_string();
        let writes = self.written.entry((key.to_owned(), content)).or_default();
        *writes += 1;
        ETag::new(&format!("{}-{writes}", tag.trim_matches('"')))
    }

    /// Stores an object with this tag, or with a new tag that no other version has.
    fn store(&mut self, key: &str, bytes: Bytes, options: PutOptions, etag: Option<ETag>, is_versioned: bool) -> ETag {
        self.writes += 1;
        let etag = etag.unwrap_or_else(|| ETag::new(&format!("m{}", self.writes)));
        let size = bytes.len() as u64;
        let PutOptions { metadata, tags, .. } = options;
        let meta = ObjectMeta { size, etag: etag.clone(), modified_at: Timestamp::now(), metadata };
        if let Some(old) = self.objects.insert(key.to_owned(), StoredObject { meta, bytes, tags })
            && is_versioned
        {
            self.earlier.entry(key.to_owned()).or_default().push(old.meta.size);
        }
        etag
    }

    /// Removes up to [`PURGED`] versions below `prefix`.
    fn purge(&mut self, prefix: &KeyPrefix) -> PurgeReply {
        let below = |key: &String| key.starts_with(prefix.as_str());
        let keys: BTreeSet<String> =
            self.objects.keys().chain(self.earlier.keys()).filter(|key| below(key)).cloned().collect();
        let mut purged = PurgeReply::default();
        for key in keys {
            if purged.removed.len() >= PURGED {
                purged.has_more = true;
                break;
            }
            let object = self.objects.remove(&key).map(|stored| (stored.meta.size, true));
            let earlier = self.earlier.remove(&key).unwrap_or_default().into_iter().map(|size| (size, false));
            let versions = object.into_iter().chain(earlier);
            purged.removed.extend(versions.map(|(size, is_object)| PurgedVersion {
                key: key.clone(),
                size,
                is_object,
            }));
        }
        purged
    }
}

#[async_trait]
impl Store for MemoryStore {
    fn capabilities(&self) -> Capabilities {
        let file_and_folder = if self.is_like_s3 { FileAndFolder::Held } else { FileAndFolder::Refused };
        Capabilities { conditional_delete: true, file_and_folder, any_key: true, tags: true, versions: true }
    }

    async fn get(&self, key: &ObjectKey, options: GetOptions) -> StoreResult<Object> {
        let StoredObject { meta, bytes, .. } = self.lock().find(key)?.clone();
        check_get(&options, &meta.etag)?;
        let range = clip(options.range, meta.size)?;
        let window =
            usize::try_from(range.start).unwrap_or(usize::MAX)..usize::try_from(range.end).unwrap_or(usize::MAX);
        Ok(Object { meta, range, bytes: bytes.slice(window) })
    }

    async fn put(&self, key: &ObjectKey, bytes: Bytes, options: PutOptions) -> StoreResult<PutResult> {
        let mut state = self.lock();
        let current = state.objects.get(key.as_str()).map(|stored| &stored.meta.etag);
        check_put(&options.condition, current)?;
        if current.is_none() && !self.is_like_s3 {
            state.check_place(key.as_str())?;
        }
        let etag = self.store(&mut state, key.as_str(), bytes, options);
        Ok(PutResult { etag })
    }

    async fn head(&self, key: &ObjectKey) -> StoreResult<ObjectMeta> {
        self.lock().find(key).map(|stored| stored.meta.clone())
    }

    async fn list(&self, prefix: &KeyPrefix, options: ListOptions) -> StoreResult<ListPage> {
        let state = self.lock();
        let sorted = state.objects.range::<str, _>((Bound::Included(prefix.as_str()), Bound::Unbounded));
        let below = sorted.take_while(|(key, _)| key.starts_with(prefix.as_str()));
        let entries = below.map(|(key, stored)| ListEntry {
            key: key.clone(),
            size: stored.meta.size,
            etag: stored.meta.etag.clone(),
            modified_at: stored.meta.modified_at,
        });
        page(prefix, &options, entries)
    }

    async fn delete(&self, key: &ObjectKey, options: DeleteOptions) -> StoreResult<()> {
        let mut state = self.lock();
        match (state.objects.get(key.as_str()), options.if_match) {
            (Some(stored), Some(wanted)) if stored.meta.etag != wanted => Err(StoreError::PreconditionFailed),
            (None, _) => Ok(()),
            (Some(_), _) => {
                let old = state.objects.remove(key.as_str());
                if let Some(old) = old.filter(|_| self.is_versioned) {
                    state.earlier.entry(key.as_str().to_owned()).or_default().extend([old.meta.size, 0]);
                }
                Ok(())
            }
        }
    }

    async fn tag(&self, key: &ObjectKey, tags: Tags) -> StoreResult<()> {
        let mut state = self.lock();
        let stored = state.objects.get_mut(key.as_str()).ok_or(StoreError::NotFound)?;
        stored.tags = tags;
        Ok(())
    }

    async fn purge(&self, prefix: &KeyPrefix) -> StoreResult<PurgeReply> {
        Ok(self.lock().purge(prefix))
    }
}
