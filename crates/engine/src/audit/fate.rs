//! The fate of the batch of an event that a client knows. A process sends events before their batch is in the store.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use tokio::{sync::oneshot, time::sleep};

use super::{
    event::{EventId, gap_event},
    log::{AuditLog, earlier, later},
};
use crate::{clock::Clock, error::Result, limits::EVENTS_LOOK, path::Id, store::GetOptions, wire::Event};

/// Whether a batch is in the store, or may still come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BatchStatus {
    /// It is in the store.
    Kept,
    /// It is not there and does not come any more.
    Gone,
    /// It is not there, and another replica may still write it.
    Open,
}

/// The event after which a client goes on.
#[derive(Debug)]
pub(super) struct UncertainEvent {
    pub(super) log: AuditLog,
    pub(super) user: Id,
    pub(super) after: EventId,
    /// The name of this process in its batches. Such a batch is in the store by now, or never comes.
    pub(super) own: Option<String>,
    /// How long records are kept, if this process knows.
    pub(super) kept_for: Option<SignedDuration>,
    pub(super) clock: Arc<dyn Clock>,
}

impl UncertainEvent {
    /// The status of its batch now.
    ///
    /// # Errors
    /// The store's.
    pub(super) async fn fate(&self) -> Result<BatchStatus> {
        let (now, batch) = (self.clock.now(), &self.after.record.batch);
        // Clocks of replicas differ, and not by so much.
        if batch.time() > later(now) {
            return Ok(BatchStatus::Gone);
        }
        if self.after.is_of_no_record() {
            return Ok(self.fate_of_place(now));
        }
        if self.log.read(&self.user, batch, GetOptions::range(0..1)).await?.is_some() {
            return Ok(BatchStatus::Kept);
        }
        // A batch that is later than that gets another name.
        let is_over = batch.time() < earlier(now) || self.own.as_deref() == Some(batch.replica());
        Ok(if is_over { BatchStatus::Gone } else { BatchStatus::Open })
    }

    /// Looks for the batch, which another replica may still write. The receiver gets the event `gap` if none does.
    pub(super) fn watched(self) -> oneshot::Receiver<Event> {
        let (settle, settled) = oneshot::channel();
        tokio::spawn(async move {
            while !settle.is_closed() {
                sleep(EVENTS_LOOK).await;
                match self.fate().await {
                    // It is tried again: a store that fails says nothing of the batch.
                    Err(_) | Ok(BatchStatus::Open) => {}
                    Ok(BatchStatus::Kept) => return,
                    Ok(BatchStatus::Gone) => {
                        // The listener may just have left.
                        let _ = settle.send(gap_event(&self.after));
                        return;
                    }
                }
            }
        });
        settled
    }

    /// Whether the records since a place between events are still kept.
    fn fate_of_place(&self, now: Timestamp) -> BatchStatus {
        let oldest = self.kept_for.and_then(|kept_for| now.checked_sub(kept_for).ok());
        if oldest.is_some_and(|oldest| self.after.record.batch.time() < oldest) {
            BatchStatus::Gone
        } else {
            BatchStatus::Kept
        }
    }
}
