//! Whether a session lies within the bounds of a caller's key.
//!
//! The stored session decides, never the request. A session lies within the bounds if the key names the session or an
//! ancestor, and if the session has the values of the key's variables.

use std::collections::BTreeMap;

use super::{Session, Sessions};
use crate::{
    access::SessionScope,
    error::Result,
    limits::FORK_DEPTH,
    path::Id,
    wire::{SessionSummary, SessionVersion},
};

/// The facts that decide whether a session lies within bounds.
#[derive(Clone, Copy, Debug)]
pub struct SessionLineage<'session> {
    user: &'session Id,
    session: &'session Id,
    vars: &'session BTreeMap<String, Id>,
    parent: Option<&'session Id>,
}

impl<'session> From<&'session Session> for SessionLineage<'session> {
    fn from(session: &'session Session) -> Self {
        let Session { user_id: user, session_id, vars, parent, .. } = session;
        Self { user, session: session_id, vars, parent: parent.as_ref() }
    }
}

impl<'session> From<&'session SessionSummary> for SessionLineage<'session> {
    fn from(session: &'session SessionSummary) -> Self {
        let SessionSummary { user_id: user, session_id, vars, parent, .. } = session;
        Self { user, session: session_id, vars, parent: parent.as_ref() }
    }
}

impl<'session> SessionLineage<'session> {
    /// The facts of a fork that is not written yet.
    #[must_use]
    pub fn of_fork(parent: &'session Session, session: &'session Id, vars: &'session BTreeMap<String, Id>) -> Self {
        Self { user: &parent.user_id, session, vars, parent: Some(&parent.session_id) }
    }
}

/// Whether `session` lies within `scope`.
///
/// # Errors
/// The store's, if an ancestor is not in memory.
pub async fn is_session_within(
    sessions: &Sessions,
    session: impl Into<SessionLineage<'_>>,
    scope: &SessionScope,
) -> Result<bool> {
    let SessionLineage { user, session, vars, parent } = session.into();
    if scope.vars().iter().any(|(name, value)| vars.get(name) != Some(value)) {
        return Ok(false);
    }
    if scope.sessions().is_empty() || scope.names(session) {
        return Ok(true);
    }
    let mut parent = parent.cloned();
    for _ in 0..FORK_DEPTH {
        let Some(above) = parent.take() else { return Ok(false) };
        if scope.names(&above) {
            return Ok(true);
        }
        parent.clone_from(&sessions.get(user, &above, &SessionVersion::default()).await?.parent);
    }
    Ok(false)
}
