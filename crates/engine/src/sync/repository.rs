//! What an author asks of the side that keeps the skills.

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::TryStreamExt as _;

use crate::{
    authoring::SkillDigests,
    error::Result,
    handle::Service,
    path::{Id, SkillPath},
    publish::{Condition, PublishOptions, UploadedSkill},
    session::Policy,
    wire::{
        CatalogStatus, DiffRequest, LintList, LintListRequest, PublishReply, VersionDiff, VersionList,
        VersionListRequest,
    },
};

/// The skills of one user as their author works on them, over a store or a server. The errors are those of the methods of
/// [`Service`] with these names; `store_unavailable` also if a server cannot be reached.
#[async_trait]
pub trait SkillRepository: Send + Sync {
    /// Which version each of the user's own skills is; with `only`, that skill alone.
    async fn skill_digests(&self, only: Option<&SkillPath>) -> Result<SkillDigests>;

    /// A skill as an archive: as it is now, or the version of `digest`.
    async fn skill_zip(&self, skill: &SkillPath, digest: Option<&str>) -> Result<SkillZip>;

    /// Publishes these files, path and bytes of each, as the new version of a skill.
    async fn publish_skill(
        &self,
        skill: &SkillPath,
        files: Vec<(String, Bytes)>,
        options: PublishOptions,
    ) -> Result<PublishReply>;

    /// A page of the versions of a skill, newest first.
    async fn list_versions(&self, skill: &SkillPath, wanted: &VersionListRequest) -> Result<VersionList>;

    /// What differs between two versions of a skill.
    async fn diff_versions(&self, skill: &SkillPath, wanted: &DiffRequest) -> Result<VersionDiff>;

    /// Publishes an earlier version of a skill again.
    async fn roll_back_skill(&self, skill: &SkillPath, digest: &str) -> Result<PublishReply>;

    /// Deletes a skill; with `only`, only if it has the version of this digest.
    async fn delete_skill(&self, skill: &SkillPath, only: Option<String>) -> Result<()>;

    /// A page of what lint finds in the skills.
    async fn lint_skills(&self, wanted: &LintListRequest) -> Result<LintList>;

    /// How many skills there are, and what the store keeps of them.
    async fn catalog_status(&self) -> Result<CatalogStatus>;

    /// Reads every skill again and keeps nothing of what was known.
    async fn rebuild_catalog(&self) -> Result<CatalogStatus>;
}

/// A skill as a zip archive of its files, by their paths below its folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillZip {
    /// The digest of its version, if the side that keeps it knows that.
    pub digest: Option<String>,
    /// The archive.
    pub bytes: Bytes,
}

/// An author with a store.
#[derive(Clone, Debug)]
pub struct StoreRepository {
    service: Service,
    user: Id,
}

impl StoreRepository {
    /// The author of the user's skills in the store of `service`.
    #[must_use]
    pub fn new(service: Service, user: Id) -> Self {
        Self { service, user }
    }
}

#[async_trait]
impl SkillRepository for StoreRepository {
    async fn skill_digests(&self, only: Option<&SkillPath>) -> Result<SkillDigests> {
        self.service.authoring().skill_digests(&self.user, only).await
    }

    async fn skill_zip(&self, skill: &SkillPath, digest: Option<&str>) -> Result<SkillZip> {
        let archive = self.service.library().own_skill_archive(&self.user, skill, digest).await?;
        let digest = archive.digest.clone();
        let pieces: Vec<Bytes> = archive.pieces().try_collect().await?;
        Ok(SkillZip { digest, bytes: pieces.concat().into() })
    }

    async fn publish_skill(
        &self,
        skill: &SkillPath,
        files: Vec<(String, Bytes)>,
        options: PublishOptions,
    ) -> Result<PublishReply> {
        self.service.publisher().publish_skill(&self.user, skill, UploadedSkill::Files(files), options).await
    }

    async fn list_versions(&self, skill: &SkillPath, wanted: &VersionListRequest) -> Result<VersionList> {
        self.service.publisher().list_versions(&self.user, skill, wanted).await
    }

    async fn diff_versions(&self, skill: &SkillPath, wanted: &DiffRequest) -> Result<VersionDiff> {
        self.service.publisher().diff_versions(&self.user, skill, wanted).await
    }

    async fn roll_back_skill(&self, skill: &SkillPath, digest: &str) -> Result<PublishReply> {
        let options = PublishOptions { source: Some("a rollback".to_owned()), ..PublishOptions::default() };
        self.service.publisher().roll_back_skill(&self.user, skill, digest, options).await
    }

    async fn delete_skill(&self, skill: &SkillPath, only: Option<String>) -> Result<()> {
        let options = PublishOptions { condition: Condition::from(only), ..PublishOptions::default() };
        self.service.publisher().delete_skill(&self.user, skill, options).await
    }

    async fn lint_skills(&self, wanted: &LintListRequest) -> Result<LintList> {
        self.service.authoring().lint_skills(&self.user, &Policy::default(), wanted).await
    }

    async fn catalog_status(&self) -> Result<CatalogStatus> {
        self.service.authoring().catalog_status(&self.user).await
    }

    async fn rebuild_catalog(&self) -> Result<CatalogStatus> {
        self.service.authoring().rebuild_catalog(&self.user).await
    }
}
