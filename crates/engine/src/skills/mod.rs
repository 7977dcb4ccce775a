//! The skills of a session: found, loaded, unloaded and created; and lists and pages of skills beside sessions.

mod begin_session;
mod bound_session;
mod catalog_file;
mod create_skill;
mod discover_skills;
mod discovery_index;
mod documents;
mod drafts;
mod explain;
mod feedback;
mod hidden;
mod host_reads;
mod listing;
mod load_skill;
mod lookup;
mod naming;
mod owner;
mod search;
mod session_skills;
mod unload_skill;
mod with_drafts;

pub(crate) use begin_session::create_session;
pub(crate) use bound_session::create_session_within;
pub use catalog_file::{CatalogFile, CatalogSkill, packed};
pub(crate) use create_skill::create_skill;
pub(crate) use discover_skills::discover_skills;
pub use discovery_index::{Artifact, ArtifactKind, OfferedSkill};
pub use host_reads::{HostFile, HostSkill, HostSkills};
pub use listing::{Listing, ListingPage};
pub(crate) use load_skill::load_skill;
pub use naming::{NamedSkill, flat_names, skill_named};
pub use owner::Library;
pub use session_skills::SessionSkills;
pub(crate) use unload_skill::unload_skill;
pub use with_drafts::{index_of_drafts, with_drafts};
