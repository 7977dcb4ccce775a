//! How vectors are made: behind the requests, or while a caller waits.

use std::{fmt, time::Duration};

use super::vector_store::VectorStore;

/// Receives how many skills of how many are encoded.
pub type EncodingProgress = dyn Fn(usize, usize) + Send + Sync;

/// Who waits while vectors are made.
#[derive(Clone, Copy)]
pub(in crate::catalog) enum EncodingPriority<'a> {
    /// No caller waits: half the encoder's time is left to questions.
    Behind,
    /// A caller, which receives how far it is, until this uptime.
    Awaited {
        /// The uptime at which it ends.
        until: Duration,
        /// The receiver of the progress.
        told: &'a EncodingProgress,
    },
}

impl fmt::Debug for EncodingPriority<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Behind => "Behind",
            Self::Awaited { .. } => "Awaited",
        })
    }
}

impl EncodingPriority<'_> {
    /// How long it may still take; `None` if no caller waits.
    pub(super) fn time_left(self, meanings: &VectorStore) -> Option<Duration> {
        match self {
            Self::Behind => None,
            Self::Awaited { until, .. } => Some(until.saturating_sub(meanings.clock.uptime())),
        }
    }
}
