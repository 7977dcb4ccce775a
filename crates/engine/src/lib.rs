//! The service of skillmount: the gated tree, the catalog, sessions, publishing, prompts, tools, hooks and audit, over any store.
//!
//! Begin with [`handle::Service`]: it opens sessions for agents, and the libraries of authors and operators. [`tools`] and
//! [`prompt`] are for an agent loop, [`audit`] keeps records, and [`access`] decides what a key may do. The first page of the
//! crate `skillmount` has a whole session as an example.
//!
//! | feature | brings |
//! |---|---|
//! | `keys-file` | keys in a TOML file |
//! | `tiktoken` | the tokenizer of OpenAI's models for the length of prompts; without it the length is an estimate |
//! | `clap` | policies and prompt modes as arguments of a command line |
//!
//! An application depends on the crate `skillmount`, which re-exports these modules.

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
