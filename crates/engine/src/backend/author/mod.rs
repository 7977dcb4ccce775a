//! What the authors of skills do, on any surface: list the skills that there are, push new versions of them and pull those
//! of others, judge them, and look after the catalog.
//!
//! [`SkillRepository`] is what an author asks of the side that keeps the skills, a store or a server. `push` and `pull` decide
//! what becomes of each file; where an author's files lie is told by [`PushSource`] and [`PullTarget`]. A surface gives plain
//! data, and words the typed answers for its readers.

mod catalog_state;
mod digests;
mod files;
mod lint;
mod merge;
mod protocol;
mod pull;
mod push;
mod remembered;
mod stored;

pub use digests::{SkillDigest, SkillDigests};
pub use files::SkillText;
pub use lint::{lint_content, lint_skill};
pub use merge::text_of;
pub use protocol::{SkillRepository, SkillZip, StoreRepository};
pub use pull::{PullHow, PullOptions, PullResult, PullTarget, pull_skill};
pub use push::{ConflictFile, PushConflict, PushOptions, PushResult, PushSource, PushStatus, push_skill};
pub use remembered::{SyncBase, VersionMemory};
pub use stored::{StoredSkill, StoredSkills};
