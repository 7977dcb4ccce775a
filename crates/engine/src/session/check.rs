//! Reads sessions and snapshots as they are stored, for checks of a store.

use std::sync::Arc;

use super::{Session, SessionError, Sessions};
use crate::{json, path::Id, skill::Snapshot};

/// A session as the store has it, even if it was idle too long; `None` if the store has none. Memory keeps nothing of
/// the session.
///
/// # Errors
/// [`SessionError::Damaged`]; the store's.
pub async fn read_stored_session(
    sessions: &Sessions,
    user: &Id,
    session: &Id,
) -> Result<Option<Arc<Session>>, SessionError> {
    let key = sessions.store.namespace().user(user)?.session(session)?;
    let seen = sessions.records.get_uncached(&key).await?;
    Ok(seen.value()?.cloned())
}

/// Whether the bytes of a snapshot beside sessions are what its name says.
#[must_use]
pub fn is_sound_snapshot(bytes: &[u8], digest: &str) -> bool {
    let read: Option<Snapshot> = json::from_slice(bytes).ok();
    read.is_some_and(|snapshot| snapshot.digest() == digest && snapshot.is_sound())
}
