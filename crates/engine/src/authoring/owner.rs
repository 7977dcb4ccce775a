//! The owner of what authors ask.

use std::sync::Arc;

use super::{digests, lint, stored, stored::StoredSkills};
use crate::{
    context::Core,
    error::Result,
    path::{Id, SkillPath},
    wire::{LintList, LintListRequest, Policy, SkillDigests},
};

/// What authors ask beside publishing. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Authoring {
    pub(super) core: Arc<Core>,
}

impl Authoring {
    pub(crate) fn new(core: Arc<Core>) -> Self {
        Self { core }
    }

    /// The user's own skills with the digests of those that are as they were published: the LIST requests of their files and a
    /// GET of each head. With `only`, that skill alone.
    ///
    /// # Errors
    /// The store's.
    pub async fn skill_digests(&self, user: &Id, only: Option<&SkillPath>) -> Result<SkillDigests> {
        digests::skill_digests(&self.core, user, only).await
    }

    /// A page of the findings on the user's own skills, without those that `policy`, the user's, hides.
    ///
    /// # Errors
    /// `skill_not_found` or `ambiguous_skill` if one is asked for by name; the store's.
    pub async fn lint_skills(&self, user: &Id, policy: &Policy, wanted: &LintListRequest) -> Result<LintList> {
        lint::lint_skills(&self.core, user, policy, wanted).await
    }

    /// Every folder of the user that holds a SKILL.md, the outermost deciding; also those whose SKILL.md is broken, because
    /// reading them is how one gets to mend them.
    ///
    /// # Errors
    /// The store's.
    pub async fn stored_skills(&self, user: &Id) -> Result<StoredSkills> {
        stored::stored_skills(&self.core, user).await
    }
}
