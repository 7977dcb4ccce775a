//! Drafts in the store: their objects, and their removal after a publish in their place.

use bytes::Bytes;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};

use super::{
    Content,
    folder::is_published,
    heads::{StoredHead, read_sound_head},
    objects::delete_version_of,
    read_error::ReadError,
    target::SkillTarget,
};
use crate::{
    access::SessionScope,
    error::{Code, Error, Result},
    limits::{DRAFT_BYTES, LIST_OBJECTS, PARALLEL_GETS, PUBLISH_ATTEMPTS},
    path::{ETag, Id, LayerOwner, SkillPath},
    skill::{SkillDraft, SkillHead},
    store::{CachePolicy, ExpectedVersion, GetOptions, StoreError, StoreExt as _},
};

/// The reader of a user's drafts outside of a session.
#[derive(Clone, Copy, Debug)]
pub enum DraftReader<'reach> {
    /// A caller who decides about publishing, and sees all drafts.
    Control,
    /// An agent, which sees the drafts of the sessions in its scope.
    Agent(&'reach SessionScope),
}

impl DraftReader<'_> {
    /// Whether the reader may see any draft.
    pub(crate) fn sees_some(self) -> bool {
        match self {
            Self::Control => true,
            Self::Agent(reach) => !reach.sessions().is_empty(),
        }
    }

    /// Whether the reader sees this draft.
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
    pub(crate) etag: ETag,
}

/// The place of a draft.
#[derive(Clone, Debug)]
pub(crate) struct DraftSlot {
    stored: Option<StoredDraft>,
    base: ExpectedVersion,
}

impl DraftSlot {
    /// The draft, if it counts beside `head`.
    pub(crate) fn draft(&self, head: Option<&SkillHead>) -> Option<&StoredDraft> {
        let since = head.map_or(0, |head| head.drafts_since);
        self.stored.as_ref().filter(|known| known.draft.counts(since))
    }

    /// Whether the object is this draft. If another call has replaced or deleted it, that call saw the draft.
    pub(crate) fn holds(&self, draft: &SkillDraft) -> bool {
        let is_same = |known: &SkillDraft| {
            (&known.digest, known.made_at, known.generation) == (&draft.digest, draft.made_at, draft.generation)
                && known.session == draft.session
        };
        self.stored.as_ref().is_some_and(|known| !known.draft.is_deleted && is_same(&known.draft))
    }

    /// Whether the draft was made beside a later head than `head`.
    pub(crate) fn is_after(&self, head: Option<&SkillHead>) -> bool {
        let generation = head.map_or(0, |head| head.generation);
        self.stored.as_ref().is_some_and(|known| known.draft.generation > generation)
    }

    /// The deletion of a draft that counted beside `head`. The call that made it may still be under way.
    pub(crate) fn deletion(&self, head: &SkillHead) -> Option<&StoredDraft> {
        self.stored.as_ref().filter(|known| known.draft.is_deleted && known.draft.generation >= head.drafts_since)
    }

    /// Whether the object was put after `head` was, and is a draft or a deleted one.
    fn has_followed(&self, head: &SkillHead) -> bool {
        self.stored.as_ref().is_some_and(|known| known.draft.generation >= head.generation)
    }
}

/// A draft that this call has deleted. Its object is there until [`remove_deleted`].
#[derive(Debug)]
pub(crate) struct DeletedDraft {
    /// The call.
    pub(crate) deletion: String,
    /// The version of the object; `None` if another write came after it.
    etag: Option<ETag>,
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

/// The drafts at these paths that exist and can be read, and whether a skill is published in the place of any other.
///
/// # Errors
/// The store's.
pub(crate) async fn drafts_at(content: &Content, user: &Id, paths: &[SkillPath]) -> Result<(Vec<SkillDraft>, bool)> {
    let drafts = paths.iter().map(|path| async move {
        match draft_or_skill_at(content, user, path).await {
            // A damaged draft does not hide the others.
            Err(ReadError::Damaged(error)) => {
                tracing::warn!(%user, skill = %path, cause = %error.chain(), "a draft cannot be read");
                Ok(PathState::default())
            }
            found => found.map_err(Error::from),
        }
    });
    let found = stream::iter(drafts.collect::<Vec<_>>()).buffered(PARALLEL_GETS).try_collect::<Vec<_>>().await?;
    let is_any_published = found.iter().any(|at| at.draft.is_none() && at.is_published);
    Ok((found.into_iter().filter_map(|at| at.draft).collect(), is_any_published))
}

/// The draft at `skill`.
///
/// # Errors
/// `object_damaged` if it is damaged; the store's.
pub(crate) async fn draft_at(content: &Content, user: &Id, skill: &SkillPath) -> Result<Option<SkillDraft>, ReadError> {
    read_draft(&content.place(&LayerOwner::from(user), skill)?).await
}

/// The draft as readers see it.
///
/// # Errors
/// As [`draft_slot`].
pub(crate) async fn read_draft(target: &SkillTarget) -> Result<Option<SkillDraft>, ReadError> {
    Ok(read_path(target).await?.draft)
}

/// The draft at the path of a skill, and the state of the head.
#[derive(Default)]
pub(crate) struct PathState {
    /// The draft as readers see it.
    pub(crate) draft: Option<SkillDraft>,
    /// Whether a version is published.
    pub(crate) is_published: bool,
    /// Whether other calls may change the plain files late.
    pub(crate) has_late_changes: bool,
}

/// The draft and the state of the head at a path of the user.
///
/// # Errors
/// As [`draft_slot`].
pub(crate) async fn draft_or_skill_at(content: &Content, user: &Id, skill: &SkillPath) -> Result<PathState, ReadError> {
    read_path(&content.place(&LayerOwner::from(user), skill)?).await
}

async fn read_path(target: &SkillTarget) -> Result<PathState, ReadError> {
    let head = async { read_sound_head(target).await.map_err(ReadError::from) };
    let (head, object) = tokio::try_join!(head, read_object_of_draft(target))?;
    // A damaged head hides no draft.
    let head: Option<StoredHead> = head.unwrap_or_default();
    let since = head.as_ref().map_or(0, |known| known.head.drafts_since);
    let stored = object.map(|(stored, _)| stored.draft).filter(|draft| draft.counts(since));
    let is_published = is_published(head.as_ref());
    let has_late_changes = head.as_ref().is_some_and(|known| known.head.late.is_some());
    Ok(PathState { draft: stored.or_else(|| Some(*head?.head.draft?)), is_published, has_late_changes })
}

/// The place of the draft.
///
/// # Errors
/// `object_damaged` if the object is no draft of this skill, or if a newer version of this program wrote it; the store's.
pub(crate) async fn draft_slot(target: &SkillTarget) -> Result<DraftSlot, ReadError> {
    Ok(match read_object_of_draft(target).await? {
        None => DraftSlot { stored: None, base: ExpectedVersion::Absent },
        Some((stored, base)) => DraftSlot { stored: Some(stored), base },
    })
}

/// The object of a draft, whether it counts or not.
async fn read_object_of_draft(target: &SkillTarget) -> Result<Option<(StoredDraft, ExpectedVersion)>, ReadError> {
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
            "the draft of the skill {} cannot be read: `skillmount fsck` names the object that an operator fixes or \
             deletes",
            target.skill
        );
        let damage = Error::new(Code::ObjectDamaged, message);
        ReadError::Damaged(damage.with_source(Error::internal(format!("{key}: {why}"))))
    })?;
    let base = ExpectedVersion::version(&object.meta);
    Ok(Some((StoredDraft { draft, etag: object.meta.etag }, base)))
}

/// Puts a draft into `slot`, with the members of the draft there that a newer version wrote. Returns false if another draft
/// is there by now.
///
/// # Errors
/// The store's, with the outcome.
pub(crate) async fn put_draft(target: &SkillTarget, slot: &DraftSlot, draft: &SkillDraft) -> Result<bool> {
    let key = target.space.draft(&target.skill)?;
    let mut draft = draft.clone();
    draft.unknown = slot.stored.as_ref().map(|stored| stored.draft.unknown.clone()).unwrap_or_default();
    let bytes = Bytes::from(serde_json::to_vec(&draft).map_err(Error::internal)?);
    match target.content.committer().commit(&key, bytes, &slot.base).await {
        Ok(_) => Ok(true),
        Err(StoreError::PreconditionFailed | StoreError::NotFound) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Stores the draft that the skill became, if the head still holds the draft.
///
/// # Errors
/// As [`draft_slot`]; `edit_conflict` if other processes keep changing the object.
pub(super) async fn put_draft_of(target: &SkillTarget, head: &SkillHead) -> Result<(), ReadError> {
    let Some(draft) = &head.draft else { return Ok(()) };
    for _ in 0..PUBLISH_ATTEMPTS {
        let slot = draft_slot(target).await?;
        // If another process was faster, its object counts, or the draft is deleted already. An older object can be removed at any
        // time.
        if slot.has_followed(head) || put_draft(target, &slot, draft).await? {
            return Ok(());
        }
    }
    Err(draft_contested(target).into())
}

/// Deletes the draft in `slot`. A put replaces the object, because a store may let two deletions of one object succeed. Returns `None`
/// if another draft is there by now.
///
/// # Errors
/// The store's, with the outcome.
pub(crate) async fn delete_draft(
    target: &SkillTarget,
    slot: &DraftSlot,
    draft: SkillDraft,
) -> Result<Option<DeletedDraft>> {
    let key = target.space.draft(&target.skill)?;
    let deletion = format!("{:032x}", target.content.clock().random());
    let bytes = Bytes::from(serde_json::to_vec(&draft.deleted(&deletion)).map_err(Error::internal)?);
    match target.content.committer().commit(&key, bytes, &slot.base).await {
        Ok(commit) => Ok(Some(DeletedDraft { deletion, etag: commit.etag })),
        Err(StoreError::PreconditionFailed | StoreError::NotFound) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Removes the object of a deleted draft. If that fails, the object stays and counts as no draft.
pub(crate) async fn remove_deleted(target: &SkillTarget, deleted: DeletedDraft) {
    let DeletedDraft { etag: Some(etag), .. } = deleted else { return };
    let removed = async { delete_version_of(target, &target.space.draft(&target.skill)?, etag).await };
    if let Err(error) = removed.await {
        tracing::warn!(skill = %target.skill, cause = %error.chain(), "the object of a deleted draft stays");
    }
}

/// Removes the object of a draft. A newer object stays.
///
/// # Errors
/// The store's.
pub(crate) async fn remove_draft(target: &SkillTarget, known: StoredDraft) -> Result<()> {
    delete_version_of(target, &target.space.draft(&target.skill)?, known.etag).await?;
    Ok(())
}

/// The error if others keep changing a draft.
pub(crate) fn draft_contested(target: &SkillTarget) -> Error {
    let message = format!("others keep changing the draft {}: look at what it is now, then try again", target.skill);
    Error::new(Code::EditConflict, message)
}
