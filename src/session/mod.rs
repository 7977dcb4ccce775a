//! Sessions: one agent conversation each, as an object in the bucket.

mod objects;
mod pending;
mod policy;
mod sessions;
mod state;

pub use policy::{Both, LoadTool, Policy, PromptMode, SkillRule, SkillsAccess, ToolRule, Visibility};
pub use sessions::{Change, CreateSession, SessionPage, Sessions};
pub use state::{LoadedSkill, PastDiscovery, Session};
