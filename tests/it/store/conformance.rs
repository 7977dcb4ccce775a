//! The conformance suite on the stores and layers that need nothing but this machine, and on one that it must refuse.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use skillmount::{
    limits::CONTENT_CACHE_BYTES,
    path::{KeyPrefix, ObjectKey},
    store::{
        CachingStore, Capabilities, CircuitBreaker, CountingStore, DeleteOptions, FileAndFolder, GetOptions,
        KNOWN_STORES, ListOptions, ListPage, LoggingStore, MemoryStore, Object, ObjectMeta, PageToken, PutCondition,
        PutOptions, PutResult, RequestCounts, SharedStore, Store, StoreExt as _, StoreResult,
        testing::{Conformance, Faulty, conformance, conformance_of_two},
    },
};

use crate::support::{clock, directory, directory_in_memory, temporary_directory};

fn metered(store: SharedStore) -> SharedStore {
    Arc::new(CountingStore::new(store, Arc::new(RequestCounts::new())))
}

fn logged(store: SharedStore) -> SharedStore {
    Arc::new(LoggingStore::new(store))
}

fn cached(store: SharedStore) -> SharedStore {
    Arc::new(CachingStore::new(store, CONTENT_CACHE_BYTES, clock()))
}

fn breaker(store: SharedStore) -> SharedStore {
    Arc::new(CircuitBreaker::new(store, KeyPrefix::all()))
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

// S-TREE-4: One suite holds every store and store layer to the same tree, and excuses only a lack that the store
// declares.
#[tokio::test(flavor = "multi_thread")]
async fn memory_conforms() {
    let found = conformance(Arc::new(MemoryStore::new()), &KeyPrefix::all()).await;
    assert_eq!((found.passed.len(), found.excused.len()), (32, 0), "what lacks nothing is excused from nothing");
}

#[tokio::test(flavor = "multi_thread")]
async fn memory_that_is_like_s3_conforms() {
    for layer in [|store| store, metered, logged, cached, faulty] {
        conformance(layer(Arc::new(MemoryStore::like_s3())), &KeyPrefix::all()).await;
        conformance(layer(Arc::new(MemoryStore::versioned())), &KeyPrefix::all()).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_layer_over_memory_conforms() {
    for layer in [metered, logged, cached, breaker, faulty] {
        on_memory(layer).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_directory_conforms() {
    let (_folder, store) = temporary_directory();
    conformance(store, &KeyPrefix::all()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn memory_conforms_behind_two_handles() {
    let memory = Arc::new(MemoryStore::new());
    for layer in [|store| store, metered, logged, cached, faulty] {
        let found = conformance_of_two(|| layer(memory.clone()), &KeyPrefix::all()).await;
        assert_eq!((found.passed.len(), found.excused.len()), (5, 0));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_directory_conforms_behind_two_handles() {
    let (folder, _) = directory_in_memory();
    conformance_of_two(|| directory(folder.path()), &KeyPrefix::all()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_layer_over_a_directory_conforms() {
    for layer in [metered, logged, cached, faulty] {
        on_a_directory(layer).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pile_of_all_layers_conforms() {
    on_a_directory(|store| cached(logged(metered(faulty(store))))).await;
}

/// A memory store that breaks one promise.
#[derive(Debug, Default)]
struct Broken {
    memory: MemoryStore,
    /// It writes whatever the condition says.
    is_careless: bool,
    /// It gives the first page for a token that it does not know.
    takes_any_token: bool,
    /// It gives pages of any size.
    pages_without_end: bool,
    /// What it declares.
    capabilities: Option<Capabilities>,
}

#[async_trait]
impl Store for Broken {
    fn capabilities(&self) -> Capabilities {
        self.capabilities.unwrap_or(self.memory.capabilities())
    }

    async fn get(&self, key: &ObjectKey, options: GetOptions) -> StoreResult<Object> {
        self.memory.get(key, options).await
    }

    async fn put(&self, key: &ObjectKey, bytes: Bytes, mut options: PutOptions) -> StoreResult<PutResult> {
        if self.is_careless {
            options.condition = PutCondition::Always;
        }
        self.memory.put(key, bytes, options).await
    }

    async fn head(&self, key: &ObjectKey) -> StoreResult<ObjectMeta> {
        self.memory.head(key).await
    }

    async fn list(&self, prefix: &KeyPrefix, mut options: ListOptions) -> StoreResult<ListPage> {
        if self.takes_any_token && options.page.as_ref().is_some_and(|PageToken(token)| !token.ends_with('\0')) {
            options.page = None;
        }
        let most = options.max_entries;
        let mut page = self.memory.list(prefix, options).await?;
        if self.pages_without_end && most.is_some_and(|most| most > 1000) && page.next.is_some() {
            page.objects = self.memory.list_all(prefix, 10_000).await?.0;
        }
        Ok(page)
    }

    async fn delete(&self, key: &ObjectKey, options: DeleteOptions) -> StoreResult<()> {
        self.memory.delete(key, options).await
    }
}

/// The message with which the suite `run` refuses a store.
async fn refusal(run: impl Future<Output = Conformance> + Send + 'static) -> String {
    let panic = tokio::spawn(run).await.unwrap_err().into_panic();
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap()
}

#[tokio::test]
async fn a_store_that_breaks_a_promise_is_refused() {
    let broken = |change: fn(&mut Broken)| {
        let mut store = Broken::default();
        change(&mut store);
        refusal(async { conformance(Arc::new(store), &KeyPrefix::all()).await })
    };
    assert!(broken(|store| store.is_careless = true).await.starts_with("Ok("), "it ignores conditions");
    assert!(broken(|store| store.takes_any_token = true).await.starts_with("Ok("), "it takes any token");
    let message = broken(|store| store.pages_without_end = true).await;
    assert!(message.contains("1,000 entries at most"), "{message}");
}

// S-TREE-4: One suite holds every store and store layer to the same tree, and excuses only a lack that the store
// declares.
#[tokio::test]
async fn a_store_that_declares_the_wrong_tree_is_told_what_to_declare() {
    let holding_both = Broken { memory: MemoryStore::like_s3(), ..declaring(FileAndFolder::Refused) };
    for (store, advice) in [
        (holding_both, "the store declares Refused; refuse with IsFolder, or declare FileAndFolder::Held"),
        (
            declaring(FileAndFolder::Held),
            "IsFolder): the store declares Held; hold both, or declare FileAndFolder::Refused",
        ),
    ] {
        let message = refusal(async { conformance(Arc::new(store), &KeyPrefix::all()).await }).await;
        assert!(message.contains(advice), "{message}");
    }
}

fn declaring(file_and_folder: FileAndFolder) -> Broken {
    let mut capabilities = MemoryStore::new().capabilities();
    capabilities.file_and_folder = file_and_folder;
    Broken { capabilities: Some(capabilities), ..Broken::default() }
}

#[tokio::test]
async fn handles_that_share_nothing_are_refused() {
    let run = refusal(async { conformance_of_two(|| Arc::new(MemoryStore::new()), &KeyPrefix::all()).await });
    assert!(run.await.contains("NotFound"), "each handle is a store of its own");
}

// A key that no path can name cannot be put through the port, so another tool puts it here.
#[tokio::test]
async fn a_store_of_any_key_lists_those_that_no_path_can_name() {
    let memory = MemoryStore::new();
    assert!(memory.capabilities().any_key);
    let long = "n".repeat(256);
    let keys = ["../b", "a//b", &long];
    for key in keys {
        memory.put_raw(key, "x");
        assert!(KeyPrefix::all().admit(key).is_none(), "{key}");
    }
    let (entries, _) = memory.list_all(&KeyPrefix::all(), 10).await.unwrap();
    assert_eq!(entries.iter().map(|entry| entry.key.as_str()).collect::<Vec<_>>(), keys);
    let (_folder, directory) = directory_in_memory();
    assert!(!directory.capabilities().any_key, "no file has such a name");
}

#[test]
fn the_page_on_buckets_has_the_row_of_each_known_store() {
    let page = include_str!("../../../docs/book/reference/stores.md");
    for known in KNOWN_STORES {
        let service = if known.is_read_only { "only reads" } else { "decides by the race" };
        let row = format!("| {} | {} | {service} |\n", known.name, known.quirk);
        assert!(page.contains(&row), "docs/book/reference/stores.md has no {row}");
    }
}
