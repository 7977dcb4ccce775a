//! Looking at a session as it is stored: for checks of a store.

use std::sync::Arc;

use super::{Session, Sessions};
use crate::{error::Result, json, path::Id, skill::Snapshot};

impl Sessions {
    /// A session as the store has it, even if it was idle too long; `None` if the store has none. Memory keeps nothing
    /// of the session.
    ///
    /// # Errors
    /// `internal` if its object is damaged; the store's.
    pub async fn stored(&self, user: &Id, session: &Id) -> Result<Option<Arc<Session>>> {
        let seen = self.records.pass(&self.namespace.user(user)?.session(session)?).await?;
        Ok(seen.value()?.cloned())
    }

    /// Whether the bytes of a snapshot beside sessions are what its name says.
    #[must_use]
    pub fn is_snapshot(bytes: &[u8], digest: &str) -> bool {
        let read: Option<Snapshot> = json::from_slice(bytes).ok();
        read.is_some_and(|snapshot| snapshot.digest() == digest && snapshot.is_sound())
    }
}
