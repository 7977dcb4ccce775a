//! Heads in the store.

use bytes::Bytes;

use super::SkillTarget;
use crate::{
    error::{Code, Error, Result},
    json,
    limits::HEAD_BYTES,
    path::ETag,
    skill::{HeadFormat, SkillHead},
    store::{ExpectedVersion, GetOptions, StoreError, StoreResult},
};

/// A head, and the version of its object.
#[derive(Clone, Debug)]
pub(super) struct StoredHead {
    pub(super) head: SkillHead,
    base: ExpectedVersion,
}

impl StoredHead {
    /// The version of its object.
    pub(super) fn etag(&self) -> Option<&ETag> {
        match &self.base {
            ExpectedVersion::Version(etag, _) => Some(etag),
            ExpectedVersion::Absent | ExpectedVersion::Whatever => None,
        }
    }
}

/// Why an object in the place of a head is none for this version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum HeadFault {
    /// A newer version wrote it.
    Newer,
    /// It is damaged, for this reason.
    Damaged(String),
}

impl SkillTarget {
    /// The head; `None` if nothing was ever published here.
    ///
    /// # Errors
    /// The store's; `internal` if there is an object that is no head of this skill, or one that a newer version wrote.
    pub(super) async fn head(&self) -> Result<Option<StoredHead>> {
        self.sound_head().await?.map_err(|fault| {
            let message = match &fault {
                HeadFault::Newer => format!(
                    "the skill {} was published by a newer version of skillmount, whose heads this one cannot read: update \
                     this service",
                    self.skill
                ),
                HeadFault::Damaged(_) => format!(
                    "the head of the skill {} is damaged: `skillmount fsck` names the object that an operator deletes, and \
                     the skill is what lies in its folder",
                    self.skill
                ),
            };
            let error = Error::new(Code::Internal, message);
            match fault {
                HeadFault::Newer => error,
                HeadFault::Damaged(why) => error.with_source(Error::internal(why)),
            }
        })
    }

    /// As [`head`](Self::head), with the reason why an object that is there is none.
    ///
    /// # Errors
    /// The store's.
    pub(super) async fn sound_head(&self) -> Result<Result<Option<StoredHead>, HeadFault>> {
        let key = self.space.head(&self.skill)?;
        let object = match self.service.store().get(&key, GetOptions::range(0..HEAD_BYTES + 1)).await {
            Ok(object) => object,
            Err(StoreError::NotFound) => return Ok(Ok(None)),
            Err(error) => return Err(error.into()),
        };
        let head = if object.is_whole() { self.read_head(&object.bytes) } else { Err("it is too large".into()) };
        Ok(match head {
            Ok(Some(head)) => Ok(Some(StoredHead { head, base: ExpectedVersion::version(&object.meta) })),
            Ok(None) => Err(HeadFault::Newer),
            Err(why) => Err(HeadFault::Damaged(format!("{key}: {why}"))),
        })
    }

    /// The head in these bytes; `None` if a newer version wrote them.
    fn read_head(&self, bytes: &[u8]) -> Result<Option<SkillHead>, String> {
        let format: HeadFormat = json::from_slice(bytes).map_err(|fault| fault.to_string())?;
        if format.is_newer() {
            return Ok(None);
        }
        let head: SkillHead = json::from_slice(bytes).map_err(|fault| fault.to_string())?;
        head.check(&self.skill)?;
        Ok(Some(head))
    }

    /// Puts `head` in the place of `before`. `None` if another head is there by now, that of another change or a later
    /// one of this.
    ///
    /// # Errors
    /// The store's, with the outcome.
    pub(super) async fn put_head(&self, before: Option<&StoredHead>, head: SkillHead) -> Result<Option<StoredHead>> {
        let key = self.space.head(&self.skill)?;
        let bytes = Bytes::from(serde_json::to_vec(&head).map_err(Error::internal)?);
        let base = before.map_or(ExpectedVersion::Absent, |before| before.base.clone());
        let put = self.service.shared.committer.commit(&key, bytes, &base).await;
        self.service.shared.heads.forget_listing(&self.space);
        match put {
            Ok(commit) => {
                Ok(commit.etag.map(|etag| StoredHead { head, base: ExpectedVersion::Version(etag, commit.metadata) }))
            }
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
