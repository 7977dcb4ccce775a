//! Heads in the store.

use bytes::Bytes;

use super::Place;
use crate::{
    error::{Code, Error, Result},
    json,
    limits::HEAD_BYTES,
    path::ETag,
    skill::{HeadFormat, SkillHead},
    store::{Base, GetOptions, StoreError, StoreResult},
};

/// A head, and the version of its object.
#[derive(Clone, Debug)]
pub(super) struct StoredHead {
    pub(super) head: SkillHead,
    base: Base,
}

impl StoredHead {
    /// The version of its object.
    pub(super) fn etag(&self) -> Option<&ETag> {
        match &self.base {
            Base::Version(etag, _) => Some(etag),
            Base::Absent | Base::Whatever => None,
        }
    }
}

impl Place {
    /// The head; `None` if nothing was ever published here.
    ///
    /// # Errors
    /// The store's; `internal` if there is an object that is no head of this skill, or one that a newer version wrote.
    pub(super) async fn head(&self) -> Result<Option<StoredHead>> {
        let key = self.space.head(&self.skill)?;
        let object = match self.service.store().get(&key, GetOptions::range(0..HEAD_BYTES + 1)).await {
            Ok(object) => object,
            Err(StoreError::NotFound) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let damaged = |why: &str| {
            let message = format!(
                "the head of the skill {} is damaged: `skillmount fsck` names the object that an operator deletes, and the \
                 skill is what lies in its folder",
                self.skill
            );
            Error::new(Code::Internal, message).with_source(Error::internal(format!("{key}: {why}")))
        };
        if !object.is_whole() {
            return Err(damaged("it is too large"));
        }
        let format: HeadFormat = json::from_slice(&object.bytes).map_err(|fault| damaged(&fault.to_string()))?;
        if format.is_newer() {
            let message = format!(
                "the skill {} was published by a newer version of skillmount, whose heads this one cannot read: update \
                 this service",
                self.skill
            );
            return Err(Error::new(Code::Internal, message));
        }
        let head: SkillHead = json::from_slice(&object.bytes).map_err(|fault| damaged(&fault.to_string()))?;
        head.check(&self.skill).map_err(damaged)?;
        Ok(Some(StoredHead { head, base: Base::version(&object.meta) }))
    }

    /// Puts `head` in the place of `before`. `None` if another head is there by now, that of another change or a later
    /// one of this.
    ///
    /// # Errors
    /// The store's, with the outcome.
    pub(super) async fn put_head(&self, before: Option<&StoredHead>, head: SkillHead) -> Result<Option<StoredHead>> {
        let key = self.space.head(&self.skill)?;
        let bytes = Bytes::from(serde_json::to_vec(&head).map_err(Error::internal)?);
        let base = before.map_or(Base::Absent, |before| before.base.clone());
        let put = self.service.shared.committer.commit(&key, bytes, &base).await;
        self.service.shared.heads.forget_listing(&self.space);
        match put {
            Ok(commit) => Ok(commit.etag.map(|etag| StoredHead { head, base: Base::Version(etag, commit.metadata) })),
            Err(StoreError::PreconditionFailed | StoreError::NotFound) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Whether the head in the store is still `known`.
    pub(super) async fn is_newest(&self, known: &StoredHead) -> Result<bool> {
        let now = self.service.store().head(&self.space.head(&self.skill)?).await;
        let now: StoreResult<Option<ETag>> = match now {
            Ok(meta) => Ok(Some(meta.etag)),
            Err(StoreError::NotFound) => Ok(None),
            Err(error) => Err(error),
        };
        Ok(now?.as_ref() == known.etag())
    }
}
