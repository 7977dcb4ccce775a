//! The conformance suite on the stores and layers that need nothing but this machine, and on one that it must refuse.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use skillmount::{
    limits::CONTENT_CACHE_BYTES,
    path::{KeyPrefix, ObjectKey},
    store::{
        Breaker, Cached, Capabilities, DeleteOptions, GetOptions, Ledger, ListOptions, ListPage, MemoryStore, Metered,
        Object, ObjectMeta, PutOptions, PutResult, SharedStore, Store, StoreResult,
        testing::{Faulty, conformance},
    },
};

use crate::support::{clock, directory_in_memory, temporary_directory};

fn metered(store: SharedStore) -> SharedStore {
    Arc::new(Metered::new(store, Arc::new(Ledger::new())))
}

fn cached(store: SharedStore) -> SharedStore {
    Arc::new(Cached::new(store, CONTENT_CACHE_BYTES, clock()))
}

fn breaker(store: SharedStore) -> SharedStore {
    Arc::new(Breaker::new(store, KeyPrefix::all()))
}

fn faulty(store: SharedStore) -> SharedStore {
    Arc::new(Faulty::new(store))
}

async fn on_memory(layer: fn(SharedStore) -> SharedStore) {
    conformance(layer(Arc::new(MemoryStore::new())), &KeyPrefix::all()).await;
}

/// Below a layer the disk itself is not what is tested.
async fn on_a_directory(layer: fn(SharedStore) -> SharedStore) {
    let (_folder, store) = directory_in_memory();
    conformance(layer(store), &KeyPrefix::all().folder("some/prefix").unwrap()).await;
}

// S-TREE-4: Every store and layer is held to the same tree by one suite, and only a lack that it declares excuses it.
#[tokio::test(flavor = "multi_thread")]
async fn memory_conforms() {
    let found = conformance(Arc::new(MemoryStore::new()), &KeyPrefix::all()).await;
    assert_eq!((found.passed.len(), found.excused.len()), (29, 0), "what lacks nothing is excused from nothing");
}

#[tokio::test(flavor = "multi_thread")]
async fn memory_that_is_like_s3_conforms() {
    for layer in [|store| store, metered, cached, faulty] {
        conformance(layer(Arc::new(MemoryStore::like_s3())), &KeyPrefix::all()).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_layer_over_memory_conforms() {
    for layer in [metered, cached, breaker, faulty] {
        on_memory(layer).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_directory_conforms() {
    let (_folder, store) = temporary_directory();
    conformance(store, &KeyPrefix::all()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_layer_over_a_directory_conforms() {
    for layer in [metered, cached, faulty] {
        on_a_directory(layer).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pile_of_all_layers_conforms() {
    on_a_directory(|store| cached(metered(faulty(store)))).await;
}

/// A store that writes whatever the condition says.
#[derive(Debug)]
struct Careless(MemoryStore);

#[async_trait]
impl Store for Careless {
    fn capabilities(&self) -> Capabilities {
        self.0.capabilities()
    }

    async fn get(&self, key: &ObjectKey, options: GetOptions) -> StoreResult<Object> {
        self.0.get(key, options).await
    }

    async fn put(&self, key: &ObjectKey, bytes: Bytes, options: PutOptions) -> StoreResult<PutResult> {
        self.0.put(key, bytes, PutOptions::default().with_metadata(options.metadata)).await
    }

    async fn head(&self, key: &ObjectKey) -> StoreResult<ObjectMeta> {
        self.0.head(key).await
    }

    async fn list(&self, prefix: &KeyPrefix, options: ListOptions) -> StoreResult<ListPage> {
        self.0.list(prefix, options).await
    }

    async fn delete(&self, key: &ObjectKey, options: DeleteOptions) -> StoreResult<()> {
        self.0.delete(key, options).await
    }
}

#[tokio::test]
async fn a_store_that_breaks_a_promise_is_refused() {
    let run = tokio::spawn(async { conformance(Arc::new(Careless(MemoryStore::new())), &KeyPrefix::all()).await });
    assert!(run.await.unwrap_err().is_panic(), "the suite passed a store that ignores conditions");
}
