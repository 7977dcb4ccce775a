//! The one integration-test binary: behaviour across rooms, on real stores, over real sockets.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test fails by panicking, and says aloud what it skipped"
)]

mod architecture;
mod conformance;
mod costs;
mod directory;
mod discovery;
mod example;
mod files;
mod fixtures;
#[cfg(feature = "http")]
mod http;
mod prompts;
mod races;
mod real_skills;
mod semantics;
mod sessions;
mod support;
mod tree;
