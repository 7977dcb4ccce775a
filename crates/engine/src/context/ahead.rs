//! A session and its user's policy that a surface read before the call, for the call to take.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use crate::{limits::READ_AHEAD, session::Session, wire::Policy};

/// A session and the policy of its user.
pub(crate) type SessionAndPolicy = (Arc<Session>, Arc<Policy>);

/// A reading from before the call. The first call takes it, and only if it is not older than [`READ_AHEAD`]: the body
/// of a request may take long to arrive.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReadAhead(Option<Arc<Mutex<Option<Reading>>>>);

#[derive(Debug)]
struct Reading {
    found: SessionAndPolicy,
    /// The uptime when it was read.
    at: Duration,
}

impl ReadAhead {
    /// A session and policy that were read at the uptime `at`.
    pub(crate) fn new(found: SessionAndPolicy, at: Duration) -> Self {
        Self(Some(Arc::new(Mutex::new(Some(Reading { found, at })))))
    }

    /// The session and policy, if no call has taken them yet and they are recent at the uptime `now`.
    pub(crate) fn take(&self, now: Duration) -> Option<SessionAndPolicy> {
        let reading = self.0.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        (now.saturating_sub(reading.at) <= READ_AHEAD).then_some(reading.found)
    }
}
