//! Every limit of the crate, named once and tested at n and n + 1.
//!
//! Sizes are in bytes unless the name says otherwise. A comment names the specification or measurement behind a number. The
//! files below are for reading alone: every limit is `limits::NAME`.

mod approvals;
mod audit;
mod drafts;
mod hosts;
mod leaving;
mod mcp;
mod process;
mod skills;
mod tree;

pub use approvals::*;
pub use audit::*;
pub use drafts::*;
pub use hosts::*;
pub use leaving::*;
pub use mcp::*;
pub use process::*;
pub use skills::*;
pub use tree::*;
