//! The archives of versions, checked before they are read.

use super::{Place, versions::get_whole};
use crate::{
    error::{Code, Error, Result},
    limits::VERSION_ZIP_BYTES,
    skill::VersionArchive,
    store::StoreError,
};

impl Place {
    /// The archive of a version, once it is certain that it holds what its name says.
    ///
    /// # Errors
    /// `version_not_found` if there is none or it does not; the store's.
    pub(super) async fn version_archive(&self, digest: &str) -> Result<VersionArchive> {
        let key = self.space.version(&self.skill, digest)?;
        let not_found = |why: &str| {
            let message = format!("{} has no version {digest}{why}; ask for another of its versions", self.skill);
            Error::new(Code::VersionNotFound, message)
        };
        let zip = match get_whole(self.service.store(), &key, VERSION_ZIP_BYTES as u64).await {
            Ok(zip) => zip,
            Err(StoreError::NotFound) => return Err(not_found("")),
            Err(error) => return Err(error.into()),
        };
        let errand = self.service.workers().errand(self.skill.as_str(), zip.len() as u64);
        let wanted = digest.to_owned();
        let opened = errand.run(move |_| {
            let mut archive = VersionArchive::open(zip).map_err(Error::internal)?;
            let version = archive.version().map_err(Error::internal)?;
            Ok((version.digest() == wanted).then_some(archive))
        });
        match opened.await {
            Ok(Some(archive)) => Ok(archive),
            Ok(None) => Err(not_found(" any more, because another tool wrote over it")),
            Err(error) => Err(not_found(" that can be read").with_source(error)),
        }
    }
}
