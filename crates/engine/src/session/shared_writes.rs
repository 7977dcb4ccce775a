//! Writes of sessions that concurrent changes share.
//!
//! A session is one object, and some stores accept one write of a key each second. So a change joins the next write of its
//! session. Each change is applied to the result of the changes before it. All of them land with one PUT, or none does. A
//! write closes once each waiting change has joined. A task of its own makes the write, so a caller can leave without
//! an effect on other callers.

use std::{collections::HashMap, sync::Arc};

use futures_util::{FutureExt as _, future::Shared};
use tokio::sync::{MutexGuard, oneshot};

use super::{
    KeyedLocks, Session,
    objects::{CachedObject, CasObjects},
    pending_discoveries::PendingDiscoveries,
    snapshots::Snapshots,
};
use crate::{
    error::{Error, Outcome, Result},
    path::{Id, ObjectKey},
    store::{StoreError, StoreHandle},
};

/// The open writes of one lane. Only the holder of the lane changes these sessions.
pub(super) type Lane = HashMap<ObjectKey, OpenWrite>;

/// A write before its begin, with the changes so far.
#[derive(Debug)]
pub(super) struct OpenWrite {
    seen: Arc<CachedObject<Session>>,
    /// Whether there was no session before.
    is_new: bool,
    /// The session with the changes so far.
    pub(super) next: Session,
    outcome: oneshot::Sender<WriteOutcome>,
    pub(super) awaited: AwaitedWrite,
}

/// The outcome of a shared write, for each change in it.
#[derive(Clone, Debug)]
pub(super) enum WriteOutcome {
    Landed(Arc<Session>),
    /// Another process changed the session first, and nothing was written. Memory has the newer version.
    Lost,
    Failed(Error),
}

/// The outcome of a shared write, once there is one.
pub(super) type AwaitedWrite = Shared<oneshot::Receiver<WriteOutcome>>;

/// The writes of all sessions.
#[derive(Clone, Debug)]
pub(super) struct SharedWrites {
    lanes: Arc<KeyedLocks<Lane>>,
    store: StoreHandle,
    records: Arc<CasObjects<Session>>,
    snapshots: Arc<Snapshots>,
    pending: Arc<PendingDiscoveries>,
}

impl OpenWrite {
    /// A write of `next` in place of `seen`.
    pub(super) fn new(seen: Arc<CachedObject<Session>>, is_new: bool, next: Session) -> Self {
        let (outcome, awaited) = oneshot::channel();
        Self { seen, is_new, next, outcome, awaited: awaited.shared() }
    }
}

impl SharedWrites {
    pub(super) fn new(
        store: StoreHandle,
        records: Arc<CasObjects<Session>>,
        snapshots: Arc<Snapshots>,
        pending: Arc<PendingDiscoveries>,
    ) -> Self {
        Self { lanes: Arc::default(), store, records, snapshots, pending }
    }

    /// Waits for the lane of `key`, and holds it until the guard is dropped. Its holder must not enter another lane.
    pub(super) async fn lane(&self, key: &ObjectKey) -> MutexGuard<'_, Lane> {
        self.lanes.lock(key.as_str()).await
    }

    /// Opens a write in `lane`, which the changes that wait for the lane will join, and makes it in the background.
    pub(super) fn open(&self, lane: &mut Lane, key: &ObjectKey, name: (Id, Id), write: OpenWrite) -> AwaitedWrite {
        let awaited = write.awaited.clone();
        lane.insert(key.clone(), write);
        let (writes, key) = (self.clone(), key.clone());
        tokio::spawn(async move { writes.write(&key, &name).await });
        awaited
    }

    async fn write(&self, key: &ObjectKey, name: &(Id, Id)) {
        self.records.wait_for_turn(key).await;
        // The lane serves in order, so the changes that wait for it join first.
        let mut lane = self.lane(key).await;
        let Some(OpenWrite { seen, is_new, next, outcome, .. }) = lane.remove(key) else { return };
        let found = self.save(key, name, (&seen, is_new), next).await;
        // Nobody waits if all callers have left.
        let _ = outcome.send(found);
    }

    async fn save(
        &self,
        key: &ObjectKey,
        name: &(Id, Id),
        (seen, is_new): (&CachedObject<Session>, bool),
        mut next: Session,
    ) -> WriteOutcome {
        let (past, last) = self.pending.for_session(name);
        next.remember(past);
        // A snapshot beside a session has no effect until the session names it.
        if let Err(error) = self.put_aside(&name.0, &mut next, is_new).await {
            return WriteOutcome::Failed(error.with_outcome(Outcome::NotApplied));
        }
        match self.records.put(key, seen, next).await {
            Ok(saved) => {
                self.pending.drop_through(name, last);
                WriteOutcome::Landed(saved)
            }
            // The next change of the session begins with the newer version, and does not lose the same race again.
            Err(StoreError::PreconditionFailed | StoreError::NotFound) => match self.records.refresh(key).await {
                Ok(_) => WriteOutcome::Lost,
                Err(error) => WriteOutcome::Failed(error.with_outcome(Outcome::NotApplied)),
            },
            Err(error) => WriteOutcome::Failed(error.into()),
        }
    }

    async fn put_aside(&self, user: &Id, next: &mut Session, is_new: bool) -> Result<()> {
        self.snapshots.put_aside(&self.store.namespace().user(user)?, next, is_new).await
    }
}
