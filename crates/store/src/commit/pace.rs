//! The write rate of one key, as the refusals of a store show it.
//!
//! Cloudflare R2 and Google Cloud Storage take one write a second to one key, and answer 429 to more. Amazon answers
//! `SlowDown` if a prefix has too many writes. After such an answer, writes to one key keep a pause, so that changes
//! can wait for each other and share a write.

use std::sync::{Arc, Mutex, PoisonError};

use moka::sync::Cache;
use tokio::time::{Instant, sleep_until};

use skillmount_base::{
    limits::{PACED_KEYS, WRITE_PACE, WRITE_PACE_REMEMBERED},
    path::ObjectKey,
};

/// The write rate of one key. Clones share what they learnt.
#[derive(Clone, Debug)]
pub(super) struct WritePace {
    throttled_at: Arc<Mutex<Option<Instant>>>,
    /// The time of the last write of each key, while the store throttles.
    written: Cache<ObjectKey, Instant>,
}

impl WritePace {
    pub(super) fn new() -> Self {
        Self { throttled_at: Arc::default(), written: Cache::new(PACED_KEYS) }
    }

    /// Records that the store refused a write because there were too many.
    pub(super) fn record_throttled(&self) {
        *self.throttled_at.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    /// Records a write that landed.
    pub(super) fn record_written(&self, key: &ObjectKey) {
        if self.is_paced() {
            self.written.insert(key.clone(), Instant::now());
        }
    }

    /// Waits until the store takes another write of `key`, as far as its last refusal shows.
    pub(super) async fn wait(&self, key: &ObjectKey) {
        if !self.is_paced() {
            return;
        }
        if let Some(written) = self.written.get(key) {
            sleep_until(written + WRITE_PACE).await;
        }
    }

    fn is_paced(&self) -> bool {
        let throttled_at = *self.throttled_at.lock().unwrap_or_else(PoisonError::into_inner);
        throttled_at.is_some_and(|at| at.elapsed() < WRITE_PACE_REMEMBERED)
    }
}
