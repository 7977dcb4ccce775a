//! The files of a version in memory.

use std::collections::BTreeMap;

use bytes::Bytes;

use crate::{
    error::{Code, Error, Result},
    path::SkillPath,
    skill::{Version, VersionArchive, VersionFile},
    wire::{SkillDigest, SkillRepository},
};

/// A version with the bytes of its files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillText {
    /// Its digest and its files.
    pub version: Version,
    /// The bytes, by path.
    pub files: BTreeMap<String, Bytes>,
}

impl SkillText {
    /// The version that these files are.
    #[must_use]
    pub fn new(files: BTreeMap<String, Bytes>) -> Self {
        let listed = files.iter().map(|(path, bytes)| VersionFile::from_bytes(path.as_str(), bytes)).collect();
        Self { version: Version::new(listed), files }
    }

    /// Gets the skill as it is now, or its version of `digest`; `None` if there is none.
    ///
    /// # Errors
    /// `store_unavailable` if the archive is not the version of its digest; those of [`SkillRepository::skill_zip`].
    pub async fn get(author: &dyn SkillRepository, skill: &SkillPath, digest: Option<&str>) -> Result<Option<Self>> {
        let zip = match author.skill_zip(skill, digest).await {
            Ok(zip) => zip,
            Err(error) if matches!(error.code(), Code::SkillNotFound | Code::VersionNotFound) => return Ok(None),
            Err(error) => return Err(error),
        };
        let broken = || {
            let message = format!("the archive of {skill} did not come as it was sent: try again");
            Error::new(Code::StoreUnavailable, message)
        };
        let files = VersionArchive::open(zip.bytes).and_then(|mut archive| archive.files());
        let text = Self::new(files.map_err(|why| broken().with_source(Error::internal(why)))?.into_iter().collect());
        let named = zip.digest.as_deref().into_iter().chain(digest);
        if named.into_iter().any(|named| named != text.version.digest()) { Err(broken()) } else { Ok(Some(text)) }
    }

    /// The skill `there`, if its version is unknown until its files are read.
    pub(crate) async fn of_unknown(author: &dyn SkillRepository, there: &SkillDigest) -> Result<Option<Self>> {
        if there.digest.is_some() { Ok(None) } else { Self::get(author, &there.skill, None).await }
    }
}
