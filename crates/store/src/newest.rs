//! The newest version of each key that this process has seen.
//!
//! Tags have no order of their own, so order comes from when a request was sent: a read replaces the known version only
//! if it began after that version became known. So a slow read of an old version that ends after a write, or after a
//! delete, changes nothing. Memory is bounded by two generations of keys; a forgotten key costs a request.

use std::{
    collections::HashMap,
    mem,
    sync::{Mutex, MutexGuard, PoisonError},
};

use skillmount_base::path::{ETag, ObjectKey};

/// The newest versions seen, for up to twice `keys` keys.
#[derive(Debug)]
pub(super) struct VersionClock {
    state: Mutex<State>,
    keys: usize,
}

/// A point in the sequence of events of one [`VersionClock`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Moment(u64);

#[derive(Debug, Default)]
struct State {
    last: Moment,
    young: HashMap<ObjectKey, KnownVersion>,
    old: HashMap<ObjectKey, KnownVersion>,
}

/// The known version of a key and when it became known; `None` after a delete, so that an earlier read cannot bring it
/// back.
#[derive(Clone, Debug)]
struct KnownVersion {
    etag: Option<ETag>,
    learnt: Moment,
}

/// The effect of a read.
#[derive(Debug)]
pub(super) struct Learnt {
    /// The version that was known as the newest before.
    pub(super) displaced: Option<ETag>,
    /// Whether the version read is the newest known.
    pub(super) is_newest: bool,
}

impl VersionClock {
    /// Starts empty. A generation ends with its `keys`-th key.
    pub(super) fn new(keys: usize) -> Self {
        Self { state: Mutex::default(), keys: keys.max(1) }
    }

    /// The newest version seen, if the key is known to exist.
    pub(super) fn get(&self, key: &ObjectKey) -> Option<ETag> {
        self.lock().cached(key).and_then(|known| known.etag.clone())
    }

    /// Call this before a read is sent.
    pub(super) fn begin(&self) -> Moment {
        self.lock().tick()
    }

    /// Records that a read sent at `begun` found this version, or nothing.
    pub(super) fn was_read(&self, key: &ObjectKey, begun: Moment, etag: Option<&ETag>) -> Learnt {
        let mut state = self.lock();
        if state.cached(key).is_none_or(|known| known.learnt < begun) {
            return Learnt { displaced: state.observe(key, etag.cloned(), self.keys), is_newest: true };
        }
        Learnt { displaced: None, is_newest: state.cached(key).is_some_and(|known| known.etag.as_ref() == etag) }
    }

    /// Records that a write left this version, or a delete none. Returns the version before it, if another was known.
    pub(super) fn was_written(&self, key: &ObjectKey, etag: Option<&ETag>) -> Option<ETag> {
        self.lock().observe(key, etag.cloned(), self.keys)
    }

    /// Records that `etag` is no longer the newest. Returns whether it was known as the newest.
    pub(super) fn was_disproved(&self, key: &ObjectKey, etag: &ETag) -> bool {
        let mut state = self.lock();
        let was_newest = state.cached(key).is_some_and(|known| known.etag.as_ref() == Some(etag));
        if was_newest {
            state.observe(key, None, self.keys);
        }
        was_newest
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Every change under the lock is a single step, so a panic leaves nothing half done.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn tick(&mut self) -> Moment {
        self.last = Moment(self.last.0 + 1);
        self.last
    }

    fn cached(&self, key: &ObjectKey) -> Option<&KnownVersion> {
        self.young.get(key).or_else(|| self.old.get(key))
    }

    /// The version known before, if it is another.
    fn observe(&mut self, key: &ObjectKey, etag: Option<ETag>, keys: usize) -> Option<ETag> {
        let before =
            self.cached(key).and_then(|known| known.etag.clone()).filter(|before| Some(before) != etag.as_ref());
        let learnt = self.tick();
        if self.young.len() >= keys && !self.young.contains_key(key) {
            self.old = mem::take(&mut self.young);
        }
        self.young.insert(key.clone(), KnownVersion { etag, learnt });
        before
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use skillmount_base::path::KeyPrefix;

    fn key(name: &str) -> ObjectKey {
        KeyPrefix::all().key(name).unwrap()
    }

    fn tag(name: &str) -> ETag {
        ETag::new(name)
    }

    #[test]
    fn a_read_that_began_before_a_write_ended_changes_nothing() {
        let newest = VersionClock::new(8);
        let slow = newest.begin();
        newest.was_written(&key("a"), Some(&tag("new")));
        newest.was_read(&key("a"), slow, Some(&tag("old")));
        assert_eq!(newest.get(&key("a")), Some(tag("new")));
        let later = newest.begin();
        newest.was_read(&key("a"), later, Some(&tag("newer")));
        assert_eq!(newest.get(&key("a")), Some(tag("newer")));
    }

    #[test]
    fn a_deleted_key_is_not_brought_back_by_an_earlier_read() {
        let newest = VersionClock::new(8);
        let slow = newest.begin();
        newest.was_written(&key("a"), None);
        newest.was_read(&key("a"), slow, Some(&tag("old")));
        assert_eq!(newest.get(&key("a")), None);
    }

    #[test]
    fn only_the_version_that_was_tried_is_disproved() {
        let newest = VersionClock::new(8);
        newest.was_written(&key("a"), Some(&tag("two")));
        newest.was_disproved(&key("a"), &tag("one"));
        assert_eq!(newest.get(&key("a")), Some(tag("two")));
        newest.was_disproved(&key("a"), &tag("two"));
        assert_eq!(newest.get(&key("a")), None);
    }

    #[test]
    fn a_generation_holds_its_keys_and_the_one_before_it_is_forgotten() {
        let newest = VersionClock::new(2);
        for name in ["a", "b", "c", "d"] {
            newest.was_written(&key(name), Some(&tag(name)));
        }
        assert_eq!(newest.get(&key("a")), Some(tag("a")), "n keys more: still there");
        newest.was_written(&key("e"), Some(&tag("e")));
        assert_eq!(newest.get(&key("a")), None, "n + 1 keys more: forgotten");
        assert_eq!(newest.get(&key("c")), Some(tag("c")));
    }
}
