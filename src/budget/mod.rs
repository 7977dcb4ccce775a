//! What work and memory the process may take, and how its callers share them.
//!
//! [`Shares`] is the one mechanism: a number of units, each owner at most a part of them, waiting owners served in turn.
//! [`Workers`] are shares of threads and [`Memory`] is shares of bytes. [`Bandwidth`] beside it is bytes per second. Nothing here stops a caller by force: work carries a
//! [`Work`] that counts its steps and can be cancelled, and asks it between pieces that are short. Caches are no callers:
//! they own fixed parts of the memory and weigh what they keep by [`weight`].

mod bandwidth;
mod memory;
mod shares;
pub mod weight;
mod work;
mod workers;

pub use bandwidth::Bandwidth;
pub use memory::{Memory, Reservation};
pub use shares::{Owner, Share, Shares};
pub use work::{Stop, Work};
pub use workers::{Errand, Workers};
