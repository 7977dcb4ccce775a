//! The documents beside the operations: what is served, fetched and printed of a user's skills.

mod skills;

pub use skills::*;
