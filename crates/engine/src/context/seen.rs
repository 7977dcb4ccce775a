//! The version of the session that calls have seen.

use std::sync::{Arc, Mutex, PoisonError};

use crate::{session::Session, wire::SessionVersion};

/// The newest version of a session that the calls of one handle have seen; nothing before the first.
#[derive(Clone, Debug, Default)]
pub(crate) struct SeenVersion(Arc<Mutex<Option<SessionVersion>>>);

impl SeenVersion {
    /// Takes the version of `session` if it is newer.
    pub(crate) fn follow(&self, session: &Session) {
        let version = session.seen_version();
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *seen {
            Some(known) => known.follow(version),
            None => *seen = Some(version),
        }
    }

    /// The version, if a call has seen one.
    pub(crate) fn get(&self) -> Option<SessionVersion> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
