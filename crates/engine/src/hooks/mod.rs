//! Hooks: a host such as Claude Code calls them at certain moments of a conversation, and gives their text to a model.
//!
//! A hook speaks the host's JSON. A hook only adds context: it decides about no call, changes no input and stops
//! nothing. The text on a skill is the skill's own description and the words that it shares with the message or
//! command.

mod answer;
mod command;
mod context;

pub use answer::answer;
