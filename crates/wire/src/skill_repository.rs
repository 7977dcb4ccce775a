//! The trait of a store or server that keeps the skills of an author.

use async_trait::async_trait;
use bytes::Bytes;

use crate::{
    CatalogStatus, Condition, DiffRequest, LintList, LintListRequest, PublishReply, SkillDigests, SkillZip,
    VersionDiff, VersionList, VersionListRequest,
};
use skillmount_base::{error::Result, path::SkillPath};

/// The skills of one user as their author works on them, over a store or a server. The errors are those of the methods of
/// `Service` with these names; `store_unavailable` also if a server cannot be reached.
#[async_trait]
pub trait SkillRepository: Send + Sync {
    /// Which version each of the user's own skills is; with `only`, that skill alone.
    async fn skill_digests(&self, only: Option<&SkillPath>) -> Result<SkillDigests>;

    /// A skill as an archive: as it is now, or the version of `digest`.
    async fn skill_zip(&self, skill: &SkillPath, digest: Option<&str>) -> Result<SkillZip>;

    /// Publishes these files, path and bytes of each, as the new version of a skill. `source` says where they come from, and
    /// `condition` which version must be there.
    async fn publish_skill(
        &self,
        skill: &SkillPath,
        files: Vec<(String, Bytes)>,
        source: Option<String>,
        condition: Condition,
    ) -> Result<PublishReply>;

    /// A page of the versions of a skill, newest first.
    async fn list_versions(&self, skill: &SkillPath, wanted: &VersionListRequest) -> Result<VersionList>;

    /// The differences between two versions of a skill.
    async fn diff_versions(&self, skill: &SkillPath, wanted: &DiffRequest) -> Result<VersionDiff>;

    /// Publishes an earlier version of a skill again.
    async fn roll_back_skill(&self, skill: &SkillPath, digest: &str) -> Result<PublishReply>;

    /// Deletes a skill; with `only`, only if it has the version of this digest.
    async fn delete_skill(&self, skill: &SkillPath, only: Option<String>) -> Result<()>;

    /// A page of the findings of lint in the skills.
    async fn lint_skills(&self, wanted: &LintListRequest) -> Result<LintList>;

    /// How many skills there are, and what the store keeps of them.
    async fn catalog_status(&self) -> Result<CatalogStatus>;

    /// Reads every skill again, without the stored catalog.
    async fn rebuild_catalog(&self) -> Result<CatalogStatus>;
}
