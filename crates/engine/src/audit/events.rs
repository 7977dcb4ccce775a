//! Listening to events: those of this process at once, and those of other replicas from their records.
//!
//! Records of other replicas are looked for only while a client listens, by one task for each user. A client that comes
//! back with the id of its last event first receives what the store has since. The replay begins earlier than that event, by the
//! time in which events of other replicas arrive: [`AUDIT_LATENESS`](crate::limits::AUDIT_LATENESS) and two looks. While looks
//! fail, events of this process have no ids, so no client goes on from them. A client may receive an event twice, with the same
//! id, and misses none.

use std::{collections::BTreeSet, sync::Arc};

use jiff::{SignedDuration, Timestamp};
use tokio::time::sleep;

use super::{
    batch::BatchName,
    channels::{Channels, FollowLock},
    event::{EventId, Resume, gap_event},
    fate::{BatchStatus, UncertainEvent},
    listener::{LISTED, Listener, Replay, reports_of},
    log::{AuditLog, StoredBatch, earlier},
    pieces::ChunkedReader,
    recorder::Recorder,
    report::EventReport,
    sight::{EventFilter, Watcher},
};
use crate::{
    catalog::Catalogs,
    clock::Clock,
    error::{Error, Result},
    handle::Service,
    limits::{EVENTS_LOOK, EVENTS_PAUSES, EVENTS_PIECE_BYTES},
    path::Id,
    session::{ApprovalRequest, ApprovalWatch, poll_approval_watch, start_approval_watch},
    wire::Event,
};

/// The events of all users. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Events {
    log: AuditLog,
    recorder: Option<Recorder>,
    channels: Channels,
    catalogs: Catalogs,
    service: Service,
    clock: Arc<dyn Clock>,
}

/// The events that a client missed.
#[derive(Debug, Default)]
pub struct EventGap {
    /// The events, in the order of their records.
    pub events: Vec<Event>,
    /// Where the rest of them begins; `None` if there is no rest.
    pub next: Option<Resume>,
}

impl Events {
    /// The events of `service`, whose records `recorder` writes if there are any.
    #[must_use]
    pub fn new(service: &Service, recorder: Option<Recorder>, clock: Arc<dyn Clock>) -> Self {
        let channels = recorder.as_ref().map(Recorder::channels).unwrap_or_default();
        let catalogs = service.catalogs().clone();
        Self { log: AuditLog::for_service(service), recorder, channels, catalogs, service: service.clone(), clock }
    }

    /// Listens to the events of the user of `watcher`, or of one session, from the events after `after` on. The
    /// listener also receives changes that this process finds in the skills of the watcher's view. No event names a
    /// skill that is hidden from the watcher.
    ///
    /// # Errors
    /// The store's.
    pub async fn listen(
        &self,
        watcher: impl Into<Watcher>,
        session: Option<&Id>,
        after: Option<Resume>,
    ) -> Result<Listener> {
        let watcher = watcher.into();
        let user = &watcher.audience.user;
        let changes = self.catalogs.changes();
        let last = self.now_as_id();
        let live = {
            let (receiver, followed) = self.channels.listen(user, self.clock.now());
            // Declared before `live`, so it is dropped after `live`. Once a task follows other replicas, the task
            // cleans up.
            let _tidied = self.channels.tidied(user, &followed);
            let live = receiver;
            // No client listens before the batches that are there have been listed.
            let mut is_followed = followed.lock().await;
            if !*is_followed {
                self.poll_others(user, &followed).await?;
                *is_followed = true;
            }
            drop(is_followed);
            live
        };
        let (mut gap, mut doubt, mut replay) = (None, None, None);
        if let Some(after) = after {
            if let Some(recorder) = &self.recorder {
                recorder.flush(user).await?;
            }
            let doubted = self.doubted(user, &after.after);
            match doubted.fate().await? {
                BatchStatus::Kept => {}
                BatchStatus::Gone => gap = Some(gap_event(&after.after)),
                BatchStatus::Open => doubt = Some(doubted.watched()),
            }
            replay = Some(Replay::new(self.log.clone(), user.clone(), after));
        }
        let sight = EventFilter::new(watcher, self.service.clone());
        Ok(Listener::new((live, changes), (gap, doubt, replay), sight, session.cloned(), last))
    }

    /// The event after which a client goes on, while the store may lack its batch.
    fn doubted(&self, user: &Id, after: &EventId) -> UncertainEvent {
        let recorder = self.recorder.as_ref().filter(|recorder| recorder.keeps_records());
        UncertainEvent {
            log: self.log.clone(),
            user: user.clone(),
            after: after.clone(),
            own: recorder.map(Recorder::replica),
            kept_for: recorder.map(|recorder| SignedDuration::from_hours(24 * i64::from(recorder.retention_days()))),
            clock: Arc::clone(&self.clock),
        }
    }

    /// The id from which on a client that listens from now on misses nothing; `None` if events have no ids.
    fn now_as_id(&self) -> Option<String> {
        let has_records = self.recorder.as_ref().is_some_and(Recorder::keeps_records);
        has_records.then(|| EventId::before(earlier(self.clock.now())).to_string())
    }

    /// The present position. A client that asks from it on receives all later events. `None` if events have no ids.
    #[must_use]
    pub fn position(&self) -> Option<Resume> {
        let has_records = self.recorder.as_ref().is_some_and(Recorder::keeps_records);
        has_records.then(|| EventId::before(self.clock.now()).into())
    }

    /// The events since `from`: at most `most` events and `bytes` of JSON. If any of them has an id, the answer has at
    /// least one with an id. Returns nothing while another replica may still write the batch of `from`, so that a gap
    /// comes first.
    ///
    /// # Errors
    /// As [`listen`](Self::listen).
    pub async fn since(
        &self,
        watcher: impl Into<Watcher>,
        session: Option<&Id>,
        from: Resume,
        (most, bytes): (usize, usize),
    ) -> Result<EventGap> {
        let now = self.clock.now();
        let begun = from.begun.unwrap_or(now);
        let mut listener = self.listen(watcher, session, Some(from)).await?;
        if listener.is_in_doubt() {
            return Ok(EventGap::default());
        }
        let (mut events, mut taken, mut last) = (Vec::new(), 0, None);
        while let Some(event) = listener.missed().await? {
            taken += serde_json::to_vec(&event).map_err(Error::internal)?.len();
            if let Some(after) = last.take_if(|_| events.len() >= most || taken > bytes) {
                return Ok(EventGap { events, next: Some(Resume { after, begun: Some(begun) }) });
            }
            last = event.id.as_deref().map(EventId::parse).transpose()?;
            events.push(event);
        }
        // Batches that arrived meanwhile may lie before the events that were sent meanwhile.
        let is_long = begun <= earlier(now);
        let again = is_long.then(|| Resume { after: EventId::before(earlier(begun)), begun: Some(now) });
        Ok(EventGap { events, next: again })
    }

    /// Begins the task that looks for the records of other replicas, as long as a client listens.
    async fn poll_others(&self, user: &Id, followed: &FollowLock) -> Result<()> {
        let looked = self.clock.now();
        let batches = self.recent(user, horizon(looked)).await?;
        self.channels.has_looked(user, followed, looked);
        let seen = batches.into_iter().map(|batch| batch.name).collect::<BTreeSet<_>>();
        let sessions = start_approval_watch(self.service.sessions(), user).await?;
        let (this, user, followed) = (self.clone(), user.clone(), Arc::clone(followed));
        tokio::spawn(async move { this.follow(&user, &followed, seen, looked, sessions).await });
        Ok(())
    }

    /// Looks for records that other replicas wrote since `looked`. At that time the task had `seen` these batches.
    async fn follow(
        &self,
        user: &Id,
        followed: &FollowLock,
        mut seen: BTreeSet<BatchName>,
        mut looked: Timestamp,
        mut sessions: ApprovalWatch,
    ) {
        let own = self.recorder.as_ref().map(Recorder::replica);
        loop {
            sleep(EVENTS_LOOK).await;
            if self.channels.is_over(user, followed) {
                return;
            }
            match poll_approval_watch(self.service.sessions(), user, &mut sessions).await {
                Ok(waiting) => self.channels.send_each(user, || {
                    let report = |(session, request): (Id, ApprovalRequest)| EventReport::waiting(&session, request);
                    waiting.into_iter().map(report)
                }),
                Err(error) => {
                    tracing::warn!(%user, error = %error.chain(), "permission requests of other replicas come later");
                }
            }
            let now = self.clock.now();
            match self.poll_once(user, own.as_deref(), &mut seen, looked).await {
                Ok(()) => {
                    looked = now;
                    self.channels.has_looked(user, followed, looked);
                }
                Err(error) => {
                    tracing::warn!(%user, error = %error.chain(), "events of other replicas come later");
                }
            }
        }
    }

    /// Sends the events that came into the store since the last look, at `looked`.
    async fn poll_once(
        &self,
        user: &Id,
        own: Option<&str>,
        seen: &mut BTreeSet<BatchName>,
        looked: Timestamp,
    ) -> Result<()> {
        let mut pauses = EVENTS_PAUSES;
        for batch in self.recent(user, horizon(looked)).await? {
            if seen.contains(&batch.name) {
                continue;
            }
            let name = batch.name.clone();
            if own != Some(name.replica()) {
                let mut pieces = ChunkedReader::new(&self.log, user, [batch], EVENTS_PIECE_BYTES);
                while let Some(piece) = pieces.next().await? {
                    let events = reports_of(&piece).map(|(_, report)| report).collect();
                    self.channels.send_at_pace(user, events, &mut pauses).await;
                }
            }
            seen.insert(name);
        }
        let oldest = horizon(looked);
        seen.retain(|name| name.time() >= oldest);
        Ok(())
    }

    /// The batches that may be new: those of the last minutes, by whichever clock.
    async fn recent(&self, user: &Id, since: Timestamp) -> Result<Vec<StoredBatch>> {
        let mut from = BatchName::before(since);
        let mut all = Vec::new();
        loop {
            let (batches, has_more) = self.log.batches(user, &from, LISTED).await?;
            from = batches.last().map(|batch| batch.name.to_string()).unwrap_or_default();
            all.extend(batches);
            if !has_more {
                return Ok(all);
            }
        }
    }
}

/// From when on the names of batches may be that came into the store since `looked`, by whichever clock.
fn horizon(looked: Timestamp) -> Timestamp {
    earlier(earlier(looked))
}
