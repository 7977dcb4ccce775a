//! Changes of a skill that may be a draft.

use super::{
    change::{ChangeResult, WantedChange, change_head},
    change_error::{ChangeError, unknown},
    conflict::draft_conflict,
};
use crate::{
    content::{
        DeletedDraft, DraftSlot, SkillTarget, StoredDraft, StoredHead, delete_draft, draft_contested, is_newest,
        put_head, remove_deleted, remove_draft, settled_head, settled_state,
    },
    context::Core,
    error::Result,
    limits::PUBLISH_ATTEMPTS,
    path::LayerOwner,
    skill::{HeadState, Package, Provenance, SkillDraft, SkillHead},
    wire::{Condition, PublishStatus, SkillState},
};

/// As [`change_head`], for a skill that may be a draft. The condition may name the draft. If the change takes the place of the
/// draft, the draft is removed. A draft in whose folder other tools put a skill stays.
pub(crate) async fn change_with_draft(
    target: &SkillTarget,
    wanted: Option<&Package>,
    from: &Provenance,
    condition: Condition,
) -> Result<ChangeResult, ChangeError> {
    let mut undone = None;
    for _ in 0..PUBLISH_ATTEMPTS {
        match Box::pin(change_once(target, wanted, from, condition.clone())).await {
            Err(ChangeError::Undone(error)) => undone = Some(error),
            changed => return changed,
        }
    }
    Err(undone.unwrap_or_else(|| draft_contested(target)).into())
}

async fn change_once(
    target: &SkillTarget,
    wanted: Option<&Package>,
    from: &Provenance,
    condition: Condition,
) -> Result<ChangeResult, ChangeError> {
    let _turn = target.content.changes().lock(target.folder.as_str()).await;
    let (head, slot) = settled_state(target).await?;
    // This draft was made beside a newer head, so the skill did not take its place.
    if slot.is_after(head.as_ref().map(|known| &known.head)) && !is_newest(target, head.as_ref()).await? {
        return Err(ChangeError::Undone(draft_contested(target)));
    }
    let draft = slot.draft(head.as_ref().map(|known| &known.head)).cloned();
    let digest = draft.as_ref().map(|known| known.draft.digest.clone());
    let (condition, names_draft) = match (condition, &digest) {
        (Condition::Nothing, Some(draft)) => return Err(draft_conflict(target, draft)),
        (Condition::Version(only), Some(draft)) if only == *draft => (Condition::Nothing, true),
        (condition, _) => (condition, false),
    };
    let is_exact = condition != Condition::Any;
    let change = wanted.map_or(WantedChange::Deleted, |package| WantedChange::Published(package, draft.as_ref()));
    let changed = match change_head(target, head.clone(), &change, from, &condition).await {
        // The folder that was listed belongs to a newer head, and so says nothing of this one.
        Err(ChangeError::Conflict(_)) if !is_newest(target, head.as_ref()).await? => {
            Err(ChangeError::Undone(draft_contested(target)))
        }
        // The head, the draft and the folder may be of different moments.
        Err(ChangeError::Nothing(_)) if draft.is_none() && !is_newest(target, head.as_ref()).await? => {
            Err(ChangeError::Undone(draft_contested(target)))
        }
        // The draft was read before the head, and the skill became a draft in between.
        Err(ChangeError::Conflict(_) | ChangeError::Nothing(_))
            if draft.is_none() && is_other_draft(target, None).await? =>
        {
            Err(ChangeError::Undone(draft_contested(target)))
        }
        // The draft was read before the other skill was found. A newer draft came before that skill, and counts.
        Err(ChangeError::Taken(_)) if is_exact && is_other_draft(target, draft.as_ref()).await? => {
            Err(ChangeError::Undone(draft_contested(target)))
        }
        changed => changed,
    };
    if let Ok(changed) = &changed
        && changed.status != PublishStatus::Unchanged
    {
        let published = changed.before.as_deref().map(|digest| (digest, SkillState::Published));
        let before = published.or(digest.as_deref().map(|digest| (digest, SkillState::Draft)));
        target.noted(before, wanted.map(|package| (package.version.digest(), SkillState::Published)));
    }
    let Some(draft) = draft else { return changed };
    match changed {
        Ok(changed) => {
            // Until the plain files are there, listings show the draft and not the published skill.
            let is_done = changed.complete || wanted.is_none();
            let replaced = Some(draft).filter(|_| is_done).and_then(|draft| replaced_draft(draft, &changed));
            Ok(ChangeResult { replaced, ..changed })
        }
        // Nothing is published, or the condition names the draft beside the skill, so the draft is deleted.
        Err(error) if wanted.is_none() && is_draft_meant(&error, names_draft) => {
            delete_draft_at(target, head.as_ref(), &slot, draft).await?;
            target.noted(digest.as_deref().map(|digest| (digest, SkillState::Draft)), None);
            let status = PublishStatus::Updated;
            Ok(ChangeResult { status, before: digest, complete: true, kept: Vec::new(), took: None, replaced: None })
        }
        Err(ChangeError::Conflict(error)) if condition != Condition::Nothing => {
            let published = error.details().get("current").cloned().unwrap_or_default();
            let current = if published.is_null() { digest.into() } else { published };
            Err(ChangeError::Conflict(error.with_detail("current", current)))
        }
        Err(error) => Err(error),
    }
}

/// Whether the draft beside the skill is another than `known` by now.
async fn is_other_draft(target: &SkillTarget, known: Option<&StoredDraft>) -> Result<bool> {
    let (head, slot) = settled_state(target).await?;
    let now = slot.draft(head.as_ref().map(|head| &head.head));
    Ok(now.map(|draft| &draft.etag) != known.map(|draft| &draft.etag))
}

/// Deletes the draft in `slot`, which counts beside `before`, and looks at the head again: a publish may have taken the place of
/// the draft first.
///
/// # Errors
/// [`ChangeError::Undone`] if the draft is another by now, published, or deleted by another call; the store's.
async fn delete_draft_at(
    target: &SkillTarget,
    before: Option<&StoredHead>,
    slot: &DraftSlot,
    known: StoredDraft,
) -> Result<(), ChangeError> {
    let StoredDraft { draft, .. } = known;
    let Some(deleted) = delete_draft(target, slot, draft.clone()).await? else {
        return Err(ChangeError::Undone(draft_contested(target)));
    };
    let ended = end_draft(target, before, &draft, &deleted).await;
    let ended = ended.map_err(unknown)?;
    // While the object is there, a late write cannot bring the draft back.
    remove_deleted(target, deleted).await;
    if ended { Ok(()) } else { Err(ChangeError::Undone(draft_contested(target))) }
}

/// Looks at the head after `draft` was deleted, and ends the drafts of its generation if a late write could bring the draft back.
/// Returns false if a publish took the draft first, or if another call had deleted it before a late write brought it back.
///
/// # Errors
/// The store's.
async fn end_draft(
    target: &SkillTarget,
    before: Option<&StoredHead>,
    draft: &SkillDraft,
    deleted: &DeletedDraft,
) -> Result<bool> {
    loop {
        let Some(head) = settled_head(target).await? else { return Ok(true) };
        // Another call has completed this deletion, to put a draft of its own.
        if head.head.drafts_ended_by.as_ref() == Some(&deleted.deletion) {
            return Ok(true);
        }
        if before.is_some_and(|known| head.head.ends_drafts_of(&known.head)) {
            return Ok(false);
        }
        // Even if the skill is deleted again, or a draft, the publish took this draft first.
        if head.head.took.as_ref() == Some(&draft.digest) && draft.generation < head.head.drafts_since {
            return Ok(false);
        }
        if head.head.state == HeadState::Published || draft.generation != head.head.generation {
            return Ok(true);
        }
        let next = SkillHead::without_drafts(&head.head, Some(deleted.deletion.clone()));
        if put_head(target, Some(&head), next).await?.is_some() {
            return Ok(true);
        }
    }
}

/// Completes the deletion in `slot` that another call began beside `head`, so a new draft does not end with the deleted one.
/// Returns whether there was one.
///
/// # Errors
/// The store's.
pub(super) async fn complete_deletion(target: &SkillTarget, head: &StoredHead, slot: &DraftSlot) -> Result<bool> {
    let Some(deleted) = slot.deletion(&head.head) else { return Ok(false) };
    if head.head.state == HeadState::Published || deleted.draft.generation != head.head.generation {
        return Ok(false);
    }
    put_head(target, Some(head), SkillHead::without_drafts(&head.head, deleted.draft.deletion.clone())).await?;
    Ok(true)
}

/// Whether a delete that failed so is one of the draft: nothing is published, or the condition names the draft.
fn is_draft_meant(error: &ChangeError, names_draft: bool) -> bool {
    matches!(error, ChangeError::Nothing(_)) || (names_draft && matches!(error, ChangeError::Conflict(_)))
}

/// Reads the owner's catalog again, so that this change shows at once. If the read fails, the change shows later as any other. Then
/// removes the draft that the skill replaced. In this order a listing always has the skill or its draft. If the removal fails, the
/// next change of the skill does it.
pub(crate) async fn show_change(core: &Core, place: &SkillTarget, owner: &LayerOwner, changed: &mut ChangeResult) {
    if let Err(error) = core.catalogs().refresh_layer(owner).await {
        tracing::warn!(%owner, cause = %error.chain(), "a published skill shows later");
    }
    if let Some(draft) = changed.replaced.take()
        && let Err(error) = remove_draft(place, draft).await
    {
        tracing::warn!(skill = %place.skill, cause = %error.chain(), "a draft lies beside the skill that took its place");
    }
}

/// The draft, if the skill took its place.
pub(crate) fn replaced_draft(known: StoredDraft, changed: &ChangeResult) -> Option<StoredDraft> {
    (changed.took.as_ref() == Some(&known.draft.digest)).then_some(known)
}
