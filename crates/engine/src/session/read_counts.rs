//! How often sessions and policies of users were read, for tests that limit the reads of one call.

use std::sync::atomic::{AtomicU64, Ordering};

/// How often the owner of the sessions was asked for a session, and for the policy of a user. The reads that a change makes to
/// compare and swap do not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadCounts {
    /// Reads of sessions.
    pub sessions: u64,
    /// Reads of policies of users.
    pub policies: u64,
}

/// Counts the reads.
#[derive(Debug, Default)]
pub(super) struct ReadCounter {
    sessions: AtomicU64,
    policies: AtomicU64,
}

impl ReadCounter {
    /// Counts a read of a session.
    pub(super) fn count_session(&self) {
        self.sessions.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a read of the policy of a user.
    pub(super) fn count_policy(&self) {
        self.policies.fetch_add(1, Ordering::Relaxed);
    }

    /// The reads so far.
    pub(super) fn counts(&self) -> ReadCounts {
        ReadCounts { sessions: self.sessions.load(Ordering::Relaxed), policies: self.policies.load(Ordering::Relaxed) }
    }
}
