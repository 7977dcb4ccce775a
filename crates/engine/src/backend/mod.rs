//! The agent's operations over a store: the gated tree, and one file per operation.
//!
//! [`BackendProtocol`] is what an agent can do; [`SessionBackend`] does it over a store for one session, and any surface
//! (library, HTTP, command line) goes through it, so the gate is in one place: `tree`.

mod asked;
mod author;
mod bound;
mod budgets;
mod bundles;
mod catalog_reads;
mod changes;
mod check;
mod check_folder;
mod context;
mod create;
mod drafted;
mod drafts;
mod edits;
mod encoded;
mod explained;
mod expression;
mod ext;
mod feedback;
mod fetch;
mod files;
mod forget;
mod fsck;
mod leaving;
mod line_ends;
mod lines;
mod listing;
mod lookup;
mod matcher;
mod mounts;
mod naming;
mod offered;
mod open;
mod ops;
mod pace;
mod parts;
mod protocol;
mod publish;
mod replace;
mod service;
mod session_backend;
mod shared;
mod shown;
mod skill_bytes;
mod skills;
mod text;
mod tree;
mod unlisted;

pub use author::{
    ConflictFile, PullHow, PullOptions, PullResult, PullTarget, PushConflict, PushOptions, PushResult, PushSource,
    PushStatus, SkillDigest, SkillDigests, SkillRepository, SkillText, SkillZip, StoreRepository, StoredSkill,
    StoredSkills, SyncBase, VersionMemory, lint_content, lint_skill, pull_skill, push_skill, text_of,
};
pub use budgets::Budgets;
pub use catalog_reads::{HostFile, HostSkill, Manifest};
pub use check::failed_check;
pub use context::check_content;
pub use context::{
    Action, Author, CallReport, Caller, ChangeEffect, Effects, EffectsRecorder, ObservedCall, ObservedOperation,
    Observer, Progress, RankedPaths, RecordWritten, SessionState, SkillUse,
};
pub use context::{OperationNote, paths_of};
pub use drafted::{index_of_drafts, with_drafts};
pub use ext::BackendExt;
pub use leaving::Export;
pub use listing::{Listing, ListingPage};
pub use naming::{NamedSkill, flat_names, skill_named};
pub use offered::{Artifact, ArtifactKind, OfferedSkill};
pub use open::OpenStore;
pub use ops::transfer::{FileAccess, FileReader, FileStat};
pub use protocol::BackendProtocol;
pub use publish::{
    Condition, DraftReader, NumberedVersion, PageRequest, PublishOptions, PublishedPage, PublishedSkill,
    PublishedVersion, SkillArchive, SpooledBody, UploadedSkill, VersionName,
};
pub use service::{Service, ServiceOptions};
pub use session_backend::SessionBackend;
pub use skill_bytes::{CatalogFile, CatalogSkill, packed};
