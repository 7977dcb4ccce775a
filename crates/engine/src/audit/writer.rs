//! The task that writes the batches of an owner. It writes each batch before a listener asks for the events after the last one.

use std::sync::{Arc, atomic::Ordering};

use tokio::time::{sleep, timeout};

use super::{
    journal::{Next, Waiter},
    recorder::{RecorderState, leaving},
    waiting::Batch,
};
use crate::{
    error::{Code, Error, Outcome, Result},
    limits::{DELETIONS_RENEWED, OPERATION_TIMEOUT},
    path::LayerOwner,
    store::{DeleteOptions, ExpectedVersion, StoreError},
};

/// How often a batch that comes too late is put: the second put has a new name, which is young for longer than a put takes.
const PUTS: usize = 2;

impl RecorderState {
    pub(super) async fn write_all(self: &Arc<Self>, owner: &LayerOwner) {
        loop {
            let (next, wake) = {
                let mut journals = self.journals();
                (journals.next(owner, self.store.clock().uptime()), journals.wake(owner))
            };
            match (next, wake) {
                (Next::End, _) | (Next::Wait(_), None) => return,
                (Next::Write(batch), _) => {
                    self.write(owner, batch).await;
                    self.prune(owner);
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

    async fn write(&self, owner: &LayerOwner, mut batch: Batch) {
        if self.is_deleted_since(owner, &batch).await {
            let waiters = self.journals().discard(owner, &batch);
            return waiters.into_iter().for_each(|waiter| drop(waiter.send(Err(leaving()))));
        }
        let outcome = self.put_in_time(owner, &mut batch).await;
        let waiters: Vec<Waiter> = match &outcome {
            Ok(()) => {
                self.forget_earlier(owner, &mut batch).await;
                self.batches.fetch_add(1, Ordering::Relaxed);
                self.records.fetch_add(batch.records as u64, Ordering::Relaxed);
                self.journals().written(owner, &batch)
            }
            Err(error) => {
                tracing::error!(%owner, records = batch.records, error = %error.chain(), "audit records were not written; they are tried again");
                let is_absent = error.outcome() != Some(Outcome::Unknown);
                self.journals().failed(owner, batch, is_absent, self.moment())
            }
        };
        for waiter in waiters {
            // A caller that went away does not want to know.
            let _ = waiter.send(outcome.clone());
        }
    }

    /// Whether the user is being deleted, or was since the batch was begun. A process without calls does not look for
    /// tombstones, so a batch that has waited for long is not written unseen.
    async fn is_deleted_since(&self, owner: &LayerOwner, batch: &Batch) -> bool {
        let LayerOwner::User(user) = owner else { return false };
        if self.store.clock().uptime().saturating_sub(batch.opened) < DELETIONS_RENEWED {
            return false;
        }
        let (Ok(tombstone), Ok(receipt)) =
            (self.store.namespace().deletion(user), self.store.namespace().receipt(user))
        else {
            return false;
        };
        let (tombstone, receipt) = tokio::join!(self.store.store().head(&tombstone), self.store.store().head(&receipt));
        // If the store does not answer, it does not take the batch either.
        tombstone.is_ok() || receipt.is_ok_and(|receipt| receipt.modified_at >= batch.begun)
    }

    /// Puts a batch under a name that is at most [`AUDIT_LATENESS`](crate::limits::AUDIT_LATENESS) old when it is in
    /// the store. A later batch is put again under another name, because a returning listener would not look so far
    /// back.
    async fn put_in_time(&self, owner: &LayerOwner, batch: &mut Batch) -> Result<()> {
        for _ in 0..PUTS {
            if batch.is_late(self.store.clock().now()) {
                self.journals().rename(owner, batch, self.store.clock().now());
            }
            self.put(owner, batch).await?;
            if !batch.is_late(self.store.clock().now()) {
                break;
            }
            batch.is_doubtful = true;
        }
        Ok(())
    }

    /// Deletes a batch under the names that it had before and may be in the store by.
    async fn forget_earlier(&self, owner: &LayerOwner, batch: &mut Batch) {
        for name in std::mem::take(&mut batch.earlier) {
            let key = owner.space(self.store.namespace()).and_then(|space| space.audit_batch(&name.to_string()));
            let Ok(key) = key else { continue };
            if let Err(error) = self.store.store().delete(&key, DeleteOptions::default()).await {
                let error = Error::from(error);
                tracing::warn!(%owner, %name, error = %error.chain(), "records lie twice in the store, with the same calls");
            }
        }
    }

    async fn put(&self, owner: &LayerOwner, batch: &Batch) -> Result<()> {
        let key = owner.space(self.store.namespace())?.audit_batch(&batch.name.to_string())?;
        let bytes = bytes::Bytes::copy_from_slice(&batch.text);
        match timeout(2 * OPERATION_TIMEOUT, self.store.committer().commit(&key, bytes, &ExpectedVersion::Absent)).await
        {
            // No other process has this name: an earlier attempt of ours was not lost after all.
            Ok(Ok(_) | Err(StoreError::PreconditionFailed)) => Ok(()),
            Ok(Err(error)) => Err(Error::from(error).of_change()),
            Err(_) => {
                let message = "the store takes too long";
                Err(Error::new(Code::StoreUnavailable, message).with_outcome(Outcome::Unknown))
            }
        }
    }
}
