//! Attempts at one request over a network: how many, with which pauses, and how long they may take together.
//!
//! A remote store shares this; what a failure means is its own to say.

use std::{sync::Arc, time::Duration};

use tokio::time::{Instant, timeout_at};

use super::{Cause, StoreError, StoreResult, backoff::Backoff};
use crate::{
    clock::Clock,
    limits::{ATTEMPT_TIMEOUT, OPERATION_TIMEOUT, READ_ATTEMPTS},
};

/// The first pause after a failed attempt; it doubles up to [`LAST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// The longest pause between attempts.
const LAST_PAUSE: Duration = Duration::from_secs(2);
/// The slowest transfer that is waited for, in bytes a second.
const SLOWEST_TRANSFER: u64 = 1 << 20;

/// Makes an attempt until one succeeds, fails for good, or attempts or time run out.
///
/// # Errors
/// The last attempt's.
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

/// [`retry`] for what changes nothing, cut off at the operation's deadline.
///
/// # Errors
/// The last attempt's, or `Unavailable` after the deadline.
pub(super) async fn read<T, F>(clock: &Arc<dyn Clock>, attempt: impl Fn() -> F) -> StoreResult<T>
where
    F: Future<Output = StoreResult<T>>,
{
    let deadline = Instant::now() + OPERATION_TIMEOUT;
    let retried = timeout_at(deadline, retry(clock, StoreError::is_transient, attempt));
    retried.await.unwrap_or_else(|late| Err(StoreError::not_applied(late).because(Cause::Timeout)))
}

/// How long moving `bytes` may take: what any attempt may, and the time of the slowest transfer.
pub(super) fn transfer_time(bytes: u64) -> Duration {
    ATTEMPT_TIMEOUT + Duration::from_millis(bytes.saturating_mul(1000) / SLOWEST_TRANSFER)
}
