//! The handlers, a file for each group of routes.

pub(super) mod approvals;
pub(super) mod audit;
pub(super) mod authors;
pub(super) mod download;
pub(super) mod events;
pub(super) mod files;
pub(super) mod hooks;
pub(super) mod mcp;
pub(super) mod operations;
pub(super) mod prompt;
pub(super) mod publish;
pub(super) mod service;
pub(super) mod sessions;
pub(super) mod skill_files;
pub(super) mod skills;
pub(super) mod tools;
pub(super) mod upload;
pub(super) mod users;
pub(super) mod versions;
pub(super) mod well_known;

pub(super) use service::unknown_route;
pub(super) use skills::{readable_catalog, skill_archive};
