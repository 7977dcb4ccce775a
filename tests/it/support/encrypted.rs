//! A store like a bucket that a key of KMS encrypts: its tags have the form of an MD5, and are not that of the bytes.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use skillmount::{
    path::{ETag, KeyPrefix, ObjectKey},
    store::{
        Capabilities, DeleteOptions, GetOptions, ListOptions, ListPage, MemoryStore, Object, ObjectMeta, PutCondition,
        PutOptions, PutResult, Store, StoreError,
    },
};

type StoreResult<T> = Result<T, StoreError>;

#[derive(Debug)]
pub(crate) struct Encrypted {
    inner: Arc<MemoryStore>,
}

impl Encrypted {
    /// Over a store that tags objects by their bytes.
    pub(crate) fn new(inner: Arc<MemoryStore>) -> Arc<Self> {
        Arc::new(Self { inner })
    }
}

/// The tag here of an object that has `tag` below, and the other way round.
fn turned(tag: &ETag) -> ETag {
    ETag::new(&tag.as_str().chars().rev().collect::<String>())
}

#[async_trait]
impl Store for Encrypted {
    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }

    async fn get(&self, key: &ObjectKey, mut options: GetOptions) -> StoreResult<Object> {
        options.if_match = options.if_match.as_ref().map(turned);
        options.if_none_match = options.if_none_match.as_ref().map(turned);
        let mut object = self.inner.get(key, options).await?;
        object.meta.etag = turned(&object.meta.etag);
        Ok(object)
    }

    async fn put(&self, key: &ObjectKey, bytes: Bytes, mut options: PutOptions) -> StoreResult<PutResult> {
        if let PutCondition::IfMatch(tag) = &options.condition {
            options.condition = PutCondition::IfMatch(turned(tag));
        }
        let PutResult { etag } = self.inner.put(key, bytes, options).await?;
        Ok(PutResult { etag: turned(&etag) })
    }

    async fn head(&self, key: &ObjectKey) -> StoreResult<ObjectMeta> {
        let meta = self.inner.head(key).await?;
        Ok(ObjectMeta { etag: turned(&meta.etag), ..meta })
    }

    async fn list(&self, prefix: &KeyPrefix, options: ListOptions) -> StoreResult<ListPage> {
        let mut page = self.inner.list(prefix, options).await?;
        for entry in &mut page.objects {
            entry.etag = turned(&entry.etag);
        }
        Ok(page)
    }

    async fn delete(&self, key: &ObjectKey, mut options: DeleteOptions) -> StoreResult<()> {
        options.if_match = options.if_match.as_ref().map(turned);
        self.inner.delete(key, options).await
    }
}
