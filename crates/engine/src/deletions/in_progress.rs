//! The users who are being deleted, as this process knows them.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use crate::path::{ETag, Id};

/// Who is being deleted, and what this process does about it.
#[derive(Debug, Default)]
pub(crate) struct DeletionsInProgress {
    known: Mutex<DeletionList>,
    /// Held by whoever asks the store.
    pub(crate) look: tokio::sync::Mutex<()>,
}

#[derive(Debug, Default)]
struct DeletionList {
    /// The uptime at which the store was asked.
    asked_at: Option<Duration>,
    /// The tombstones that were there, or were written here since.
    leaving: BTreeMap<Id, Option<ETag>>,
    /// The tombstones whose work is done, by their version: they are to be cleared away.
    finished: BTreeMap<Id, ETag>,
    /// The users whose deletion this process is at work on.
    at_work: BTreeSet<Id>,
}

impl DeletionsInProgress {
    /// Whether calls for the user are denied.
    pub(crate) fn has(&self, user: &Id) -> bool {
        self.lock().leaving.contains_key(user)
    }

    /// How old this knowledge is; `None` if the store was never asked.
    pub(crate) fn age(&self, now: Duration) -> Option<Duration> {
        self.lock().asked_at.map(|at| now.saturating_sub(at))
    }

    /// Takes over what the store said at `now`: the tombstones that stand, and those that are finished. Returns who left
    /// the list, and is to be forgotten by every memory.
    pub(crate) fn learn(
        &self,
        now: Duration,
        leaving: BTreeMap<Id, Option<ETag>>,
        finished: BTreeMap<Id, ETag>,
    ) -> Vec<Id> {
        let mut known = self.lock();
        known.asked_at = Some(now);
        known.finished = finished;
        // What this process wrote while the store was asked is not in the answer.
        let own: Vec<Id> = known.at_work.iter().filter(|user| known.leaving.contains_key(*user)).cloned().collect();
        let before = std::mem::replace(&mut known.leaving, leaving);
        for user in own {
            known.leaving.entry(user).or_default();
        }
        before.into_keys().filter(|user| !known.leaving.contains_key(user)).collect()
    }

    /// Notes that the store could not be asked. It is asked again soon, and nobody waits for that.
    pub(crate) fn postpone(&self, asked_at: Duration) {
        self.lock().asked_at = Some(asked_at);
    }

    /// The version of a tombstone that is known to be finished.
    pub(crate) fn finished(&self, user: &Id) -> Option<ETag> {
        self.lock().finished.get(user).cloned()
    }

    /// The version of a tombstone that is known to stand.
    pub(crate) fn standing(&self, user: &Id) -> Option<ETag> {
        self.lock().leaving.get(user).cloned().flatten()
    }

    /// From now on calls for the user are denied here.
    pub(crate) fn add(&self, user: &Id) {
        self.lock().leaving.entry(user.clone()).or_default();
    }

    /// The user is deleted: calls for the id are let in again.
    pub(crate) fn remove(&self, user: &Id) {
        self.lock().leaving.remove(user);
    }

    /// Takes up the work on a user; false if this process is at it already.
    pub(crate) fn take_up(&self, user: &Id) -> bool {
        self.lock().at_work.insert(user.clone())
    }

    /// Lays down the work on a user.
    pub(crate) fn lay_down(&self, user: &Id) {
        self.lock().at_work.remove(user);
    }

    fn lock(&self) -> MutexGuard<'_, DeletionList> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
