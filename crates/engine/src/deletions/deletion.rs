//! The deletion of a user, which any process can continue.

use std::time::Duration;

use bytes::Bytes;
use tokio::time::sleep;

use super::{
    Deletions,
    error::DeletionError,
    sweep::Sweeper,
    tombstone::{DeletionStep, StoredTombstone, Tombstone, put_tombstone, read_receipt, read_tombstone},
};
use crate::{
    error::{Code, Error, Result},
    limits::DELETION_LEASE,
    path::Id,
    store::{ExpectedVersion, ListOptions, StoreError, StoreExt as _},
    wire::Deletion,
};

impl Deletions {
    /// Deletes a user: everything below its prefix. From now on calls for the user are denied, here at once and elsewhere
    /// within 30 s. The sweeps run behind this call. A deletion that has begun already goes on. `by` is the name of the
    /// caller.
    ///
    /// # Errors
    /// `read_only` if the service only reads; the store's, with the outcome.
    pub async fn delete_user(&self, user: &Id, by: Option<String>) -> Result<Deletion> {
        let deletion = self.begin_deletion(user, by).await?;
        self.go_on_deleting(user);
        Ok(deletion)
    }

    /// As [`delete_user`](Self::delete_user), without the sweeps: [`advance_deletion`](Self::advance_deletion) does them.
    ///
    /// # Errors
    /// As [`delete_user`](Self::delete_user).
    pub async fn begin_deletion(&self, user: &Id, by: Option<String>) -> Result<Deletion> {
        self.0.store.check_writable()?;
        let new = Tombstone::new(user, by, self.0.store.clock().now());
        let mut stored = StoredTombstone { tombstone: new.clone(), base: ExpectedVersion::Absent };
        // A finished tombstone that still lies there gives way to the new one.
        if let Some(there) = read_tombstone(self, user).await? {
            if !there.tombstone.is_finished() {
                self.turn_away(user);
                return Ok(there.tombstone.deletion);
            }
            stored.base = there.base;
        }
        if put_tombstone(self, user, &mut stored).await? {
            self.turn_away(user);
            return Ok(new.deletion);
        }
        let there = read_tombstone(self, user).await?;
        let there = there.ok_or_else(|| {
            Error::new(Code::EditConflict, format!("another deletion of {user} has just ended; ask for it again"))
        })?;
        self.turn_away(user);
        Ok(there.tombstone.deletion)
    }

    /// Does the work that is due on the deletion of a user, without waiting for the second sweep. Returns the state after it.
    ///
    /// # Errors
    /// As [`deletion`](Self::deletion); `read_only` if the service only reads.
    pub async fn advance_deletion(&self, user: &Id) -> Result<Deletion> {
        self.0.store.check_writable()?;
        if self.0.in_progress.claim(user) {
            let done = self.work_on(user, false).await;
            self.0.in_progress.release(user);
            done?;
        }
        self.deletion(user).await
    }

    /// The current deletion of a user, or else the last finished one. For a finished deletion the reply says whether objects of
    /// the user are there now. The store may apply earlier writes late, and no process looks for them.
    ///
    /// # Errors
    /// `deletion_not_found` if there is none; the store's.
    pub async fn deletion(&self, user: &Id) -> Result<Deletion> {
        let not_found = || {
            let message = format!("no deletion of user {user} is known; one begins with DELETE /v1/users/{user}");
            Error::new(Code::DeletionNotFound, message)
        };
        self.find_deletion(user).await?.ok_or_else(not_found)
    }

    /// As [`deletion`](Self::deletion); `None` if no deletion is known.
    ///
    /// # Errors
    /// If the tombstone or the receipt is damaged; the store's.
    pub(crate) async fn find_deletion(&self, user: &Id) -> Result<Option<Deletion>, DeletionError> {
        let found = match read_tombstone(self, user).await? {
            None => read_receipt(self, user).await?,
            standing => standing,
        };
        let Some(mut deletion) = found.map(|stored| stored.tombstone.deletion) else { return Ok(None) };
        if deletion.finished_at.is_some() {
            deletion.found_now = Some(self.has_objects(user).await?);
        }
        Ok(Some(deletion))
    }

    /// Whether the store has any object of a user: one LIST.
    async fn has_objects(&self, user: &Id) -> Result<bool> {
        let space = self.0.store.namespace().user(user)?;
        let page = self.0.store.store().list(space.root(), ListOptions::default().with_max_entries(1)).await?;
        Ok(!page.objects.is_empty() || page.next.is_some())
    }

    /// Denies calls for the user from now on, and keeps waiting data of the user from being written.
    fn turn_away(&self, user: &Id) {
        self.0.in_progress.add(user);
        self.report_leaving(user);
    }

    /// Continues the deletion of a user in the background, unless this process works on it already.
    pub(crate) fn go_on_deleting(&self, user: &Id) {
        if self.0.store.check_writable().is_err() || !self.0.in_progress.claim(user) {
            return;
        }
        let (service, user) = (self.clone(), user.clone());
        tokio::spawn(async move {
            if let Err(error) = service.work_on(&user, true).await {
                tracing::warn!(%user, cause = %error.chain(), "a deletion stopped; it is taken up again");
            }
            service.0.in_progress.release(&user);
        });
    }

    async fn work_on(&self, user: &Id, waits: bool) -> Result<()> {
        let holder = format!("{:032x}", self.0.store.clock().random());
        let mut has_waited = false;
        while let Some(stored) = read_tombstone(self, user).await? {
            let now = self.0.store.clock().now();
            match stored.tombstone.step(&holder, now, has_waited) {
                DeletionStep::Retire => return self.retire(user, &stored).await,
                DeletionStep::Wait(due) if waits => {
                    sleep(Duration::try_from(due.duration_since(now)).unwrap_or_default()).await;
                    has_waited = true;
                }
                DeletionStep::Held | DeletionStep::Wait(_) => return Ok(()),
                DeletionStep::Sweep => {
                    if !self.sweep(user, &holder, stored).await? {
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }

    /// Runs one sweep. Returns false if another process has taken over.
    async fn sweep(&self, user: &Id, holder: &str, mut stored: StoredTombstone) -> Result<bool> {
        let clock = self.0.store.clock();
        stored.tombstone.claim(holder, clock.now());
        let mut until = clock.uptime() + DELETION_LEASE;
        if !self.record(user, &mut stored).await? {
            return Ok(false);
        }
        let mut sweeper =
            Sweeper::new(&self.0.store, &self.0.templates, self.0.store.namespace().user(user)?.root().clone());
        loop {
            let Some(sweep) = stored.tombstone.deletion.sweeps.last_mut() else { return Ok(false) };
            let page = sweeper.page(sweep, until).await;
            until = clock.uptime() + DELETION_LEASE;
            match &page {
                Ok(true) => stored.tombstone.renew(holder, clock.now()),
                Ok(false) => stored.tombstone.end_sweep(clock.now()),
                Err(_) => stored.tombstone.release(),
            }
            let is_ours = self.record(user, &mut stored).await?;
            if !page? || !is_ours {
                return Ok(is_ours);
            }
        }
    }

    /// Notes the progress of the work. Returns false if another process has taken over.
    async fn record(&self, user: &Id, stored: &mut StoredTombstone) -> Result<bool> {
        if put_tombstone(self, user, stored).await? {
            return Ok(true);
        }
        // A store without conditional deletion deletes any version. So a process that removed an older tombstone may have
        // removed this one. If this very deletion was finished, its receipt is there.
        let requested_at = stored.tombstone.deletion.requested_at;
        let is_gone = read_tombstone(self, user).await?.is_none();
        let receipt = read_receipt(self, user).await?;
        let is_finished = receipt.is_some_and(|receipt| receipt.tombstone.deletion.requested_at >= requested_at);
        if !is_gone || is_finished {
            return Ok(false);
        }
        stored.base = ExpectedVersion::Absent;
        put_tombstone(self, user, stored).await
    }

    /// Clears away a finished tombstone: writes its receipt, and then deletes the tombstone.
    async fn retire(&self, user: &Id, stored: &StoredTombstone) -> Result<()> {
        let bytes = Bytes::from(serde_json::to_vec(&stored.tombstone).map_err(Error::internal)?);
        self.0
            .store
            .committer()
            .commit(&self.0.store.namespace().receipt(user)?, bytes, &ExpectedVersion::Whatever)
            .await?;
        let (key, store) = (self.0.store.namespace().deletion(user)?, self.0.store.store());
        let ExpectedVersion::Version(etag, _) = &stored.base else { return Ok(()) };
        match store.delete_version(&key, etag).await {
            Ok(()) | Err(StoreError::NotFound) => {
                self.0.in_progress.remove(user);
                self.deletion_finished(user);
                Ok(())
            }
            Err(StoreError::PreconditionFailed) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}
