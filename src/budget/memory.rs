//! The bytes that requests may hold, all together.
//!
//! A request reserves what it may take at worst once, before its body is read, and never asks for more while it holds: so
//! no two requests can wait for each other. It may give back early what it turns out not to need.

use std::time::Duration;

use super::{Owner, Share, Shares};
use crate::error::{Code, Error, Outcome, Result};

/// A budget of bytes. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Memory {
    bytes: Shares,
    patience: Duration,
}

/// Bytes that are reserved; dropping it gives them back.
#[derive(Debug)]
#[must_use = "bytes are reserved only as long as this lives"]
pub struct Reservation(Share);

impl Memory {
    /// `bytes` in all, of which one user holds at most half; who waits longer than `patience` is turned away.
    #[must_use]
    pub fn new(bytes: u64, patience: Duration) -> Self {
        Self { bytes: Shares::new(bytes, bytes / 2), patience }
    }

    /// Bytes that are reserved now.
    #[must_use]
    pub fn reserved(&self) -> u64 {
        self.bytes.held()
    }

    /// The most that was ever reserved at once.
    #[must_use]
    pub fn peak(&self) -> u64 {
        self.bytes.peak()
    }

    /// All bytes there are to reserve.
    #[must_use]
    pub fn capacity(&self) -> u64 {
        self.bytes.capacity()
    }

    /// The most that one request can reserve.
    #[must_use]
    pub fn most(&self) -> u64 {
        self.bytes.part()
    }

    /// Reserves `bytes` for a request of `owner`.
    ///
    /// # Errors
    /// `too_expensive` where they can never be had, `rate_limited` where they could not be had in time.
    pub async fn reserve(&self, owner: &Owner, bytes: u64) -> Result<Reservation> {
        self.reserve_within(self.patience, owner, bytes).await
    }

    /// As [`reserve`](Self::reserve), for a request of other patience: one that waits without holding memory, as an upload
    /// on disk does, may wait for as long as its caller.
    ///
    /// # Errors
    /// As [`reserve`](Self::reserve).
    pub async fn reserve_within(&self, patience: Duration, owner: &Owner, bytes: u64) -> Result<Reservation> {
        match tokio::time::timeout(patience, self.bytes.acquire(owner, bytes)).await {
            Ok(Some(share)) => Ok(Reservation(share)),
            Ok(None) => Err(too_large(bytes, self.most())),
            Err(_) => Err(busy()),
        }
    }
}

impl Reservation {
    /// Bytes it holds.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.0.units()
    }

    /// Gives back all but `bytes`, where it holds more.
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

    // S-BUDGET-3: A request reserves the memory it may need before its body is read; what can never fit is `too_expensive`.
    #[tokio::test(start_paused = true)]
    async fn what_fits_is_had_what_waits_too_long_or_never_fits_is_refused() {
        let memory = Memory::new(100, Duration::from_secs(5));
        let (a, b): (Owner, Owner) = ("a".into(), "b".into());
        let mut held = memory.reserve(&a, 50).await.unwrap();
        assert_eq!(memory.reserve(&a, 1).await.unwrap_err().code(), Code::RateLimited);
        assert_eq!(memory.reserve(&b, 51).await.unwrap_err().code(), Code::TooExpensive);
        let other = memory.reserve(&b, 50).await.unwrap();
        assert_eq!(memory.reserved(), 100);
        held.shrink_to(20);
        let more = memory.reserve(&a, 30).await.unwrap();
        drop((held, other, more));
        assert_eq!((memory.reserved(), memory.peak(), memory.capacity()), (0, 100, 100));
    }
}
