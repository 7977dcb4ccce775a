//! The tools of an agent: what a model is told of them, and what becomes of its calls.
//!
//! A tool is an operation of the backend under the name a model calls it by. Nothing here decides what is allowed: the
//! backend does, for every surface alike; what a session may not do is only not offered.

mod calls;
mod commands;
mod definitions;
mod input;
mod lines;
mod order;
mod replies;
mod schema;
mod text;
mod tool;

pub use calls::{Role, ToolOptions, ToolResult, ToolResultType, ToolResults, run};
pub use commands::{Command, MessageReply, run_message};
pub use definitions::{Shape, ToolDefinition, Toolbox, definitions, for_session};
pub use tool::Tool;
