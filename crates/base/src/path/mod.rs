//! Names that clients may send, and the only place that makes object keys.
//!
//! Every type here has one fallible constructor and private fields, so holding a value proves the check. Comparison is byte
//! for byte. Nothing is normalised, escaped or guessed, because two spellings of one name are how one user
//! reaches another's files. [`Scope`] turns an agent's paths into the keys of its session.

mod area;
mod deletion;
mod etag;
mod glob;
mod host;
mod id;
mod key;
mod layer;
mod nearest;
mod percent;
mod scope;
mod segment;
mod skill_path;
mod space;
mod template;
mod text;
mod tool_files;
mod virtual_path;

pub use area::ObjectKind;
pub use etag::ETag;
pub use glob::Glob;
pub use host::is_loopback;
pub use id::{DEFAULT_SESSION, DEFAULT_USER, Id};
pub use key::{KeyPrefix, ObjectKey};
pub use layer::{Layer, LayerOwner};
pub use nearest::distance;
pub use percent::percent_decoded;
pub use scope::{Mount, ResolvedPath, Scope};
pub use skill_path::{MountName, SkillPath};
pub use space::{Namespace, UserSpace};
pub use template::{MountTemplate, MountTemplates, check_variable_name};
pub use tool_files::{FOLDER_MEMORY, is_of_tools};
pub use virtual_path::VirtualPath;
