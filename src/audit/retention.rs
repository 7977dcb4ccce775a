//! Deleting records that are too old, by whoever writes newer ones.

use jiff::SignedDuration;

use super::{batch::BatchName, recorder::Shared};
use crate::{
    error::Error,
    limits::AUDIT_PRUNED,
    path::Id,
    store::{DeleteOptions, ListOptions, StoreResult},
};

impl Shared {
    /// Deletes the batches of `user` that are too old, once a day.
    pub(super) async fn prune(&self, user: &Id) {
        if self.pruned.contains_key(user) {
            return;
        }
        self.pruned.insert(user.clone(), ());
        if let Err(error) = self.prune_now(user).await {
            // A process that ends may not come to it. The next one does.
            tracing::info!(%user, error = %Error::from(error).chain(), "old audit records were not deleted");
        }
    }

    async fn prune_now(&self, user: &Id) -> StoreResult<()> {
        let Ok(prefix) = self.namespace.user(user).and_then(|space| space.audit()) else { return Ok(()) };
        let age = SignedDuration::from_hours(24 * i64::from(self.options().retention_days));
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
