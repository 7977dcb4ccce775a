//! The Model Context Protocol: the tools of a session for any host that speaks it.
//!
//! [`tools`](crate::tools) defines the tools, their texts and their rights: nothing is decided here. As the protocol
//! requires, a failed call is a result that the model reads. Only a call of an unknown tool is an error of the
//! protocol, which hosts seldom show.

mod batch_lines;
mod changes;
mod completion;
mod conversation;
mod elicitation;
mod lines;
mod live_session;
mod options;
mod prompts;
mod refusal;
mod running_calls;
mod server;
mod skills;
mod stdio;
#[cfg(feature = "http")]
mod web;

pub use options::McpOptions;
pub use stdio::serve_stdio;
#[cfg(feature = "http")]
pub(crate) use web::{HttpTransport, MessageKind};
