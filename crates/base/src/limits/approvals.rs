//! Limits of approvals.

use std::time::Duration;

use jiff::SignedDuration;

/// Calls of a session that wait for a person's approval, or have it and were not made again yet.
pub const APPROVALS: usize = 32;
/// The part of the input of such a call that the session stores, as JSON.
pub const APPROVAL_INPUT_BYTES: usize = 4 << 10;
/// Characters of the text that a person sends with a denial.
pub const APPROVAL_MESSAGE_CHARS: usize = 1000;
/// How long a call waits for a decision, and how long the decision then holds.
pub const APPROVAL_LIFE: SignedDuration = SignedDuration::from_mins(5);
/// How often `skillmount approvals --watch` looks for calls that wait.
pub const APPROVALS_LOOK: Duration = Duration::from_secs(1);
