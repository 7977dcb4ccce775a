//! The skills of a store, for their author.

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::TryStreamExt as _;

use super::Service;
use crate::{
    error::Result,
    path::{Id, SkillPath},
    publish::{PublishOptions, UploadedSkill},
    wire::{
        CatalogStatus, Condition, DiffRequest, LintList, LintListRequest, Policy, PublishReply, SkillDigests,
        SkillRepository, SkillZip, VersionDiff, VersionList, VersionListRequest,
    },
};

/// An author with a store.
///
/// ```
/// use std::sync::Arc;
///
/// use skillmount_base::{clock::SystemClock, path::Id};
/// use skillmount_engine::handle::{Service, ServiceOptions};
/// use skillmount_store::MemoryStore;
/// use skillmount_engine::handle::StoreRepository;
/// use skillmount_wire::SkillRepository;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> skillmount_base::Result<()> {
/// let store = Arc::new(MemoryStore::new());
/// store.put_raw("anna/skills/minutes/SKILL.md", "---\nname: minutes\ndescription: Writes minutes.\n---\nBegin.\n");
/// let service = Service::new(store, ServiceOptions::default(), Arc::new(SystemClock::new()));
/// let author = StoreRepository::new(service, Id::parse("anna")?);
/// assert_eq!(author.skill_digests(None).await?.skills.len(), 1);
/// # Ok(())
/// # }
/// ```
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
        source: Option<String>,
        condition: Condition,
    ) -> Result<PublishReply> {
        let options = PublishOptions { source, condition, ..PublishOptions::default() };
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
