//! Sessions: one agent conversation each, as an object in the bucket.

mod approval_watch;
mod approvals;
mod cached_tag;
mod change;
mod check;
mod create;
mod error;
mod expiry;
mod keyed_locks;
mod lifecycle;
mod lineage;
mod list;
mod load_history;
mod objects;
mod pending_discoveries;
mod policy_object;
#[cfg(feature = "testing")]
mod read_counts;
mod session_tags;
mod sessions;
mod shared_writes;
mod snapshots;
mod state;
mod stored;
mod summary;
mod tagging;
mod usage;
mod user_policy;
mod vars;

pub use approval_watch::{ApprovalWatch, poll_approval_watch, start_approval_watch};
pub use approvals::{ApprovalRequest, Approvals, CallDecision, PendingCall, SkillToLoad};
pub use cached_tag::cached_session_tag;
pub use check::{is_sound_snapshot, read_stored_session};
pub use create::{CreatedSession, prefetch_ranks, preview_session};
pub use error::SessionError;
pub use expiry::remove_idle_sessions;
pub use keyed_locks::KeyedLocks;
pub use lineage::{SessionLineage, is_session_within};
pub use list::list_sessions;
pub use load_history::{FollowedLoad, LoadHistory};
#[cfg(feature = "testing")]
pub use read_counts::ReadCounts;
pub use session_tags::session_tags;
pub use sessions::{Change, Sessions};
pub use state::{LoadedSkill, SearchRecord, Session, SessionDraft};
pub use tagging::{TaggingReport, tag_sessions};
pub use usage::{Ranks, UsageCounts};
pub use user_policy::read_user_policy;
