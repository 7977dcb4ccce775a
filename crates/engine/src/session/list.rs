//! Pages of a user's sessions.
//!
//! A page ends when the objects read for it reach [`SESSION_PAGE_BYTES`], which the sizes in the listing show
//! beforehand. Objects are decoded one after the other, and only their summaries are kept. So the sessions of a page
//! are never in memory together, and reading a page evicts no session in use.

use std::sync::Arc;

use futures_util::{StreamExt as _, TryStreamExt as _, stream};

use super::{Session, Sessions, objects::CachedObject, sessions::alive};
use crate::{
    error::{Error, Result},
    limits::{PAGE_ENTRIES, SESSION_PAGE_BYTES, SESSION_PAGE_PARALLEL},
    path::{Id, ObjectKey},
    store::{ListEntry, ListOptions},
    wire::{DamagedSession, SessionPage, SessionSummary},
};

/// A page of a user's sessions: up to `limit` of them after `cursor`, and fewer if they are large.
///
/// # Errors
/// The store's. A damaged session is not an error but part of the page.
pub async fn list_sessions(sessions: &Sessions, user: &Id, limit: usize, cursor: Option<&str>) -> Result<SessionPage> {
    let space = sessions.store.namespace().user(user)?;
    let prefix = space.sessions()?;
    let limit = limit.clamp(1, PAGE_ENTRIES);
    let start_after = cursor.map(|cursor| format!("{prefix}{cursor}"));
    let options = ListOptions { start_after, max_entries: Some(limit), ..ListOptions::default() };
    let listed = sessions.store.store().list(&prefix, options).await?;
    let taken = within(&listed.objects, SESSION_PAGE_BYTES);
    let goes_on = listed.next.is_some() || taken.len() < listed.objects.len();
    let last = taken.last().and_then(|entry| prefix.relative(&entry.key)).map(str::to_owned);
    let named: Vec<_> = taken.iter().filter_map(|entry| parse_entry(sessions, user, entry)).collect();
    let mut read = stream::iter(named)
        .map(|(id, key)| async move { Ok::<_, Error>((id, read_for_page(sessions, &key).await?)) })
        .buffered(SESSION_PAGE_PARALLEL);
    let mut page = SessionPage { sessions: Vec::new(), damaged: Vec::new(), next_cursor: last.filter(|_| goes_on) };
    while let Some((session_id, seen)) = read.try_next().await? {
        match alive(&seen, sessions.store.clock().now()) {
            Ok(Some(session)) => page.sessions.push(SessionSummary::from(&*session)),
            Ok(None) => {}
            Err(damage) => {
                page.damaged.push(DamagedSession { session_id, message: Error::from(damage).message().to_owned() });
            }
        }
    }
    Ok(page)
}

/// The session in memory, or the answer of the store, which is not kept.
async fn read_for_page(sessions: &Sessions, key: &ObjectKey) -> Result<Arc<CachedObject<Session>>> {
    match sessions.records.cached_recent(key).await {
        Some(seen) => Ok(seen),
        None => sessions.records.get_uncached(key).await.map(Arc::new),
    }
}

/// The id and key of a listed object, if its name is that of a session.
pub(super) fn parse_entry(sessions: &Sessions, user: &Id, entry: &ListEntry) -> Option<(Id, ObjectKey)> {
    let space = sessions.store.namespace().user(user).ok()?;
    let name = space.sessions().ok()?.relative(&entry.key)?.strip_suffix(".json")?.to_owned();
    let id = Id::parse(&name).ok()?;
    let key = space.session(&id).ok()?;
    Some((id, key))
}

/// The first of `entries` that have up to `bytes` together, and at least one.
fn within(entries: &[ListEntry], bytes: u64) -> &[ListEntry] {
    let sums = entries.iter().scan(0_u64, |sum, entry| {
        *sum = sum.saturating_add(entry.size);
        Some(*sum)
    });
    let fitting = sums.take_while(|sum| *sum <= bytes).count();
    entries.get(..fitting.max(1)).unwrap_or(entries)
}
