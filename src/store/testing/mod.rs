//! For authors of a store: the conformance suite, and a layer that fails on purpose.
//!
//! The service uses nothing here. `examples/toy_store.rs` is a store outside this crate that runs the suite.

mod conformance;
mod faulty;

pub use conformance::{Conformance, conformance};
pub use faulty::{Fault, Faulty};
