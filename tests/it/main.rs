//! The one integration-test binary: behaviour across rooms, on real stores, over real sockets.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    unreachable_pub,
    reason = "a test fails by panicking, says aloud what it skipped, and its binary exports nothing"
)]

mod architecture;
#[cfg(feature = "s3")]
mod s3_faults;
#[cfg(feature = "s3")]
mod s3_transport;
#[cfg(feature = "s3")]
mod s3_wire;
mod support;
