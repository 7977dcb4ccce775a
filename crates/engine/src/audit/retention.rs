//! Deletion of old records. A process deletes them when it writes newer ones or clears a user's old sessions away.

use std::{sync::Arc, time::Duration};

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use jiff::SignedDuration;

use super::{batch::BatchName, recorder::RecorderState};
use crate::{
    error::Error,
    limits::{AUDIT_PRUNED, AUDIT_PRUNED_AGAIN, PARALLEL_GETS},
    path::LayerOwner,
    store::{DeleteOptions, ListOptions, StoreResult},
};

/// How often the old batches of one owner are looked for, once they are gone.
const PRUNE_EVERY: Duration = Duration::from_hours(24);

impl RecorderState {
    /// Deletes the batches of `owner` that are too old, once a day and behind the call: newer records do not wait for it. If some
    /// are left, it goes on sooner.
    pub(super) fn prune(self: &Arc<Self>, owner: &LayerOwner) {
        let now = self.store.clock().uptime();
        if self.pruned.get(owner).is_some_and(|due| now < due) {
            return;
        }
        // No other task begins meanwhile.
        self.pruned.insert(owner.clone(), now + PRUNE_EVERY);
        let (this, owner) = (Arc::clone(self), owner.clone());
        tokio::spawn(async move {
            let are_gone = this.prune_now(&owner).await.unwrap_or_else(|error| {
                // A process that ends may not come to it. The next one does.
                tracing::info!(%owner, error = %Error::from(error).chain(), "old audit records are deleted later");
                false
            });
            if !are_gone {
                this.pruned.insert(owner, this.store.clock().uptime() + AUDIT_PRUNED_AGAIN);
            }
        });
    }

    /// Deletes batches of `owner` that are too old, [`AUDIT_PRUNED`] at most. Returns whether all of them are gone.
    pub(super) async fn prune_now(&self, owner: &LayerOwner) -> StoreResult<bool> {
        let Ok(prefix) = owner.space(self.store.namespace()).and_then(|space| space.audit()) else { return Ok(true) };
        let age = SignedDuration::from_hours(24 * i64::from(self.options().retention_days));
        let oldest = self.store.clock().now().checked_sub(age).unwrap_or_default();
        let mut options = ListOptions::default();
        let mut left = AUDIT_PRUNED;
        loop {
            let page = self.store.store().list(&prefix, options.clone()).await?;
            // An object that is no batch belongs to another tool.
            let batch = |key: &str| Some((prefix.admit(key)?, BatchName::parse(prefix.relative(key)?)?));
            let batches: Vec<_> = page.objects.iter().filter_map(|entry| batch(&entry.key)).collect();
            // Names come in the order of time.
            let is_last = batches.last().is_some_and(|(_, name)| name.time() >= oldest);
            let old = batches.into_iter().filter(|(_, name)| name.time() < oldest).take(left);
            let old: Vec<_> = old.map(|(key, _)| key).collect();
            left -= old.len();
            let deletes = old
                .into_iter()
                .map(|key| async move { self.store.store().delete(&key, DeleteOptions::default()).await });
            stream::iter(deletes).buffer_unordered(PARALLEL_GETS).try_collect::<()>().await?;
            options.page = page.next_after(options.page.as_ref())?;
            if left == 0 {
                return Ok(false);
            }
            if options.page.is_none() || is_last {
                return Ok(true);
            }
        }
    }
}
