//! Listening to events: those of this process at once, and those of other replicas from their records.
//!
//! Records of other replicas are looked for only while a client listens, by one task for each user. A client that comes
//! back with the id of its last event first receives what the store has since. That overlaps with the live events by up to
//! [`AUDIT_LATENESS`](crate::limits::AUDIT_LATENESS), so events may come twice, with the same id, and none is skipped.

use std::{
    collections::{BTreeSet, VecDeque},
    sync::Arc,
};

use jiff::Timestamp;
use tokio::{sync::broadcast, time::sleep};

use super::{
    batch::BatchName,
    channels::{Channels, Followed},
    event::{Event, EventId, Resume},
    log::{AuditLog, StoredBatch, earlier},
    pieces::Pieces,
    record::StoredRecord,
    recorder::Recorder,
};
use crate::{
    backend::Service,
    catalog::{Audience, CatalogChange, Catalogs},
    clock::Clock,
    error::{Error, Result},
    limits::{AUDIT_BATCH_BYTES, EVENTS_LOOK, EVENTS_PAUSES, EVENTS_PIECE_BYTES},
    path::Id,
    session::{ApprovalRequest, KnownSessions},
};

/// Batches that are listed at once.
const LISTED: usize = 256;

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

/// One who listens.
#[derive(Debug)]
pub struct Listener {
    replay: Option<Replay>,
    ready: VecDeque<Arc<Event>>,
    live: broadcast::Receiver<Arc<Event>>,
    /// What this process finds changed in any catalog.
    changes: broadcast::Receiver<Arc<CatalogChange>>,
    audience: Audience,
    session: Option<Id>,
    /// The id of the last event that it received, at first an id from before it listened.
    last: Option<String>,
    is_over: bool,
}

/// What happened that a client missed.
#[derive(Debug, Default)]
pub struct Missed {
    /// The events, in the order of their records.
    pub events: Vec<Event>,
    /// What names the rest of them; `None` if that is all.
    pub next: Option<Resume>,
}

/// What the store has of events after some id.
#[derive(Debug)]
struct Replay {
    log: AuditLog,
    user: Id,
    after: EventId,
    /// The listing goes on behind this.
    from: String,
    /// What was listed and is not read yet.
    pieces: Pieces,
    is_listed: bool,
}

impl Events {
    /// The events of `service`, whose records `recorder` writes if there are any.
    #[must_use]
    pub fn new(service: &Service, recorder: Option<Recorder>, clock: Arc<dyn Clock>) -> Self {
        let channels = recorder.as_ref().map(Recorder::channels).unwrap_or_default();
        let catalogs = service.catalogs().clone();
        Self { log: AuditLog::of(service), recorder, channels, catalogs, service: service.clone(), clock }
    }

    /// Listens to what happens to the user of `audience`, or in one of the sessions; first to what happened since `after`. What
    /// this process finds changed in the skills that `audience` sees is told too.
    ///
    /// # Errors
    /// The store's.
    pub async fn listen(
        &self,
        audience: impl Into<Audience>,
        session: Option<&Id>,
        after: Option<Resume>,
    ) -> Result<Listener> {
        let audience = audience.into();
        let user = &audience.user;
        let changes = self.catalogs.changes();
        let last = self.now_as_id();
        let live = {
            let (receiver, followed) = self.channels.listen(user);
            // Before `live`, so that it is dropped after it. Once others are followed, what follows them tidies up.
            let _tidied = self.channels.tidied(user, &followed);
            let live = receiver;
            // No client listens before the batches that are there have been listed.
            let mut is_followed = followed.lock().await;
            if !*is_followed {
                self.look_for_others(user, &followed).await?;
                *is_followed = true;
            }
            drop(is_followed);
            live
        };
        let mut ready = VecDeque::new();
        let replay = match after {
            None => None,
            Some(after) => {
                if let Some(recorder) = &self.recorder {
                    recorder.flush(user).await?;
                }
                if after.begun.is_none() && self.is_gone(user, &after.after).await? {
                    ready.push_back(Arc::new(Event::gap(&after.after)));
                }
                Some(Replay::new(self.log.clone(), user.clone(), after))
            }
        };
        let session = session.cloned();
        Ok(Listener { replay, ready, live, changes, audience, session, last, is_over: false })
    }

    /// The id from which on a client that listens from now on misses nothing; `None` if events have no ids.
    fn now_as_id(&self) -> Option<String> {
        let has_records = self.recorder.as_ref().is_some_and(Recorder::keeps_records);
        has_records.then(|| EventId::before(earlier(self.clock.now())).to_string())
    }

    /// What happened since `from`: `most` events and `bytes` of them as JSON at most, but one that has an id if there is one.
    ///
    /// # Errors
    /// As [`listen`](Self::listen).
    pub async fn since(
        &self,
        user: &Id,
        session: Option<&Id>,
        from: Resume,
        (most, bytes): (usize, usize),
    ) -> Result<Missed> {
        let now = self.clock.now();
        let begun = from.begun.unwrap_or(now);
        let mut listener = self.listen(user, session, Some(from)).await?;
        let (mut events, mut taken, mut last) = (Vec::new(), 0, None);
        while let Some(event) = listener.replayed().await? {
            taken += serde_json::to_vec(&*event).map_err(Error::internal)?.len();
            if let Some(after) = last.take_if(|_| events.len() >= most || taken > bytes) {
                return Ok(Missed { events, next: Some(Resume { after, begun: Some(begun) }) });
            }
            last = event.id.as_deref().map(EventId::parse).transpose()?;
            events.push(Event::clone(&event));
        }
        // What came into the store meanwhile may lie before what was told meanwhile.
        let is_long = begun <= earlier(now);
        let again = is_long.then(|| Resume { after: EventId::before(earlier(begun)), begun: Some(now) });
        Ok(Missed { events, next: again })
    }

    /// Whether the batch of an event is not kept any more.
    async fn is_gone(&self, user: &Id, after: &EventId) -> Result<bool> {
        let batch = &after.record.batch;
        if batch.time() >= earlier(earlier(self.clock.now())) {
            return Ok(false);
        }
        // How long it is only the store knows, so it is read as one of any length.
        let batch = StoredBatch { name: batch.clone(), bytes: AUDIT_BATCH_BYTES };
        let mut pieces = Pieces::new(&self.log, user, [batch], EVENTS_PIECE_BYTES);
        while let Some(piece) = pieces.next().await? {
            if !piece.is_empty() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Begins the task that looks for the records of other replicas, as long as a client listens.
    async fn look_for_others(&self, user: &Id, followed: &Followed) -> Result<()> {
        let batches = self.recent(user, horizon(self.clock.now())).await?;
        let seen = batches.into_iter().map(|batch| batch.name).collect::<BTreeSet<_>>();
        let sessions = self.service.sessions().known_sessions(user).await?;
        let (this, user, followed) = (self.clone(), user.clone(), Arc::clone(followed));
        tokio::spawn(async move { this.follow(&user, &followed, seen, sessions).await });
        Ok(())
    }

    async fn follow(&self, user: &Id, followed: &Followed, mut seen: BTreeSet<BatchName>, mut sessions: KnownSessions) {
        let own = self.recorder.as_ref().map(Recorder::replica);
        let mut looked = self.clock.now();
        loop {
            sleep(EVENTS_LOOK).await;
            if self.channels.is_over(user, followed) {
                return;
            }
            let now = self.clock.now();
            match self.service.sessions().waiting_since(user, &mut sessions).await {
                Ok(waiting) => self.channels.tell(user, || {
                    let event = |(session, request): (Id, ApprovalRequest)| Event::waiting(&session, &request);
                    waiting.into_iter().map(event)
                }),
                Err(error) => {
                    tracing::warn!(%user, error = %error.chain(), "permission requests of other replicas come later");
                }
            }
            match self.look_once(user, own.as_deref(), &mut seen, looked).await {
                Ok(()) => looked = now,
                Err(error) => {
                    tracing::warn!(%user, error = %error.chain(), "events of other replicas come later");
                }
            }
        }
    }

    /// Tells what came into the store since it was looked at, at `looked`.
    async fn look_once(
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
                let mut pieces = Pieces::new(&self.log, user, [batch], EVENTS_PIECE_BYTES);
                while let Some(piece) = pieces.next().await? {
                    let events = events_of(&piece).map(|(_, event)| event).collect();
                    self.channels.tell_at_pace(user, events, &mut pauses).await;
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

impl Listener {
    /// The next event; `None` once there are no more. The last one may be `dropped`: this listener was too slow.
    ///
    /// # Errors
    /// The store's, while it reads what happened before.
    pub async fn next(&mut self) -> Result<Option<Event>> {
        let event = self.following().await?;
        if let Some(id) = event.as_ref().and_then(|event| event.id.clone()) {
            self.last = Some(id);
        }
        Ok(event)
    }

    async fn following(&mut self) -> Result<Option<Event>> {
        if let Some(event) = self.replayed().await? {
            return Ok(Some(Event::clone(&event)));
        }
        while !self.is_over {
            let received = tokio::select! {
                event = self.live.recv() => event.map(|event| self.wants(&event).then(|| Event::clone(&event))),
                change = self.changes.recv() => change.map(|change| self.found(&change)),
            };
            match received {
                Ok(Some(event)) => return Ok(Some(event)),
                Ok(None) => {}
                Err(broadcast::error::RecvError::Lagged(missed)) => {
                    self.is_over = true;
                    return Ok(Some(Event::dropped(missed, self.last.clone())));
                }
                Err(broadcast::error::RecvError::Closed) => self.is_over = true,
            }
        }
        Ok(None)
    }

    /// The event of a change that is of no record; `None` if a record reports it, or the listener does not see the layer.
    fn found(&self, change: &CatalogChange) -> Option<Event> {
        let is_told = change.concerns(&self.audience) && !change.is_reported();
        is_told.then(|| Event::catalog_changed(&change.difference))
    }

    /// The next event of those that happened before; `None` after the last of them.
    async fn replayed(&mut self) -> Result<Option<Arc<Event>>> {
        loop {
            while let Some(event) = self.ready.pop_front() {
                if self.wants(&event) {
                    return Ok(Some(event));
                }
            }
            let Some(replay) = &mut self.replay else { return Ok(None) };
            match replay.next().await? {
                Some(events) => self.ready.extend(events),
                None => self.replay = None,
            }
        }
    }

    /// Whether it is about the session. What is about none, as the catalog, is for every session.
    fn wants(&self, event: &Event) -> bool {
        let of = |session: &Id| event.session.as_ref().is_none_or(|of| of == session.as_str());
        self.session.as_ref().is_none_or(of)
    }
}

impl Replay {
    fn new(log: AuditLog, user: Id, resume: Resume) -> Self {
        let Resume { after, begun } = resume;
        let time = after.record.batch.time();
        // A batch that was begun before may have got its last record later, or have come into the store later.
        let from = BatchName::before(if begun.is_some() { time } else { earlier(time) });
        let pieces = Pieces::new(&log, &user, [], EVENTS_PIECE_BYTES);
        Self { log, user, after, from, pieces, is_listed: false }
    }

    /// The events of the next piece; `None` after the last.
    async fn next(&mut self) -> Result<Option<Vec<Arc<Event>>>> {
        let piece = loop {
            if let Some(piece) = self.pieces.next().await? {
                break piece;
            }
            if self.is_listed {
                return Ok(None);
            }
            let (batches, has_more) = self.log.batches(&self.user, &self.from, LISTED).await?;
            self.is_listed = !has_more;
            self.from = batches.last().map(|batch| batch.name.to_string()).unwrap_or_default();
            self.pieces.extend(batches);
        };
        let is_told = |id: &EventId| id.record.batch == self.after.record.batch && *id <= self.after;
        Ok(Some(events_of(&piece).filter(|(id, _)| !is_told(id)).map(|(_, event)| Arc::new(event)).collect()))
    }
}

fn events_of(records: &[StoredRecord]) -> impl Iterator<Item = (EventId, Event)> {
    records.iter().flat_map(|stored| Event::of(&stored.position, &stored.record))
}
