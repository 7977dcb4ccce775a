//! The agent's operations over a store.

mod protocol;

pub use protocol::*;
