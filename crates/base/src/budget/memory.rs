//! The bytes that all requests together may hold.
//!
//! A request reserves the memory of its worst case once, when its body has come, and never waits for more while it holds some.
//! So no two requests can wait for each other. A request can return unneeded memory early.

use std::time::Duration;

use super::{Owner, Share, Shares};
use crate::{
    error::{Code, Error, Outcome, Result},
    limits::MEMORY_KEPT_LEAST_BYTES,
};

/// A budget of bytes. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Memory {
    bytes: Shares,
    patience: Duration,
}

/// Reserved bytes. Dropping them returns them.
#[derive(Debug)]
#[must_use = "bytes are reserved only as long as this lives"]
pub struct Reservation(Share);

impl Memory {
    /// `bytes` in all. One user holds at most a quarter, or one request for more. An eighth and at least
    /// [`MEMORY_KEPT_LEAST_BYTES`] are kept for users who hold none, but no more than a sixth. A caller that waits longer than `patience` is refused.
    #[must_use]
    pub fn new(bytes: u64, patience: Duration) -> Self {
        let kept = MEMORY_KEPT_LEAST_BYTES.clamp(bytes / 8, bytes / 6);
        Self { bytes: Shares::new(bytes, bytes / 4).keeping(kept), patience }
    }

    /// The bytes as shares, for a caller that shares them among its keys first.
    #[must_use]
    pub fn shares(&self) -> &Shares {
        &self.bytes
    }

    /// The bytes reserved now.
    #[must_use]
    pub fn reserved(&self) -> u64 {
        self.bytes.held()
    }

    /// The most bytes ever reserved at once.
    #[must_use]
    pub fn peak(&self) -> u64 {
        self.bytes.peak()
    }

    /// The number of all bytes.
    #[must_use]
    pub fn capacity(&self) -> u64 {
        self.bytes.capacity()
    }

    /// The most that one request can reserve.
    #[must_use]
    pub fn most(&self) -> u64 {
        self.bytes.most()
    }

    /// Reserves `bytes` for a request of `owner`.
    ///
    /// # Errors
    /// `too_expensive` if they can never be had, `rate_limited` if they could not be had in time.
    pub async fn reserve(&self, owner: &Owner, bytes: u64) -> Result<Reservation> {
        self.in_time(bytes, self.patience, self.bytes.acquire(owner, bytes)).await.map(Reservation)
    }

    /// The shares that `acquire` waits for, a request for `bytes`.
    ///
    /// # Errors
    /// `too_expensive` if `acquire` returns `None`: there is never so much. `rate_limited` after `patience`.
    pub async fn in_time<T>(
        &self,
        bytes: u64,
        patience: Duration,
        acquire: impl Future<Output = Option<T>>,
    ) -> Result<T> {
        match tokio::time::timeout(patience, acquire).await {
            Ok(Some(share)) => Ok(share),
            Ok(None) => Err(too_large(bytes, self.most())),
            Err(_) => Err(busy()),
        }
    }
}

impl Reservation {
    /// Returns all bytes over `bytes`.
    pub fn shrink_to(&mut self, bytes: u64) {
        self.0.shrink_to(bytes);
    }
}

fn too_large(bytes: u64, most: u64) -> Error {
    let message = format!("this request may take {bytes} bytes of memory and one may take {most}; send less at once");
    Error::new(Code::TooExpensive, message).with_detail("limit", most).with_outcome(Outcome::NotApplied)
}

fn busy() -> Error {
    Error::new(Code::RateLimited, "too much is under way to take this request; try again in a moment")
        .with_outcome(Outcome::NotApplied)
}

#[cfg(test)]
mod tests {
    use super::*;

    // S-BUDGET-4: A request for more memory than the service has is `too_expensive`.
    #[tokio::test(start_paused = true)]
    async fn what_fits_is_had_what_waits_too_long_or_never_fits_is_refused() {
        let memory = Memory::new(80, Duration::from_secs(5));
        let (a, b): (Owner, Owner) = ("a".into(), "b".into());
        let mut held = memory.reserve(&a, 20).await.unwrap();
        assert_eq!(memory.reserve(&a, 1).await.unwrap_err().code(), Code::RateLimited);
        assert_eq!(memory.reserve(&b, 68).await.unwrap_err().code(), Code::TooExpensive);
        let other = memory.reserve(&b, 47).await.unwrap();
        assert_eq!(memory.reserved(), 67);
        held.shrink_to(5);
        let more = memory.reserve(&a, 15).await.unwrap();
        drop((held, other, more));
        assert_eq!((memory.reserved(), memory.peak(), memory.capacity()), (0, 67, 80));
    }
}
