//! The steps that a search takes, and what they may be.

use skillmount_base::{
    error::{Code, Error, Result},
    limits::SEARCH_STEPS,
};

/// The steps that a search has taken. A step is a word looked up or compared, an addition to a skill's score, or a
/// comparison of some numbers of a vector.
#[derive(Debug, Default)]
pub(super) struct SearchCost(u64);

impl SearchCost {
    /// Takes so many steps.
    ///
    /// # Errors
    /// `too_expensive` if they are over [`SEARCH_STEPS`] with those before.
    pub(super) fn take(&mut self, steps: usize) -> Result<()> {
        self.take_all(u64::try_from(steps).unwrap_or(u64::MAX))
    }

    /// As [`take`](Self::take).
    pub(super) fn take_all(&mut self, steps: u64) -> Result<()> {
        self.0 = self.0.saturating_add(steps);
        if self.0 <= SEARCH_STEPS {
            return Ok(());
        }
        Err(Error::new(Code::TooExpensive, "the question has too many common words; ask with a sentence or two"))
    }

    /// How many it has taken.
    pub(super) fn steps(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_taken_up_to_the_limit_and_refused_beyond_it() {
        let (mut spent, most) = (SearchCost::default(), usize::try_from(SEARCH_STEPS).unwrap());
        assert!(spent.take(most - 1).is_ok() && spent.take(1).is_ok());
        assert_eq!(spent.steps(), SEARCH_STEPS);
        assert_eq!(spent.take(1).unwrap_err().code(), Code::TooExpensive);
        assert_eq!(spent.take(usize::MAX).unwrap_err().code(), Code::TooExpensive);
    }
}
