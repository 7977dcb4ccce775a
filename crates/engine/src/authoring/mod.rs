//! Requests of authors beside publishing: lists of stored skills, their digests, lint findings, and the state of the catalog.

mod catalog_state;
mod digests;
mod lint;
mod owner;
mod stored;

pub use lint::{lint_content, lint_skill};
pub use owner::Authoring;
pub use stored::{StoredSkill, StoredSkills};
