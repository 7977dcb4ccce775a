//! The work and memory that the process may take, and how its callers share them.
//!
//! [`Shares`] is the one mechanism: a number of units, at most a part of them for each owner, waiting owners served in
//! turn. [`Workers`] are shares of threads, [`Memory`] is shares of bytes, and [`Bandwidth`] limits bytes per second.
//! Nothing here stops a caller by force. Work carries a [`WorkBudget`], which counts steps and can be cancelled, and checks that
//! value between short pieces. Caches are not callers: they own fixed parts of the memory and weigh their entries
//! by [`weight`].

mod bandwidth;
mod capacity;
mod memory;
mod shares;
pub mod weight;
mod work;
mod workers;

pub use bandwidth::Bandwidth;
pub use capacity::Capacity;
pub use memory::{Memory, Reservation};
pub use shares::{Owner, Share, Shares};
pub use work::{StopReason, WorkBudget};
pub use workers::{Job, Workers};
