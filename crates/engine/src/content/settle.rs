//! Completes the change that a head names, whichever process began it.

use std::collections::BTreeMap;

use futures_util::{StreamExt as _, TryStreamExt as _, stream};

use super::{
    drafts::{DraftSlot, draft_slot},
    heads::{StoredHead, put_head, read_stored_head, settled_by_this},
    materialise::{contested, late_write},
    pending::{materialise, settle_pending},
    read_error::ReadError,
    target::SkillTarget,
};
use crate::{
    error::{Error, Result},
    limits::{PARALLEL_GETS, PUBLISH_ATTEMPTS},
};

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
                Box::pin(remove_late_files(target, &known)).await?;
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

/// Lets the head say which files the call of an earlier head wrote late, so that any process deletes them. A file of another tool
/// stays.
///
/// # Errors
/// The store's.
async fn remove_late_files(target: &SkillTarget, known: &StoredHead) -> Result<()> {
    let reads = known.head.late_files(target.content.clock().now()).map(|(path, sha256)| async move {
        Ok::<_, Error>(late_write(target, path, sha256).await?.map(|etag| (path.clone(), etag)))
    });
    let found: Vec<_> = stream::iter(reads.collect::<Vec<_>>()).buffered(PARALLEL_GETS).try_collect().await?;
    let late: BTreeMap<_, _> = found.into_iter().flatten().collect();
    put_head(target, Some(known), known.head.without_late_files().removing(late)).await?;
    Ok(())
}
