//! What authors ask beside publishing: lists of stored skills, their digests, lint findings, and the state of the catalog.

mod catalog_state;
mod digests;
mod lint;
mod stored;

pub use digests::{SkillDigest, SkillDigests};
pub use lint::{lint_content, lint_skill};
pub use stored::{StoredSkill, StoredSkills};

use std::sync::Arc;

use crate::context::Core;

/// What authors ask beside publishing. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Authoring {
    core: Arc<Core>,
}

impl Authoring {
    pub(crate) fn new(core: Arc<Core>) -> Self {
        Self { core }
    }
}
