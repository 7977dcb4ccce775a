//! The writer of audit records.
//!
//! Records of one user gather in a batch. A task of this user writes the batch when it is full, old, or waited for.
//! Changes that are made at the same time share a batch, so that strict mode costs few requests. Batches are written
//! beside the requests of the service, by a handle of the store that its counts do not see.

use std::{
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use futures_util::{StreamExt as _, stream};
use moka::{future, sync::Cache};
use tokio::{runtime::Handle, sync::oneshot};

use super::{
    channels::Channels,
    counted::candidates,
    event::{EventId, is_begin},
    journal::{BufferedRecord, ClockReading, RecordBuffers},
    log::AuditLog,
    mode::{AuditMode, AuditOptions},
    record::{record_from_operation, record_line},
    report::EventReport,
};
use crate::{
    clock::Clock,
    error::{Code, Error, Outcome, Result},
    handle::OpenStore,
    limits::{CANDIDATE_USERS, CANDIDATES_REMEMBERED, PARALLEL_GETS},
    observer::{ObservedCall, ObservedOperation, Observer, RankedPaths, RecordWritten},
    path::{Id, LayerOwner, Namespace, SkillPath},
    store::{SharedStore, StoreHandle, WriteAccess},
    wire::AuditRecord,
};

/// The owners whose next look for old batches is remembered. That of others may come sooner.
const PRUNED_OWNERS: u64 = 100_000;

/// Writes audit records. Cheap to clone.
///
/// ```
/// use std::sync::Arc;
///
/// use skillmount_base::{clock::SystemClock, path::{Id, Namespace}};
/// use skillmount_engine::{audit::{AuditMode, Recorder}, handle::{Service, ServiceOptions}};
/// use skillmount_store::MemoryStore;
/// use skillmount_wire::{BackendProtocol, WriteRequest};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> skillmount_base::Result<()> {
/// let (store, clock) = (Arc::new(MemoryStore::new()), Arc::new(SystemClock::new()));
/// let recorder = Recorder::new(store.clone(), Namespace::default(), AuditMode::default(), clock.clone());
/// let options = ServiceOptions { observer: Some(Arc::new(recorder.clone())), ..ServiceOptions::default() };
/// let service = Service::new(store, options, clock);
///
/// let anna = Id::parse("anna")?;
/// service.session(anna.clone(), Id::parse("chat-7")?).write(WriteRequest::new("/workspace/a.md", "one")).await?;
/// recorder.flush(&anna).await?;
/// assert_eq!(recorder.counts().records, 1);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Recorder {
    shared: Arc<RecorderState>,
}

pub(super) struct RecorderState {
    pub(super) store: StoreHandle,
    options: AuditOptions,
    journals: Mutex<RecordBuffers>,
    /// The uptime at which the old batches of an owner are looked for again.
    pub(super) pruned: Cache<LayerOwner, Duration>,
    candidates: future::Cache<Id, Arc<Vec<SkillPath>>>,
    channels: Channels,
    pub(super) records: AtomicU64,
    pub(super) batches: AtomicU64,
    dropped: AtomicU64,
}

/// The counts of a recorder.
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
    /// A recorder that writes below `namespace` in `store`, or in the mode `off` only sends events to listeners.
    #[must_use]
    pub fn new(
        store: SharedStore,
        namespace: Namespace,
        options: impl Into<AuditOptions>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let handle = StoreHandle::new(store, namespace, clock, WriteAccess::default());
        Self::with_access(handle, options.into())
    }

    fn with_access(store: StoreHandle, options: AuditOptions) -> Self {
        let replica = format!("{:08x}", store.clock().random() & u128::from(u32::MAX));
        let shared = RecorderState {
            store,
            options,
            journals: Mutex::new(RecordBuffers::new(replica)),
            pruned: Cache::builder().max_capacity(PRUNED_OWNERS).build(),
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

    /// A recorder for services over `store`. The recorder uses the store below the counters of these services. While there
    /// is no `access`, its mode is `off`.
    #[must_use]
    pub fn for_store(store: &OpenStore, options: impl Into<AuditOptions>, access: WriteAccess) -> Self {
        let (below, namespace, clock) = store.itself();
        Self::with_access(StoreHandle::new(below, namespace, clock, access), options.into())
    }

    /// The counts so far.
    #[must_use]
    pub fn counts(&self) -> AuditCounts {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let RecorderState { records, batches, dropped, .. } = &*self.shared;
        let waiting = self.shared.journals().bytes() as u64;
        AuditCounts { records: read(records), batches: read(batches), dropped: read(dropped), waiting }
    }

    /// The name of this recorder in the names of its batches.
    #[must_use]
    pub fn replica(&self) -> String {
        self.shared.journals().replica().to_owned()
    }

    /// Days that it keeps records for.
    pub(super) fn retention_days(&self) -> u32 {
        self.shared.options.retention_days
    }

    /// Whether it keeps the records of which events have their ids.
    pub(super) fn keeps_records(&self) -> bool {
        self.shared.mode() != AuditMode::Off
    }

    /// The listeners that it sends events to.
    pub(super) fn channels(&self) -> Channels {
        self.shared.channels.clone()
    }

    /// Writes what waits of a user, a team or the organisation now.
    ///
    /// # Errors
    /// The store's; the records go on waiting then.
    pub async fn flush(&self, owner: impl Into<LayerOwner>) -> Result<()> {
        let written = self.shared.journals().hurry(&owner.into());
        for written in written {
            written.await.map_err(Error::internal)??;
        }
        Ok(())
    }

    /// Deletes the records of a user that are too old. For a user who never comes back nothing else does. In the mode `off` it does
    /// nothing.
    ///
    /// # Errors
    /// The store's.
    pub async fn forget_old(&self, user: &Id) -> Result<()> {
        if self.keeps_records() {
            self.shared.prune_now(&LayerOwner::from(user)).await?;
        }
        Ok(())
    }

    /// Writes everything that waits: at the end of a process.
    pub async fn flush_all(&self) {
        let owners = self.shared.journals().owners();
        stream::iter(owners)
            .for_each_concurrent(PARALLEL_GETS, async |owner| {
                if let Err(error) = self.flush(&owner).await {
                    tracing::error!(%owner, error = %error.chain(), "the last audit records were not written");
                }
            })
            .await;
    }
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder")
            .field("options", &self.shared.options)
            .field("counts", &self.counts())
            .finish_non_exhaustive()
    }
}

impl Observer for Recorder {
    fn begun(&self, call: &ObservedCall) {
        if call.is_change && self.shared.mode() == AuditMode::Sync {
            self.shared.journals().begin_change(&LayerOwner::from(&call.user));
        }
        self.shared.channels.send_each(&call.user, || EventReport::begun(call));
    }

    fn ended(&self, operation: ObservedOperation) -> Option<RecordWritten> {
        let is_awaited = operation.call.is_change && self.shared.mode() == AuditMode::Sync;
        let user = is_awaited.then(|| LayerOwner::from(&operation.call.user));
        let kept = self.shared.record(operation);
        if let Some(user) = user {
            self.shared.journals().end_change(&user);
        }
        kept
    }

    fn deletion_started(&self, user: &Id) {
        let waiters = self.shared.journals().leave(&LayerOwner::from(user));
        for waiter in waiters {
            // A caller that went away does not want to know.
            let _ = waiter.send(Err(leaving()));
        }
        self.shared.channels.leave(user);
    }

    fn deletion_finished(&self, user: &Id) {
        self.shared.journals().come_back(&LayerOwner::from(user));
        let (candidates, user) = (self.shared.candidates.clone(), user.clone());
        tokio::spawn(async move { candidates.invalidate(&user).await });
    }

    fn candidates(&self, user: &Id) -> RankedPaths {
        if self.shared.mode() == AuditMode::Off {
            return Box::pin(std::future::ready(Vec::new()));
        }
        let (shared, user) = (Arc::clone(&self.shared), user.clone());
        Box::pin(async move { shared.candidates_of(&user).await })
    }
}

impl RecorderState {
    pub(super) fn journals(&self) -> MutexGuard<'_, RecordBuffers> {
        self.journals.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn options(&self) -> AuditOptions {
        self.options
    }

    /// How much it does for its records now.
    fn mode(&self) -> AuditMode {
        if self.store.access().is_granted() { self.options.mode } else { AuditMode::Off }
    }

    pub(super) fn moment(&self) -> ClockReading {
        ClockReading { now: self.store.clock().now(), uptime: self.store.clock().uptime() }
    }

    /// Adds a record to the trail of its user, and that of a change to the trail of the skill's owner too. Returns what its caller has
    /// to wait for.
    fn record(self: &Arc<Self>, operation: ObservedOperation) -> Option<RecordWritten> {
        let mode = self.mode();
        let is_awaited = mode == AuditMode::Sync && operation.is_account_due();
        let user = operation.call.user.clone();
        let owner = operation.effects.owner.clone().filter(|_| operation.call.is_change);
        let at = self.moment();
        // The person who decides on an approval may listen at another replica.
        let is_urgent = operation.effects.approval.is_some();
        let record = record_from_operation(operation, at.now);
        if mode == AuditMode::Off {
            self.send_unrecorded(&user, &record);
            return None;
        }
        let of_owner = owner.and_then(|owner| self.record_of_owner(owner, &user, &record, at, is_awaited));
        both(self.record_of_user(&user, &record, at, (is_urgent, is_awaited)), of_owner)
    }

    /// Adds the record of a change of a skill of a team or the organisation to its trail, which survives the user.
    fn record_of_owner(
        self: &Arc<Self>,
        owner: LayerOwner,
        user: &Id,
        record: &AuditRecord,
        at: ClockReading,
        is_awaited: bool,
    ) -> Option<RecordWritten> {
        let (waiter, written) = is_awaited.then(oneshot::channel).unzip();
        let line = record_line(&AuditRecord { user: Some(user.to_string()), ..record.clone() }).ok();
        let added = line.and_then(|line| self.journals().add(&owner, &line, at, false, waiter));
        let Some(BufferedRecord { is_first, .. }) = added else {
            self.drop_one();
            return is_awaited.then(|| -> RecordWritten { Box::pin(std::future::ready(Err(full()))) });
        };
        if is_first {
            self.begin_writer(owner);
        }
        written.map(awaited)
    }

    fn record_of_user(
        self: &Arc<Self>,
        user: &Id,
        record: &AuditRecord,
        at: ClockReading,
        (is_urgent, is_awaited): (bool, bool),
    ) -> Option<RecordWritten> {
        let (waiter, learns) = is_awaited.then(oneshot::channel).unzip();
        let owner = LayerOwner::from(user);
        if self.journals().has_left(&owner) {
            return is_awaited.then(|| -> RecordWritten { Box::pin(std::future::ready(Err(leaving()))) });
        }
        // The event that a call has begun was sent when it began.
        let later = |(_, report): &(EventId, EventReport)| !is_begin(&report.event);
        let line = record_line(record).ok();
        let added = {
            // Events are sent in the order of their ids, so a listener that comes back with an id has received all
            // earlier events.
            let mut journals = self.journals();
            let added = line.and_then(|line| journals.add(&owner, &line, at, is_urgent, waiter));
            if let Some(BufferedRecord { position, .. }) = &added {
                let has_id = self.channels.goes_on_from(user, position.batch.time());
                let sent = |(_, report): (EventId, EventReport)| if has_id { report } else { report.without_id() };
                self.channels.send_each(user, || EventReport::of(position, record).filter(later).map(sent));
            }
            added
        };
        let Some(BufferedRecord { is_first, .. }) = added else {
            self.drop_one();
            self.send_unrecorded(user, record);
            return is_awaited.then(|| -> RecordWritten { Box::pin(std::future::ready(Err(full()))) });
        };
        if is_first {
            self.begin_writer(owner);
        }
        learns.map(awaited)
    }

    /// Sends the events of a record that is not kept. The event that the call has begun was sent when it began.
    fn send_unrecorded(&self, user: &Id, record: &AuditRecord) {
        self.channels.send_each(user, || EventReport::unrecorded(record).filter(|report| !is_begin(&report.event)));
    }

    /// The skills that a session of `user` may begin with. None if the records cannot be read: a session needs them less than
    /// its caller needs the session.
    async fn candidates_of(&self, user: &Id) -> Vec<SkillPath> {
        let log = AuditLog::over(self.store.store().clone(), self.store.namespace().clone());
        let read = candidates(&log, user, self.store.clock().now());
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

    /// Begins the task that writes the batches of `owner`, as long as there are any.
    fn begin_writer(self: &Arc<Self>, owner: LayerOwner) {
        // A process that ends has no runtime any more; nothing is written then.
        if let Ok(runtime) = Handle::try_current() {
            let this = Arc::clone(self);
            runtime.spawn(async move { this.write_all(&owner).await });
        }
    }
}

fn awaited(written: oneshot::Receiver<Result<()>>) -> RecordWritten {
    Box::pin(async move { written.await.map_err(Error::internal)? })
}

/// Waits for both records of one change.
fn both(one: Option<RecordWritten>, other: Option<RecordWritten>) -> Option<RecordWritten> {
    match (one, other) {
        (Some(one), Some(other)) => Some(Box::pin(async move {
            let (one, other) = tokio::join!(one, other);
            one.and(other)
        })),
        (one, other) => one.or(other),
    }
}

/// The error of a record of a user who is being deleted.
pub(super) fn leaving() -> Error {
    Error::new(Code::Denied, "the user is being deleted, and so are the user's audit records")
        .with_outcome(Outcome::NotApplied)
}

/// The error of a record that there is no room for.
fn full() -> Error {
    let message = "too many audit records wait for the store; try again once it answers";
    Error::new(Code::StoreUnavailable, message).with_outcome(Outcome::NotApplied)
}
