//! The agent's operations over a store: the gated tree, and one file per operation.
//!
//! [`BackendProtocol`] is what an agent can do; [`SkillBackend`] does it over a store for one session, and any surface
//! (library, HTTP, command line) goes through it, so the gate is in one place: `tree`.

mod author;
mod bound;
mod changes;
mod check;
mod edits;
mod expression;
mod ext;
mod fetch;
mod files;
mod forget;
mod gate;
mod given;
mod lines;
mod listing;
mod lookup;
mod matcher;
mod mounts;
mod naming;
mod open;
mod operation_note;
mod ops;
mod parts;
mod protocol;
mod publish;
mod replace;
mod service;
mod shown;
mod skills;
mod text;
mod tree;

pub use author::{
    PulledFile, PushListing, PushPlan, SkillSource, StoredFile, StoredSkill, StoredSkills, lint_content, lint_skill,
};
pub use check::failed_check;
pub use ext::BackendExt;
pub use gate::SessionState;
pub use listing::{Listing, ListingPage};
pub use naming::{NamedSkill, skill_named};
pub use open::OpenStore;
#[cfg(feature = "client")]
pub(crate) use operation_note::{OperationNote, paths_of};
pub use ops::transfer::{FileReader, FileStat};
pub use protocol::BackendProtocol;
pub use publish::{PublishOptions, UploadedSkill};
pub use service::{Budgets, Service, ServiceOptions, SkillBackend};
