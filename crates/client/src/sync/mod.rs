//! Keeping a folder of an author and the skills of a store or a server the same: push new versions, and pull those of others.
//!
//! [`SkillRepository`](crate::wire::SkillRepository) is what an author asks of the side that has the skills. `push` and `pull` decide what becomes of each file.
//! [`PushSource`] and [`PullTarget`] say where an author's files lie. A surface passes plain data, and words the typed answers for
//! its readers.

mod files;
mod merge;
mod pull;
mod push;
mod version_memory;

pub use files::SkillText;
pub use merge::text_of;
pub use pull::{PullHow, PullOptions, PullResult, PullTarget, pull_skill};
pub use push::{ConflictFile, PushConflict, PushOptions, PushResult, PushSource, PushStatus, push_skill};
pub use version_memory::{SyncBase, VersionMemory};
