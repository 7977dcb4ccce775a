//! How skills are described to a model: a pure function of catalog, session and policy.
//!
//! The same input gives the same bytes, so that a provider's prompt cache holds: no times, no `ETag`s, skills in the order
//! of their paths. Everything a skill says of itself is data: metadata is cleaned and escaped, bodies are fenced.

mod explain;
mod fit;
mod for_session;
mod host_listing;
mod items;
mod render;
mod request;
mod tokens;
mod write;

pub use for_session::for_session;
pub use host_listing::{HostListing, TextRoom, host_listing, render_host_listing};
pub use render::render;
pub use request::{CurrentSkill, PromptInput};
