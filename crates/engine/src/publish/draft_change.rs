//! Changes of a skill that may be a draft.

use super::{
    change::{ChangeResult, change_head},
    change_error::ChangeError,
    conflict::draft_conflict,
};
use crate::{
    content::{SkillTarget, StoredDraft, read_draft, remove_draft},
    error::{Code, Error, Result},
    skill::{Package, Provenance},
    wire::{Condition, PublishStatus, SkillState},
};

/// As [`change_head`], for a skill that may be a draft. The condition may name the draft. If the change takes the place of the
/// draft, the draft is removed. A draft that others made meanwhile stays, and so does a draft in whose folder other tools put
/// a skill.
pub(crate) async fn change_with_draft(
    target: &SkillTarget,
    wanted: Option<&Package>,
    from: &Provenance,
    condition: Condition,
) -> Result<ChangeResult, ChangeError> {
    let draft = read_draft(target).await?;
    let digest = draft.as_ref().map(|known| known.draft.digest.clone());
    let (condition, names_draft) = match (condition, &digest) {
        (Condition::Nothing, Some(draft)) => return Err(draft_conflict(target, draft)),
        (Condition::Version(only), Some(draft)) if only == *draft => (Condition::Nothing, true),
        (condition, _) => (condition, false),
    };
    let changed = change_head(target, wanted, from, &condition, digest.as_deref()).await;
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
            if changed.complete || wanted.is_none() {
                remove_replaced_draft(target, draft, &changed).await;
            }
            Ok(changed)
        }
        // Nothing is published, or the condition names the draft beside the skill, so the draft is deleted.
        Err(error) if wanted.is_none() && is_draft_meant(&error, names_draft) => {
            if remove_draft(target, draft).await? {
                target.noted(digest.as_deref().map(|digest| (digest, SkillState::Draft)), None);
                return Ok(ChangeResult {
                    status: PublishStatus::Updated,
                    before: digest,
                    complete: true,
                    kept: Vec::new(),
                    took: None,
                });
            }
            Err(draft_contested(target).into())
        }
        Err(ChangeError::Conflict(error)) if condition != Condition::Nothing => {
            let published = error.details().get("current").cloned().unwrap_or_default();
            let current = if published.is_null() { digest.into() } else { published };
            Err(ChangeError::Conflict(error.with_detail("current", current)))
        }
        Err(error) => Err(error),
    }
}

/// Whether a delete that failed so is one of the draft: nothing is published, or the condition names the draft.
fn is_draft_meant(error: &ChangeError, names_draft: bool) -> bool {
    matches!(error, ChangeError::Nothing(_)) || (names_draft && matches!(error, ChangeError::Conflict(_)))
}

/// Removes a draft if the skill took its place. If that fails, the next change of the skill removes it.
pub(crate) async fn remove_replaced_draft(target: &SkillTarget, known: StoredDraft, changed: &ChangeResult) {
    if changed.took.as_ref() == Some(&known.draft.digest)
        && let Err(error) = remove_draft(target, known).await
    {
        tracing::warn!(skill = %target.skill, cause = %error.chain(), "a draft lies beside the skill that took its place");
    }
}

/// The error if others keep changing a draft.
pub(crate) fn draft_contested(target: &SkillTarget) -> Error {
    let message = format!("others keep changing the draft {}: look at what it is now, then try again", target.skill);
    Error::new(Code::EditConflict, message)
}
