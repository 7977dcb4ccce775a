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
///
/// ```
/// use std::sync::Arc;
///
/// use skillmount_base::{clock::SystemClock, path::Id};
/// use skillmount_engine::handle::{Service, ServiceOptions};
/// use skillmount_store::MemoryStore;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> skillmount_base::Result<()> {
/// let store = Arc::new(MemoryStore::new());
/// store.put_raw("anna/skills/minutes/SKILL.md", "---\nname: minutes\ndescription: Writes minutes.\n---\nBegin.\n");
/// let service = Service::new(store, ServiceOptions::default(), Arc::new(SystemClock::new()));
/// let digests = service.authoring().skill_digests(&Id::parse("anna")?, None).await?;
/// assert_eq!(digests.skills.len(), 1);
/// # Ok(())
/// # }
/// ```
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
