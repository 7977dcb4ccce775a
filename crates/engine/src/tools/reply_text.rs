//! The reply of an operation in words: for a model, and for a person at a terminal.

use crate::{error::Result, wire::Reply};

/// A reply that can be put into words.
pub trait ReplyText: Reply {
    /// The reply as a model reads it, and a person at a terminal.
    ///
    /// # Errors
    /// If the reply reports that part of the call failed. The message says how to go on.
    fn text(&self, form: TextFormat) -> Result<String>;
}

/// How a reply is put into words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextFormat {
    /// Bytes at most. A last line that says how to get the rest comes on top.
    pub room: usize,
    /// Where the reader finds the instructions of a skill that was loaded.
    pub instructions: Instructions,
}

/// Where the instructions of a loaded skill are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instructions {
    /// In the text of the reply.
    InReply,
    /// In the system prompt.
    InPrompt,
}
