//! Users as a whole: who there is, all that one has as an archive, and the end of one.
//!
//! A user who is deleted has a tombstone outside its own part of the bucket. While it stands, calls for the user are denied.
//! Writes of calls that were let in before are refused at the store. The first sweep removes everything at once. The second comes
//! 60 s later, when every process knows of the tombstone and what it had sent before is over, and removes what was written
//! meanwhile. Whoever sees a tombstone whose work nobody does goes on with it, so a deletion survives
//! the process that began it.

mod archive;
mod deletion;
mod departures;
mod export;
mod sweep;
mod tombstone;
mod users;
mod wall;
mod watch;

pub(super) use departures::DeletionsInProgress;
pub use export::Export;
pub(super) use wall::{DeletionFence, DeletionMonitor};
