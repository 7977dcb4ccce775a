//! A listener for events: first past events from the store, and then live events, as one sequence.

use std::{any::Any, collections::VecDeque, sync::Arc};

use tokio::sync::{broadcast, oneshot};

use super::{
    batch::BatchName,
    event::{EventId, Resume, catalog_event, dropped_event},
    log::{AuditLog, untold},
    pieces::ChunkedReader,
    record::StoredRecord,
    report::EventReport,
    sight::EventFilter,
};
use crate::{catalog::CatalogChange, error::Result, limits::EVENTS_PIECE_BYTES, path::Id, wire::Event};

/// Batches that are listed at once.
pub(super) const LISTED: usize = 256;

/// A listener for events.
#[derive(Debug)]
pub struct Listener {
    replay: Option<Replay>,
    ready: VecDeque<EventReport>,
    live: broadcast::Receiver<Arc<EventReport>>,
    /// The changes that this process finds in any catalog.
    changes: broadcast::Receiver<Arc<CatalogChange>>,
    /// The `gap` that comes if the batch of the last event that the client knows never does.
    doubt: Option<oneshot::Receiver<Event>>,
    sight: EventFilter,
    session: Option<Id>,
    /// The id of the last event that the listener received; at first an id from before the listener began.
    last: Option<String>,
    held_for_replay: Option<Box<dyn Any + Send + Sync>>,
    is_over: bool,
}

/// The stored events after some id.
#[derive(Debug)]
pub(super) struct Replay {
    log: AuditLog,
    user: Id,
    after: EventId,
    /// The listing goes on behind this.
    from: String,
    /// The listed batches that are not read yet.
    pieces: ChunkedReader,
    is_listed: bool,
}

impl Listener {
    pub(super) fn new(
        (live, changes): (broadcast::Receiver<Arc<EventReport>>, broadcast::Receiver<Arc<CatalogChange>>),
        (gap, doubt, replay): (Option<Event>, Option<oneshot::Receiver<Event>>, Option<Replay>),
        sight: EventFilter,
        session: Option<Id>,
        last: Option<String>,
    ) -> Self {
        let ready = gap.into_iter().map(EventReport::from).collect();
        Self { replay, ready, live, changes, doubt, sight, session, last, held_for_replay: None, is_over: false }
    }

    /// Whether it is open if the batch of the last event that the client knows comes into the store.
    pub(super) fn is_in_doubt(&self) -> bool {
        self.doubt.is_some()
    }

    /// The same listener, which drops `held` once it has read all past events from the store.
    #[must_use]
    pub fn holding_for_replay(self, held: impl Any + Send + Sync) -> Self {
        Self { held_for_replay: Some(Box::new(held)), ..self }
    }

    /// The next event; `None` once there are no more. The last one may be `dropped`: this listener was too slow.
    ///
    /// # Errors
    /// The store's, while it reads what happened before.
    pub async fn next(&mut self) -> Result<Option<Event>> {
        self.next_of_key(|| false).await
    }

    /// As [`next`](Self::next), for a watcher whose key may lose its scope `control` meanwhile. `is_agent` is asked about each event.
    ///
    /// # Errors
    /// As [`next`](Self::next).
    pub async fn next_of_key(&mut self, is_agent: impl Fn() -> bool) -> Result<Option<Event>> {
        while let Some(report) = self.following().await? {
            if is_agent() {
                self.sight.become_agent();
            }
            if let Some(event) = self.sight.visible(&report).await? {
                self.last = event.id.clone().or(self.last.take());
                return Ok(Some(event));
            }
        }
        Ok(None)
    }

    /// The next of the past events, as the watcher may see it; `None` after the last.
    pub(super) async fn missed(&mut self) -> Result<Option<Event>> {
        while let Some(report) = self.replayed().await? {
            if let Some(event) = self.sight.visible(&report).await? {
                return Ok(Some(event));
            }
        }
        Ok(None)
    }

    async fn following(&mut self) -> Result<Option<EventReport>> {
        if let Some(report) = self.replayed().await? {
            return Ok(Some(report));
        }
        while !self.is_over {
            let received = tokio::select! {
                report = self.live.recv() => {
                    report.map(|report| self.wants(&report.event).then(|| EventReport::clone(&report)))
                }
                change = self.changes.recv() => change.map(|change| self.found(&change)),
                gap = settled(&mut self.doubt) => Ok(gap.map(EventReport::from)),
            };
            match received {
                Ok(Some(report)) => return Ok(Some(report)),
                Ok(None) => {}
                Err(broadcast::error::RecvError::Lagged(missed)) => {
                    self.is_over = true;
                    return Ok(Some(dropped_event(missed, self.last.clone()).into()));
                }
                Err(broadcast::error::RecvError::Closed) => self.is_over = true,
            }
        }
        Ok(None)
    }

    /// The event of a change that is of no record; `None` if a record reports it, or the listener does not see the layer.
    fn found(&self, change: &CatalogChange) -> Option<EventReport> {
        let is_told = change.concerns(self.sight.audience()) && !change.is_reported();
        is_told.then(|| catalog_event(&change.difference).into())
    }

    /// The next of the past events; `None` after the last.
    async fn replayed(&mut self) -> Result<Option<EventReport>> {
        loop {
            while let Some(report) = self.ready.pop_front() {
                if self.wants(&report.event) {
                    return Ok(Some(report));
                }
            }
            let Some(replay) = &mut self.replay else {
                self.held_for_replay = None;
                return Ok(None);
            };
            match replay.next().await? {
                Some(reports) => self.ready.extend(reports),
                None => self.replay = None,
            }
        }
    }

    /// Whether the event is about the session. An event about no session, such as a change of the catalog, is for every
    /// session.
    fn wants(&self, event: &Event) -> bool {
        let of = |session: &Id| event.session.as_ref().is_none_or(|of| of == session.as_str());
        self.session.as_ref().is_none_or(of)
    }
}

impl Replay {
    pub(super) fn new(log: AuditLog, user: Id, resume: Resume) -> Self {
        let Resume { after, begun } = resume;
        let time = after.record.batch.time();
        // A batch that was begun before may have got its last record later, or have come into the store later.
        let from = BatchName::before(if begun.is_some() { time } else { untold(time) });
        let pieces = ChunkedReader::new(&log, &user, [], EVENTS_PIECE_BYTES);
        Self { log, user, after, from, pieces, is_listed: false }
    }

    /// The events of the next piece; `None` after the last.
    async fn next(&mut self) -> Result<Option<Vec<EventReport>>> {
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
        Ok(Some(reports_of(&piece).filter(|(id, _)| !is_told(id)).map(|(_, report)| report).collect()))
    }
}

/// Waits until it is settled whether there is a gap. Without a doubt it waits for ever.
async fn settled(doubt: &mut Option<oneshot::Receiver<Event>>) -> Option<Event> {
    match doubt {
        None => std::future::pending().await,
        Some(settles) => {
            let gap = settles.await.ok();
            *doubt = None;
            gap
        }
    }
}

/// The events of records, in the order of their ids.
pub(super) fn reports_of(records: &[StoredRecord]) -> impl Iterator<Item = (EventId, EventReport)> {
    records.iter().flat_map(|stored| EventReport::of(&stored.position, &stored.record))
}
