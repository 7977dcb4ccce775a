//! The one integration-test binary: behaviour across rooms, on real stores, over real sockets.
//! A folder belongs to a room of `src`, or to the whole.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test fails by panicking, and says aloud what it skipped"
)]

mod audit;
mod budget;
mod catalog;
#[cfg(feature = "cli")]
mod cli;
mod engine;
mod fuzz;
mod hooks;
mod house;
#[cfg(all(feature = "server", feature = "client"))]
mod http;
mod interleave;
#[cfg(feature = "cli")]
mod mcp;
mod model;
mod path;
mod prompt;
#[cfg(all(feature = "cli", feature = "server"))]
mod reference;
mod session;
#[cfg(all(target_os = "linux", feature = "cli", feature = "s3"))]
mod siege;
mod skill;
mod store;
mod support;
mod tools;
mod whole;
