//! Attempts at one request over a network: their number, their pauses, and their time together.
//!
//! Every remote store uses this, and decides itself what a failure means.

use std::{sync::Arc, time::Duration};

use tokio::time::{Instant, timeout_at};

use super::{Cause, StoreError, StoreResult, backoff::Backoff};
use skillmount_base::{
    clock::Clock,
    limits::{ATTEMPT_TIMEOUT, OPERATION_TIMEOUT, READ_ATTEMPTS},
};

/// The first pause after a failed attempt; it doubles up to [`LAST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// The longest pause between attempts.
const LAST_PAUSE: Duration = Duration::from_secs(2);
/// The slowest transfer that is allowed, in bytes per second.
const SLOWEST_TRANSFER: u64 = 1 << 20;

/// Retries until an attempt succeeds, a failure is final, or attempts or time run out.
///
/// # Errors
/// That of the last attempt.
pub(super) async fn retry<T, F>(
    clock: &Arc<dyn Clock>,
    again: impl Fn(&StoreError) -> bool,
    attempt: impl Fn() -> F,
) -> StoreResult<T>
where
    F: Future<Output = StoreResult<T>>,
{
    let deadline = Instant::now() + OPERATION_TIMEOUT;
    let mut backoff = Backoff::new(clock.clone(), FIRST_PAUSE, LAST_PAUSE, deadline);
    let mut attempts = 1;
    loop {
        let failure = match attempt().await {
            Ok(done) => return Ok(done),
            Err(failure) => failure,
        };
        if !again(&failure) || attempts == READ_ATTEMPTS || !backoff.pause().await {
            return Err(failure);
        }
        attempts += 1;
    }
}

/// [`retry`] for a request that changes nothing, ended at the operation's deadline.
///
/// # Errors
/// That of the last attempt, or `Unavailable` after the deadline.
pub(super) async fn read<T, F>(clock: &Arc<dyn Clock>, attempt: impl Fn() -> F) -> StoreResult<T>
where
    F: Future<Output = StoreResult<T>>,
{
    let deadline = Instant::now() + OPERATION_TIMEOUT;
    let retried = timeout_at(deadline, retry(clock, StoreError::is_transient, attempt));
    retried.await.unwrap_or_else(|late| Err(StoreError::not_applied(late).because(Cause::Timeout)))
}

/// The time allowed to move `bytes`: that of any attempt, and that of the slowest transfer.
pub(super) fn transfer_time(bytes: u64) -> Duration {
    ATTEMPT_TIMEOUT + Duration::from_millis(bytes.saturating_mul(1000) / SLOWEST_TRANSFER)
}
