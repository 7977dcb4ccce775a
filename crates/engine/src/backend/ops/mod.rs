//! The operations: one file each, with one function of the operation's name.

pub(super) mod create_skill;
pub(super) mod delete;
pub(super) mod discover_skills;
pub(super) mod edit;
pub(super) mod glob;
pub(super) mod grep;
pub(super) mod load_skill;
pub(super) mod ls;
pub(super) mod move_path;
pub(super) mod read;
pub(super) mod transfer;
pub(super) mod unload_skill;
pub(super) mod write;
