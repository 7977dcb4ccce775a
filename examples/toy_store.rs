//! A store that is written outside the crate, held to all that a store promises.
//!
//! ```text
//! cargo run --example toy_store --features testing
//! ```
//!
//! It keeps objects in a map behind a mutex, so every verb is atomic without further thought. What is the same for every
//! store comes from `store::rules`. A store on a remote service has the same five verbs to write, and the same suites to
//! pass.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use bytes::Bytes;
use skillmount::{
    clock::{Clock, SystemClock},
    path::{ETag, KeyPrefix, ObjectKey},
    store::{
        Capabilities, DeleteOptions, FileAndFolder, GetOptions, ListEntry, ListOptions, ListPage, Object, ObjectMeta,
        PutOptions, PutResult, Store, StoreError, StoreResult,
        rules::{check_get, check_put, clip, page},
        testing::{Conformance, conformance, conformance_of_two},
    },
};

/// A handle on objects by key. Clones share the objects.
#[derive(Clone, Debug)]
pub(crate) struct ToyStore {
    state: Arc<Mutex<State>>,
    clock: Arc<dyn Clock>,
}

#[derive(Debug, Default)]
struct State {
    objects: BTreeMap<String, Toy>,
    /// How many writes there were: the number of its write is the tag of a version.
    writes: u64,
}

/// One object.
#[derive(Clone, Debug)]
struct Toy {
    meta: ObjectMeta,
    bytes: Bytes,
}

#[tokio::main]
#[expect(clippy::print_stdout, reason = "it is what the program is for")]
async fn main() {
    for found in run_the_suites().await {
        println!("\n{} behaviours hold, and {} are lacking", found.passed.len(), found.excused.len());
    }
}

/// Holds a new toy store to both suites, which print each behaviour that they try.
pub(crate) async fn run_the_suites() -> [Conformance; 2] {
    let store = ToyStore::new(Arc::new(SystemClock::new()));
    let one = conformance(Arc::new(store.clone()), &KeyPrefix::all()).await;
    let two = conformance_of_two(|| Arc::new(store.clone()), &KeyPrefix::all()).await;
    [one, two]
}

impl ToyStore {
    /// An empty store. `clock` stamps writes.
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Self {
        Self { state: Arc::default(), clock }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, key: &ObjectKey) -> StoreResult<Toy> {
        self.state().objects.get(key.as_str()).cloned().ok_or(StoreError::NotFound)
    }
}

#[async_trait]
impl Store for ToyStore {
    fn capabilities(&self) -> Capabilities {
        Capabilities { file_and_folder: FileAndFolder::Held, any_key: true, ..Capabilities::default() }
    }

    async fn get(&self, key: &ObjectKey, options: GetOptions) -> StoreResult<Object> {
        let Toy { meta, bytes } = self.find(key)?;
        check_get(&options, &meta.etag)?;
        let range = clip(options.range, meta.size)?;
        let at = |offset| usize::try_from(offset).unwrap_or(usize::MAX);
        Ok(Object { bytes: bytes.slice(at(range.start)..at(range.end)), range, meta })
    }

    async fn put(&self, key: &ObjectKey, bytes: Bytes, options: PutOptions) -> StoreResult<PutResult> {
        // The lock is held from the check to the write, so nothing comes in between.
        let mut state = self.state();
        check_put(&options.condition, state.objects.get(key.as_str()).map(|toy| &toy.meta.etag))?;
        state.writes += 1;
        let etag = ETag::new(&format!("toy-{}", state.writes));
        let size = bytes.len() as u64;
        let meta = ObjectMeta { size, etag: etag.clone(), modified_at: self.clock.now(), metadata: options.metadata };
        state.objects.insert(key.as_str().to_owned(), Toy { meta, bytes });
        Ok(PutResult { etag })
    }

    async fn head(&self, key: &ObjectKey) -> StoreResult<ObjectMeta> {
        self.find(key).map(|toy| toy.meta)
    }

    async fn list(&self, prefix: &KeyPrefix, options: ListOptions) -> StoreResult<ListPage> {
        let state = self.state();
        let below = state.objects.iter().filter(|(key, _)| prefix.relative(key).is_some());
        page(prefix, &options, below.map(|(key, toy)| entry(key, &toy.meta)))
    }

    async fn delete(&self, key: &ObjectKey, _options: DeleteOptions) -> StoreResult<()> {
        self.state().objects.remove(key.as_str());
        Ok(())
    }
}

fn entry(key: &str, meta: &ObjectMeta) -> ListEntry {
    ListEntry { key: key.to_owned(), size: meta.size, etag: meta.etag.clone(), modified_at: meta.modified_at }
}
