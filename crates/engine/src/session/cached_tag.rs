//! A tag of a session, from the memory of this process alone.

use super::{Sessions, sessions::alive};
use crate::path::Id;

/// A text that changes when the session or the user's policy does. A new session begins with the user's ranks, so its
/// tag changes with these ranks. `None` unless memory has recent versions of them all. Does not ask the store.
pub async fn cached_session_tag(sessions: &Sessions, user: &Id, session: &Id) -> Option<String> {
    let space = sessions.store.namespace().user(user).ok()?;
    let policy = sessions.policies.cached_tag(&space.policy().ok()?).await?;
    let key = space.session(session).ok()?;
    let cached = sessions.records.cached_recent(&key).await?;
    let session = match alive(&cached, sessions.store.clock().now()).ok()? {
        Some(_) => sessions.records.cached_tag(&key).await?,
        None => format!("new {}", sessions.usage.cached_tag(user).await?),
    };
    Some(format!("{policy} {session}"))
}
