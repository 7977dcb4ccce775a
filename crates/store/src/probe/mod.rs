//! Finds out at start whether a store honours conditional writes, also if they are concurrent.
//!
//! Some S3-compatible servers accept the conditions and ignore them. Others honour one write after another, and let
//! several concurrent writes succeed. Both would lose edits without a sign. So the service races writes on one object
//! and counts the winners.

mod assessment;
mod known_stores;
mod race;
mod stored_result;

pub use assessment::Conditions;
pub use known_stores::{KNOWN_STORES, KnownStore};
pub use race::{probe_conditions, write_once};
pub use stored_result::ProbeResult;
