//! The names of files and folders that this process knows, for a store that would hold both under one name.
//!
//! Recent reads, listings and writes give the names; nothing is ever requested for them. A file is known by its key, a
//! folder by its key with a `/` behind it or by a file below it. Order comes from when a request was sent, as in
//! [`VersionClock`](super::newest::VersionClock): an answer changes only what was known before its request began, so a slow listing
//! brings back nothing that was deleted since. Memory is bounded. A forgotten name costs at most a refusal.

use std::{
    collections::BTreeMap,
    ops::Bound,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use super::{ListPage, StoreError, StoreResult};
use skillmount_base::{
    clock::Clock,
    limits::{KNOWN_NAME_AGE, KNOWN_NAMES_BELOW},
    path::{KeyPrefix, ObjectKey},
};

/// The names of files and folders, up to a fixed number.
#[derive(Debug)]
pub(super) struct KnownNames {
    state: Mutex<State>,
    most: usize,
    clock: Arc<dyn Clock>,
}

#[derive(Debug, Default)]
struct State {
    /// The number of the last event.
    last: u64,
    names: BTreeMap<String, KnownName>,
}

/// Whether a name exists and when that became known. A missing name is kept too, so that an earlier answer cannot bring
/// it back.
#[derive(Clone, Copy, Debug)]
struct KnownName {
    is_there: bool,
    learnt: u64,
    at: Duration,
}

/// The moment before a read is sent.
#[derive(Debug)]
pub(super) struct Reading<'names> {
    names: &'names KnownNames,
    begun: u64,
}

impl KnownNames {
    /// Starts empty, and keeps at most `most` names.
    pub(super) fn new(most: usize, clock: Arc<dyn Clock>) -> Self {
        Self { state: Mutex::default(), most: most.max(1), clock }
    }

    /// Call this before a read is sent.
    pub(super) fn begin(&self) -> Reading<'_> {
        Reading { names: self, begun: self.lock().tick() }
    }

    /// Records that a put of `key` landed.
    pub(super) fn was_written(&self, key: &ObjectKey) {
        self.learn(&mut self.lock(), key.as_str(), true, u64::MAX);
    }

    /// Records that `key` was deleted. Whether its folders contain anything else is then unknown.
    pub(super) fn was_deleted(&self, key: &ObjectKey) {
        let mut state = self.lock();
        self.learn(&mut state, key.as_str(), false, u64::MAX);
        for (at, _) in key.as_str().match_indices('/') {
            self.learn(&mut state, key.as_str().get(..=at).unwrap_or_default(), false, u64::MAX);
        }
    }

    /// Checks a put of `key` against the known names.
    ///
    /// # Errors
    /// `BelowFile` or `IsFolder` if it would make a name both a file and a folder. A known file is replaced, whatever
    /// lies below it.
    pub(super) fn check_put(&self, key: &ObjectKey) -> StoreResult<()> {
        let (state, now, key) = (self.lock(), self.clock.uptime(), key.as_str());
        let counts = |known: &KnownName| known.is_there && now.saturating_sub(known.at) <= KNOWN_NAME_AGE;
        let is_known = |name: &str| state.names.get(name).is_some_and(counts);
        if is_known(key) {
            return Ok(());
        }
        let mut above = key.match_indices('/').filter_map(|(at, _)| key.get(..at));
        if let Some(file) = above.find(|folder| is_known(folder)) {
            return Err(StoreError::BelowFile(file.to_owned()));
        }
        let inside = format!("{key}/");
        let below = state.names.range::<str, _>((Bound::Included(inside.as_str()), Bound::Unbounded));
        let mut below = below.take_while(|(name, _)| name.starts_with(&inside)).take(KNOWN_NAMES_BELOW);
        if below.any(|(_, known)| counts(known)) { Err(StoreError::IsFolder) } else { Ok(()) }
    }

    /// Records what a request sent at `begun` showed, unless something later is known.
    fn learn(&self, state: &mut State, name: &str, is_there: bool, begun: u64) {
        if state.names.get(name).is_some_and(|known| known.learnt >= begun) {
            return;
        }
        let now = self.clock.uptime();
        if state.names.len() >= self.most && !state.names.contains_key(name) {
            state.names.retain(|_, known| now.saturating_sub(known.at) <= KNOWN_NAME_AGE);
            if state.names.len() > self.most / 2 {
                state.names.clear();
            }
        }
        let learnt = state.tick();
        state.names.insert(name.to_owned(), KnownName { is_there, learnt, at: now });
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Names that a panic left half recorded count as forgotten.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Reading<'_> {
    /// Records whether there is an object `key`.
    pub(super) fn was_read(self, key: &ObjectKey, is_there: bool) {
        self.names.learn(&mut self.names.lock(), key.as_str(), is_there, self.begun);
    }

    /// Records a page of the files and folders directly below `prefix`. If `is_whole`, it has all of them, and the
    /// others are gone.
    pub(super) fn was_listed(self, prefix: &KeyPrefix, page: &ListPage, is_whole: bool) {
        let mut state = self.names.lock();
        if is_whole {
            let has = |name: &str| match prefix.relative(name).and_then(|below| below.split_once('/')) {
                Some((folder, _)) => page.folders.binary_search(&format!("{prefix}{folder}/")).is_ok(),
                None => page.objects.binary_search_by(|entry| entry.key.as_str().cmp(name)).is_ok(),
            };
            let from = (Bound::Included(prefix.as_str()), Bound::Unbounded);
            let below = state.names.range_mut::<str, _>(from).take_while(|(name, _)| name.starts_with(prefix.as_str()));
            for (_, known) in below.filter(|(name, known)| known.learnt < self.begun && !has(name)) {
                known.is_there = false;
            }
        }
        for name in page.objects.iter().map(|entry| &entry.key).chain(&page.folders) {
            self.names.learn(&mut state, name, true, self.begun);
        }
    }
}

impl State {
    fn tick(&mut self) -> u64 {
        self.last += 1;
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ListOptions, MemoryStore, Store};
    use skillmount_base::clock::SystemClock;

    fn names(most: usize) -> KnownNames {
        KnownNames::new(most, Arc::new(SystemClock::new()))
    }

    fn key(name: &str) -> ObjectKey {
        KeyPrefix::all().key(name).unwrap()
    }

    /// The effect of a put of `name`.
    fn met(names: &KnownNames, name: &str) -> String {
        match names.check_put(&key(name)) {
            Ok(()) => "nothing".to_owned(),
            Err(StoreError::BelowFile(file)) => format!("file {file}"),
            Err(StoreError::IsFolder) => "folder".to_owned(),
            Err(error) => panic!("{error}"),
        }
    }

    async fn list(names: &KnownNames, store: &MemoryStore, prefix: &str) {
        let prefix = KeyPrefix::all().folder(prefix).unwrap();
        let reading = names.begin();
        let options = ListOptions { delimiter: true, ..ListOptions::default() };
        reading.was_listed(&prefix, &store.list(&prefix, options).await.unwrap(), true);
    }

    #[tokio::test]
    async fn a_name_that_was_written_read_or_listed_is_known_and_one_that_was_deleted_is_not() {
        let names = names(100);
        names.was_written(&key("u/w/a"));
        names.begin().was_read(&key("u/w/b/c"), true);
        let store = MemoryStore::like_s3();
        for name in ["u/t/d", "u/t/e/f/g"] {
            store.put_raw(name, "x");
        }
        list(&names, &store, "u/t").await;
        for (name, meets) in [
            ("u/w/a/x", "file u/w/a"),
            ("u/w/a/x/y", "file u/w/a"),
            ("u/w/a", "nothing"),
            ("u/w/ab", "nothing"),
            ("u/w/b", "folder"),
            ("u/w", "folder"),
            ("u/t/d/x", "file u/t/d"),
            ("u/t/e", "folder"),
            ("u/t/e/f", "nothing"),
        ] {
            assert_eq!(met(&names, name), meets, "{name}");
        }
        names.was_deleted(&key("u/w/a"));
        names.begin().was_read(&key("u/w/b/c"), false);
        names.was_deleted(&key("u/t/e/f/g"));
        for name in ["u/w/a/x", "u/w/b", "u/t/e"] {
            assert_eq!(met(&names, name), "nothing", "{name}");
        }
    }

    #[tokio::test]
    async fn a_listing_brings_back_nothing_that_was_deleted_since_it_began_and_clears_what_it_lacks() {
        let (names, store) = (names(100), MemoryStore::like_s3());
        store.put_raw("u/a", "x");
        store.put_raw("u/b/c", "x");
        let reading = names.begin();
        let options = ListOptions { delimiter: true, ..ListOptions::default() };
        let prefix = KeyPrefix::all().folder("u").unwrap();
        let page = store.list(&prefix, options).await.unwrap();
        names.was_deleted(&key("u/a"));
        names.was_deleted(&key("u/b/c"));
        names.was_written(&key("u/new"));
        reading.was_listed(&prefix, &page, true);
        assert_eq!([met(&names, "u/a/x"), met(&names, "u/b")], ["nothing", "nothing"]);
        assert_eq!(met(&names, "u/new/x"), "file u/new", "it was written since");
        for name in ["u/gone", "u/gone-too/x", "u/b/known"] {
            names.was_written(&key(name));
        }
        list(&names, &store, "u").await;
        assert_eq!([met(&names, "u/gone/x"), met(&names, "u/gone-too")], ["nothing", "nothing"]);
        assert_eq!(met(&names, "u/b/known/x"), "file u/b/known", "its folder is still there");
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_known_ages() {
        let names = names(100);
        names.was_written(&key("a"));
        tokio::time::sleep(KNOWN_NAME_AGE).await;
        assert_eq!(met(&names, "a/b"), "file a");
        tokio::time::sleep(Duration::from_millis(1)).await;
        assert_eq!(met(&names, "a/b"), "nothing");
    }

    #[test]
    fn no_more_names_are_kept_than_there_is_room_for() {
        let names = names(4);
        for number in 0..4 {
            names.was_written(&key(&format!("k{number}")));
        }
        let count = || names.lock().names.len();
        assert_eq!(count(), 4);
        assert_eq!(met(&names, "k0/x"), "file k0");
        names.was_written(&key("k4"));
        assert_eq!(count(), 1);
        assert_eq!(met(&names, "k0/x"), "nothing");
    }
}
