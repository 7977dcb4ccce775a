//! A layer that counts the requests to the store below it.
//!
//! Requests for session objects are counted separately, because the request budgets of the operations leave them out. A
//! request counts when it is sent, even if it fails or is dropped; bytes count when they have moved.

use std::{
    collections::BTreeMap,
    ops::Sub,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::{SharedStore, StoreError, StoreResult, Verb, layer::impl_layer};

/// Parts of the keys of session objects, see [`UserSpace::sessions`](skillmount_base::path::UserSpace::sessions), and of the use
/// counts that new sessions begin with.
const SESSION_KEYS: [&str; 2] = ["/.skillmount/sessions/", "/.skillmount/uses.json"];

/// A store whose requests are counted in a [`RequestCounts`].
///
/// ```
/// use std::sync::Arc;
///
/// use skillmount_base::path::KeyPrefix;
/// use skillmount_store::{RequestCounts, MemoryStore, CountingStore, StoreExt};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let ledger = Arc::new(RequestCounts::new());
/// let store = CountingStore::new(Arc::new(MemoryStore::new()), ledger.clone());
/// store.list_all(&KeyPrefix::all(), 10).await?;
/// assert_eq!(ledger.counts().objects.requests.list, 1);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct CountingStore {
    inner: SharedStore,
    ledger: Arc<RequestCounts>,
}

impl CountingStore {
    /// Counts every request to `inner` in `ledger`, which several layers may share.
    #[must_use]
    pub fn new(inner: SharedStore, ledger: Arc<RequestCounts>) -> Self {
        Self { inner, ledger }
    }

    async fn around<T>(
        &self,
        verb: Verb,
        key: &str,
        request: impl Future<Output = StoreResult<T>> + Send,
        bytes: impl FnOnce(&T) -> usize + Send,
    ) -> StoreResult<T> {
        self.ledger.count_sent(verb, key);
        let answer = request.await;
        self.ledger.count_answer(verb, key, answer.as_ref().map(bytes));
        answer
    }
}

/// Running counts of requests and bytes; [`counts`](Self::counts) takes a snapshot.
#[derive(Debug, Default)]
#[must_use]
pub struct RequestCounts {
    counts: Mutex<LedgerCounts>,
    endings: Mutex<BTreeMap<(&'static str, &'static str), u64>>,
    asked: Option<Mutex<Vec<(Verb, String)>>>,
}

impl RequestCounts {
    /// A ledger at zero.
    pub fn new() -> Self {
        Self::default()
    }

    /// A ledger that also records each request, without bound: for tests.
    pub fn recording() -> Self {
        Self { asked: Some(Mutex::default()), ..Self::default() }
    }

    /// The counts so far.
    #[must_use]
    pub fn counts(&self) -> LedgerCounts {
        *lock(&self.counts)
    }

    /// How many requests ended so far, by verb and ending: `ok`, `not_found`, `not_modified`, `condition`, `denied`, `unavailable` or
    /// `refused`. A request that its caller dropped has no ending.
    #[must_use]
    pub fn endings(&self) -> BTreeMap<(&'static str, &'static str), u64> {
        lock(&self.endings).clone()
    }

    /// Every request so far with its key, or its prefix for a listing, in order. Empty unless the ledger was made with
    /// [`recording`](Self::recording).
    #[must_use]
    pub fn asked(&self) -> Vec<(Verb, String)> {
        self.asked.as_ref().map_or_else(Vec::new, |asked| lock(asked).clone())
    }

    fn count_sent(&self, verb: Verb, key: &str) {
        if let Some(asked) = &self.asked {
            lock(asked).push((verb, key.to_owned()));
        }
        self.change(key, |VerbCounts { requests, .. }| match verb {
            Verb::Get => requests.get += 1,
            Verb::Put | Verb::Tag => requests.put += 1,
            Verb::Head => requests.head += 1,
            Verb::List => requests.list += 1,
            Verb::Delete | Verb::Purge => requests.delete += 1,
        });
    }

    /// Counts how a request ended, and the bytes that it moved.
    fn count_answer(&self, verb: Verb, key: &str, moved: Result<usize, &StoreError>) {
        let ending = moved.err().map_or("ok", ending);
        *lock(&self.endings).entry((verb.name(), ending)).or_default() += 1;
        self.change(key, |counts| {
            let bytes = if verb == Verb::Put { &mut counts.bytes_written } else { &mut counts.bytes_read };
            *bytes += moved.unwrap_or_default() as u64;
        });
    }

    /// Changes the counts of the objects that `key` belongs to.
    fn change(&self, key: &str, change: impl FnOnce(&mut VerbCounts)) {
        let counts = &mut *lock(&self.counts);
        let is_session = SESSION_KEYS.iter().any(|mark| key.contains(mark));
        change(if is_session { &mut counts.sessions } else { &mut counts.objects });
    }
}

fn lock<T>(counts: &Mutex<T>) -> MutexGuard<'_, T> {
    counts.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The ending of a request that failed.
fn ending(error: &StoreError) -> &'static str {
    match error {
        StoreError::NotFound => "not_found",
        StoreError::NotModified => "not_modified",
        StoreError::PreconditionFailed | StoreError::Busy => "condition",
        StoreError::Denied(_) => "denied",
        StoreError::Unavailable { .. } => "unavailable",
        StoreError::RangeNotSatisfiable
        | StoreError::BelowFile(_)
        | StoreError::IsFolder
        | StoreError::Unsupported(_) => "refused",
    }
}

/// A snapshot of a [`RequestCounts`]. Subtract an earlier one to count what happened in between.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LedgerCounts {
    /// All objects except session objects.
    pub objects: VerbCounts,
    /// Session objects.
    pub sessions: VerbCounts,
}

/// Requests and the bytes they moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VerbCounts {
    /// Requests by verb.
    pub requests: Requests,
    /// Bytes of objects that gets returned.
    pub bytes_read: u64,
    /// Bytes of objects that puts wrote.
    pub bytes_written: u64,
}

/// Requests by verb. Requests that set tags count as puts, and purges count as deletes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "each field is the verb of its name")]
pub struct Requests {
    pub get: u64,
    pub put: u64,
    pub head: u64,
    pub list: u64,
    pub delete: u64,
}

impl Requests {
    /// All verbs together.
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.get + self.put + self.head + self.list + self.delete
    }
}

/// Implements the difference of two counts: that of each number in them.
macro_rules! impl_sub {
    ($($counts:ident { $($field:ident)* })*) => {$(
        impl Sub for $counts {
            type Output = Self;

            fn sub(self, earlier: Self) -> Self {
                Self { $($field: self.$field - earlier.$field,)* }
            }
        }
    )*};
}

impl_sub! {
    LedgerCounts { objects sessions }
    VerbCounts { requests bytes_read bytes_written }
    Requests { get put head list delete }
}

impl_layer!(CountingStore);

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::{DeleteOptions, GetOptions, ListOptions, MemoryStore, PutOptions, Store};
    use skillmount_base::path::{Id, KeyPrefix, Namespace};

    #[tokio::test]
    async fn an_operation_costs_what_lies_between_two_snapshots() {
        let ledger = Arc::new(RequestCounts::new());
        let store = CountingStore::new(Arc::new(MemoryStore::new()), Arc::clone(&ledger));
        let key = KeyPrefix::all().key("u1/a").unwrap();
        store.put(&key, Bytes::from_static(b"abc"), PutOptions::default()).await.unwrap();
        let before = ledger.counts();
        store.list(&KeyPrefix::all(), ListOptions::default()).await.unwrap();
        store.get(&key, GetOptions::range(0..2)).await.unwrap();
        let requests = Requests { list: 1, get: 1, ..Requests::default() };
        let cost = ledger.counts() - before;
        assert_eq!(
            cost,
            LedgerCounts {
                objects: VerbCounts { requests, bytes_read: 2, bytes_written: 0 },
                ..LedgerCounts::default()
            }
        );
        assert_eq!(before.objects.bytes_written, 3);
    }

    #[tokio::test]
    async fn session_objects_are_counted_apart_and_failures_count() {
        let ledger = Arc::new(RequestCounts::new());
        let store = CountingStore::new(Arc::new(MemoryStore::new()), Arc::clone(&ledger));
        let user = Namespace::parse("").unwrap().user(&Id::parse("u1").unwrap()).unwrap();
        let session = user.session(&Id::parse("s1").unwrap()).unwrap();
        store.get(&session, GetOptions::default()).await.unwrap_err();
        store.list(&user.sessions().unwrap(), ListOptions::default()).await.unwrap();
        store.head(&user.catalog().unwrap()).await.unwrap_err();
        let counts = ledger.counts();
        assert_eq!(counts.sessions.requests, Requests { get: 1, list: 1, ..Requests::default() });
        assert_eq!(counts.objects.requests, Requests { head: 1, ..Requests::default() });
        assert_eq!((counts.sessions.requests.total(), counts.objects.requests.total()), (2, 1));
        let endings = [(("get", "not_found"), 1), (("head", "not_found"), 1), (("list", "ok"), 1)];
        assert_eq!(ledger.endings(), endings.into());
    }

    #[tokio::test]
    async fn only_a_recording_ledger_keeps_what_was_asked() {
        let recording = Arc::new(RequestCounts::recording());
        let plain = Arc::new(RequestCounts::new());
        let below: SharedStore = Arc::new(CountingStore::new(Arc::new(MemoryStore::new()), Arc::clone(&plain)));
        let store = CountingStore::new(below, Arc::clone(&recording));
        let folder = KeyPrefix::all().folder("u1").unwrap();
        store.list(&folder, ListOptions::default()).await.unwrap();
        store.delete(&folder.key("a").unwrap(), DeleteOptions::default()).await.unwrap();
        assert_eq!(recording.asked(), [(Verb::List, "u1/".to_owned()), (Verb::Delete, "u1/a".to_owned())]);
        assert_eq!(plain.asked(), []);
        assert_eq!(plain.counts(), recording.counts());
    }
}
