//! Exit statuses beside those of errors, whose table is in `error`.

use crate::error::Error;

/// How a command ended that did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExitStatus {
    /// It succeeded.
    Done,
    /// It searched and found nothing. A script can distinguish this from a hit, as with every grep.
    NothingFound,
    /// It checked, and something is wrong.
    FoundWrong,
    /// A signal stopped it. This is the exit status of a process that the signal ended.
    Stopped(u8),
}

impl ExitStatus {
    /// The exit status of the process.
    pub(super) fn exit_code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::NothingFound | Self::FoundWrong => 1,
            Self::Stopped(status) => status,
        }
    }
}

/// The member of the problem document which says that the advice was given already.
pub(super) const CHECKS_FAILED: &str = "checks_failed";

/// The member of the problem document which says that a part is done: some skills were published and others refused, or a
/// merge left marks.
pub(super) const PARTIAL: &str = "partial";

/// The exit status of `push`, `add` and `update` if they published some skills and refused others as wrong input, and of
/// `pull --merge` if a person must finish the merge.
const DONE_IN_PART: u8 = 3;

/// The exit status of a command that failed.
pub(super) fn exit_code(error: &Error) -> u8 {
    let is_partial = error.details().contains_key(PARTIAL);
    if is_partial { DONE_IN_PART } else { error.kind().exit_code() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{Code, Kind};

    #[test]
    fn the_status_of_a_partial_push_is_that_of_no_error() {
        let error = Error::new(Code::InvalidRequest, "1 skill stayed behind");
        assert_eq!(exit_code(&error), Kind::InvalidInput.exit_code());
        assert_eq!(exit_code(&error.with_detail(PARTIAL, true)), DONE_IN_PART);
        assert!(Code::ALL.iter().all(|code| code.kind().exit_code() != DONE_IN_PART));
    }
}
