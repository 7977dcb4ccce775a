//! A user's sessions together: paged through, and forgotten where they were idle too long.

use std::sync::Arc;

use futures_util::{StreamExt, TryStreamExt, stream};

use super::{Session, Sessions};
use crate::{
    error::Result,
    limits::{LIST_OBJECTS, PAGE_ENTRIES, PARALLEL_GETS},
    path::{Id, ObjectKey},
    store::{DeleteOptions, ListOptions, StoreExt},
};

/// Some sessions of a user, and where to go on.
#[derive(Clone, Debug)]
pub struct SessionPage {
    /// Sessions in byte order of their ids.
    pub sessions: Vec<Arc<Session>>,
    /// Give this back to get the next page.
    pub next_cursor: Option<String>,
}

impl Sessions {
    /// A page of a user's sessions, up to `limit` of them after `cursor`.
    ///
    /// # Errors
    /// The store's.
    pub async fn list(&self, user: &Id, limit: usize, cursor: Option<&str>) -> Result<SessionPage> {
        let space = self.namespace.user(user)?;
        let prefix = space.sessions()?;
        let limit = limit.clamp(1, PAGE_ENTRIES);
        let start_after = cursor.map(|cursor| format!("{prefix}{cursor}"));
        let options = ListOptions { start_after, max_entries: Some(limit), ..ListOptions::default() };
        let page = self.store.list(&prefix, options).await?;
        let last = page.objects.last().and_then(|entry| prefix.relative(&entry.key)).map(str::to_owned);
        let keys: Vec<ObjectKey> = page.objects.iter().filter_map(|entry| prefix.admit(&entry.key)).collect();
        let sessions = stream::iter(keys)
            .map(|key| async move { self.records.get(&key, 0).await })
            .buffered(PARALLEL_GETS)
            .try_filter_map(|seen| async move { Ok(self.alive(&seen)) })
            .try_collect()
            .await?;
        Ok(SessionPage { sessions, next_cursor: page.next.and(last) })
    }

    /// Removes a user's sessions that were idle too long, and says how many.
    ///
    /// # Errors
    /// The store's.
    pub async fn collect_garbage(&self, user: &Id) -> Result<u64> {
        self.check_writable()?;
        let prefix = self.namespace.user(user)?.sessions()?;
        let (entries, _) = self.store.list_all(&prefix, LIST_OBJECTS).await?;
        let mut removed = 0;
        for key in entries.iter().filter_map(|entry| prefix.admit(&entry.key)) {
            let _lane = self.lane(&key).await;
            let seen = self.records.look(&key).await?;
            if seen.value.is_some() && self.alive(&seen).is_none() {
                self.store.delete(&key, DeleteOptions::default()).await?;
                self.records.forget(&key).await;
                removed += 1;
            }
        }
        Ok(removed)
    }
}
