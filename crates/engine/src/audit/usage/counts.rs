//! Counts of calls.

/// Calls by their outcome.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CallCounts {
    pub(super) searches: u64,
    pub(super) unanswered: u64,
    /// Searches that a load followed, and the calls until then.
    pub(super) answered: u64,
    pub(super) turns: u64,
    pub(super) decided: u64,
    pub(super) approved: u64,
    pub(super) calls: u64,
    pub(super) completed: u64,
}
