//! The commit that publishing, rolling back and deleting share.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    change_error::ChangeError,
    first_publish::{finish_followed, finish_publish},
};
use crate::{
    content::{
        HeadPut, MemoryPermit, PlainFiles, ReadError, SkillTarget, StoredDraft, StoredHead, UnversionedFolder,
        archive_folder, check_new_head, commit_head, is_as_published, is_newest, is_published, list_folder_sized,
        materialise, numbers_after, numbers_before, own_files, place_conflict, put_archive, settled_files,
        settled_head, version_archive,
    },
    error::{Code, Error, Result},
    limits::PUBLISH_ATTEMPTS,
    path::ETag,
    skill::{
        HeadChange, HeadFile, HeadState, MAIN, Package, PendingPublish, Provenance, SkillDraft, SkillHead, Version,
        VersionArchive, VersionNumbers,
    },
    wire::{Condition, PublishStatus},
};

/// The result of a change.
#[derive(Debug)]
pub(crate) struct ChangeResult {
    pub(crate) status: PublishStatus,
    /// The version that was there before; `None` if nothing was published.
    pub(crate) before: Option<String>,
    /// Whether the plain files have followed.
    pub(crate) complete: bool,
    /// Files that another tool wrote meanwhile, which stay.
    pub(crate) kept: Vec<String>,
    /// The draft whose place the skill took, now or in an earlier change.
    pub(crate) took: Option<String>,
    /// The object of this draft, which goes once the catalog has the skill.
    pub(crate) replaced: Option<StoredDraft>,
}

/// The published skill as an archive.
pub(crate) struct PublishedNow {
    pub(crate) archive: VersionArchive,
    pub(crate) digest: String,
    /// The memory permit of a folder that was packed.
    pub(crate) room: Option<MemoryPermit>,
    /// The draft whose place the skill took.
    pub(crate) took: Option<String>,
}

/// The state before a change.
struct Before {
    head: Option<StoredHead>,
    folder: PlainFiles,
    /// The folder as a version, if it is none yet.
    archived: Option<Package>,
    /// The files whose content is known, by path: digest of the content and version of the object.
    known: BTreeMap<String, (String, ETag)>,
    /// The version that the skill is; `None` if there is no skill, even if other files lie in the folder.
    digest: Option<String>,
    /// The memory permit of `archived`.
    room: Option<MemoryPermit>,
}

/// A change of the published version.
pub(crate) enum WantedChange<'change> {
    /// To this version. If nothing is published, the version takes the place of the draft, if there is one.
    Published(&'change Package, Option<&'change StoredDraft>),
    /// To none.
    Deleted,
    /// To this draft.
    Draft(Box<SkillDraft>),
}

impl WantedChange<'_> {
    /// The files of the new version.
    fn package(&self) -> Option<&Package> {
        match self {
            Self::Published(package, _) => Some(package),
            Self::Deleted | Self::Draft(_) => None,
        }
    }

    /// The draft whose place the version takes.
    fn taken(&self) -> Option<&StoredDraft> {
        match self {
            Self::Published(_, draft) => *draft,
            Self::Deleted | Self::Draft(_) => None,
        }
    }
}

/// Makes the change of `head` if the folder now meets `condition`. The caller holds the lock of the folder.
///
/// # Errors
/// [`ChangeError::Undone`] if another head is there by now. `version_conflict` if the version is another; `skill_not_found` if there
/// is nothing to delete; `already_exists` if no skill may lie here. `file_too_large` if the files there cannot be kept, or the head is too large; the store's,
/// with the outcome.
pub(crate) async fn change_head(
    target: &SkillTarget,
    head: Option<StoredHead>,
    change: &WantedChange<'_>,
    from: &Provenance,
    condition: &Condition,
) -> Result<ChangeResult, ChangeError> {
    let wanted = change.package();
    let before = read_before(target, head, from, wanted.is_some()).await?;
    // A folder that differs from its head is the work of another tool, or of a newer head.
    if before.archived.is_some() && !is_newest(target, before.head.as_ref()).await? {
        return Err(ChangeError::Undone(contested(target)));
    }
    check_condition(target, &before, wanted.is_some(), condition)?;
    // A delete changes the head of a published skill, even if another tool has emptied its folder.
    let is_same = wanted.is_some_and(|package| before.digest.as_deref() == Some(package.version.digest()));
    if is_same && before.archived.is_none() {
        let took = before.head.and_then(|known| known.head.took);
        let (status, before) = (PublishStatus::Unchanged, before.digest);
        return Ok(ChangeResult { status, before, complete: true, kept: Vec::new(), took, replaced: None });
    }
    // An archive that lay there before this call may have been published. The archive of this call was not.
    let there = before.archived.as_ref().map(|package| package.version.digest()).or(before.digest.as_deref());
    let numbers = numbers_before(target, before.head.as_ref(), there).await?;
    for package in [before.archived.as_ref(), wanted].into_iter().flatten() {
        let key = target.space.version(&target.skill, package.version.digest())?;
        put_archive(target, &key, package).await?;
    }
    let status = if before.digest.is_none() { PublishStatus::Created } else { PublishStatus::Updated };
    let head = next_head(target, &before, change, (from, condition), numbers);
    if wanted.is_some() {
        check_new_head(target, &head)?;
    }
    let took = head.took.clone();
    let put = commit_head(target, before.head.as_ref(), head).await?;
    let before = before.digest;
    let done = match (put, wanted) {
        (HeadPut::Lost, _) => return Err(ChangeError::Undone(contested(target))),
        (HeadPut::Stored(head), Some(package)) if head.head.pending.is_some() => {
            Box::pin(finish_publish(target, head, package)).await?
        }
        (HeadPut::Followed(head), Some(package)) if head.pending.is_some() => {
            Box::pin(finish_followed(target, &head, package)).await?
        }
        // From here on the change is final, even if this call fails to update the plain files.
        (HeadPut::Stored(head), _) => Box::pin(materialise(target, head, wanted)).await,
        (HeadPut::Followed(_), _) => settled_head(target).await.map(|_| Vec::new()).map_err(ReadError::from),
    };
    Ok(match done {
        Ok(kept) => ChangeResult { status, before, complete: true, kept, took, replaced: None },
        Err(error) => {
            tracing::warn!(skill = %target.skill, cause = %Error::from(error).chain(), "the files of a published skill are behind");
            ChangeResult { status, before, complete: false, kept: Vec::new(), took, replaced: None }
        }
    })
}

/// The error if others keep publishing the skill.
fn contested(target: &SkillTarget) -> Error {
    let message = format!("others keep publishing {}: look at what they published, then try again", target.skill);
    Error::new(Code::EditConflict, message)
}

/// Reads the skill before a change of `head`. Files that the change cannot replace are refused or
/// left out before they are read.
///
/// # Errors
/// As [`change_head`].
async fn read_before(
    target: &SkillTarget,
    head: Option<StoredHead>,
    from: &Provenance,
    is_publish: bool,
) -> Result<Before, ChangeError> {
    for _ in 0..PUBLISH_ATTEMPTS {
        let (folder, bytes) = list_folder_sized(target).await?;
        let Some(mut folder) = Box::pin(settled_files(target, head.as_ref(), folder)).await? else {
            // The folder of another head says nothing of this one.
            if !is_newest(target, head.as_ref()).await? {
                return Err(ChangeError::Undone(contested(target)));
            }
            continue;
        };
        if is_publish {
            let conflict = place_conflict(target, head.as_ref(), &folder).await?;
            conflict.map_or(Ok(()), |conflict| Err(ChangeError::Taken(conflict)))?;
        } else {
            folder = own_files(target, head.as_ref(), folder).await?;
        }
        if let Some(before) = folder_version(target, head.clone(), (folder, bytes), from).await? {
            return Ok(before);
        }
    }
    let message = format!("other tools keep writing the files of {}: try again when they are done", target.skill);
    Err(Error::new(Code::EditConflict, message).into())
}

/// The state of a folder with its version: the version of the head, or else the packed folder. `None` if a file has changed.
async fn folder_version(
    target: &SkillTarget,
    head: Option<StoredHead>,
    (folder, bytes): (PlainFiles, u64),
    from: &Provenance,
) -> Result<Option<Before>> {
    if is_as_published(head.as_ref(), &folder) {
        let digest = head.as_ref().and_then(|known| known.head.digest.clone());
        let files = head.iter().flat_map(|known| &known.head.files);
        let known = files.filter_map(|one| Some((one.file.path.clone(), (one.file.sha256.clone(), one.etag.clone()?))));
        let known = known.collect();
        return Ok(Some(Before { head, folder, archived: None, known, digest, room: None }));
    }
    if folder.is_empty() {
        return Ok(Some(Before { head, folder, archived: None, known: BTreeMap::new(), digest: None, room: None }));
    }
    let source = Some("found in the bucket, written by other tools".to_owned());
    let from = Provenance { at: from.at, by: None, source };
    let Some(UnversionedFolder { package, room }) = archive_folder(target, &folder, bytes, &from).await? else {
        return Ok(None);
    };
    let content = |file: &crate::skill::VersionFile| {
        Some((file.path.clone(), (file.sha256.clone(), folder.get(&file.path)?.clone())))
    };
    let known = package.version.files().iter().filter_map(content).collect();
    let is_skill = folder.contains_key(MAIN) || is_published(head.as_ref());
    let digest = is_skill.then(|| package.version.digest().to_owned());
    Ok(Some(Before { head, folder, archived: Some(package), known, digest, room: Some(room) }))
}

/// The published skill as an archive with its digest, if a skill is published beside `head`. A folder that is no version is packed, and the
/// room of it is held as long as the archive is.
///
/// # Errors
/// As [`change_head`].
pub(crate) async fn published_now(
    target: &SkillTarget,
    head: Option<StoredHead>,
    from: &Provenance,
) -> Result<Option<PublishedNow>, ChangeError> {
    let Before { head, archived, digest, folder, room, .. } = read_before(target, head, from, false).await?;
    let Some(digest) = digest.filter(|_| folder.contains_key(MAIN)) else { return Ok(None) };
    let archive = match archived {
        Some(package) => VersionArchive::open(package.zip).map_err(Error::internal)?,
        None => version_archive(target, &digest).await?,
    };
    Ok(Some(PublishedNow { archive, digest, room, took: head.and_then(|known| known.head.took) }))
}

fn check_condition(
    target: &SkillTarget,
    before: &Before,
    is_publish: bool,
    condition: &Condition,
) -> Result<(), ChangeError> {
    let conflict = match condition {
        Condition::Version(only) if before.digest.as_ref() != Some(only) => Some(
            "is not the version that If-Match names any more: look at the difference, merge, and publish with the \
             version that `current` names",
        ),
        Condition::Nothing if before.digest.is_some() => {
            Some("is there already: look at it, and publish with the version that `current` names")
        }
        _ => None,
    };
    if let Some(what) = conflict {
        let message = format!("{} {what}", target.skill);
        let conflict = Error::new(Code::VersionConflict, message).with_detail("current", before.digest.clone());
        return Err(ChangeError::Conflict(conflict));
    }
    if is_publish || before.digest.is_some() || is_published(before.head.as_ref()) {
        return Ok(());
    }
    let message = format!("there is no skill {} to delete", target.skill);
    Err(ChangeError::Nothing(Error::new(Code::SkillNotFound, message)))
}

/// The head of the change: which files need not be written, and which objects are replaced. Where no skill is, the change
/// begins one, and stays pending until no other is found around it or in it.
fn next_head(
    target: &SkillTarget,
    before: &Before,
    wanted: &WantedChange<'_>,
    (from, condition): (&Provenance, &Condition),
    numbers: VersionNumbers,
) -> SkillHead {
    let version = wanted.package().map(|package| &package.version);
    // A first publish always writes SKILL.md, so a reader of SKILL.md learns that there is a head by now.
    let is_first = before.head.is_none();
    let tag = |path: &str, sha256: &str| {
        let (same, etag) = before.known.get(path)?;
        (same == sha256 && !(is_first && path == "SKILL.md")).then(|| etag.clone())
    };
    let files: Vec<HeadFile> = version
        .map_or(&[][..], Version::files)
        .iter()
        .map(|file| HeadFile { etag: tag(&file.path, &file.sha256), ..file.clone().into() })
        .collect();
    let stay: BTreeSet<&String> = files.iter().filter(|one| one.etag.is_some()).map(|one| &one.file.path).collect();
    let replaces = before.folder.iter().filter(|(path, _)| !stay.contains(path));
    let replaces = replaces.map(|(path, etag)| (path.clone(), etag.clone())).collect();
    let takes = wanted.taken().filter(|_| before.digest.is_none());
    let pending = version.filter(|_| before.digest.is_none()).map(|_| PendingPublish {
        call: format!("{:032x}", target.content.clock().random()),
        at: from.at,
        draft: takes.map(|known| known.etag.clone()),
        is_exact: *condition != Condition::Any,
        numbers: numbers_after(numbers.clone(), None),
    });
    let draft = match wanted {
        WantedChange::Draft(draft) => Some(draft.clone()),
        WantedChange::Published(..) | WantedChange::Deleted => None,
    };
    let change = HeadChange {
        state: if version.is_some() { HeadState::Published } else { HeadState::Deleted },
        files,
        replaces,
        previous: before.digest.clone(),
        by: from.by.clone(),
        source: from.source.clone(),
        numbers: numbers_after(numbers, version),
        took: takes.map(|known| known.draft.digest.clone()),
        draft,
        pending,
    };
    SkillHead::after(before.head.as_ref().map(|known| &known.head), &target.skill, change, from.at)
}
