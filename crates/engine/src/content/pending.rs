//! Pending publishes: a skill begins at a path, while another call may begin a skill at a nested path.
//!
//! No store writes two objects at once. So a first publish puts its head with the mark `pending`, and then looks at nested
//! paths. If two calls put their heads, at least one sees the other head. A final publish wins. Of two pending publishes the
//! outer one wins, and undoes the inner one by compare-and-swap. Any process can take these steps for any call.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::{StreamExt as _, TryFutureExt as _, TryStreamExt as _, stream};

use super::{
    drafts::draft_slot,
    heads::{StoredHead, put_head, read_sound_head, read_stored_head, settled_by_this},
    materialise::{FileChanges, FilesOutcome, contested, follow_heads},
    objects::read_object,
    read_error::ReadError,
    target::SkillTarget,
};
use crate::{
    error::{Error, Result},
    limits::{LIST_OBJECTS, PARALLEL_GETS, PUBLISH_ATTEMPTS},
    path::SkillPath,
    skill::{HeadFile, HeadState, Package, SkillHead},
    store::StoreExt as _,
};

/// Whether a pending publish becomes final.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It does.
    Stands,
    /// It is undone, because this skill has a nested path.
    Taken(SkillPath),
    /// It is undone, because the draft is another.
    OtherDraft,
}

/// Judges a pending publish. An inner publish that is pending too is undone if this one stands.
///
/// # Errors
/// The store's; `object_damaged` for a damaged draft.
pub(crate) async fn judge(target: &SkillTarget, head: &SkillHead) -> Result<Verdict> {
    let exact = head.pending.as_ref().filter(|pending| pending.is_exact);
    let (slot, around, inside) =
        tokio::try_join!(draft_slot(target).err_into(), published_around(target), heads_inside(target))?;
    if exact.is_some_and(|pending| slot.draft(Some(head)).map(|known| &known.etag) != pending.draft.as_ref()) {
        return Ok(Verdict::OtherDraft);
    }
    if let Some(around) = around {
        return Ok(Verdict::Taken(around));
    }
    for (inner, known) in inside {
        if is_final_after_undo(&inner, known).await? {
            return Ok(Verdict::Taken(inner.skill));
        }
    }
    Ok(Verdict::Stands)
}

/// Confirms or undoes the pending publish `known`. If another process was faster, its head stays.
///
/// # Errors
/// As [`judge`].
pub(crate) async fn settle_pending(target: &SkillTarget, known: &StoredHead) -> Result<()> {
    let known = settled_by_this(target, known);
    if judge(target, &known.head).await? == Verdict::Stands {
        put_head(target, Some(&known), known.head.confirmed()).await?;
    } else {
        undo(target, &known).await?;
    }
    Ok(())
}

/// Brings the plain files up to `known` and says so in the head. Returns the files of other tools, which stay.
/// `package` is the version, if it is at hand.
///
/// # Errors
/// `version_not_found` if the archive of the version is gone or damaged; the store's. Work that was done until then stays,
/// and another call does the rest.
pub(crate) async fn materialise(
    target: &SkillTarget,
    known: StoredHead,
    package: Option<&Package>,
) -> Result<Vec<String>, ReadError> {
    materialise_after(target, known, package, BTreeMap::new()).await
}

/// As [`materialise`]. `mine` are files that this replica wrote for an earlier head.
///
/// # Errors
/// As [`materialise`].
pub(crate) async fn materialise_after(
    target: &SkillTarget,
    known: StoredHead,
    package: Option<&Package>,
    mine: BTreeMap<String, HeadFile>,
) -> Result<Vec<String>, ReadError> {
    correct_files(target, known, package, FileChanges { written: mine, removed: BTreeSet::new() }).await
}

/// As [`materialise`]. `mine` are files that this replica changed for an earlier head.
///
/// # Errors
/// As [`materialise`].
async fn correct_files(
    target: &SkillTarget,
    known: StoredHead,
    package: Option<&Package>,
    mine: FileChanges,
) -> Result<Vec<String>, ReadError> {
    let (mut known, mut package, mut mine) = (known, package, mine);
    for _ in 0..PUBLISH_ATTEMPTS {
        let (pending, changes) = match Box::pin(follow_heads(target, known, package, mine)).await? {
            FilesOutcome::Complete(kept) => return Ok(kept),
            // Who finds the publish settles it first.
            FilesOutcome::Pending(_, changes) if changes.removed.is_empty() => return Ok(Vec::new()),
            FilesOutcome::Pending(pending, changes) => (pending, changes),
        };
        // The call of this publish may have found a file before this replica deleted it.
        Box::pin(settle_pending(target, &pending)).await?;
        let Some(newest) = read_stored_head(target).await? else { return Ok(Vec::new()) };
        (known, package, mine) = (newest, None, changes);
        mine.retain_beside(&known.head);
    }
    Err(contested(target).into())
}

/// Undoes the pending publish `known`. Returns the head that says so; `None` if another process was faster.
///
/// # Errors
/// The store's.
pub(crate) async fn undo(target: &SkillTarget, known: &StoredHead) -> Result<Option<StoredHead>> {
    let mut written = BTreeMap::new();
    // A file with a version was in place before the publish.
    let reads = known.head.files.iter().filter(|one| one.etag.is_none()).map(|one| async move {
        let there = read_object(target, &target.folder.key(&one.file.path)?, one.file.size).await?;
        let there = there.filter(|object| object.is_whole() && one.file.holds(&object.bytes));
        Ok::<_, Error>(there.map(|object| (one.file.path.clone(), object.meta.etag)))
    });
    let mut reads = stream::iter(reads.collect::<Vec<_>>()).buffered(PARALLEL_GETS);
    while let Some(there) = reads.try_next().await? {
        written.extend(there);
    }
    let undone = known.head.undone(written, target.content.clock().now());
    put_head(target, Some(known), undone).await
}

/// The published skill in whose folder this one lies. Pending ones are settled first.
async fn published_around(target: &SkillTarget) -> Result<Option<SkillPath>> {
    for above in target.skill.ancestors() {
        let outer = target.content.place_in(target.space.clone(), &above)?;
        while let Some(known) = readable_head(&outer).await? {
            if known.head.pending.is_some() {
                Box::pin(settle_pending(&outer, &known)).await?;
                continue;
            }
            if known.head.state != HeadState::Published {
                break;
            }
            // If its call has died, listings do not have it yet.
            if !known.head.materialised
                && let Err(error) = Box::pin(materialise(&outer, known, None)).await
            {
                let cause = Error::from(error);
                tracing::warn!(skill = %above, cause = %cause.chain(), "a published skill stays behind its head");
            }
            return Ok(Some(above));
        }
    }
    Ok(None)
}

/// The head of another skill; `None` if it cannot be read. Then its plain files alone say whether a skill is there.
async fn readable_head(other: &SkillTarget) -> Result<Option<StoredHead>> {
    Ok(read_sound_head(other).await?.unwrap_or_else(|fault| {
        tracing::warn!(skill = %other.skill, ?fault, "a head beside a publish cannot be read");
        None
    }))
}

/// The heads of published and pending skills below this folder.
async fn heads_inside(target: &SkillTarget) -> Result<Vec<(SkillTarget, StoredHead)>> {
    let heads = skills_inside(target).await?.into_iter().map(|(_, inner)| async move {
        let head = readable_head(&inner).await?.filter(|known| known.head.state == HeadState::Published);
        Ok::<_, Error>(head.map(|head| (inner, head)))
    });
    let heads: Vec<_> = heads.collect();
    let found: Vec<_> = stream::iter(heads).buffered(PARALLEL_GETS).try_collect().await?;
    let mut found: Vec<_> = found.into_iter().flatten().collect();
    // The final ones decide, so no pending one is undone for nothing.
    found.sort_by_key(|(_, known)| known.head.pending.is_some());
    Ok(found)
}

/// The paths below this folder that have a head, each by its path in the folder.
///
/// # Errors
/// The store's.
pub(super) async fn skills_inside(target: &SkillTarget) -> Result<Vec<(String, SkillTarget)>> {
    let prefix = target.space.heads()?.folder(target.skill.as_str())?;
    let (entries, _) = target.content.store().list_all(&prefix, LIST_OBJECTS).await?;
    let names = entries.iter().filter_map(|entry| prefix.relative(&entry.key)?.strip_suffix(".json"));
    let inside = names.filter_map(|name| Some((name, SkillPath::parse(&format!("{}/{name}", target.skill)).ok()?)));
    inside.map(|(name, path)| Ok((name.to_owned(), target.content.place_in(target.space.clone(), &path)?))).collect()
}

/// Undoes an inner publish that is pending. Returns whether the publish became final first.
async fn is_final_after_undo(inner: &SkillTarget, known: StoredHead) -> Result<bool> {
    let mut known = known;
    loop {
        if known.head.pending.is_none() {
            return Ok(known.head.state == HeadState::Published);
        }
        if let Some(undone) = undo(inner, &settled_by_this(inner, &known)).await? {
            // Its plain files lie in the folder of the outer skill.
            if let Err(error) = materialise(inner, undone, None).await {
                tracing::warn!(skill = %inner.skill, cause = %Error::from(error).chain(), "an undone publish left files");
            }
            return Ok(false);
        }
        match read_stored_head(inner).await? {
            Some(newest) => known = newest,
            None => return Ok(false),
        }
    }
}
