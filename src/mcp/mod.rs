//! The Model Context Protocol: the tools of a session for any host that speaks it.
//!
//! The tools, their texts and what they may do are those of [`tools`](crate::tools): nothing is decided here. A failed call is a
//! result that its model reads, as the protocol has it. Only what names no tool at all is an error of the protocol, which hosts
//! seldom show.

mod admitted;
mod asking;
mod changes;
mod completion;
mod lines;
mod prompts;
mod refusal;
mod running;
mod server;
mod skills;
mod stdio;
#[cfg(feature = "server")]
mod web;

pub use stdio::serve_stdio;
#[cfg(feature = "server")]
pub(crate) use web::{HttpTransport, MessageKind};
