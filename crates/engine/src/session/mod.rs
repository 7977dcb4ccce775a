//! Sessions: one agent conversation each, as an object in the bucket.

mod approvals;
mod change;
mod create;
mod followed;
mod forget;
mod inspect;
mod known_tag;
mod lanes;
mod list;
mod objects;
mod pending;
mod policy;
mod reach;
#[cfg(feature = "testing")]
mod read_counts;
mod session_tags;
mod sessions;
mod snapshots;
mod state;
mod stored;
mod summary;
mod tag;
mod user_policy;
mod uses;
mod version;
mod waiting;

pub use approvals::{
    ApprovalList, ApprovalRequest, Approvals, AskedCall, CallDecision, DecideApproval, Decision, WaitingCall,
};
pub use change::ChangeSession;
pub use create::{CreateSession, CreatedSession};
pub use followed::FollowedLoad;
pub use forget::ExpiryReport;
pub use lanes::KeyedLocks;
pub use list::{DamagedSession, SessionListRequest, SessionPage};
pub use policy::{
    ApproveBy, ChildRights, EffectivePolicy, LoadTool, Policy, Preload, PromptMode, SkillRule, SkillsAccess, ToolRule,
    Visibility,
};
pub use reach::SessionLineage;
#[cfg(feature = "testing")]
pub use read_counts::ReadCounts;
pub use session_tags::session_tags;
pub use sessions::{Change, Sessions};
pub use state::{LoadedSkill, SearchRecord, Session, SessionDraft};
pub use summary::{LoadedSummary, SessionSummary};
pub use tag::TaggingReport;
pub use uses::Ranks;
pub use version::{SessionIncarnation, SessionVersion};
pub use waiting::KnownSessions;
