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
mod discovery;
#[cfg(feature = "http")]
mod http;
