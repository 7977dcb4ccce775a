//! The one integration-test binary: behaviour across rooms, on real stores, over real sockets.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test fails by panicking, and says aloud what it skipped"
)]

#[cfg(all(feature = "server", feature = "client"))]
mod agent_loop;
mod architecture;
mod authoring;
mod budgets;
mod catalog_index;
#[cfg(feature = "cli")]
mod cli;
mod conformance;
mod costs;
#[cfg(feature = "cli")]
mod crashes;
mod damaged_sessions;
mod directory;
mod discover;
mod discovery;
mod documents;
mod earlier_bucket;
mod example;
mod files;
mod fixtures;
mod forks;
mod fuzz;
#[cfg(all(feature = "server", feature = "client"))]
mod http;
mod layers;
mod limits;
mod listing_tokens;
#[cfg(feature = "s3")]
mod localstack;
mod model;
mod moves;
#[cfg(feature = "s3")]
mod on_s3;
mod one_tree;
mod outcomes;
mod parts;
mod prompts;
mod public_api;
mod races;
mod real_skills;
mod ripgrep;
#[cfg(feature = "s3")]
mod s3_faults;
#[cfg(feature = "s3")]
mod s3_transport;
#[cfg(feature = "s3")]
mod s3_wire;
mod sabotage;
mod scope;
mod semantics;
mod session_objects;
mod sessions;
mod shown;
#[cfg(all(target_os = "linux", feature = "cli", feature = "s3"))]
mod siege;
mod support;
mod tools;
mod toy_store;
mod tree;
mod unreadable;
mod uses;
mod worst_cases;
