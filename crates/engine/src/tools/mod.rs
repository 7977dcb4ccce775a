//! The tools of an agent: how they are described to a model, and what becomes of its calls.
//!
//! A tool is an operation of the backend under the name a model calls it by. Nothing here decides what is allowed: the
//! backend does, for every surface alike. A tool that a session may not use is only not offered.

mod calls;
mod commands;
mod conversation;
mod definitions;
mod error_text;
mod input;
mod options;
mod order;
mod queue;
mod schema;
mod tool;
mod turn;

pub use calls::{CallOutcome, run, run_functions, run_one, run_turn};
pub use commands::{MessageReply, MessageRequest, SlashCommand, run_message};
pub use conversation::Conversation;
pub use definitions::{ToolDefinition, Toolbox, definitions, for_session};
pub use options::ToolOptions;
pub use queue::{CallQueue, QueuePlace};
pub use tool::Tool;
