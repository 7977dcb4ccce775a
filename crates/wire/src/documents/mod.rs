//! The documents beside the operations: about a user's skills, and about their store.

mod authoring;
mod differences;
mod fsck;
mod leaving;
mod publishing;
mod skills;
mod store;

pub use authoring::*;
pub use differences::*;
pub use fsck::*;
pub use leaving::*;
pub use publishing::*;
pub use skills::*;
pub use store::*;
