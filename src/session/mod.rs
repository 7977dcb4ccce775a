//! Sessions: one agent conversation each, as an object in the bucket.

mod policy;
mod state;

pub use policy::{Both, LoadTool, Policy, PromptMode, SkillRule, SkillsAccess, ToolRule, Visibility};
pub use state::{LoadedSkill, Session};
