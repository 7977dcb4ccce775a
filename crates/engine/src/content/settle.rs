//! Completes the change that a head names, whichever process began it.

use super::{
    drafts::{DraftSlot, draft_slot},
    heads::{StoredHead, read_stored_head},
    materialise::{contested, materialise, remove_late_files},
    pending::{settle_pending, settled_by_this},
    read_error::ReadError,
    target::SkillTarget,
};
use crate::{error::Result, limits::PUBLISH_ATTEMPTS};

/// The newest head. A publish that is not final is first confirmed or undone, and the plain files are brought up to the head.
///
/// # Errors
/// As [`materialise`]; a version whose archive is gone leaves its head as it is.
pub(crate) async fn settled_head(target: &SkillTarget) -> Result<Option<StoredHead>> {
    for _ in 0..PUBLISH_ATTEMPTS {
        match read_stored_head(target).await? {
            Some(known) if known.head.pending.is_some() => settle_pending(target, &known).await?,
            Some(known) if !known.head.materialised => {
                match materialise(target, settled_by_this(target, &known), None).await {
                    Ok(_) => {}
                    Err(ReadError::VersionGone(_)) => return Ok(Some(known)),
                    Err(error) => return Err(error.into()),
                }
            }
            Some(known) if !known.head.is_settled(target.content.clock().now()) => {
                remove_late_files(target, &known).await?;
            }
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
