//! Hooks: what a host such as Claude Code asks at certain moments of a conversation, and what a model is then told.
//!
//! A hook speaks the host's JSON. It only adds context: it decides about no call, changes no input and stops nothing. What it
//! says of a skill is what the skill says of itself, and the words of the text in which the two meet.

mod answer;
mod command;
mod context;
mod input;
mod output;

pub use answer::answer;
pub use input::{HookEvent, HookInput};
pub use output::{HookEventName, HookOutput, HookSpecificOutput};
