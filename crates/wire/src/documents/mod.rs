//! The documents beside the operations: what is served, fetched and printed of a user's skills and of their store.

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
