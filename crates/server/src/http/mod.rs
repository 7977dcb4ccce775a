//! The HTTP interface, `/v1`: the agent's operations, its loop of tools, sessions, skills and the prompt, for clients on other machines and
//! in other languages.
//!
//! Handlers are thin: a body is parsed into the very struct the operation takes, the operation runs, its reply is the
//! JSON. What they must not forget is not theirs to remember: who is calling, the size and time limits, request ids, logs
//! and the shape of errors are layers around them, in [`router`]. The same handlers generate the OpenAPI document.

mod accept;
mod address;
mod admission;
mod app;
mod approvals;
mod audit;
mod authors;
mod background;
mod body;
mod call;
mod compression;
mod conditions;
mod connections;
mod cors;
mod cost;
mod docs;
mod download;
mod events;
mod files;
mod guard;
mod held;
mod hooks;
mod layers;
mod log;
mod mcp;
mod metrics;
mod openapi;
mod operations;
mod pace;
mod part_name;
mod problem;
mod prompt;
mod publish;
mod receive;
mod router;
mod server;
mod service;
mod sessions;
mod skill_files;
mod skill_parts;
mod skills;
mod skills_api;
mod spool;
mod stall;
mod tools;
mod upload;
mod users;
mod versions;
mod well_known;

pub use app::HttpConfig;
pub use router::{openapi, skills_api_openapi};
pub use server::serve;
