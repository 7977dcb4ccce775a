//! Sessions: one agent conversation each, as an object in the bucket.

mod create;
mod lanes;
mod list;
mod objects;
mod pending;
mod policy;
mod sessions;
mod snapshots;
mod state;
mod user_policy;
mod uses;

pub use create::CreateSession;
pub(crate) use lanes::Lanes;
pub use list::SessionPage;
pub use policy::{Both, LoadTool, Policy, PromptMode, SkillRule, SkillsAccess, ToolRule, Visibility};
pub use sessions::{Change, Sessions};
pub use state::{LoadedSkill, PastDiscovery, Session};
pub use uses::Ranks;
