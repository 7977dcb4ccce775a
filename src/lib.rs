//! skillmount: a small file system over S3 for agents, where each session sees only the skills it has loaded.
//!
//! An agent has `/workspace` and `/ticket` from the start; `/skills` appears when the first skill is loaded and holds
//! only what was loaded. Which skills exist is told by the prompt, which the service makes from the frontmatter it reads
//! itself. `docs/ARCHITECTURE.md` is the map of this crate, `docs/SEMANTICS.md` its contract.
//!
//! Modules are cut as if each were a crate, and import only from the left:
//! `error limits clock path budget json` ← `access` `store` `skill` ← `wire` ← `catalog` ← `session` ← `backend` ← `prompt` `tools` ← `http` `cli`.

pub mod access;
pub mod backend;
pub mod budget;
pub mod catalog;
#[cfg(feature = "cli")]
pub mod cli;
pub mod clock;
pub mod error;
#[cfg(feature = "http")]
pub mod http;
pub mod json;
pub mod limits;
pub mod path;
pub mod prompt;
pub mod session;
pub mod skill;
pub mod store;
pub mod tools;
pub mod wire;

pub use error::{Code, Error, Kind, Outcome, Parts, Result};
