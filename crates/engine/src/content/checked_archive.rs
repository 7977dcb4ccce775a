//! The archives of versions and drafts, checked before they are read.

use super::{memory::owner_below, read_error::ReadError, target::SkillTarget, version_cache::get_whole};
use crate::{
    error::{Code, Error, Result},
    limits::VERSION_ZIP_BYTES,
    path::ObjectKey,
    skill::{Package, VersionArchive},
    store::{ExpectedVersion, ObjectMeta, StoreError},
};

/// The archive of a version, after a check of the content against the name.
///
/// # Errors
/// `version_not_found` if there is none, or if its content differs from its name; the store's.
pub(crate) async fn version_archive(target: &SkillTarget, digest: &str) -> Result<VersionArchive, ReadError> {
    Ok(checked_archive(target, &target.space.version(&target.skill, digest)?, digest).await?.0)
}

/// The archive of a draft, as [`version_archive`].
pub(crate) async fn draft_archive(target: &SkillTarget, digest: &str) -> Result<VersionArchive, ReadError> {
    Ok(checked_archive(target, &target.space.draft_version(&target.skill, digest)?, digest).await?.0)
}

/// The archive at `key`, as [`version_archive`], with the version of its object.
pub(crate) async fn checked_archive(
    target: &SkillTarget,
    key: &ObjectKey,
    digest: &str,
) -> Result<(VersionArchive, ObjectMeta), ReadError> {
    let not_found = |why: &str| {
        let message = format!("{} has no version {digest}{why}; ask for another of its versions", target.skill);
        Error::new(Code::VersionNotFound, message)
    };
    let gone = ReadError::VersionGone;
    let (meta, zip) = match get_whole(target.content.store(), key, VERSION_ZIP_BYTES as u64).await {
        Ok(whole) => whole,
        Err(StoreError::NotFound) => return Err(gone(not_found(""))),
        Err(error) => return Err(error.into()),
    };
    let errand = target.content.workers().errand(&owner_below(target.space.root()), zip.len() as u64);
    let wanted = digest.to_owned();
    let opened = errand.run(move |_| {
        let mut archive = VersionArchive::open(zip).map_err(Error::internal)?;
        let version = archive.version().map_err(Error::internal)?;
        Ok((version.digest() == wanted).then_some(archive))
    });
    match opened.await {
        Ok(Some(archive)) => Ok((archive, meta)),
        Ok(None) => Err(gone(not_found(" any more, because another tool wrote over it"))),
        Err(error) => Err(gone(not_found(" that can be read").with_source(error))),
    }
}

/// Puts an archive, unless it is there. Its name is the digest of its content, so a put with an unknown outcome can be
/// repeated.
pub(crate) async fn put_archive(target: &SkillTarget, key: &ObjectKey, package: &Package) -> Result<()> {
    match target.content.committer().commit(key, package.zip.clone(), &ExpectedVersion::Absent).await {
        Ok(_) => Ok(()),
        Err(StoreError::PreconditionFailed) => rebuild_archive(target, key, package).await,
        Err(error) => Err(error.without_effect().into()),
    }
}

/// Replaces an archive of this name if its content differs from the name.
async fn rebuild_archive(target: &SkillTarget, key: &ObjectKey, package: &Package) -> Result<()> {
    match checked_archive(target, key, package.version.digest()).await {
        Ok(_) => Ok(()),
        Err(ReadError::VersionGone(_)) => {
            let put = target.content.committer().commit(key, package.zip.clone(), &ExpectedVersion::Whatever).await;
            put.map(drop).map_err(|error| error.without_effect().into())
        }
        Err(error) => Err(error.into()),
    }
}
