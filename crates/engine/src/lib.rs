//! The service of skillmount: the gated tree, the catalog, sessions, publishing, prompts, tools, hooks and audit, over any store.

// Each module has one name in all crates, so a path says what is imported and not where that is built.
use skillmount_base::{budget, clock, error, json, limits, operation_note, path, text};
use skillmount_search::{encoder, words};
use skillmount_skill as skill;
use skillmount_store as store;
use skillmount_wire as wire;

pub mod access;
pub mod audit;
pub mod authoring;
pub mod catalog;
pub mod content;
pub mod context;
pub mod deletions;
pub mod files;
pub mod handle;
pub mod hooks;
pub mod observer;
pub mod prompt;
pub mod publish;
pub mod session;
pub mod skills;
pub mod tools;
pub mod upkeep;
pub mod users;
