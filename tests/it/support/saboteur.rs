//! Damage to the indexes of catalogs, and to the bundles of skills, done while a service works.
//!
//! An index is derived and disposable, and so is a bundle, so each test must pass whatever happens to them. [`sabotage`](super::sabotage)
//! decides whether the services of a test keep indexes and have a [`Saboteur`] below them. A service that is a process
//! of its own has a [`FolderSaboteur`](super::folder_saboteur::FolderSaboteur) beside it. Both are further clients of
//! the bucket, and change objects that are really there.

use std::{
    collections::BTreeMap,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    sync::{Arc, Mutex, MutexGuard},
    time::Duration,
};

use async_trait::async_trait;
use bytes::Bytes;
use jiff::Timestamp;
use rand::{RngExt, SeedableRng, rngs::StdRng};
use skillmount::{
    clock::Clock,
    handle::ServiceOptions,
    path::{KeyPrefix, ObjectKey},
    store::{
        Capabilities, DeleteOptions, GetOptions, ListOptions, ListPage, Metadata, Object, ObjectMeta, PutOptions,
        PutResult, RequestCounts, Requests, SharedStore, Store, StoreResult, Verb,
    },
};

use super::{sabotage::indexes_are_sabotaged, world::seed};

/// How the key of an index ends.
pub(crate) const INDEX: &str = ".skillmount/catalog.json";
/// What the keys of bundles have in them.
pub(crate) const BUNDLES: &str = "/.skillmount/bundles/";
/// How old an index may be that is put back.
pub(super) const OLDEST: Duration = Duration::from_secs(30);

/// Whether the object is made from others, and may become anything.
fn is_derived(key: &str) -> bool {
    key.ends_with(INDEX) || key.contains(BUNDLES)
}

/// What a service under test runs on: `bucket` and `options` as they are, or with indexes and their saboteur. Every
/// service of these tests is made from what this gives.
pub(crate) fn under_test(
    bucket: SharedStore,
    options: ServiceOptions,
    clock: Arc<dyn Clock>,
) -> (SharedStore, ServiceOptions) {
    if indexes_are_sabotaged() {
        (Arc::new(Saboteur::new(bucket, clock)), ServiceOptions { index: true, ..options })
    } else {
        (bucket, options)
    }
}

/// Those of the requests in `ledger`, from the one at `from` on, that are for indexes. Budgets leave them out where a
/// saboteur decides how many there are.
pub(crate) fn requests_for_indexes(ledger: &RequestCounts, from: usize) -> Requests {
    let mut requests = Requests::default();
    for (verb, _) in ledger.asked().split_off(from).iter().filter(|(_, key)| key.ends_with(INDEX)) {
        *match verb {
            Verb::Get => &mut requests.get,
            Verb::Put | Verb::Tag => &mut requests.put,
            Verb::Head => &mut requests.head,
            Verb::List => &mut requests.list,
            Verb::Delete | Verb::Purge => &mut requests.delete,
        } += 1;
    }
    requests
}

/// How many round trips a process that knows nothing spends on an index before it looks at the skills themselves.
pub(crate) fn index_trips() -> u32 {
    u32::from(indexes_are_sabotaged())
}

/// One way to damage an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Deed {
    Delete,
    Truncate,
    FlipBit,
    OtherSchema,
    /// Puts back what it said at most 30 seconds ago.
    PutBack,
}

impl Deed {
    pub(crate) const ALL: [Self; 5] = [Self::Delete, Self::Truncate, Self::FlipBit, Self::OtherSchema, Self::PutBack];

    pub(super) fn any(random: &mut StdRng) -> Self {
        Self::ALL[random.random_range(0..Self::ALL.len())]
    }

    /// What it makes of `index`, which is not empty.
    pub(super) fn damage(self, index: &[u8], random: &mut StdRng) -> Vec<u8> {
        let mut index = index.to_vec();
        match self {
            Self::Truncate => index.truncate(random.random_range(0..index.len())),
            // The first line is short and says the most, so it is met half the time.
            Self::FlipBit => {
                let line = index.iter().position(|byte| *byte == b'\n').unwrap_or(index.len() - 1);
                let end = if random.random() { line } else { index.len() - 1 };
                index[random.random_range(0..=end)] ^= 1 << random.random_range(0..8);
            }
            Self::OtherSchema => {
                let schema = index.iter().position(u8::is_ascii_digit).unwrap_or_default();
                index[schema] = if index[schema] == b'9' { b'8' } else { b'9' };
            }
            Self::Delete | Self::PutBack => panic!("{self:?} damages nothing"),
        }
        index
    }
}

/// Dice that fall alike in every run of the test that throws them, until `SKILLMOUNT_SEED` says otherwise.
pub(super) fn dice() -> StdRng {
    let seed = seed();
    // Shown where the test fails.
    println!(
        "the indexes of this test were sabotaged: SKILLMOUNT_INDEX=sabotaged SKILLMOUNT_SEED={seed} does it again"
    );
    let mut hasher = DefaultHasher::new();
    (seed, std::thread::current().name()).hash(&mut hasher);
    StdRng::seed_from_u64(hasher.finish())
}

/// A store that is `bucket` to whoever uses it, but that before some requests damages an index in `bucket`.
#[derive(Debug)]
pub(crate) struct Saboteur {
    bucket: SharedStore,
    clock: Arc<dyn Clock>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    random: StdRng,
    /// What services wrote, by key.
    written: BTreeMap<ObjectKey, Vec<Written>>,
    /// What it did to which object.
    done: Vec<(String, Deed)>,
    asked: BTreeMap<Verb, u64>,
}

#[derive(Clone, Debug)]
struct Written {
    at: Timestamp,
    bytes: Bytes,
    metadata: Metadata,
}

impl Saboteur {
    pub(crate) fn new(bucket: SharedStore, clock: Arc<dyn Clock>) -> Self {
        let (written, done, asked) = Default::default();
        Self { bucket, clock, state: Mutex::new(State { random: dice(), written, done, asked }) }
    }

    /// How often it did what to objects whose keys contain `part`.
    pub(crate) fn done_to(&self, part: &str) -> BTreeMap<Deed, u64> {
        let mut counts = BTreeMap::new();
        for (_, deed) in self.state().done.iter().filter(|(key, _)| key.contains(part)) {
            *counts.entry(*deed).or_default() += 1;
        }
        counts
    }

    /// How often services asked for an index, by verb.
    pub(crate) fn asked(&self) -> BTreeMap<Verb, u64> {
        self.state().asked.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Damages an index or lets it be, before a request for `key`; never touches another object.
    async fn strike(&self, verb: Verb, key: &str) {
        let Some((key, deed)) = self.state().choose(verb, key) else { return };
        if self.carry_out(&key, deed).await.is_some() {
            self.state().done.push((key.as_str().to_owned(), deed));
        }
    }

    /// `None` where there was nothing to do it to.
    async fn carry_out(&self, key: &ObjectKey, deed: Deed) -> Option<()> {
        let index = self.bucket.get(key, GetOptions::default()).await.ok().map(|object| object.bytes);
        if deed == Deed::PutBack {
            let Written { bytes, metadata, .. } = self.state().earlier(key, self.clock.now(), index.as_ref())?;
            return self.replace(key, bytes, metadata).await;
        }
        let index = index.filter(|index| !index.is_empty())?;
        if deed == Deed::Delete {
            return self.bucket.delete(key, DeleteOptions::default()).await.ok();
        }
        let damaged = deed.damage(&index, &mut self.state().random);
        self.replace(key, damaged.into(), Metadata::new()).await
    }

    async fn replace(&self, key: &ObjectKey, bytes: Bytes, metadata: Metadata) -> Option<()> {
        self.bucket.put(key, bytes, PutOptions::default().with_metadata(metadata)).await.ok().map(drop)
    }
}

impl State {
    /// Which index is to be damaged, and how: every second time that one of the index itself is asked, every eighth time
    /// that something else is.
    fn choose(&mut self, verb: Verb, asked: &str) -> Option<(ObjectKey, Deed)> {
        let (key, odds) = if is_derived(asked) {
            if asked.ends_with(INDEX) {
                *self.asked.entry(verb).or_default() += 1;
            }
            (KeyPrefix::all().key(asked).unwrap(), 2)
        } else {
            let any = self.random.random_range(0..self.written.len().max(1));
            (self.written.keys().nth(any)?.clone(), 8)
        };
        self.random.random_ratio(1, odds).then(|| (key, Deed::any(&mut self.random)))
    }

    /// An index that a service wrote lately, other than `present`.
    fn earlier(&mut self, key: &ObjectKey, now: Timestamp, present: Option<&Bytes>) -> Option<Written> {
        let written = self.written.get(key)?;
        let young = |one: &&Written| now.duration_since(one.at).unsigned_abs() <= OLDEST && Some(&one.bytes) != present;
        let young: Vec<_> = written.iter().filter(young).collect();
        (!young.is_empty()).then(|| young[self.random.random_range(0..young.len())].clone())
    }

    fn remember(&mut self, key: &ObjectKey, written: Written) {
        let known = self.written.entry(key.clone()).or_default();
        known.retain(|one| written.at.duration_since(one.at).unsigned_abs() <= OLDEST);
        known.push(written);
    }
}

#[async_trait]
impl Store for Saboteur {
    fn capabilities(&self) -> Capabilities {
        self.bucket.capabilities()
    }

    async fn get(&self, key: &ObjectKey, options: GetOptions) -> StoreResult<Object> {
        self.strike(Verb::Get, key.as_str()).await;
        self.bucket.get(key, options).await
    }

    async fn put(&self, key: &ObjectKey, bytes: Bytes, options: PutOptions) -> StoreResult<PutResult> {
        self.strike(Verb::Put, key.as_str()).await;
        let written = Written { at: self.clock.now(), bytes: bytes.clone(), metadata: options.metadata.clone() };
        let put = self.bucket.put(key, bytes, options).await?;
        if is_derived(key.as_str()) {
            self.state().remember(key, written);
        }
        Ok(put)
    }

    async fn head(&self, key: &ObjectKey) -> StoreResult<ObjectMeta> {
        self.strike(Verb::Head, key.as_str()).await;
        self.bucket.head(key).await
    }

    async fn list(&self, prefix: &KeyPrefix, options: ListOptions) -> StoreResult<ListPage> {
        self.strike(Verb::List, prefix.as_str()).await;
        self.bucket.list(prefix, options).await
    }

    async fn delete(&self, key: &ObjectKey, options: DeleteOptions) -> StoreResult<()> {
        self.strike(Verb::Delete, key.as_str()).await;
        self.bucket.delete(key, options).await
    }
}
