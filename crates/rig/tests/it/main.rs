//! Agents of rig with a scripted model, on the real program and on a service in process.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod approvals;
mod between;
mod calls;
mod lifetimes;
mod network;
mod service;
mod turns;
