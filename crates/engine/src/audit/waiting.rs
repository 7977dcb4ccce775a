//! A batch of records that waits to be written, as a value: when it takes further records, and when it is due.

use std::time::Duration;

use jiff::Timestamp;

use super::{batch::BatchName, log::earlier, record::HEADER};
use crate::limits::{AUDIT_BATCH_AGE, AUDIT_BATCH_RECORDS, AUDIT_GROUP};

/// Records that are written together.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) name: BatchName,
    /// When it was begun, whatever its name says by now.
    pub(super) begun: Timestamp,
    /// Whether it may be in the store under its name.
    pub(super) is_doubtful: bool,
    /// Earlier names of the batch. The store may have the batch under them.
    pub(super) earlier: Vec<BatchName>,
    pub(super) text: Vec<u8>,
    pub(super) records: usize,
    pub(super) opened: Duration,
    /// Since when it should be written without waiting for its age.
    pub(super) urgent: Option<Duration>,
    /// When it may be tried again. It takes no further record.
    pub(super) retry: Option<Duration>,
}

impl Batch {
    pub(super) fn new(name: BatchName, opened: Duration) -> Self {
        let begun = name.time();
        let (text, earlier) = (HEADER.to_vec(), Vec::new());
        Self { name, begun, is_doubtful: false, earlier, text, records: 0, opened, urgent: None, retry: None }
    }

    pub(super) fn is_open(&self, uptime: Duration) -> bool {
        let is_young = uptime.saturating_sub(self.opened) < AUDIT_BATCH_AGE;
        self.retry.is_none() && self.records < AUDIT_BATCH_RECORDS && is_young
    }

    /// Whether who reads on from a batch of `now` would not look for its name any more.
    pub(super) fn is_late(&self, now: Timestamp) -> bool {
        self.name.time() < earlier(now)
    }

    /// The bytes of its records.
    pub(super) fn record_bytes(&self) -> usize {
        self.text.len() - HEADER.len()
    }

    /// How long until it is due. If `gathers`, further changes are under way that may share it.
    pub(super) fn wait(&self, uptime: Duration, gathers: bool) -> Duration {
        let due = match (self.retry, self.urgent) {
            (Some(retry), _) => retry,
            (None, _) if self.records >= AUDIT_BATCH_RECORDS => Duration::ZERO,
            (None, Some(urgent)) if urgent.is_zero() => urgent,
            (None, Some(urgent)) if gathers => urgent + AUDIT_GROUP,
            (None, Some(urgent)) => urgent,
            (None, None) => self.opened + AUDIT_BATCH_AGE,
        };
        due.saturating_sub(uptime)
    }
}
