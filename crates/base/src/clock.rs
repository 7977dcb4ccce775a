//! Time and randomness, as an argument.
//!
//! Nothing else in the crate asks the machine for either, so that a test can stop the clock and load the dice.

use std::{fmt, time::Duration};

use jiff::Timestamp;

/// Time and randomness.
pub trait Clock: fmt::Debug + Send + Sync {
    /// The time of day, for what people and other machines read.
    fn now(&self) -> Timestamp;

    /// Time since some fixed moment, never going back: for ages and deadlines.
    fn uptime(&self) -> Duration;

    /// 128 random bits, for ids that must never meet.
    fn random(&self) -> u128;
}

/// The machine's clock and its random numbers.
///
/// Ages follow tokio's clock, so they stand still when a test pauses it.
#[derive(Debug)]
pub struct SystemClock {
    started: tokio::time::Instant,
}

impl SystemClock {
    /// A clock whose uptime begins now.
    #[must_use]
    pub fn new() -> Self {
        Self { started: tokio::time::Instant::now() }
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }

    fn uptime(&self) -> Duration {
        self.started.elapsed()
    }

    fn random(&self) -> u128 {
        rand::random()
    }
}
