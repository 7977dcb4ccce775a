//! The end of sessions: their user deletes them, or they were idle too long.

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use jiff::SignedDuration;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{DamagedSession, Sessions, sessions::not_found};
use crate::{
    error::Result,
    limits::{PARALLEL_GETS, SESSION_IDLE},
    path::{Id, ObjectKey},
    store::{ListEntry, ListOptions},
};

/// The result of removing a user's idle sessions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = SessionGcReply)]
pub struct ExpiryReport {
    /// Sessions that were removed.
    pub removed: u64,
    /// Sessions that cannot be read and were not removed.
    pub damaged: Vec<DamagedSession>,
    /// Sessions that have the tag now, if they were to get it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tagged: Option<u64>,
    /// Why others have none, if so: the store keeps no tags, or does not let them be set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub untagged: Option<String>,
}

/// The outcome for one session of a collection.
enum End {
    Stays,
    Removed,
    Damaged(DamagedSession),
}

impl Sessions {
    /// Deletes a session, even a damaged one. Its workspace stays.
    ///
    /// # Errors
    /// `session_not_found` if there is none; the store's.
    pub async fn delete(&self, user: &Id, session: &Id) -> Result<()> {
        self.check_writable()?;
        let key = self.namespace.user(user)?.session(session)?;
        let _lane = self.lane(&key).await;
        let seen = self.records.look(&key).await?;
        if self.alive(&seen).is_ok_and(|alive| alive.is_none()) {
            return Err(not_found(session));
        }
        self.records.delete(&key, None).await?;
        // A note that is written later would create the session again.
        self.pending.drop_through(&(user.clone(), session.clone()), u64::MAX);
        Ok(())
    }

    /// Removes a user's sessions that were idle too long. A damaged session is removed if its object was not written
    /// for as long, and reported otherwise. Snapshots beside sessions stay, because forks may use them.
    ///
    /// # Errors
    /// The store's.
    pub async fn collect_garbage(&self, user: &Id) -> Result<ExpiryReport> {
        self.check_writable()?;
        let prefix = self.namespace.user(user)?.sessions()?;
        let (mut collected, mut page) = (ExpiryReport::default(), None);
        loop {
            let listed = self.store.list(&prefix, ListOptions { page: page.clone(), ..ListOptions::default() }).await?;
            let named = listed.objects.iter().filter_map(|entry| Some((self.named(user, entry)?, entry)));
            let looks = named.map(|((session, key), entry)| async move { self.collect(session, &key, entry).await });
            let looks: Vec<_> = looks.collect();
            let mut looks = stream::iter(looks).buffered(PARALLEL_GETS);
            while let Some(end) = looks.try_next().await? {
                match end {
                    End::Stays => {}
                    End::Removed => collected.removed += 1,
                    End::Damaged(damaged) => collected.damaged.push(damaged),
                }
            }
            page = listed.next_after(page.as_ref())?;
            if page.is_none() {
                return Ok(collected);
            }
        }
    }

    /// Removes a session if it was idle too long.
    async fn collect(&self, session_id: Id, key: &ObjectKey, entry: &ListEntry) -> Result<End> {
        let _lane = self.lane(key).await;
        let seen = self.records.pass(key).await?;
        let has_ended = match self.alive(&seen) {
            Ok(alive) => alive.is_none() && seen.value()?.is_some(),
            Err(_) if self.is_idle(entry) => true,
            Err(damage) => {
                return Ok(End::Damaged(DamagedSession { session_id, message: damage.message().to_owned() }));
            }
        };
        let is_removed = has_ended && self.records.delete(key, Some(&seen)).await?;
        Ok(if is_removed { End::Removed } else { End::Stays })
    }

    /// Whether a session has expired by the age of its object, whatever the content.
    fn is_idle(&self, entry: &ListEntry) -> bool {
        let idle = SignedDuration::try_from(SESSION_IDLE).unwrap_or(SignedDuration::MAX);
        self.clock.now().duration_since(entry.modified_at) >= idle
    }
}
