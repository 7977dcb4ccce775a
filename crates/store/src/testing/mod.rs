//! For authors of a store: the conformance suites, and a layer that fails on purpose.
//!
//! The service uses nothing here. `examples/toy_store.rs` is a store outside this crate that runs them.

mod conformance;
mod faulty;
mod quirky;

pub use conformance::{Conformance, conformance, conformance_of_two};
pub use faulty::{Fault, Faulty};
pub use quirky::{Quirk, Quirky};
