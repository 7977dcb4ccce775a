//! The owner of authors' requests.

use std::sync::Arc;

use super::{digests, lint, stored, stored::StoredSkills};
use crate::{
    context::Core,
    error::Result,
    path::{Id, SkillPath},
    wire::{LintList, LintListRequest, Policy, SkillDigests},
};

/// Answers the requests of authors beside publishing. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Authoring {
    pub(super) core: Arc<Core>,
}

impl Authoring {
    pub(crate) fn new(core: Arc<Core>) -> Self {
        Self { core }
    }

    /// The user's own skills. A skill has a digest if it is unchanged since its publication. Costs the LIST requests of the files
    /// and a GET of each head. With `only`, returns this skill alone.
    ///
    /// # Errors
    /// The store's.
    pub async fn skill_digests(&self, user: &Id, only: Option<&SkillPath>) -> Result<SkillDigests> {
        digests::skill_digests(&self.core, user, only).await
    }

    /// A page of the findings on the user's own skills. Omits skills that `policy`, the user's, hides.
    ///
    /// # Errors
    /// `skill_not_found` or `ambiguous_skill` if one is asked for by name; the store's.
    pub async fn lint_skills(&self, user: &Id, policy: &Policy, wanted: &LintListRequest) -> Result<LintList> {
        lint::lint_skills(&self.core, user, policy, wanted).await
    }

    /// Every folder of the user that holds a SKILL.md; of nested folders, the outermost alone. Includes folders with a broken
    /// SKILL.md, so that authors can read and fix them.
    ///
    /// # Errors
    /// The store's.
    pub async fn stored_skills(&self, user: &Id) -> Result<StoredSkills> {
        stored::stored_skills(&self.core, user).await
    }
}
