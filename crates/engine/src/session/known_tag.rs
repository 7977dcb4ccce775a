//! A tag of a session, from the memory of this process alone.

use super::Sessions;
use crate::path::Id;

impl Sessions {
    /// A text that changes when the session or the user's policy does. A new session begins with the user's ranks, so
    /// its tag changes with these ranks. `None` unless memory has recent versions of them all. Does not ask the store.
    pub async fn known_tag(&self, user: &Id, session: &Id) -> Option<String> {
        let space = self.namespace.user(user).ok()?;
        let policy = self.policies.known_tag(&space.policy().ok()?).await?;
        let key = space.session(session).ok()?;
        let known = self.records.recall(&key).await?;
        let session = match self.alive(&known).ok()? {
            Some(_) => self.records.known_tag(&key).await?,
            None => format!("new {}", self.uses.known_tag(user).await?),
        };
        Some(format!("{policy} {session}"))
    }
}
