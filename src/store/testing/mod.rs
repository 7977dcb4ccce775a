//! For those who write a store: the suite that says whether it is one, and a layer that fails on purpose.
//!
//! Nothing here is used by the service. `examples/toy_store.rs` is a store outside this crate that runs the suite.

mod conformance;
mod faulty;

pub use conformance::{Conformance, conformance};
pub use faulty::{Fault, Faulty};
