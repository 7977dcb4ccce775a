//! The end of a publish that begins a skill.

use std::collections::BTreeMap;

use super::change_error::{ChangeError, unknown};
use crate::{
    content::{
        ReadError, SkillTarget, StoredHead, Verdict, judge, materialise_after, put_head, read_stored_head,
        settle_pending, settled_by_this, undo, write_files,
    },
    error::{Code, Error, Outcome, Result},
    path::SkillPath,
    skill::{HeadFile, Package, SkillHead},
};

/// The end of a pending publish.
enum Fate {
    /// It is final. Its head, or a later one, is there.
    Final(StoredHead),
    /// It was undone.
    Undone(StoredHead),
    /// Later changes hide it. The head of the newest is there, if any.
    Unknown(Option<StoredHead>),
}

/// Writes the plain files of a pending publish and looks for nested skills at the same time. Then the publish becomes final or is
/// undone. If files of another tool lie there, the publish is final before the first of them goes. The inner result is that of [`materialise_after`].
///
/// # Errors
/// `already_exists` if another skill is there; [`ChangeError::Undone`] if the caller may begin again; the store's.
pub(super) async fn finish_publish(
    target: &SkillTarget,
    head: StoredHead,
    package: &Package,
) -> Result<Result<Vec<String>, ReadError>, ChangeError> {
    let write =
        async { if head.head.replaces.is_empty() { Some(write_files(target, &head, package).await) } else { None } };
    let (run, verdict) = tokio::join!(write, judge(target, &head.head));
    let written: BTreeMap<_, _> = run.iter().flatten().flat_map(|run| run.written.clone()).collect();
    let verdict = match verdict {
        Ok(verdict) => verdict,
        Err(error) => {
            leave(target, &head, written).await;
            return Err(unknown(error).into());
        }
    };
    let put = match (&verdict, &run) {
        (Verdict::Stands, Some(Ok(run))) if !run.superseded => {
            put_head(target, Some(&head), run.head(&head.head.confirmed())).await
        }
        (Verdict::Stands, _) => put_head(target, Some(&head), head.head.confirmed()).await,
        // A file whose reply was lost may come late.
        (Verdict::Taken(_) | Verdict::OtherDraft, Some(Err(_))) => undo(target, &settled_by_this(target, &head)).await,
        (Verdict::Taken(_) | Verdict::OtherDraft, _) => undo(target, &head).await,
    };
    let fate = match put.map_err(unknown)? {
        Some(now) if verdict == Verdict::Stands => Fate::Final(now),
        Some(now) => Fate::Undone(now),
        None => fate_of(target, &head.head).await.map_err(unknown)?,
    };
    match (fate, run) {
        (Fate::Final(now), Some(Ok(run))) if now.head.materialised && now.head.generation == head.head.generation => {
            Ok(Ok(run.kept))
        }
        (Fate::Final(_), Some(Err(error))) => Ok(Err(error)),
        (fate, _) => end(target, fate, package, written, verdict).await,
    }
}

/// The end of a pending publish whose head `mine` other calls have followed already.
///
/// # Errors
/// As [`finish_publish`].
pub(super) async fn finish_followed(
    target: &SkillTarget,
    mine: &SkillHead,
    package: &Package,
) -> Result<Result<Vec<String>, ReadError>, ChangeError> {
    let fate = fate_of(target, mine).await.map_err(unknown)?;
    end(target, fate, package, BTreeMap::new(), Verdict::Stands).await
}

/// Corrects the files after the end of a pending publish. `written` are those of this call.
async fn end(
    target: &SkillTarget,
    fate: Fate,
    package: &Package,
    written: BTreeMap<String, HeadFile>,
    verdict: Verdict,
) -> Result<Result<Vec<String>, ReadError>, ChangeError> {
    match fate {
        Fate::Final(now) => {
            let is_newest = now.head.digest.as_deref() == Some(package.version.digest());
            Ok(materialise_after(target, now, Some(package).filter(|_| is_newest), written).await)
        }
        Fate::Undone(now) => {
            // Whether the publish stands is decided. Files that stay behind are listed in its head.
            if let Err(error) = materialise_after(target, now, None, written).await {
                warn_of_files(target, error);
            }
            Err(match verdict {
                Verdict::Taken(other) => ChangeError::Taken(beside(target, &other)),
                Verdict::Stands | Verdict::OtherDraft => ChangeError::Undone(contested(target)),
            })
        }
        Fate::Unknown(now) => {
            // The files that this call wrote late belong to no head.
            if let Some(now) = now
                && let Err(error) = materialise_after(target, now, None, written).await
            {
                warn_of_files(target, error);
            }
            Err(ChangeError::Other(contested(target).with_outcome(Outcome::Unknown)))
        }
    }
}

/// Corrects the files of a call that ends without a verdict, if another process has changed its head. Else the head is settled with them.
async fn leave(target: &SkillTarget, mine: &StoredHead, written: BTreeMap<String, HeadFile>) {
    let corrected = async {
        match read_stored_head(target).await? {
            Some(now) if now.etag() != mine.etag() => materialise_after(target, now, None, written).await,
            _ => Ok(Vec::new()),
        }
    };
    if let Err(error) = corrected.await {
        warn_of_files(target, error);
    }
}

fn warn_of_files(target: &SkillTarget, error: ReadError) {
    let cause = Error::from(error);
    tracing::warn!(skill = %target.skill, cause = %cause.chain(), "files of an earlier publish stay");
}

/// The end of the pending publish `mine`, after another process changed the head.
async fn fate_of(target: &SkillTarget, mine: &SkillHead) -> Result<Fate> {
    loop {
        let Some(now) = read_stored_head(target).await? else { return Ok(Fate::Unknown(None)) };
        let head = &now.head;
        let call = mine.pending.as_ref().map(|pending| &pending.call);
        let is_same = head.generation == mine.generation && head.digest == mine.digest;
        if is_same && head.pending.is_some() {
            settle_pending(target, &now).await?;
            continue;
        }
        // An older version of this program names no final call.
        let is_next = head.generation == mine.generation + 1 && head.previous == mine.digest;
        return Ok(match () {
            () if head.undone.as_ref() == call => Fate::Undone(now),
            () if is_same || is_next => Fate::Final(now),
            () if call.is_some_and(|call| head.final_calls.contains(call)) => Fate::Final(now),
            () => Fate::Unknown(Some(now)),
        });
    }
}

fn beside(target: &SkillTarget, other: &SkillPath) -> Error {
    let message =
        format!("{} and the skill {other} would lie in one another: publish under another path", target.skill);
    Error::new(Code::AlreadyExists, message)
}

/// The error if others keep changing what a publish takes the place of.
fn contested(target: &SkillTarget) -> Error {
    let message = format!("others change {} at the same moment: look at what it is now, then try again", target.skill);
    Error::new(Code::EditConflict, message)
}
