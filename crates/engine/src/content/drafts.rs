//! Drafts in the store: their objects, and what becomes of them if something is published in their place.

use bytes::Bytes;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};

use super::{Content, materialise::delete_version_of, target::SkillTarget};
use crate::{
    access::SessionScope,
    error::{Code, Error, Result},
    limits::{DRAFT_BYTES, LIST_OBJECTS, PARALLEL_GETS},
    path::{ETag, Id, LayerOwner, SkillPath},
    publish::{ChangeResult, Condition, change_head, draft_conflict},
    skill::{Package, Provenance, SkillDraft},
    store::{CachePolicy, ExpectedVersion, GetOptions, StoreError, StoreExt as _},
    wire::{PublishStatus, SkillState},
};

/// Who asks for the drafts of a user outside of a session.
#[derive(Clone, Copy, Debug)]
pub enum DraftReader<'reach> {
    /// One who decides what is published, and sees all.
    Control,
    /// An agent, which sees those of the sessions that it is bound to by their ids.
    Agent(&'reach SessionScope),
}

impl DraftReader<'_> {
    /// Whether it may see any.
    pub(crate) fn sees_some(self) -> bool {
        match self {
            Self::Control => true,
            Self::Agent(reach) => !reach.sessions().is_empty(),
        }
    }

    /// Whether it sees this one.
    pub(crate) fn sees(self, draft: &SkillDraft) -> bool {
        match self {
            Self::Control => true,
            Self::Agent(reach) => draft.session.as_ref().is_some_and(|session| reach.names(session)),
        }
    }
}

/// A draft, and the version of its object.
#[derive(Clone, Debug)]
pub(crate) struct StoredDraft {
    pub(crate) draft: SkillDraft,
    etag: ETag,
    base: ExpectedVersion,
}

/// The paths of the user's drafts, in byte order.
///
/// # Errors
/// The store's.
pub(crate) async fn draft_paths(content: &Content, user: &Id) -> Result<Vec<SkillPath>> {
    let prefix = content.namespace().user(user)?.drafts()?;
    let (entries, _) = content.store().list_all(&prefix, LIST_OBJECTS).await?;
    let path = |key: &str| SkillPath::parse(prefix.relative(key)?.strip_suffix(".json")?).ok();
    let mut paths: Vec<_> = entries.iter().filter_map(|entry| path(&entry.key)).collect();
    paths.sort_unstable();
    Ok(paths)
}

/// The drafts at these paths that are there and can be read.
///
/// # Errors
/// The store's.
pub(crate) async fn drafts_at(content: &Content, user: &Id, paths: &[SkillPath]) -> Result<Vec<SkillDraft>> {
    let drafts = paths.iter().map(|path| async move {
        match draft_at(content, user, path).await {
            // One that is damaged costs itself and no other.
            Err(error) if error.code() == Code::Internal => {
                tracing::warn!(%user, skill = %path, cause = %error.chain(), "a draft cannot be read");
                Ok(None)
            }
            draft => draft,
        }
    });
    let drafts = stream::iter(drafts.collect::<Vec<_>>()).buffered(PARALLEL_GETS).try_collect::<Vec<_>>().await?;
    Ok(drafts.into_iter().flatten().collect())
}

/// The draft at `skill`.
///
/// # Errors
/// `internal` if it is damaged; the store's.
pub(crate) async fn draft_at(content: &Content, user: &Id, skill: &SkillPath) -> Result<Option<SkillDraft>> {
    Ok(read_draft(&content.place(&LayerOwner::from(user), skill)?).await?.map(|known| known.draft))
}

/// The draft.
///
/// # Errors
/// `internal` if there is an object that is no draft of this skill, or one that a newer version wrote; the store's.
pub(crate) async fn read_draft(target: &SkillTarget) -> Result<Option<StoredDraft>> {
    let key = target.space.draft(&target.skill)?;
    let once = GetOptions { keep: CachePolicy::Not, ..GetOptions::range(0..DRAFT_BYTES + 1) };
    let object = match target.content.store().get(&key, once).await {
        Ok(object) => object,
        Err(StoreError::NotFound) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let read = if object.is_whole() { SkillDraft::read(&object.bytes, &target.skill) } else { Err("too large".into()) };
    let draft = read.map_err(|why| {
        let message = format!(
            "the draft of the skill {} cannot be read: `skillmount fsck` names the object that an operator mends or \
             deletes",
            target.skill
        );
        Error::new(Code::Internal, message).with_source(Error::internal(format!("{key}: {why}")))
    })?;
    Ok(Some(StoredDraft { draft, etag: object.meta.etag.clone(), base: ExpectedVersion::version(&object.meta) }))
}

/// Puts a draft in the place of `before`. Returns false if another one is there by now.
///
/// # Errors
/// The store's, with the outcome.
pub(crate) async fn put_draft(target: &SkillTarget, before: Option<&StoredDraft>, draft: &SkillDraft) -> Result<bool> {
    let key = target.space.draft(&target.skill)?;
    let bytes = Bytes::from(serde_json::to_vec(draft).map_err(Error::internal)?);
    let base = before.map_or(ExpectedVersion::Absent, |before| before.base.clone());
    match target.content.committer().commit(&key, bytes, &base).await {
        Ok(_) => Ok(true),
        Err(StoreError::PreconditionFailed | StoreError::NotFound) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Takes a draft away. Returns false if another one is there by now, which stays.
pub(crate) async fn remove_draft(target: &SkillTarget, known: StoredDraft) -> Result<bool> {
    delete_version_of(target, &target.space.draft(&target.skill)?, known.etag).await
}

/// As [`change`](change), for a skill that may be a draft: the condition may name that, and it goes if the change takes its
/// place. A draft that others made meanwhile stays, and so does one in whose folder other tools put a skill.
pub(crate) async fn change_with_draft(
    target: &SkillTarget,
    wanted: Option<&Package>,
    from: &Provenance,
    condition: Condition,
) -> Result<ChangeResult> {
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
            // Until the plain files are there, no listing shows what was published, and the draft is what it shows.
            if changed.complete || wanted.is_none() {
                remove_replaced_draft(target, draft, &changed).await;
            }
            Ok(changed)
        }
        // Nothing is published, or the draft beside it is named, so it is the draft that is deleted.
        Err(error)
            if wanted.is_none()
                && (error.code() == Code::SkillNotFound || (names_draft && error.code() == Code::VersionConflict)) =>
        {
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
            Err(draft_contested(target))
        }
        Err(error) if error.code() == Code::VersionConflict && condition != Condition::Nothing => {
            let published = error.details().get("current").cloned().unwrap_or_default();
            let current = if published.is_null() { digest.into() } else { published };
            Err(error.with_detail("current", current))
        }
        Err(error) => Err(error),
    }
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
