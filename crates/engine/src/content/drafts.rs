//! Drafts in the store: their objects, and their removal after a publish in their place.

use bytes::Bytes;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};

use super::{Content, materialise::delete_version_of, read_error::ReadError, target::SkillTarget};
use crate::{
    access::SessionScope,
    error::{Code, Error, Result},
    limits::{DRAFT_BYTES, LIST_OBJECTS, PARALLEL_GETS},
    path::{ETag, Id, LayerOwner, SkillPath},
    skill::SkillDraft,
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

/// The drafts at these paths that exist and can be read.
///
/// # Errors
/// The store's.
pub(crate) async fn drafts_at(content: &Content, user: &Id, paths: &[SkillPath]) -> Result<Vec<SkillDraft>> {
    let drafts = paths.iter().map(|path| async move {
        match draft_at(content, user, path).await {
            // A damaged draft does not hide the others.
            Err(ReadError::Damaged(error)) => {
                tracing::warn!(%user, skill = %path, cause = %error.chain(), "a draft cannot be read");
                Ok(None)
            }
            draft => draft.map_err(Error::from),
        }
    });
    let drafts = stream::iter(drafts.collect::<Vec<_>>()).buffered(PARALLEL_GETS).try_collect::<Vec<_>>().await?;
    Ok(drafts.into_iter().flatten().collect())
}

/// The draft at `skill`.
///
/// # Errors
/// `object_damaged` if it is damaged; the store's.
pub(crate) async fn draft_at(content: &Content, user: &Id, skill: &SkillPath) -> Result<Option<SkillDraft>, ReadError> {
    Ok(read_draft(&content.place(&LayerOwner::from(user), skill)?).await?.map(|known| known.draft))
}

/// The draft.
///
/// # Errors
/// `object_damaged` if the object is no draft of this skill, or if a newer version of this program wrote it; the store's.
pub(crate) async fn read_draft(target: &SkillTarget) -> Result<Option<StoredDraft>, ReadError> {
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
    Ok(Some(StoredDraft { draft, etag: object.meta.etag.clone(), base: ExpectedVersion::version(&object.meta) }))
}

/// Puts a draft in the place of `before`, with the members of `before` that a newer version wrote. Returns false if another
/// draft is there by now.
///
/// # Errors
/// The store's, with the outcome.
pub(crate) async fn put_draft(target: &SkillTarget, before: Option<&StoredDraft>, draft: &SkillDraft) -> Result<bool> {
    let key = target.space.draft(&target.skill)?;
    let mut draft = draft.clone();
    draft.unknown = before.map(|before| before.draft.unknown.clone()).unwrap_or_default();
    let bytes = Bytes::from(serde_json::to_vec(&draft).map_err(Error::internal)?);
    let base = before.map_or(ExpectedVersion::Absent, |before| before.base.clone());
    match target.content.committer().commit(&key, bytes, &base).await {
        Ok(_) => Ok(true),
        Err(StoreError::PreconditionFailed | StoreError::NotFound) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Deletes a draft. Returns false if another draft is there by now, which stays.
pub(crate) async fn remove_draft(target: &SkillTarget, known: StoredDraft) -> Result<bool> {
    delete_version_of(target, &target.space.draft(&target.skill)?, known.etag).await
}
