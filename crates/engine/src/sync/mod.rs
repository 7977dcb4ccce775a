//! Keeping a folder of an author and the skills of a store or a server the same: push new versions, and pull those of others.
//!
//! [`SkillRepository`] is what an author asks of the side that has the skills. `push` and `pull` decide what becomes of each file.
//! [`PushSource`] and [`PullTarget`] say where an author's files lie. A surface passes plain data, and words the typed answers for
//! its readers.

mod files;
mod merge;
mod pull;
mod push;
mod repository;
mod version_memory;
pub use files::SkillText;
pub use merge::text_of;
pub use pull::PullHow;
pub use pull::PullOptions;
pub use pull::PullResult;
pub use pull::PullTarget;
pub use pull::pull_skill;
pub use push::ConflictFile;
pub use push::PushConflict;
pub use push::PushOptions;
pub use push::PushResult;
pub use push::PushSource;
pub use push::PushStatus;
pub use push::push_skill;
pub use repository::SkillRepository;
pub use repository::SkillZip;
pub use repository::StoreRepository;
pub use version_memory::SyncBase;
pub use version_memory::VersionMemory;
