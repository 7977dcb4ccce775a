//! Denies calls for users under deletion.
//!
//! While calls come in, a process lists the tombstones once in 20 to 30 s, however many calls there are. The listing is one
//! request. A thousand users cost the same as one, because finished tombstones are cleared away. A call after a pause waits
//! for the listing.

use std::{collections::BTreeMap, sync::Arc};

use async_trait::async_trait;
use futures_util::{StreamExt as _, stream};
use tokio::time::timeout;

use super::{
    owner::{DeletionState, Deletions},
    tombstone::read_tombstone,
};
use crate::{
    error::{Code, Error, Result},
    limits::{
        DELETIONS_AT_ONCE, DELETIONS_CONTINUED, DELETIONS_KNOWN, DELETIONS_PATIENCE, DELETIONS_RENEWED, PARALLEL_GETS,
    },
    path::{ETag, Id},
    store::{DeletionMonitor, ListOptions},
};

#[async_trait]
impl DeletionMonitor for DeletionState {
    async fn is_leaving(self: Arc<Self>, user: &Id) -> bool {
        let deletions = Deletions(self);
        let in_progress = &deletions.0.in_progress;
        // A process that admits no calls has no knowledge that could be too old.
        if in_progress.age(deletions.0.store.clock().uptime()).is_some_and(|age| age > DELETIONS_KNOWN) {
            deletions.renew().await;
        }
        in_progress.has(user)
    }
}

impl Deletions {
    /// Checks that a user is not being deleted, by knowledge of at most 30 s. If the store does not answer within 2 s, older
    /// knowledge counts.
    ///
    /// # Errors
    /// `denied` if the user is being deleted.
    pub async fn check_not_deleted(&self, user: &Id) -> Result<()> {
        let departures = &self.0.in_progress;
        match departures.age(self.0.store.clock().uptime()) {
            Some(age) if age <= DELETIONS_RENEWED => {}
            Some(age) if age <= DELETIONS_KNOWN => self.renew_behind(),
            _ => self.renew().await,
        }
        if !departures.has(user) {
            return Ok(());
        }
        let message = format!(
            "user {user} is being deleted: nothing of it can be read or written before that is done, and then the id may be \
             used again; GET /v1/deletions/{user} says how far it is"
        );
        Err(Error::new(Code::Denied, message))
    }

    fn renew_behind(&self) {
        let service = self.clone();
        tokio::spawn(async move {
            let departures = &service.0.in_progress;
            let Ok(_look) = departures.look.try_lock() else { return };
            // Another call may have asked just before.
            if departures.age(service.0.store.clock().uptime()).is_none_or(|age| age > DELETIONS_RENEWED) {
                service.refresh_or_postpone().await;
            }
        });
    }

    async fn renew(&self) {
        let departures = &self.0.in_progress;
        let _look = departures.look.lock().await;
        if departures.age(self.0.store.clock().uptime()).is_none_or(|age| age > DELETIONS_KNOWN) {
            self.refresh_or_postpone().await;
        }
    }

    async fn refresh_or_postpone(&self) {
        let why = match timeout(DELETIONS_PATIENCE, self.refresh()).await {
            Ok(Ok(())) => return,
            Ok(Err(error)) => error.chain(),
            Err(_) => "the store takes too long".to_owned(),
        };
        tracing::warn!(why, "could not find out who is being deleted");
        let now = self.0.store.clock().uptime();
        self.0.in_progress.postpone(now.saturating_sub(DELETIONS_RENEWED));
    }

    /// Lists the tombstones, reads the new ones, and continues deletions that no process works on.
    async fn refresh(&self) -> Result<()> {
        let (departures, asked_at) = (&self.0.in_progress, self.0.store.clock().uptime());
        let (mut leaving, mut finished) = (BTreeMap::new(), BTreeMap::new());
        let mut unknown = Vec::new();
        for (user, etag) in self.tombstones().await? {
            if departures.finished(&user).as_ref() == Some(&etag) {
                finished.insert(user, etag);
            } else if departures.standing(&user).as_ref() == Some(&etag) {
                leaving.insert(user, Some(etag));
            } else {
                unknown.push((user, etag));
            }
        }
        let read = stream::iter(unknown).map(|(user, etag)| async move {
            let stored = read_tombstone(self, &user).await;
            (user, etag, stored)
        });
        let read: Vec<_> = read.buffer_unordered(PARALLEL_GETS).collect().await;
        for (user, etag, stored) in read {
            match stored {
                Ok(None) => {}
                Ok(Some(stored)) if stored.tombstone.is_finished() => drop(finished.insert(user, etag)),
                Ok(Some(_)) => drop(leaving.insert(user, Some(etag))),
                Err(error) => {
                    // An unreadable object counts as a tombstone.
                    tracing::warn!(%user, cause = %Error::from(error).chain(), "a tombstone cannot be read");
                    leaving.insert(user, None);
                }
            }
        }
        let open: Vec<Id> = leaving.keys().chain(finished.keys()).take(DELETIONS_CONTINUED).cloned().collect();
        for user in leaving.keys() {
            self.report_leaving(user);
        }
        for user in departures.update(asked_at, leaving, finished) {
            self.deletion_finished(&user);
        }
        for user in &open {
            self.go_on_deleting(user);
        }
        Ok(())
    }

    pub(crate) fn report_leaving(&self, user: &Id) {
        if let Some(listener) = self.0.listener.get() {
            listener.deletion_started(user);
        }
    }

    pub(crate) fn deletion_finished(&self, user: &Id) {
        if let Some(listener) = self.0.listener.get() {
            listener.deletion_finished(user);
        }
    }

    /// The tombstones in the store, by user.
    async fn tombstones(&self) -> Result<Vec<(Id, ETag)>> {
        let prefix = self.0.store.namespace().deletions()?;
        let (mut found, mut page) = (Vec::new(), None);
        loop {
            let listed =
                self.0.store.store().list(&prefix, ListOptions::default().with_delimiter().with_page(page)).await?;
            let named = listed.objects.into_iter().filter_map(|entry| {
                let user = Id::parse(prefix.relative(&entry.key)?).ok()?;
                Some((user, entry.etag))
            });
            found.extend(named);
            page = listed.next;
            if page.is_none() || found.len() >= DELETIONS_AT_ONCE {
                return Ok(found);
            }
        }
    }
}
