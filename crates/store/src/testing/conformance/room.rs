//! A room of its own for each behaviour, and what behaviours ask of a store in it.

use std::sync::Arc;

use bytes::Bytes;

use crate::{
    Capabilities, GetOptions, ListOptions, ListPage, Object, PutCondition, PutOptions, SharedStore, StoreError,
    StoreExt as _, StoreResult,
};
use skillmount_base::path::{ETag, KeyPrefix, ObjectKey};

/// A store and a prefix in it that no other behaviour uses.
#[derive(Clone)]
pub(super) struct Room {
    pub(super) store: SharedStore,
    pub(super) prefix: KeyPrefix,
}

impl Room {
    /// A room in the folder `name` below `run`.
    pub(super) fn new(store: &SharedStore, run: &KeyPrefix, name: &str) -> Self {
        Self { store: Arc::clone(store), prefix: run.folder(name).unwrap() }
    }

    pub(super) fn can(&self) -> Capabilities {
        self.store.capabilities()
    }

    pub(super) fn key(&self, name: &str) -> ObjectKey {
        self.prefix.key(name).unwrap()
    }

    pub(super) async fn put(&self, name: &str, text: &str) -> ETag {
        self.put_if(name, text, PutCondition::Always).await.unwrap()
    }

    pub(super) async fn put_if(&self, name: &str, text: &str, condition: PutCondition) -> StoreResult<ETag> {
        let options = PutOptions { condition, ..PutOptions::default() };
        let bytes = Bytes::copy_from_slice(text.as_bytes());
        self.store.put(&self.key(name), bytes, options).await.map(|put| put.etag)
    }

    /// Creates `name`, again while the store is busy; false if another writer created it.
    pub(super) async fn creates(&self, name: &str, text: &str) -> bool {
        loop {
            match self.put_if(name, text, PutCondition::IfAbsent).await {
                Ok(_) => return true,
                Err(StoreError::PreconditionFailed) => return false,
                Err(StoreError::Busy) => {}
                Err(error) => panic!("{error:?}"),
            }
        }
    }

    pub(super) async fn get(&self, name: &str, options: GetOptions) -> StoreResult<Object> {
        self.store.get(&self.key(name), options).await
    }

    pub(super) async fn text(&self, name: &str) -> StoreResult<String> {
        let object = self.get(name, GetOptions::default()).await?;
        assert!(object.is_whole());
        Ok(String::from_utf8(object.bytes.to_vec()).unwrap())
    }

    pub(super) async fn list(&self, options: ListOptions) -> ListPage {
        self.store.list(&self.prefix, options).await.unwrap()
    }

    /// The names of all objects, below the room's prefix.
    pub(super) async fn names(&self) -> Vec<String> {
        let (entries, more) = self.store.list_all(&self.prefix, 10_000).await.unwrap();
        assert!(!more);
        entries.iter().map(|entry| self.name(&entry.key)).collect()
    }

    pub(super) fn name(&self, key: &str) -> String {
        self.prefix.relative(key).unwrap_or_else(|| panic!("{key} is not below {}", self.prefix)).to_owned()
    }
}
