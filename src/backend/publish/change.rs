//! The commit: what publishing, rolling back and deleting have in common.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Place,
    folder::{Archived, Folder, is_as_published, is_published},
    heads::StoredHead,
};
use crate::{
    error::{Code, Error, Result},
    limits::PUBLISH_ATTEMPTS,
    path::ETag,
    skill::{HeadChange, HeadFile, HeadState, Package, Provenance, SkillHead, Version},
    store::{Base, StoreError},
    wire::PublishStatus,
};

/// What a change did.
#[derive(Debug)]
pub(super) struct Changed {
    pub(super) status: PublishStatus,
    /// Whether the plain files have followed.
    pub(super) complete: bool,
    /// Files that another tool wrote meanwhile, which stay.
    pub(super) kept: Vec<String>,
}

/// What is there before a change.
struct Before {
    head: Option<StoredHead>,
    folder: Folder,
    /// The folder as a version, if it is none yet.
    archived: Option<Package>,
    /// The files whose content is known, by path: digest of the content and version of the object.
    known: BTreeMap<String, (String, ETag)>,
    /// The version that the folder is; `None` for an empty one.
    digest: Option<String>,
}

impl Place {
    /// Makes `wanted` the published version, or deletes the skill. With `only`, only if the folder is that version now.
    ///
    /// # Errors
    /// `version_conflict` if it is another; `skill_not_found` if there is nothing to delete; `already_exists` if no skill may
    /// lie here; `file_too_large` if what lies there cannot be kept; the store's, with the outcome.
    pub(super) async fn change(
        &self,
        wanted: Option<&Package>,
        from: &Provenance,
        only: Option<&str>,
    ) -> Result<Changed> {
        let _turn = self.service.shared.publishing.enter(self.folder.as_str()).await;
        for _ in 0..PUBLISH_ATTEMPTS {
            let before = self.before(from).await?;
            self.check(&before, wanted.is_some(), only)?;
            let is_same = before.digest.as_deref() == wanted.map(|package| package.version.digest());
            if is_same && before.archived.is_none() {
                return Ok(Changed { status: PublishStatus::Unchanged, complete: true, kept: Vec::new() });
            }
            if wanted.is_some() && before.head.is_none() {
                self.check_place(&before.folder).await?;
            }
            for package in [before.archived.as_ref(), wanted].into_iter().flatten() {
                self.put_version(package).await?;
            }
            let status = if before.digest.is_none() { PublishStatus::Created } else { PublishStatus::Updated };
            let head = self.next_head(&before, wanted.map(|package| &package.version), from);
            let Some(head) = self.put_head(before.head.as_ref(), head).await? else { continue };
            // From here on the change is published, whatever becomes of the plain files in this call.
            return Ok(match self.materialise(head, wanted).await {
                Ok(kept) => Changed { status, complete: true, kept },
                Err(error) => {
                    tracing::warn!(skill = %self.skill, cause = %error.chain(), "the files of a published skill are behind");
                    Changed { status, complete: false, kept: Vec::new() }
                }
            });
        }
        let message = format!("others keep publishing {}: look at what they published, then try again", self.skill);
        Err(Error::new(Code::EditConflict, message))
    }

    /// Looks at what is there, with the plain files up to the head.
    async fn before(&self, from: &Provenance) -> Result<Before> {
        let head = self.settled_head().await?;
        let folder = self.list().await?;
        if is_as_published(head.as_ref(), &folder) {
            let digest = head.as_ref().and_then(|known| known.head.digest.clone());
            let files = head.iter().flat_map(|known| &known.head.files);
            let known =
                files.filter_map(|one| Some((one.file.path.clone(), (one.file.sha256.clone(), one.etag.clone()?))));
            let known = known.collect();
            return Ok(Before { head, folder, archived: None, known, digest });
        }
        if folder.is_empty() {
            return Ok(Before { head, folder, archived: None, known: BTreeMap::new(), digest: None });
        }
        let source = Some("found in the bucket, written by other tools".to_owned());
        let from = Provenance { at: from.at, by: None, source };
        let Archived { package, folder } = self.archive(folder, &from).await?;
        let content = |file: &crate::skill::VersionFile| {
            Some((file.path.clone(), (file.sha256.clone(), folder.get(&file.path)?.clone())))
        };
        let known = package.version.files().iter().filter_map(content).collect();
        let digest = Some(package.version.digest().to_owned());
        Ok(Before { head, folder, archived: Some(package), known, digest })
    }

    fn check(&self, before: &Before, is_publish: bool, only: Option<&str>) -> Result<()> {
        if let Some(only) = only
            && before.digest.as_deref() != Some(only)
        {
            let message = format!(
                "{} is not the version that If-Match names any more: look at the difference, merge, and publish with the \
                 version that `current` names",
                self.skill
            );
            return Err(Error::new(Code::VersionConflict, message).with_detail("current", before.digest.clone()));
        }
        if is_publish || before.digest.is_some() || is_published(before.head.as_ref()) {
            return Ok(());
        }
        Err(Error::new(Code::SkillNotFound, format!("there is no skill {} to delete", self.skill)))
    }

    /// The head of the change: which files need not be written, and which objects are replaced.
    fn next_head(&self, before: &Before, version: Option<&Version>, from: &Provenance) -> SkillHead {
        // A first publish always writes SKILL.md, so that who reads it learns that there is a head by now.
        let is_first = before.head.is_none();
        let tag = |path: &str, sha256: &str| {
            let (same, etag) = before.known.get(path)?;
            (same == sha256 && !(is_first && path == "SKILL.md")).then(|| etag.clone())
        };
        let files: Vec<HeadFile> = version
            .map_or(&[][..], Version::files)
            .iter()
            .map(|file| HeadFile { file: file.clone(), etag: tag(&file.path, &file.sha256) })
            .collect();
        let stay: BTreeSet<&String> = files.iter().filter(|one| one.etag.is_some()).map(|one| &one.file.path).collect();
        let replaces = before.folder.iter().filter(|(path, _)| !stay.contains(path));
        let replaces = replaces.map(|(path, etag)| (path.clone(), etag.clone())).collect();
        let change = HeadChange {
            state: if version.is_some() { HeadState::Published } else { HeadState::Deleted },
            files,
            replaces,
            previous: before.digest.clone(),
            by: from.by.clone(),
            source: from.source.clone(),
        };
        SkillHead::after(before.head.as_ref().map(|known| &known.head), &self.skill, change, from.at)
    }

    /// Puts the archive of a version, unless it is there. Its name is the digest of what is in it, so a put whose outcome is
    /// unknown can be repeated.
    async fn put_version(&self, package: &Package) -> Result<()> {
        let key = self.space.version(&self.skill, package.version.digest())?;
        match self.service.shared.committer.commit(&key, package.zip.clone(), &Base::Absent).await {
            Ok(_) => Ok(()),
            Err(StoreError::PreconditionFailed) => self.mend_version(package).await,
            Err(error) => Err(Error::from(error).with_outcome(crate::error::Outcome::NotApplied)),
        }
    }

    /// Replaces an archive of this name that does not hold what its name says.
    async fn mend_version(&self, package: &Package) -> Result<()> {
        let digest = package.version.digest();
        match self.version_archive(digest).await {
            Ok(_) => Ok(()),
            Err(error) if error.code() == Code::VersionNotFound => {
                let key = self.space.version(&self.skill, digest)?;
                self.service.shared.committer.commit(&key, package.zip.clone(), &Base::Whatever).await?;
                Ok(())
            }
            Err(error) => Err(error),
        }
    }
}
