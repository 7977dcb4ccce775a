//! Sessions: one agent conversation each, as an object in the bucket.

mod change;
mod create;
mod forget;
mod lanes;
mod list;
mod objects;
mod pending;
mod policy;
mod reach;
mod sessions;
mod snapshots;
mod state;
mod stored;
mod summary;
mod user_policy;
mod uses;
mod version;

pub use change::ChangeSession;
pub use create::{CreateSession, CreatedSession};
pub use forget::Collected;
pub(crate) use lanes::Lanes;
pub use list::{DamagedSession, SessionListRequest, SessionPage};
pub use policy::{
    Children, EffectivePolicy, LoadTool, Policy, PromptMode, SkillRule, SkillsAccess, ToolRule, Visibility,
};
pub use reach::Whereabouts;
pub use sessions::{Change, Sessions};
pub use state::{LoadedSkill, PastDiscovery, Session};
pub use summary::{LoadedSummary, SessionSummary};
pub use uses::Ranks;
pub use version::{Life, SessionVersion};
