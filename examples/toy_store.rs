//! A store that is written outside the crate, held to all that a store promises.
//!
//! ```text
//! cargo run --example toy_store --features testing
//! ```
//!
//! It keeps objects in a map behind a mutex, so every verb is atomic without further thought. A store on a remote
//! service has the same five verbs to write, and the same suite to pass.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use bytes::Bytes;
use jiff::Timestamp;
use skillmount::{
    path::{ETag, KeyPrefix, ObjectKey},
    store::{
        Capabilities, DeleteOptions, FileAndFolder, GetOptions, ListEntry, ListOptions, ListPage, Object, ObjectMeta,
        PageToken, PutCondition, PutOptions, PutResult, Store, StoreError, StoreResult,
        testing::{Conformance, conformance},
    },
};

/// Entries of a page if the caller names no number.
const PAGE: usize = 1000;

/// Objects by key, and how many writes there were: the number of its write is the tag of a version.
#[derive(Debug, Default)]
pub(crate) struct ToyStore {
    state: Mutex<(BTreeMap<String, Toy>, u64)>,
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
    let found = run_the_suite().await;
    println!("\n{} behaviours hold, and {} are lacking", found.passed.len(), found.excused.len());
}

/// Holds a new toy store to the suite, which prints each behaviour that it tries.
pub(crate) async fn run_the_suite() -> Conformance {
    conformance(Arc::new(ToyStore::default()), &KeyPrefix::all()).await
}

impl ToyStore {
    fn state(&self) -> MutexGuard<'_, (BTreeMap<String, Toy>, u64)> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, key: &ObjectKey) -> StoreResult<Toy> {
        self.state().0.get(key.as_str()).cloned().ok_or(StoreError::NotFound)
    }
}

#[async_trait]
impl Store for ToyStore {
    fn capabilities(&self) -> Capabilities {
        let mut capabilities = Capabilities::default();
        capabilities.file_and_folder = FileAndFolder::Held;
        capabilities.any_key = true;
        capabilities
    }

    async fn get(&self, key: &ObjectKey, options: GetOptions) -> StoreResult<Object> {
        let Toy { meta, bytes } = self.find(key)?;
        if options.if_match.is_some_and(|wanted| wanted != meta.etag) {
            return Err(StoreError::PreconditionFailed);
        }
        if options.if_none_match.as_ref() == Some(&meta.etag) {
            return Err(StoreError::NotModified);
        }
        let range = options.range.unwrap_or(0..meta.size);
        if range.start > 0 && range.start >= meta.size {
            return Err(StoreError::RangeNotSatisfiable);
        }
        let range = range.start..range.end.clamp(range.start, meta.size);
        let at = |offset| usize::try_from(offset).unwrap_or(usize::MAX);
        Ok(Object { bytes: bytes.slice(at(range.start)..at(range.end)), range, meta })
    }

    async fn put(&self, key: &ObjectKey, bytes: Bytes, options: PutOptions) -> StoreResult<PutResult> {
        let (objects, writes) = &mut *self.state();
        let there_now = objects.get(key.as_str()).map(|toy| &toy.meta.etag);
        match (options.condition, there_now) {
            (PutCondition::Always, _) | (PutCondition::IfAbsent, None) => {}
            (PutCondition::IfMatch(wanted), Some(now)) if wanted == *now => {}
            (PutCondition::IfMatch(_), None) => return Err(StoreError::NotFound),
            (PutCondition::IfAbsent | PutCondition::IfMatch(_), Some(_)) => return Err(StoreError::PreconditionFailed),
            (unknown, _) => return Err(StoreError::Unsupported(format!("the condition {unknown:?}"))),
        }
        *writes += 1;
        let etag = ETag::new(&format!("toy-{writes}"));
        let size = bytes.len() as u64;
        let meta = ObjectMeta { size, etag: etag.clone(), modified_at: Timestamp::now(), metadata: options.metadata };
        objects.insert(key.as_str().to_owned(), Toy { meta, bytes });
        Ok(PutResult { etag })
    }

    async fn head(&self, key: &ObjectKey) -> StoreResult<ObjectMeta> {
        self.find(key).map(|toy| toy.meta)
    }

    async fn list(&self, prefix: &KeyPrefix, options: ListOptions) -> StoreResult<ListPage> {
        let most = options.max_entries.unwrap_or(PAGE).clamp(1, PAGE);
        let after = options.page.map(|PageToken(last)| last).or(options.start_after).unwrap_or_default();
        let mut page = ListPage::default();
        let mut last = String::new();
        for (key, toy) in &self.state().0 {
            // A folder that ended the page before ends with `/`: nothing in it comes again.
            let is_done = *key <= after || (after.ends_with('/') && key.starts_with(&after));
            let Some(relative) = prefix.relative(key).filter(|_| !is_done) else { continue };
            let folder = relative.split_once('/').filter(|_| options.delimiter);
            let folder = folder.map(|(name, _)| format!("{prefix}{name}/"));
            if folder.is_some() && folder.as_ref() == page.folders.last() {
                continue;
            }
            if page.objects.len() + page.folders.len() == most {
                page.next = Some(PageToken(last));
                break;
            }
            last = folder.clone().unwrap_or_else(|| key.clone());
            match folder {
                Some(folder) => page.folders.push(folder),
                None => page.objects.push(entry(key, &toy.meta)),
            }
        }
        Ok(page)
    }

    async fn delete(&self, key: &ObjectKey, _options: DeleteOptions) -> StoreResult<()> {
        self.state().0.remove(key.as_str());
        Ok(())
    }
}

fn entry(key: &str, meta: &ObjectMeta) -> ListEntry {
    ListEntry { key: key.to_owned(), size: meta.size, etag: meta.etag.clone(), modified_at: meta.modified_at }
}
