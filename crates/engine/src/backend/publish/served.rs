//! The archives of versions and drafts, checked before they are read.

use super::{SkillTarget, rooms::owner_below, versions::get_whole};
use crate::{
    error::{Code, Error, Outcome, Result},
    limits::VERSION_ZIP_BYTES,
    path::ObjectKey,
    skill::{Package, VersionArchive},
    store::{ExpectedVersion, ObjectMeta, StoreError},
};

impl SkillTarget {
    /// The archive of a version, once it is certain that it holds what its name says.
    ///
    /// # Errors
    /// `version_not_found` if there is none or it does not; the store's.
    pub(super) async fn version_archive(&self, digest: &str) -> Result<VersionArchive> {
        Ok(self.checked_archive(&self.space.version(&self.skill, digest)?, digest).await?.0)
    }

    /// The archive of a draft, as [`version_archive`](Self::version_archive).
    pub(super) async fn draft_archive(&self, digest: &str) -> Result<VersionArchive> {
        Ok(self.checked_archive(&self.space.draft_version(&self.skill, digest)?, digest).await?.0)
    }

    /// The archive at `key`, as [`version_archive`](Self::version_archive), with the version of its object.
    pub(super) async fn checked_archive(&self, key: &ObjectKey, digest: &str) -> Result<(VersionArchive, ObjectMeta)> {
        let not_found = |why: &str| {
            let message = format!("{} has no version {digest}{why}; ask for another of its versions", self.skill);
            Error::new(Code::VersionNotFound, message)
        };
        let (meta, zip) = match get_whole(self.service.store(), key, VERSION_ZIP_BYTES as u64).await {
            Ok(whole) => whole,
            Err(StoreError::NotFound) => return Err(not_found("")),
            Err(error) => return Err(error.into()),
        };
        let errand = self.service.workers().errand(&owner_below(self.space.root()), zip.len() as u64);
        let wanted = digest.to_owned();
        let opened = errand.run(move |_| {
            let mut archive = VersionArchive::open(zip).map_err(Error::internal)?;
            let version = archive.version().map_err(Error::internal)?;
            Ok((version.digest() == wanted).then_some(archive))
        });
        match opened.await {
            Ok(Some(archive)) => Ok((archive, meta)),
            Ok(None) => Err(not_found(" any more, because another tool wrote over it")),
            Err(error) => Err(not_found(" that can be read").with_source(error)),
        }
    }

    /// Puts an archive, unless it is there. Its name is the digest of what is in it, so a put whose outcome is unknown can be
    /// repeated.
    pub(super) async fn put_archive(&self, key: &ObjectKey, package: &Package) -> Result<()> {
        match self.service.shared.committer.commit(key, package.zip.clone(), &ExpectedVersion::Absent).await {
            Ok(_) => Ok(()),
            Err(StoreError::PreconditionFailed) => self.mend_archive(key, package).await,
            Err(error) => Err(Error::from(error).with_outcome(Outcome::NotApplied)),
        }
    }

    /// Replaces an archive of this name that does not hold what its name says.
    async fn mend_archive(&self, key: &ObjectKey, package: &Package) -> Result<()> {
        match self.checked_archive(key, package.version.digest()).await {
            Ok(_) => Ok(()),
            Err(error) if error.code() == Code::VersionNotFound => {
                self.service.shared.committer.commit(key, package.zip.clone(), &ExpectedVersion::Whatever).await?;
                Ok(())
            }
            Err(error) => Err(error),
        }
    }
}
