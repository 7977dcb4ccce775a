//! Calls that have begun to wait for an approval, as other replicas have stored them.
//!
//! The objects of sessions show it first: a call waits once its session is stored, also if the replica that stored it ends then.

use std::{collections::BTreeMap, sync::Arc};

use futures_util::{StreamExt as _, stream};

use super::{ApprovalRequest, Sessions};
use crate::{
    error::Result,
    limits::{LIST_OBJECTS, SESSION_PAGE_PARALLEL, SESSIONS_LOOKED_AT},
    path::{ETag, Id},
    store::StoreExt as _,
};

/// The sessions of a user in the versions that were looked at.
#[derive(Debug, Default)]
pub struct KnownSessions(BTreeMap<String, ETag>);

impl Sessions {
    /// The sessions of a user as they are.
    ///
    /// # Errors
    /// The store's.
    pub async fn known_sessions(&self, user: &Id) -> Result<KnownSessions> {
        let prefix = self.namespace.user(user)?.sessions()?;
        let (entries, _) = self.store.list_all(&prefix, LIST_OBJECTS).await?;
        Ok(KnownSessions(entries.into_iter().map(|entry| (entry.key, entry.etag)).collect()))
    }

    /// The calls that wait in sessions that have changed since `known`, which is brought up to date. At most
    /// [`SESSIONS_LOOKED_AT`] sessions are read, and the others the next time. A session that cannot be read says nothing.
    ///
    /// # Errors
    /// The store's.
    pub async fn waiting_since(&self, user: &Id, known: &mut KnownSessions) -> Result<Vec<(Id, ApprovalRequest)>> {
        let prefix = self.namespace.user(user)?.sessions()?;
        let (entries, _) = self.store.list_all(&prefix, LIST_OBJECTS).await?;
        let changed = entries.iter().filter(|entry| known.0.get(&entry.key) != Some(&entry.etag));
        let changed: Vec<_> = changed.take(SESSIONS_LOOKED_AT).cloned().collect();
        let named = changed.iter().filter_map(|entry| Some((self.named(user, entry)?, entry.etag.clone())));
        let read = stream::iter(named.collect::<Vec<_>>())
            .map(|((session, key), etag)| async move {
                let stored = match self.records.recall(&key).await.filter(|seen| seen.etag() == Some(&etag)) {
                    Some(seen) => seen,
                    None => Arc::new(self.records.pass(&key).await.ok()?),
                };
                let waiting = stored.value().ok()??.approvals.requests(self.clock.now());
                Some(waiting.into_iter().map(move |call| (session.clone(), call)).collect::<Vec<_>>())
            })
            .buffered(SESSION_PAGE_PARALLEL);
        let waiting = read.filter_map(std::future::ready).concat().await;
        let listed: BTreeMap<_, _> = entries.into_iter().map(|entry| (entry.key, entry.etag)).collect();
        known.0.retain(|key, _| listed.contains_key(key));
        known.0.extend(changed.into_iter().map(|entry| (entry.key, entry.etag)));
        Ok(waiting)
    }
}
