//! The end of sessions that were idle too long.

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use jiff::SignedDuration;

use super::{Sessions, list::parse_entry, sessions::alive};
use crate::{
    error::{Error, Result},
    limits::{PARALLEL_GETS, SESSION_IDLE},
    path::{Id, ObjectKey},
    store::{ListEntry, ListOptions},
    wire::{DamagedSession, ExpiryReport},
};

/// The outcome for one session.
enum End {
    Stays,
    Removed,
    Damaged(DamagedSession),
}

/// Removes a user's sessions that were idle too long. A damaged session is removed if its object was not written
/// for as long, and reported otherwise. Snapshots beside sessions stay, because forks may use them.
///
/// # Errors
/// The store's.
pub async fn remove_idle_sessions(sessions: &Sessions, user: &Id) -> Result<ExpiryReport> {
    sessions.check_writable()?;
    let prefix = sessions.store.namespace().user(user)?.sessions()?;
    let (mut report, mut page) = (ExpiryReport::default(), None);
    loop {
        let listed =
            sessions.store.store().list(&prefix, ListOptions { page: page.clone(), ..ListOptions::default() }).await?;
        let named = listed.objects.iter().filter_map(|entry| Some((parse_entry(sessions, user, entry)?, entry)));
        let ends =
            named.map(|((session, key), entry)| async move { remove_if_idle(sessions, session, &key, entry).await });
        let ends: Vec<_> = ends.collect();
        let mut ends = stream::iter(ends).buffered(PARALLEL_GETS);
        while let Some(end) = ends.try_next().await? {
            match end {
                End::Stays => {}
                End::Removed => report.removed += 1,
                End::Damaged(damaged) => report.damaged.push(damaged),
            }
        }
        page = listed.next_after(page.as_ref())?;
        if page.is_none() {
            return Ok(report);
        }
    }
}

/// Removes a session if it was idle too long.
async fn remove_if_idle(sessions: &Sessions, session_id: Id, key: &ObjectKey, entry: &ListEntry) -> Result<End> {
    let _lane = sessions.writes.lane(key).await;
    let seen = sessions.records.get_uncached(key).await?;
    let has_ended = match alive(&seen, sessions.store.clock().now()) {
        Ok(alive) => alive.is_none() && seen.value()?.is_some(),
        Err(_) if is_idle(sessions, entry) => true,
        Err(damage) => {
            return Ok(End::Damaged(DamagedSession { session_id, message: Error::from(damage).message().to_owned() }));
        }
    };
    let is_removed = has_ended && sessions.records.delete(key, Some(&seen)).await?;
    Ok(if is_removed { End::Removed } else { End::Stays })
}

/// Whether a session has expired by the age of its object, whatever the content.
fn is_idle(sessions: &Sessions, entry: &ListEntry) -> bool {
    let idle = SignedDuration::try_from(SESSION_IDLE).unwrap_or(SignedDuration::MAX);
    sessions.store.clock().now().duration_since(entry.modified_at) >= idle
}
