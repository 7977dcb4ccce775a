//! The allowance of one request: the number of steps left, and a flag that ends the request.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

use crate::error::{Code, Error, Outcome};

/// The reason why work ends early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// All steps are used.
    Spent,
    /// The caller left, its deadline passed, or the process ends.
    Cancelled,
}

/// Steps and a cancel flag, shared by all pieces of work of one request. Cheap to clone.
#[derive(Clone, Debug)]
pub struct WorkBudget {
    left: Arc<AtomicU64>,
    cancelled: Arc<AtomicBool>,
    /// Set for all work at once, when the process is about to end.
    closing: Arc<AtomicBool>,
}

impl WorkBudget {
    pub(super) fn new(steps: u64, closing: Arc<AtomicBool>) -> Self {
        Self { left: Arc::new(AtomicU64::new(steps)), cancelled: Arc::default(), closing }
    }

    /// Work of `steps` that only [`cancel`](Self::cancel) cancels: for callers without workers.
    #[must_use]
    pub fn of_steps(steps: u64) -> Self {
        Self::new(steps, Arc::default())
    }

    /// Takes `steps` from the allowance.
    ///
    /// # Errors
    /// [`StopReason::Cancelled`] if the work was ended; [`StopReason::Spent`] if fewer steps are left. Then none is taken.
    pub fn spend(&self, steps: u64) -> Result<(), StopReason> {
        if self.is_cancelled() {
            return Err(StopReason::Cancelled);
        }
        let taken = self.left.try_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(steps));
        taken.map(drop).map_err(|_| StopReason::Spent)
    }

    /// The steps that are left.
    #[must_use]
    pub fn left(&self) -> u64 {
        self.left.load(Ordering::Relaxed)
    }

    /// Whether the work should end now, without a result.
    fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed) || self.closing.load(Ordering::Relaxed)
    }

    /// Ends the work: its next check returns [`StopReason::Cancelled`].
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }
}

impl StopReason {
    /// The error of a stopped request. If no steps are left, `advice` is the message. It names the expensive part and a
    /// cheaper way.
    #[must_use]
    pub fn into_error(self, advice: &str) -> Error {
        match self {
            Self::Spent => Error::new(Code::TooExpensive, advice).with_outcome(Outcome::NotApplied),
            Self::Cancelled => {
                Error::new(Code::RateLimited, "the work was ended before it was done; send the request again")
                    .with_outcome(Outcome::NotApplied)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_taken_to_the_last_and_refused_beyond_it() {
        let work = WorkBudget::of_steps(10);
        assert_eq!((work.spend(9), work.spend(2), work.left()), (Ok(()), Err(StopReason::Spent), 1));
        assert_eq!((work.clone().spend(1), work.spend(1)), (Ok(()), Err(StopReason::Spent)), "clones share the steps");
        work.cancel();
        assert_eq!(work.spend(0), Err(StopReason::Cancelled));
    }
}
