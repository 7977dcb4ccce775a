//! What only the directory store promises: plain files that other tools, other processes and crashes may touch.

mod files;
mod links;
mod processes;
mod trouble;

use std::{fs, path::Path, sync::Arc};

use bytes::Bytes;
use skillmount::{
    clock::Clock as _,
    path::{ETag, KeyPrefix, ObjectKey},
    store::{
        DeleteOptions, GetOptions, ListOptions, Metadata, Object, PutCondition, PutOptions, SharedStore, Store,
        StoreError, StoreExt, StoreResult,
    },
};

use crate::support::{SetClock, clock, directory, directory_in_memory, temporary_directory};

fn key(name: &str) -> ObjectKey {
    KeyPrefix::all().key(name).unwrap()
}

async fn put_if(store: &dyn Store, name: &str, text: &str, condition: PutCondition) -> StoreResult<ETag> {
    let metadata = Metadata::from([("text".to_owned(), text.to_owned())]);
    let bytes = Bytes::copy_from_slice(text.as_bytes());
    store
        .put(&key(name), bytes, PutOptions::default().with_condition(condition).with_metadata(metadata))
        .await
        .map(|put| put.etag)
}

async fn put(store: &dyn Store, name: &str, text: &str) -> ETag {
    put_if(store, name, text, PutCondition::Always).await.unwrap()
}

async fn get(store: &dyn Store, name: &str) -> StoreResult<Object> {
    store.get(&key(name), GetOptions::default()).await
}

async fn delete(store: &dyn Store, name: &str) {
    store.delete(&key(name), DeleteOptions::default()).await.unwrap();
}

async fn names(store: &dyn Store) -> Vec<String> {
    let (entries, _) = store.list_all(&KeyPrefix::all(), 10_000).await.unwrap();
    entries.into_iter().map(|entry| entry.key).collect()
}

/// The files in the store's own folder `name`.
fn own_files(root: &Path, name: &str) -> Vec<String> {
    let entries = fs::read_dir(root.join(".skillmount-store").join(name)).unwrap();
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    files.sort_unstable();
    files
}
