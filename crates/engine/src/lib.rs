//! The service of skillmount: the gated tree, the catalog, sessions, publishing, prompts, tools, hooks and audit, over any store.

// Each module has one name in all crates, so a path says what is imported and not where that is built.
use skillmount_base::{budget, clock, error, json, limits, path};
use skillmount_search::{encoder, words};
use skillmount_skill as skill;
use skillmount_store as store;
use skillmount_wire as wire;

pub mod access;
pub mod audit;
pub mod backend;
pub mod catalog;
pub mod hooks;
pub mod prompt;
pub mod session;
pub mod tools;
