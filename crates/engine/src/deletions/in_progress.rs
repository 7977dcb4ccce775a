//! The users under deletion, as this process knows them.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use crate::path::{ETag, Id};

/// The users under deletion, and the work of this process on them.
#[derive(Debug, Default)]
pub(crate) struct DeletionsInProgress {
    known: Mutex<DeletionList>,
    /// A task holds this lock while it asks the store.
    pub(crate) look: tokio::sync::Mutex<()>,
}

#[derive(Debug, Default)]
struct DeletionList {
    /// The uptime at the last request to the store.
    asked_at: Option<Duration>,
    /// The tombstones that were in the store, or were written here since.
    leaving: BTreeMap<Id, Option<ETag>>,
    /// The finished tombstones by their version. They are to be cleared away.
    finished: BTreeMap<Id, ETag>,
    /// The users whose deletion this process works on.
    at_work: BTreeSet<Id>,
}

impl DeletionsInProgress {
    /// Whether calls for the user are denied.
    pub(crate) fn has(&self, user: &Id) -> bool {
        self.lock().leaving.contains_key(user)
    }

    /// The age of this knowledge; `None` if the store was never asked.
    pub(crate) fn age(&self, now: Duration) -> Option<Duration> {
        self.lock().asked_at.map(|at| now.saturating_sub(at))
    }

    /// Takes over the reply of the store at `now`: the standing and the finished tombstones. Returns the users who left the
    /// list. Every memory must forget them.
    pub(crate) fn update(
        &self,
        now: Duration,
        leaving: BTreeMap<Id, Option<ETag>>,
        finished: BTreeMap<Id, ETag>,
    ) -> Vec<Id> {
        let mut known = self.lock();
        known.asked_at = Some(now);
        known.finished = finished;
        // The reply lacks tombstones that this process wrote during the request.
        let own: Vec<Id> = known.at_work.iter().filter(|user| known.leaving.contains_key(*user)).cloned().collect();
        let before = std::mem::replace(&mut known.leaving, leaving);
        for user in own {
            known.leaving.entry(user).or_default();
        }
        before.into_keys().filter(|user| !known.leaving.contains_key(user)).collect()
    }

    /// Notes that the store could not be asked. The next call asks again in the background.
    pub(crate) fn postpone(&self, asked_at: Duration) {
        self.lock().asked_at = Some(asked_at);
    }

    /// The version of a finished tombstone, if it is known.
    pub(crate) fn finished(&self, user: &Id) -> Option<ETag> {
        self.lock().finished.get(user).cloned()
    }

    /// The version of a standing tombstone, if it is known.
    pub(crate) fn standing(&self, user: &Id) -> Option<ETag> {
        self.lock().leaving.get(user).cloned().flatten()
    }

    /// Denies calls for the user here from now on.
    pub(crate) fn add(&self, user: &Id) {
        self.lock().leaving.entry(user.clone()).or_default();
    }

    /// Admits calls for the id again, after the user is deleted.
    pub(crate) fn remove(&self, user: &Id) {
        self.lock().leaving.remove(user);
    }

    /// Takes up the work on a user; false if this process works on it already.
    pub(crate) fn claim(&self, user: &Id) -> bool {
        self.lock().at_work.insert(user.clone())
    }

    /// Lays down the work on a user.
    pub(crate) fn release(&self, user: &Id) {
        self.lock().at_work.remove(user);
    }

    fn lock(&self) -> MutexGuard<'_, DeletionList> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
