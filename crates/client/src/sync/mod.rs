//! Keeping a folder of an author and the skills of a store or a server the same: push new versions, and pull those of others.
//!
//! [`SkillRepository`](crate::wire::SkillRepository) is the store or server with the skills, and [`PushSource`] and [`PullTarget`] are
//! the folder of the author. `push` and `pull` decide which files change. A surface passes plain data, and words the typed answers
//! for its readers.

mod files;
mod merge;
mod pull;
mod push;
mod version_memory;

pub use files::SkillText;
pub use merge::text_of;
pub use pull::{PullHow, PullOptions, PullResult, PullTarget, pull_skill};
pub use push::{ConflictFile, PushConflict, PushOptions, PushResult, PushSource, PushStatus, push_skill};
pub use version_memory::{StoreId, SyncBase, VersionMemory};
