//! Drafts in the store: their objects, and what becomes of them if something is published in their place.

use bytes::Bytes;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};

use super::{
    SkillTarget,
    change::{ChangeResult, Condition},
};
use crate::{
    access::SessionScope,
    backend::Service,
    error::{Code, Error, Result},
    limits::{DRAFT_BYTES, LIST_OBJECTS, PARALLEL_GETS},
    path::{ETag, Id, LayerOwner, SkillPath},
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
    pub(in crate::backend) fn sees_some(self) -> bool {
        match self {
            Self::Control => true,
            Self::Agent(reach) => !reach.sessions().is_empty(),
        }
    }

    /// Whether it sees this one.
    pub(in crate::backend) fn sees(self, draft: &SkillDraft) -> bool {
        match self {
            Self::Control => true,
            Self::Agent(reach) => draft.session.as_ref().is_some_and(|session| reach.names(session)),
        }
    }
}

/// A draft, and the version of its object.
#[derive(Clone, Debug)]
pub(super) struct StoredDraft {
    pub(super) draft: SkillDraft,
    etag: ETag,
    base: ExpectedVersion,
}

impl Service {
    /// The paths of the user's drafts, in byte order.
    ///
    /// # Errors
    /// The store's.
    pub(in crate::backend) async fn draft_paths(&self, user: &Id) -> Result<Vec<SkillPath>> {
        let prefix = self.namespace().user(user)?.drafts()?;
        let (entries, _) = self.store().list_all(&prefix, LIST_OBJECTS).await?;
        let path = |key: &str| SkillPath::parse(prefix.relative(key)?.strip_suffix(".json")?).ok();
        let mut paths: Vec<_> = entries.iter().filter_map(|entry| path(&entry.key)).collect();
        paths.sort_unstable();
        Ok(paths)
    }

    /// The drafts at these paths that are there and can be read.
    ///
    /// # Errors
    /// The store's.
    pub(in crate::backend) async fn drafts_at(&self, user: &Id, paths: &[SkillPath]) -> Result<Vec<SkillDraft>> {
        let drafts = paths.iter().map(|path| async move {
            match self.draft_at(user, path).await {
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
    pub(in crate::backend) async fn draft_at(&self, user: &Id, skill: &SkillPath) -> Result<Option<SkillDraft>> {
        Ok(self.place(&LayerOwner::from(user), skill)?.draft().await?.map(|known| known.draft))
    }
}

impl SkillTarget {
    /// The draft.
    ///
    /// # Errors
    /// `internal` if there is an object that is no draft of this skill, or one that a newer version wrote; the store's.
    pub(super) async fn draft(&self) -> Result<Option<StoredDraft>> {
        let key = self.space.draft(&self.skill)?;
        let once = GetOptions { keep: CachePolicy::Not, ..GetOptions::range(0..DRAFT_BYTES + 1) };
        let object = match self.service.store().get(&key, once).await {
            Ok(object) => object,
            Err(StoreError::NotFound) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let read =
            if object.is_whole() { SkillDraft::read(&object.bytes, &self.skill) } else { Err("too large".into()) };
        let draft = read.map_err(|why| {
            let message = format!(
                "the draft of the skill {} cannot be read: `skillmount fsck` names the object that an operator mends or \
                 deletes",
                self.skill
            );
            Error::new(Code::Internal, message).with_source(Error::internal(format!("{key}: {why}")))
        })?;
        Ok(Some(StoredDraft { draft, etag: object.meta.etag.clone(), base: ExpectedVersion::version(&object.meta) }))
    }

    /// Puts a draft in the place of `before`. Returns false if another one is there by now.
    ///
    /// # Errors
    /// The store's, with the outcome.
    pub(super) async fn put_draft(&self, before: Option<&StoredDraft>, draft: &SkillDraft) -> Result<bool> {
        let key = self.space.draft(&self.skill)?;
        let bytes = Bytes::from(serde_json::to_vec(draft).map_err(Error::internal)?);
        let base = before.map_or(ExpectedVersion::Absent, |before| before.base.clone());
        match self.service.shared.committer.commit(&key, bytes, &base).await {
            Ok(_) => Ok(true),
            Err(StoreError::PreconditionFailed | StoreError::NotFound) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Takes a draft away. Returns false if another one is there by now, which stays.
    pub(super) async fn remove_draft(&self, known: StoredDraft) -> Result<bool> {
        self.delete_version_of(&self.space.draft(&self.skill)?, known.etag).await
    }

    /// As [`change`](Self::change), for a skill that may be a draft: the condition may name that, and it goes if the change takes its
    /// place. A draft that others made meanwhile stays, and so does one in whose folder other tools put a skill.
    pub(super) async fn change_with_draft(
        &self,
        wanted: Option<&Package>,
        from: &Provenance,
        condition: Condition,
    ) -> Result<ChangeResult> {
        let draft = self.draft().await?;
        let digest = draft.as_ref().map(|known| known.draft.digest.clone());
        let (condition, names_draft) = match (condition, &digest) {
            (Condition::Nothing, Some(draft)) => return Err(self.draft_conflict(draft)),
            (Condition::Version(only), Some(draft)) if only == *draft => (Condition::Nothing, true),
            (condition, _) => (condition, false),
        };
        let changed = self.change(wanted, from, &condition, digest.as_deref()).await;
        if let Ok(changed) = &changed
            && changed.status != PublishStatus::Unchanged
        {
            let published = changed.before.as_deref().map(|digest| (digest, SkillState::Published));
            let before = published.or(digest.as_deref().map(|digest| (digest, SkillState::Draft)));
            self.noted(before, wanted.map(|package| (package.version.digest(), SkillState::Published)));
        }
        let Some(draft) = draft else { return changed };
        match changed {
            Ok(changed) => {
                // Until the plain files are there, no listing shows what was published, and the draft is what it shows.
                if changed.complete || wanted.is_none() {
                    self.remove_taken(draft, &changed).await;
                }
                Ok(changed)
            }
            // Nothing is published, or the draft beside it is named, so it is the draft that is deleted.
            Err(error)
                if wanted.is_none()
                    && (error.code() == Code::SkillNotFound
                        || (names_draft && error.code() == Code::VersionConflict)) =>
            {
                if self.remove_draft(draft).await? {
                    self.noted(digest.as_deref().map(|digest| (digest, SkillState::Draft)), None);
                    return Ok(ChangeResult {
                        status: PublishStatus::Updated,
                        before: digest,
                        complete: true,
                        kept: Vec::new(),
                        took: None,
                    });
                }
                Err(self.contested())
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
    pub(super) async fn remove_taken(&self, known: StoredDraft, changed: &ChangeResult) {
        if changed.took.as_ref() == Some(&known.draft.digest)
            && let Err(error) = self.remove_draft(known).await
        {
            tracing::warn!(skill = %self.skill, cause = %error.chain(), "a draft lies beside the skill that took its place");
        }
    }

    /// The error if others keep changing a draft.
    pub(super) fn contested(&self) -> Error {
        let message = format!("others keep changing the draft {}: look at what it is now, then try again", self.skill);
        Error::new(Code::EditConflict, message)
    }
}
