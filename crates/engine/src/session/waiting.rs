//! Calls that have begun to wait for an approval, as other replicas have stored them.
//!
//! The objects of sessions show such a call first. A call waits once its session is stored, even if the storing replica
//! ends then.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use futures_util::{StreamExt as _, stream};

use super::{ApprovalRequest, Sessions};
use crate::{
    error::Result,
    limits::{LIST_OBJECTS, SESSION_PAGE_PARALLEL, SESSIONS_LOOKED_AT},
    path::{ETag, Id},
    store::{ListEntry, StoreExt as _},
};

/// The sessions of a user in the versions that were looked at.
#[derive(Debug, Default)]
pub struct KnownSessions {
    versions: BTreeMap<String, ETag>,
    /// The key of the last session that was read. The next look begins behind this key, so every session has its turn.
    last: String,
}

impl Sessions {
    /// The sessions of a user as they are.
    ///
    /// # Errors
    /// The store's.
    pub async fn known_sessions(&self, user: &Id) -> Result<KnownSessions> {
        let prefix = self.namespace.user(user)?.sessions()?;
        let (entries, _) = self.store.list_all(&prefix, LIST_OBJECTS).await?;
        let versions = entries.into_iter().map(|entry| (entry.key, entry.etag)).collect();
        Ok(KnownSessions { versions, last: String::new() })
    }

    /// The calls that wait in sessions that changed since `known`. Updates `known`. One call reads at most
    /// [`SESSIONS_LOOKED_AT`] sessions. The next call reads the others, and sessions whose read failed. A damaged
    /// session has no calls.
    ///
    /// # Errors
    /// The store's.
    pub async fn waiting_since(&self, user: &Id, known: &mut KnownSessions) -> Result<Vec<(Id, ApprovalRequest)>> {
        let prefix = self.namespace.user(user)?.sessions()?;
        let (entries, _) = self.store.list_all(&prefix, LIST_OBJECTS).await?;
        let reads = stream::iter(known.changed(&entries)).map(|entry| async move {
            let calls = self.waiting_in(user, &entry).await;
            (entry, calls)
        });
        let read: Vec<_> = reads.buffered(SESSION_PAGE_PARALLEL).collect().await;
        let listed: BTreeSet<_> = entries.iter().map(|entry| &entry.key).collect();
        known.versions.retain(|key, _| listed.contains(key));
        let (mut waiting, mut failed) = (Vec::new(), Vec::new());
        for (entry, calls) in read {
            known.last.clone_from(&entry.key);
            match calls {
                Ok(calls) => {
                    known.versions.insert(entry.key, entry.etag);
                    waiting.extend(calls);
                }
                Err(error) => failed.push(error),
            }
        }
        if let Some(error) = failed.first() {
            tracing::warn!(%user, sessions = failed.len(), error = %error.chain(), "sessions are looked at again");
        }
        Ok(waiting)
    }

    /// The calls that wait in one session.
    async fn waiting_in(&self, user: &Id, entry: &ListEntry) -> Result<Vec<(Id, ApprovalRequest)>> {
        let Some((session, key)) = self.named(user, entry) else { return Ok(Vec::new()) };
        let stored = match self.records.recall(&key).await.filter(|seen| seen.etag() == Some(&entry.etag)) {
            Some(seen) => seen,
            None => Arc::new(self.records.pass(&key).await?),
        };
        let Ok(Some(value)) = stored.value() else { return Ok(Vec::new()) };
        let calls = value.approvals.requests(self.clock.now());
        Ok(calls.into_iter().map(|call| (session.clone(), call)).collect())
    }
}

impl KnownSessions {
    /// The sessions that have changed and are looked at now.
    fn changed(&self, entries: &[ListEntry]) -> Vec<ListEntry> {
        // Listings come in the order of keys.
        let behind = entries.partition_point(|entry| entry.key <= self.last);
        let (before, behind) = entries.split_at(behind);
        let changed = behind.iter().chain(before).filter(|entry| self.versions.get(&entry.key) != Some(&entry.etag));
        changed.take(SESSIONS_LOOKED_AT).cloned().collect()
    }
}
