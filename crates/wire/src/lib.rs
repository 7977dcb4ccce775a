//! The documents on the wire: every operation, and every document that is served, fetched or printed, once.
//!
//! All of it is plain data with names for its fields and a schema, so that a server, a client in any language, a command
//! line and a model's tools speak of the same things. Requests carry text as the caller wrote it; the server parses it
//! into types before anything else.
//!
//! [`BackendProtocol`] is the trait of the agent's operations: a session in this process and one on a server both implement it.
//!
//! An application depends on the crate `skillmount`, which re-exports these modules.

mod backend_ext;
mod backend_protocol;
mod documents;
mod error_code;
pub mod headers;
mod operations;
mod policy;
mod skill_repository;
mod transfer;

pub use backend_ext::BackendExt;
pub use backend_protocol::BackendProtocol;
pub use documents::*;
pub use error_code::ErrorCode;
pub use operations::*;
pub use policy::{
    ApproveBy, ChildRights, EffectivePolicy, LoadTool, Policy, Preload, PromptMode, SkillRule, SkillsAccess, ToolRule,
    UnknownRules, Visibility, check_user_policy, stored_policy,
};
pub use skill_repository::SkillRepository;
pub use transfer::{DownloadOutcome, UploadFile, UploadOutcome, WriteCondition};
