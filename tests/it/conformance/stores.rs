//! The stores and layers that need nothing but this machine.

use std::sync::Arc;

use skillmount::{
    limits::CONTENT_CACHE_BYTES,
    path::KeyPrefix,
    store::{Cached, Faulty, Ledger, MemoryStore, Metered, SharedStore},
};

use super::run_all;
use crate::support::{clock, directory_in_memory, temporary_directory};

fn metered(store: SharedStore) -> SharedStore {
    Arc::new(Metered::new(store, Arc::new(Ledger::new())))
}

fn cached(store: SharedStore) -> SharedStore {
    Arc::new(Cached::new(store, CONTENT_CACHE_BYTES, clock()))
}

fn faulty(store: SharedStore) -> SharedStore {
    Arc::new(Faulty::new(store))
}

async fn on_memory(layer: fn(SharedStore) -> SharedStore) {
    run_all(layer(Arc::new(MemoryStore::new())), &KeyPrefix::all()).await;
}

/// Below a layer the disk itself is not what is tested.
async fn on_a_directory(layer: fn(SharedStore) -> SharedStore) {
    let (_folder, store) = directory_in_memory();
    run_all(layer(store), &KeyPrefix::all().folder("some/prefix").unwrap()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn memory_conforms() {
    on_memory(|store| store).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn memory_that_is_like_s3_conforms() {
    for layer in [|store| store, metered, cached, faulty] {
        run_all(layer(Arc::new(MemoryStore::like_s3())), &KeyPrefix::all()).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_layer_over_memory_conforms() {
    for layer in [metered, cached, faulty] {
        on_memory(layer).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_directory_conforms() {
    let (_folder, store) = temporary_directory();
    run_all(store, &KeyPrefix::all()).await;
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
