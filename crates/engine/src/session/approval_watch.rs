//! Calls that have begun to wait for an approval, as other replicas have stored them.
//!
//! The objects of sessions show such a call first. A call waits once its session is stored, even if the storing replica
//! ends then.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use futures_util::{StreamExt as _, stream};

use super::{ApprovalRequest, Sessions, list::parse_entry};
use crate::{
    error::Result,
    limits::{LIST_OBJECTS, SESSION_PAGE_PARALLEL, SESSIONS_LOOKED_AT},
    path::{ETag, Id},
    store::{ListEntry, StoreExt as _},
};

/// Watches the sessions of a user for calls that begin to wait: the versions of the sessions that were read last.
#[derive(Debug, Default)]
pub struct ApprovalWatch {
    versions: BTreeMap<String, ETag>,
    /// The key of the last session that was read. The next look begins behind this key, so every session has its turn.
    last: String,
}

/// Starts a watch of the sessions of a user, in their present versions.
///
/// # Errors
/// The store's.
pub async fn start_approval_watch(sessions: &Sessions, user: &Id) -> Result<ApprovalWatch> {
    let prefix = sessions.store.namespace().user(user)?.sessions()?;
    let (entries, _) = sessions.store.store().list_all(&prefix, LIST_OBJECTS).await?;
    let versions = entries.into_iter().map(|entry| (entry.key, entry.etag)).collect();
    Ok(ApprovalWatch { versions, last: String::new() })
}

/// The calls that wait in sessions that changed since the last poll of `watch`. One poll reads at most
/// [`SESSIONS_LOOKED_AT`] sessions. The next poll reads the others, and sessions whose read failed. A damaged
/// session has no calls.
///
/// # Errors
/// The store's.
pub async fn poll_approval_watch(
    sessions: &Sessions,
    user: &Id,
    watch: &mut ApprovalWatch,
) -> Result<Vec<(Id, ApprovalRequest)>> {
    let prefix = sessions.store.namespace().user(user)?.sessions()?;
    let (entries, _) = sessions.store.store().list_all(&prefix, LIST_OBJECTS).await?;
    let reads = stream::iter(watch.changed(&entries)).map(|entry| async move {
        let calls = waiting_calls(sessions, user, &entry).await;
        (entry, calls)
    });
    let read: Vec<_> = reads.buffered(SESSION_PAGE_PARALLEL).collect().await;
    let listed: BTreeSet<_> = entries.iter().map(|entry| &entry.key).collect();
    watch.versions.retain(|key, _| listed.contains(key));
    let (mut waiting, mut failed) = (Vec::new(), Vec::new());
    for (entry, calls) in read {
        watch.last.clone_from(&entry.key);
        match calls {
            Ok(calls) => {
                watch.versions.insert(entry.key, entry.etag);
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
async fn waiting_calls(sessions: &Sessions, user: &Id, entry: &ListEntry) -> Result<Vec<(Id, ApprovalRequest)>> {
    let Some((session, key)) = parse_entry(sessions, user, entry) else { return Ok(Vec::new()) };
    let stored = match sessions.records.cached_recent(&key).await.filter(|seen| seen.etag() == Some(&entry.etag)) {
        Some(seen) => seen,
        None => Arc::new(sessions.records.get_uncached(&key).await?),
    };
    let Ok(Some(value)) = stored.value() else { return Ok(Vec::new()) };
    let calls = value.approvals.requests(sessions.store.clock().now());
    Ok(calls.into_iter().map(|call| (session.clone(), call)).collect())
}

impl ApprovalWatch {
    /// The sessions that have changed and are looked at now.
    fn changed(&self, entries: &[ListEntry]) -> Vec<ListEntry> {
        // Listings come in the order of keys.
        let behind = entries.partition_point(|entry| entry.key <= self.last);
        let (before, behind) = entries.split_at(behind);
        let changed = behind.iter().chain(before).filter(|entry| self.versions.get(&entry.key) != Some(&entry.etag));
        changed.take(SESSIONS_LOOKED_AT).cloned().collect()
    }
}
