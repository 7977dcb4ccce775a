//! Sessions: one agent conversation each, as an object in the bucket.

mod list;
mod objects;
mod operation;
mod pending;
mod policy;
mod reach;
mod sessions;
mod snapshots;
mod state;
mod user_policy;
mod uses;

pub use list::SessionPage;
pub use operation::Operation;
pub use policy::{Both, LoadTool, Policy, PromptMode, SkillRule, SkillsAccess, ToolRule, Visibility};
pub use reach::{Reach, SessionPattern, out_of_reach};
pub use sessions::{Change, CreateSession, Sessions};
pub use state::{LoadedSkill, PastDiscovery, Session};
pub use uses::Ranks;
