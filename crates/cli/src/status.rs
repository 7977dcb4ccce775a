//! Exit statuses beside those of errors, whose table is in `error`.

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
