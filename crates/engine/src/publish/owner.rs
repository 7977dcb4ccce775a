//! The owner of new versions.

use std::sync::Arc;

use super::{check_upload, check_upload::PublishOptions, difference, upload::UploadedSkill};
use crate::{
    content::complete_skill,
    context::Core,
    error::{Error, Result},
    path::{Id, LayerOwner, SkillPath},
    wire::{DiffRequest, PublishReply, VersionDiff},
};

/// Makes new versions of skills, and drafts. Cheap to clone.
///
/// ```
/// use std::sync::Arc;
///
/// use skillmount_base::{clock::SystemClock, path::Id};
/// use skillmount_engine::handle::{Service, ServiceOptions};
/// use skillmount_store::MemoryStore;
/// use skillmount_base::path::SkillPath;
/// use skillmount_engine::publish::{PublishOptions, UploadedSkill};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> skillmount_base::Result<()> {
/// let store = Arc::new(MemoryStore::new());
/// store.put_raw("anna/skills/minutes/SKILL.md", "---\nname: minutes\ndescription: Writes minutes.\n---\nBegin.\n");
/// let service = Service::new(store, ServiceOptions::default(), Arc::new(SystemClock::new()));
/// let skill = SkillPath::parse("letters")?;
/// let main = "---\nname: letters\ndescription: Writes letters to customers.\n---\nBegin with the date.\n";
/// let uploaded = UploadedSkill::Files(vec![("SKILL.md".to_owned(), main.into())]);
/// let reply = service.publisher().publish_skill(&Id::parse("anna")?, &skill, uploaded, PublishOptions::default()).await?;
/// assert_eq!(reply.skill, "letters");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Publisher {
    pub(super) core: Arc<Core>,
}

impl Publisher {
    pub(crate) fn new(core: Arc<Core>) -> Self {
        Self { core }
    }

    /// Publishes `uploaded` as the new version of the owner's skill.
    ///
    /// # Errors
    /// `invalid_skill` with `findings`: nothing was stored. `version_conflict` with `current` if the skill has another version;
    /// `already_exists` if no skill may lie there; `file_too_large` if the files there cannot be a version; `read_only`;
    /// the store's, with the outcome.
    pub async fn publish_skill(
        &self,
        owner: impl Into<LayerOwner>,
        skill: &SkillPath,
        uploaded: UploadedSkill,
        options: PublishOptions,
    ) -> Result<PublishReply> {
        check_upload::publish(&self.core, &owner.into(), skill, uploaded, options).await.map_err(Error::of_change)
    }

    /// Completes the plain files of the last change of a skill, which its call could not, and reads the catalog again.
    ///
    /// # Errors
    /// The store's. The next call goes on from there.
    pub async fn complete_skill(&self, owner: &LayerOwner, skill: &SkillPath) -> Result<()> {
        complete_skill(&self.core.content().place(owner, skill)?).await?;
        self.core.catalogs().refresh_layer(owner).await.map(drop)
    }

    /// The path of a skill that was sent without a path: the name in SKILL.md, or else the folder around the files.
    ///
    /// # Errors
    /// `invalid_skill` if neither is a name.
    pub async fn path_of(&self, user: &Id, uploaded: UploadedSkill) -> Result<SkillPath> {
        check_upload::path_of(&self.core, user, uploaded).await
    }

    /// The difference of two versions of the owner's skill: the two in `wanted`, or else the published version and the version
    /// before.
    ///
    /// # Errors
    /// `skill_not_found` if nothing was ever published there; `version_not_found` if there is no such version;
    /// `invalid_request` for an invalid digest; the store's.
    pub async fn diff_versions(
        &self,
        owner: impl Into<LayerOwner>,
        skill: &SkillPath,
        wanted: &DiffRequest,
    ) -> Result<VersionDiff> {
        difference::diff_versions(&self.core, &owner.into(), skill, wanted).await
    }
}
