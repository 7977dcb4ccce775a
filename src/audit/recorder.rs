//! The writer of audit records.
//!
//! Records of one user gather in a batch, which a task of that user writes when it is full, old, or waited for. Changes
//! that are made at the same time share a batch, so that strict mode costs few requests. Batches are written beside the
//! requests of the service, by a handle of the store that its counts do not see.

use std::{
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use futures_util::{StreamExt as _, stream};
use jiff::SignedDuration;
use moka::{future, sync::Cache};
use tokio::{
    runtime::Handle,
    sync::oneshot,
    time::{sleep, timeout},
};

use super::{
    batch::BatchName,
    channels::Channels,
    event::{Event, EventId},
    journal::{Added, Journals, Moment, Next, Waiter},
    log::AuditLog,
    mode::AuditMode,
    record::AuditRecord,
    usage::candidates,
    waiting::Batch,
};
use crate::{
    backend::{Candidates, Kept, ObservedCall, ObservedOperation, Observer, OpenStore},
    clock::Clock,
    error::{Code, Error, Outcome, Result},
    limits::{
        AUDIT_PRUNED, AUDIT_RETENTION_DAYS, CANDIDATE_USERS, CANDIDATES_REMEMBERED, DELETIONS_RENEWED,
        OPERATION_TIMEOUT, PARALLEL_GETS,
    },
    path::{Id, Namespace, SkillPath},
    store::{Base, Committer, DeleteOptions, ListOptions, SharedStore, StoreError, StoreResult},
};

/// How often the old batches of one user are looked for.
const PRUNE_EVERY: Duration = Duration::from_hours(24);
/// Users whose last look is remembered; of others it may be made sooner.
const PRUNED_USERS: u64 = 100_000;

/// Writes audit records. Cheap to clone.
#[derive(Clone)]
pub struct Recorder {
    shared: Arc<Shared>,
}

struct Shared {
    store: SharedStore,
    committer: Committer,
    namespace: Namespace,
    clock: Arc<dyn Clock>,
    mode: AuditMode,
    journals: Mutex<Journals>,
    pruned: Cache<Id, ()>,
    candidates: future::Cache<Id, Arc<Vec<SkillPath>>>,
    channels: Channels,
    records: AtomicU64,
    batches: AtomicU64,
    dropped: AtomicU64,
}

/// What a recorder has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AuditCounts {
    /// Records that are in the store.
    pub records: u64,
    /// Batches that are in the store.
    pub batches: u64,
    /// Records that were dropped, because the store did not take those before them.
    pub dropped: u64,
    /// Bytes of records that wait.
    pub waiting: u64,
}

impl Recorder {
    /// A recorder that writes below `namespace` in `store`.
    #[must_use]
    pub fn new(store: SharedStore, namespace: Namespace, mode: AuditMode, clock: Arc<dyn Clock>) -> Self {
        let replica = format!("{:08x}", clock.random() & u128::from(u32::MAX));
        let shared = Shared {
            committer: Committer::new(store.clone(), clock.clone()),
            store,
            namespace,
            clock,
            mode,
            journals: Mutex::new(Journals::new(replica)),
            pruned: Cache::builder().max_capacity(PRUNED_USERS).time_to_live(PRUNE_EVERY).build(),
            candidates: future::Cache::builder()
                .max_capacity(CANDIDATE_USERS)
                .time_to_live(CANDIDATES_REMEMBERED)
                .build(),
            channels: Channels::default(),
            records: AtomicU64::new(0),
            batches: AtomicU64::new(0),
            dropped: AtomicU64::new(0),
        };
        Self { shared: Arc::new(shared) }
    }

    /// A recorder for services over `store`. It asks the store itself, past what they count.
    #[must_use]
    pub fn of(store: &OpenStore, mode: AuditMode) -> Self {
        let (below, namespace, clock) = store.itself();
        Self::new(below, namespace, mode, clock)
    }

    /// What it has done so far.
    #[must_use]
    pub fn counts(&self) -> AuditCounts {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let Shared { records, batches, dropped, .. } = &*self.shared;
        let waiting = self.shared.journals().bytes() as u64;
        AuditCounts { records: read(records), batches: read(batches), dropped: read(dropped), waiting }
    }

    /// Its name in those of its batches.
    #[must_use]
    pub fn replica(&self) -> String {
        self.shared.journals().replica().to_owned()
    }

    /// The listeners that it sends events to.
    pub(super) fn channels(&self) -> Channels {
        self.shared.channels.clone()
    }

    /// Writes what waits of a user now.
    ///
    /// # Errors
    /// The store's; the records go on waiting then.
    pub async fn flush(&self, user: &Id) -> Result<()> {
        let written = self.shared.journals().hurry(user);
        for written in written {
            written.await.map_err(Error::internal)??;
        }
        Ok(())
    }

    /// Writes everything that waits: at the end of a process.
    pub async fn flush_all(&self) {
        let users = self.shared.journals().users();
        stream::iter(users)
            .for_each_concurrent(PARALLEL_GETS, async |user| {
                if let Err(error) = self.flush(&user).await {
                    tracing::error!(%user, error = %error.chain(), "the last audit records were not written");
                }
            })
            .await;
    }
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder")
            .field("mode", &self.shared.mode)
            .field("counts", &self.counts())
            .finish_non_exhaustive()
    }
}

impl Observer for Recorder {
    fn begun(&self, call: &ObservedCall) {
        if call.is_change && self.shared.mode == AuditMode::Strict {
            self.shared.journals().begin_change(&call.user);
        }
        self.shared.channels.tell(&call.user, || Event::begun(call));
    }

    fn ended(&self, operation: ObservedOperation) -> Option<Kept> {
        let user =
            (operation.call.is_change && self.shared.mode == AuditMode::Strict).then(|| operation.call.user.clone());
        let kept = self.shared.record(operation);
        if let Some(user) = user {
            self.shared.journals().end_change(&user);
        }
        kept
    }

    fn left(&self, user: &Id) {
        let waiters = self.shared.journals().leave(user);
        for waiter in waiters {
            // A caller that went away does not want to know.
            let _ = waiter.send(Err(leaving()));
        }
    }

    fn came_back(&self, user: &Id) {
        self.shared.journals().come_back(user);
        let (candidates, user) = (self.shared.candidates.clone(), user.clone());
        tokio::spawn(async move { candidates.invalidate(&user).await });
    }

    fn candidates(&self, user: &Id) -> Candidates {
        let (shared, user) = (Arc::clone(&self.shared), user.clone());
        Box::pin(async move { shared.candidates_of(&user).await })
    }
}

impl Shared {
    fn journals(&self) -> MutexGuard<'_, Journals> {
        self.journals.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn moment(&self) -> Moment {
        Moment { now: self.clock.now(), uptime: self.clock.uptime() }
    }

    /// Adds a record, and returns what its caller has to wait for.
    fn record(self: &Arc<Self>, operation: ObservedOperation) -> Option<Kept> {
        let is_awaited = self.mode == AuditMode::Strict && operation.call.is_change && operation.outcome == "ok";
        let user = operation.call.user.clone();
        let at = self.moment();
        // Whoever decides on an approval may listen at another replica.
        let is_urgent = operation.effects.approval.is_some();
        let record = AuditRecord::of(operation, at.now);
        let (waiter, learns) = is_awaited.then(oneshot::channel).unzip();
        if self.journals().has_left(&user) {
            return is_awaited.then(|| -> Kept { Box::pin(std::future::ready(Err(leaving()))) });
        }
        let added = record.line().ok().and_then(|line| self.journals().add(&user, &line, at, is_urgent, waiter));
        let Some(Added { position, is_first }) = added else {
            self.drop_one();
            return is_awaited.then(|| -> Kept { Box::pin(std::future::ready(Err(full()))) });
        };
        if is_first {
            self.begin_writer(user.clone());
        }
        // That a call has begun was told when it did.
        let later = |(_, event): &(EventId, Event)| event.event != "tool_use_start";
        self.channels.tell(&user, || Event::of(&position, &record).into_iter().filter(later).map(|(_, event)| event));
        learns.map(|learns| -> Kept { Box::pin(async move { learns.await.map_err(Error::internal)? }) })
    }

    /// The skills that a session of `user` may begin with. None if the records cannot be read: a session needs them less than
    /// its caller needs the session.
    async fn candidates_of(&self, user: &Id) -> Vec<SkillPath> {
        let log = AuditLog::over(self.store.clone(), self.namespace.clone());
        let read = candidates(&log, user, self.clock.now());
        match self.candidates.try_get_with(user.clone(), async { read.await.map(Arc::new) }).await {
            Ok(skills) => skills.to_vec(),
            Err(error) => {
                tracing::warn!(%user, error = %error.chain(), "no skill is preloaded: the audit records cannot be read");
                Vec::new()
            }
        }
    }

    fn drop_one(&self) {
        let before = self.dropped.fetch_add(1, Ordering::Relaxed);
        if before.is_power_of_two() || before == 0 {
            tracing::error!(dropped = before + 1, "records were dropped: the store does not take those before them");
        }
    }

    /// Begins the task that writes the batches of `user`, as long as there are any.
    fn begin_writer(self: &Arc<Self>, user: Id) {
        // A process that ends has no runtime any more; nothing is written then.
        if let Ok(runtime) = Handle::try_current() {
            let this = Arc::clone(self);
            runtime.spawn(async move { this.write_all(&user).await });
        }
    }

    async fn write_all(&self, user: &Id) {
        loop {
            let (next, wake) = {
                let mut journals = self.journals();
                (journals.next(user, self.clock.uptime()), journals.wake(user))
            };
            match (next, wake) {
                (Next::End, _) | (Next::Wait(_), None) => return,
                (Next::Write(batch), _) => {
                    self.write(user, batch).await;
                    self.prune(user).await;
                }
                (Next::Wait(wait), Some(wake)) => {
                    tokio::select! {
                        () = sleep(wait) => {}
                        () = wake.notified() => {}
                    }
                }
            }
        }
    }

    async fn write(&self, user: &Id, mut batch: Batch) {
        if self.is_deleted_since(user, &batch).await {
            let waiters = self.journals().discard(user, &batch);
            return waiters.into_iter().for_each(|waiter| drop(waiter.send(Err(leaving()))));
        }
        let outcome = self.put(user, &mut batch).await;
        let waiters: Vec<Waiter> = match &outcome {
            Ok(()) => {
                self.batches.fetch_add(1, Ordering::Relaxed);
                self.records.fetch_add(batch.records as u64, Ordering::Relaxed);
                self.journals().written(user, &batch)
            }
            Err(error) => {
                tracing::error!(%user, records = batch.records, error = %error.chain(), "audit records were not written; they are tried again");
                let is_absent = error.outcome() != Some(Outcome::Unknown);
                self.journals().failed(user, batch, is_absent, self.moment())
            }
        };
        for waiter in waiters {
            // A caller that went away does not want to know.
            let _ = waiter.send(outcome.clone());
        }
    }

    /// Whether the user is being deleted, or was since the batch was begun. A process without calls does not look for
    /// tombstones, so a batch that has waited for long is not written unseen.
    async fn is_deleted_since(&self, user: &Id, batch: &Batch) -> bool {
        if self.clock.uptime().saturating_sub(batch.opened) < DELETIONS_RENEWED {
            return false;
        }
        let (Ok(tombstone), Ok(receipt)) = (self.namespace.deletion(user), self.namespace.receipt(user)) else {
            return false;
        };
        let (tombstone, receipt) = tokio::join!(self.store.head(&tombstone), self.store.head(&receipt));
        // If the store does not answer, it does not take the batch either.
        tombstone.is_ok() || receipt.is_ok_and(|receipt| receipt.modified_at >= batch.name.time())
    }

    async fn put(&self, user: &Id, batch: &mut Batch) -> Result<()> {
        let key = self.namespace.user(user)?.audit_batch(&batch.name.to_string())?;
        let bytes = bytes::Bytes::copy_from_slice(&batch.text);
        match timeout(2 * OPERATION_TIMEOUT, self.committer.commit(&key, bytes, &Base::Absent)).await {
            // No other process has this name: an earlier attempt of ours was not lost after all.
            Ok(Ok(_) | Err(StoreError::PreconditionFailed)) => Ok(()),
            Ok(Err(error)) => Err(Error::from(error).of_change()),
            Err(_) => {
                let message = "the store takes too long";
                Err(Error::new(Code::StoreUnavailable, message).with_outcome(Outcome::Unknown))
            }
        }
    }

    /// Deletes the batches of `user` that are too old, once a day.
    async fn prune(&self, user: &Id) {
        if self.pruned.contains_key(user) {
            return;
        }
        self.pruned.insert(user.clone(), ());
        if let Err(error) = self.prune_now(user).await {
            tracing::warn!(%user, error = %Error::from(error).chain(), "old audit records were not deleted");
        }
    }

    async fn prune_now(&self, user: &Id) -> StoreResult<()> {
        let Ok(prefix) = self.namespace.user(user).and_then(|space| space.audit()) else { return Ok(()) };
        let age = SignedDuration::from_hours(24 * AUDIT_RETENTION_DAYS);
        let oldest = self.clock.now().checked_sub(age).unwrap_or_default();
        let mut options = ListOptions::default();
        let mut deleted = 0;
        loop {
            let page = self.store.list(&prefix, options.clone()).await?;
            for entry in &page.objects {
                // What is no batch is another tool's.
                let Some(name) = prefix.relative(&entry.key).and_then(BatchName::parse) else { continue };
                // Names come in the order of time.
                if name.time() >= oldest || deleted == AUDIT_PRUNED {
                    return Ok(());
                }
                if let Some(key) = prefix.admit(&entry.key) {
                    self.store.delete(&key, DeleteOptions::default()).await?;
                    deleted += 1;
                }
            }
            match page.next {
                None => return Ok(()),
                next => options.page = next,
            }
        }
    }
}

/// The error of a record of a user who is being deleted.
fn leaving() -> Error {
    Error::new(Code::Denied, "the user is being deleted, and so are the user's audit records")
        .with_outcome(Outcome::NotApplied)
}

/// The error of a record that there is no room for.
fn full() -> Error {
    let message = "too many audit records wait for the store; try again once it answers";
    Error::new(Code::StoreUnavailable, message).with_outcome(Outcome::NotApplied)
}
