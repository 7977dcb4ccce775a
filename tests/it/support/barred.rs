//! A store some of whose objects cannot be read, each with an error of its own.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use async_trait::async_trait;
use bytes::Bytes;
use skillmount::{
    path::{KeyPrefix, ObjectKey},
    store::{
        Capabilities, Cause, DeleteOptions, GetOptions, ListOptions, ListPage, Object, ObjectMeta, PutOptions,
        PutResult, SharedStore, Store, StoreError,
    },
};

type StoreResult<T> = Result<T, StoreError>;

/// What a GET of a barred object comes to; nothing stands for no answer at all.
type Bar = Option<StoreError>;

#[derive(Debug)]
pub(crate) struct Barred {
    inner: SharedStore,
    bars: Mutex<HashMap<String, Bar>>,
}

impl Barred {
    pub(crate) fn new(inner: SharedStore) -> Arc<Self> {
        Arc::new(Self { inner, bars: Mutex::default() })
    }

    /// From now on a GET of `key` gives `error`.
    pub(crate) fn bar(&self, key: &str, error: StoreError) {
        self.bars.lock().unwrap().insert(key.to_owned(), Some(error));
    }

    /// From now on a GET of `key` is never answered.
    pub(crate) fn silence(&self, key: &str) {
        self.bars.lock().unwrap().insert(key.to_owned(), None);
    }

    pub(crate) fn open(&self, key: &str) {
        self.bars.lock().unwrap().remove(key);
    }
}

/// What S3 says of an object that it does not let anybody read.
pub(crate) fn denied() -> StoreError {
    StoreError::denied(Cause::AccessDenied { action: "s3:GetObject".to_owned() }, "AccessDenied")
}

/// What S3 says of an object in an archived storage class.
pub(crate) fn archived() -> StoreError {
    StoreError::denied(Cause::Archived, "InvalidObjectState")
}

#[async_trait]
impl Store for Barred {
    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }

    async fn get(&self, key: &ObjectKey, options: GetOptions) -> StoreResult<Object> {
        let bar = self.bars.lock().unwrap().get(key.as_str()).cloned();
        match bar {
            None => self.inner.get(key, options).await,
            Some(Some(error)) => Err(error),
            Some(None) => std::future::pending().await,
        }
    }

    async fn put(&self, key: &ObjectKey, bytes: Bytes, options: PutOptions) -> StoreResult<PutResult> {
        self.inner.put(key, bytes, options).await
    }

    async fn head(&self, key: &ObjectKey) -> StoreResult<ObjectMeta> {
        self.inner.head(key).await
    }

    async fn list(&self, prefix: &KeyPrefix, options: ListOptions) -> StoreResult<ListPage> {
        self.inner.list(prefix, options).await
    }

    async fn delete(&self, key: &ObjectKey, options: DeleteOptions) -> StoreResult<()> {
        self.inner.delete(key, options).await
    }
}
