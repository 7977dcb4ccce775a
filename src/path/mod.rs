//! Names: what a client may say, and the only place where an object key is made.
//!
//! Every type here has one fallible constructor and private fields, so holding a value proves that it was checked.
//! Comparison is byte for byte; nothing is normalised, escaped or guessed, because two spellings of one name are how
//! one tenant reaches another's files. The one function from what an agent types to what the store is asked for is
//! [`Scope::object_key`].

mod etag;
mod glob;
mod id;
mod key;
mod layer;
mod nearest;
mod scope;
mod segment;
mod skill_path;
mod template;
mod virtual_path;

pub use etag::ETag;
pub use glob::Glob;
pub use id::Id;
pub use key::{KeyPrefix, Namespace, ObjectKey, UserSpace};
pub use layer::Layer;
pub use nearest::distance;
pub use scope::{Mount, Place, Scope};
pub use skill_path::{MountName, SkillPath};
pub use template::{MountTemplate, MountTemplates, check_variable_name};
pub use virtual_path::VirtualPath;
