//! Completes the change that a head names, whichever process began it.

use std::collections::BTreeMap;

use futures_util::{StreamExt as _, TryStreamExt as _, stream};

use super::{
    Content,
    drafts::{DraftSlot, draft_slot},
    folder::{PlainFiles, plain_files_among},
    heads::{StoredHead, is_under_way, put_head, read_stored_head},
    materialise::{contested, late_write},
    pending::{materialise, settle_pending},
    read_error::ReadError,
    target::SkillTarget,
};
use crate::{
    error::Result,
    limits::{LIST_OBJECTS, PARALLEL_GETS, PUBLISH_ATTEMPTS},
    path::{ETag, Id, LayerOwner, SkillPath},
    skill::{FileChange, SkillHead},
    store::StoreExt as _,
};

/// The newest head. A publish that is not final is first confirmed or undone, and the plain files are brought up to the head.
///
/// # Errors
/// As [`materialise`]; a version whose archive is gone leaves its head as it is.
pub(crate) async fn settled_head(target: &SkillTarget) -> Result<Option<StoredHead>> {
    for _ in 0..PUBLISH_ATTEMPTS {
        match read_stored_head(target).await? {
            Some(known) if known.head.pending.is_some() => settle_pending(target, &known).await?,
            Some(known) if known.head.has_late_changes(target.content.clock().now()) => {
                Box::pin(end_late_changes(target, &known)).await?;
            }
            Some(known) if !known.head.materialised => match materialise(target, known.clone(), None).await {
                Ok(_) => {}
                Err(ReadError::VersionGone(_)) => return Ok(Some(known)),
                Err(error) => return Err(error.into()),
            },
            known => return Ok(known),
        }
    }
    Err(contested(target))
}

/// The newest head as [`settled_head`] gives it, and the place of the draft beside it.
///
/// # Errors
/// As [`settled_head`]; `object_damaged` for a damaged draft.
pub(crate) async fn settled_state(target: &SkillTarget) -> Result<(Option<StoredHead>, DraftSlot)> {
    let (head, slot) = tokio::try_join!(read_stored_head(target), draft_slot(target))?;
    let now = target.content.clock().now();
    if head.as_ref().is_none_or(|known| known.head.is_settled(now)) {
        return Ok((head, slot));
    }
    Ok((settled_head(target).await?, draft_slot(target).await?))
}

/// Lets the head say which plain files other calls changed late, so that any process corrects them. A file of another tool stays.
///
/// # Errors
/// The store's.
async fn end_late_changes(target: &SkillTarget, known: &StoredHead) -> Result<()> {
    let corrected = corrected(target, known, &listed_folder(target).await?).await?;
    put_head(target, Some(known), corrected.without_late_changes()).await?;
    Ok(())
}

/// Completes the last change of the user's skill if its call has had time, and undoes late changes. A service that may not write does
/// nothing.
///
/// # Errors
/// As [`settled_head`].
pub(crate) async fn restore_skill_at(content: &Content, user: &Id, skill: &SkillPath) -> Result<()> {
    let target = content.place(&LayerOwner::from(user), skill)?;
    let Some(known) = read_stored_head(&target).await? else { return Ok(()) };
    let is_complete = known.head.materialised && known.head.pending.is_none();
    let has_work = if is_complete { known.head.late.is_some() } else { !is_under_way(&target, &known.head) };
    if !has_work || content.handle().check_writable().is_err() {
        return Ok(());
    }
    let _turn = content.changes().lock(target.folder.as_str()).await;
    if is_complete { restore_skill(&target, &known).await.map(drop) } else { settled_head(&target).await.map(drop) }
}

/// Completes the last change of the owner's skill, whose call could not.
///
/// # Errors
/// As [`settled_head`].
pub(crate) async fn complete_skill(target: &SkillTarget) -> Result<()> {
    let _turn = target.content.changes().lock(target.folder.as_str()).await;
    settled_head(target).await.map(drop)
}

/// As [`restore_late_changes`], for the deleted skills around this one. A late SKILL.md of theirs hides the skill from the catalog. A
/// service that may not write does nothing.
///
/// # Errors
/// As [`restore_late_changes`].
pub(crate) async fn restore_around(content: &Content, user: &Id, skill: &SkillPath) -> Result<()> {
    if content.handle().check_writable().is_err() {
        return Ok(());
    }
    for above in skill.ancestors() {
        let outer = content.place(&LayerOwner::from(user), &above)?;
        if let Some(known) = read_stored_head(&outer).await?.filter(|known| known.head.pending.is_none()) {
            restore_skill(&outer, &known).await?;
        }
    }
    Ok(())
}

/// As [`restore_late_changes`], for the folder as it is now.
///
/// # Errors
/// As [`restore_late_changes`].
pub(super) async fn restore_skill(target: &SkillTarget, known: &StoredHead) -> Result<bool> {
    if known.head.late.is_none() {
        return Ok(false);
    }
    restore_late_changes(target, Some(known), &listed_folder(target).await?).await
}

/// The plain files below the folder, up to the limit of a listing.
async fn listed_folder(target: &SkillTarget) -> Result<PlainFiles> {
    let (entries, _) = target.content.store().list_all(&target.folder, LIST_OBJECTS).await?;
    Ok(plain_files_among(target, &entries))
}

/// Writes the files of a head again that other calls changed late, and removes the files that they wrote late. `folder` is the folder
/// as it was listed. Returns whether there was one: read the head and list the folder again.
///
/// # Errors
/// As [`materialise`].
pub(crate) async fn restore_late_changes(
    target: &SkillTarget,
    head: Option<&StoredHead>,
    folder: &PlainFiles,
) -> Result<bool> {
    let Some(known) = head.filter(|known| known.head.late.is_some()) else { return Ok(false) };
    let head = corrected(target, known, folder).await?;
    if head == known.head {
        return Ok(false);
    }
    if let Some(head) = put_head(target, Some(known), head).await? {
        Box::pin(materialise(target, head, None)).await?;
    }
    Ok(true)
}

/// The head that undoes the late changes in `folder`. Its own files are written again, and others are removed.
async fn corrected(target: &SkillTarget, known: &StoredHead, folder: &PlainFiles) -> Result<SkillHead> {
    let reads = known.head.late_changes().map(|change| correction(target, known, folder, change));
    let found: Vec<_> = stream::iter(reads.collect::<Vec<_>>()).buffered(PARALLEL_GETS).try_collect().await?;
    let (mut removed, mut restored) = (BTreeMap::new(), BTreeMap::new());
    for (path, there) in found.into_iter().flatten() {
        match there {
            Some(etag) if known.head.file(&path).is_none() => drop(removed.insert(path, etag)),
            there => drop(restored.insert(path, there)),
        }
    }
    Ok(known.head.restoring(&restored).removing(removed))
}

/// The path of a late change that differs from the head, and the version that is there.
async fn correction(
    target: &SkillTarget,
    known: &StoredHead,
    folder: &PlainFiles,
    (path, content): FileChange<'_>,
) -> Result<Option<(String, Option<ETag>)>> {
    let (wanted, there) = (known.head.file(path), folder.get(path));
    if let (Some(one), None) = (wanted, there) {
        let is_deleted = known.head.late.as_ref().is_some_and(|late| late.deleted.contains(path));
        // The file of another tool, or its folder, stood here when the files followed.
        let is_others = known.head.materialised && one.etag.is_none();
        return Ok((is_deleted && !is_others).then(|| (path.to_owned(), None)));
    }
    let (Some(etag), Some(content)) = (there, content) else { return Ok(None) };
    if wanted.is_some_and(|one| one.etag.as_ref() == Some(etag)) {
        return Ok(None);
    }
    Ok(late_write(target, known, path, content).await?.map(|etag| (path.to_owned(), Some(etag))))
}
