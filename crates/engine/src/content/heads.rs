//! Heads in the store.

use bytes::Bytes;
use jiff::Timestamp;

use super::{read_error::ReadError, target::SkillTarget};
use crate::{
    error::{Code, Error, Result},
    json,
    limits::{HEAD_BYTES, LATE_CHANGES, PENDING_PUBLISH, PUBLISH_TIMEOUT},
    path::ETag,
    skill::{FileChange, HeadFormat, SkillHead},
    store::{Commit, ExpectedVersion, GetOptions, StoreError, StoreResult},
};

/// The bytes of the tag of a plain file in a head, with its name.
const TAG_BYTES: usize = 64;

/// A head, and the version of its object.
#[derive(Clone, Debug)]
pub(crate) struct StoredHead {
    pub(crate) head: SkillHead,
    base: ExpectedVersion,
    /// When the store got it; `None` if this call has just put it.
    stored_at: Option<Timestamp>,
}

impl StoredHead {
    /// The version of its object.
    pub(crate) fn etag(&self) -> Option<&ETag> {
        match &self.base {
            ExpectedVersion::Version(etag, _) => Some(etag),
            ExpectedVersion::Absent | ExpectedVersion::Whatever => None,
        }
    }

    /// Whether this call has put it. Another process puts the head again before it works on the plain files.
    pub(super) fn is_own(&self) -> bool {
        self.stored_at.is_none()
    }

    /// Whether a call that this head expects may have written an object at this moment, by the time that this process knows.
    fn may_be_late(&self, modified_at: Timestamp) -> bool {
        self.stored_at.is_none_or(|stored_at| modified_at <= stored_at + LATE_CHANGES)
    }
}

/// Whether a call that `known` expects may have written an object at this moment. The cache gives a head of this process the time of
/// the local clock, so the store's clock decides.
///
/// # Errors
/// The store's.
pub(super) async fn may_be_late(target: &SkillTarget, known: &StoredHead, modified_at: Timestamp) -> Result<bool> {
    if known.may_be_late(modified_at) {
        return Ok(true);
    }
    match target.content.store().head(&target.space.head(&target.skill)?).await {
        Ok(meta) => Ok(modified_at <= meta.modified_at + LATE_CHANGES),
        Err(StoreError::NotFound) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Whether the call of a head probably goes on. The clock of its server may be another.
pub(super) fn is_under_way(target: &SkillTarget, head: &SkillHead) -> bool {
    let changed_at = head.pending.as_ref().map_or(head.published_at, |pending| pending.at);
    target.content.clock().now().duration_since(changed_at).abs() <= PENDING_PUBLISH
}

/// The head of another call, to be settled by this process. Both may change plain files for a while.
pub(crate) fn settled_by_this(target: &SkillTarget, known: &StoredHead) -> StoredHead {
    StoredHead { head: expecting(target, &known.head, known.head.changes()), ..known.clone() }
}

/// The head while this process and another call may make these changes of plain files.
pub(super) fn expecting<'head>(
    target: &SkillTarget,
    head: &SkillHead,
    changes: impl Iterator<Item = FileChange<'head>>,
) -> SkillHead {
    // A process that finds such a list with half of its time left makes the changes without a list of its own.
    let until = target.content.clock().now() + 2 * PUBLISH_TIMEOUT;
    head.expecting(changes, until)
}

/// Why this program cannot read an object in the place of a head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HeadFault {
    /// A newer version wrote it.
    Newer,
    /// It is damaged, for this reason.
    Damaged(String),
}

/// The head as readers see it: before a publish that is not final nothing is published. `None` if nothing ever was.
///
/// # Errors
/// As [`read_stored_head`].
pub(crate) async fn read_head(target: &SkillTarget) -> Result<Option<StoredHead>, ReadError> {
    let Some(known) = read_stored_head(target).await?.filter(|known| !known.head.is_blank()) else { return Ok(None) };
    Ok(Some(StoredHead { head: known.head.before_publish(), ..known }))
}

/// The head as it is stored.
///
/// # Errors
/// The store's; `object_damaged` if the object is no head of this skill, or if a newer version of this program wrote it.
pub(crate) async fn read_stored_head(target: &SkillTarget) -> Result<Option<StoredHead>, ReadError> {
    read_sound_head(target).await?.map_err(|fault| {
        let message = match &fault {
            HeadFault::Newer => format!(
                "the skill {} was published by a newer version of skillmount, whose heads this one cannot read: update \
                 this service",
                target.skill
            ),
            HeadFault::Damaged(_) => format!(
                "the head of the skill {} is damaged: `skillmount fsck` names the object that an operator deletes, and \
                 the skill is what lies in its folder",
                target.skill
            ),
        };
        let error = Error::new(Code::ObjectDamaged, message);
        ReadError::Damaged(match fault {
            HeadFault::Newer => error,
            HeadFault::Damaged(why) => error.with_source(Error::internal(why)),
        })
    })
}

/// As [`read_stored_head`]. The inner error is the reason why an object there cannot be read as a head.
///
/// # Errors
/// The store's.
pub(crate) async fn read_sound_head(target: &SkillTarget) -> Result<Result<Option<StoredHead>, HeadFault>> {
    let key = target.space.head(&target.skill)?;
    let object = match target.content.store().get(&key, GetOptions::range(0..HEAD_BYTES + 1)).await {
        Ok(object) => object,
        Err(StoreError::NotFound) => return Ok(Ok(None)),
        Err(error) => return Err(error.into()),
    };
    let head = if object.is_whole() { parse_head(target, &object.bytes) } else { Err("it is too large".into()) };
    Ok(match head {
        Ok(Some(head)) => {
            let (base, stored_at) = (ExpectedVersion::version(&object.meta), Some(object.meta.modified_at));
            Ok(Some(StoredHead { head, base, stored_at }))
        }
        Ok(None) => Err(HeadFault::Newer),
        Err(why) => Err(HeadFault::Damaged(format!("{key}: {why}"))),
    })
}

/// The head in these bytes; `None` if a newer version wrote them.
fn parse_head(target: &SkillTarget, bytes: &[u8]) -> Result<Option<SkillHead>, String> {
    let format: HeadFormat = json::from_slice(bytes).map_err(|fault| fault.to_string())?;
    if format.is_newer() {
        return Ok(None);
    }
    let head: SkillHead = json::from_slice(bytes).map_err(|fault| fault.to_string())?;
    head.check(&target.skill)?;
    Ok(Some(head))
}

/// The result of a put of a head.
#[derive(Debug)]
pub(crate) enum HeadPut {
    /// The head is in the store.
    Stored(StoredHead),
    /// The head was in the store, and later writes came on top of it.
    Followed(SkillHead),
    /// Another head came first, and this one is not in the store.
    Lost,
}

/// Puts `head` in the place of `before`. `None` if another head is there by now, from another change or a later write of
/// this change.
///
/// # Errors
/// The store's, with the outcome.
pub(crate) async fn put_head(
    target: &SkillTarget,
    before: Option<&StoredHead>,
    head: SkillHead,
) -> Result<Option<StoredHead>> {
    Ok(match commit_head(target, before, head).await? {
        HeadPut::Stored(head) => Some(head),
        HeadPut::Followed(_) | HeadPut::Lost => None,
    })
}

/// As [`put_head`], for a call that answers whether its change was made.
///
/// # Errors
/// `file_too_large` for a head over [`HEAD_BYTES`]; the store's, with the outcome.
pub(crate) async fn commit_head(target: &SkillTarget, before: Option<&StoredHead>, head: SkillHead) -> Result<HeadPut> {
    let key = target.space.head(&target.skill)?;
    let bytes = Bytes::from(serde_json::to_vec(&head).map_err(Error::internal)?);
    check_size(target, bytes.len(), HEAD_BYTES)?;
    let base = before.map_or(ExpectedVersion::Absent, |before| before.base.clone());
    let put = target.content.committer().commit(&key, bytes, &base).await;
    target.content.heads().forget_listing(&target.space);
    match put {
        Ok(Commit { etag: Some(etag), metadata }) => {
            let base = ExpectedVersion::Version(etag, metadata);
            Ok(HeadPut::Stored(StoredHead { head, base, stored_at: None }))
        }
        Ok(Commit { etag: None, .. }) => Ok(HeadPut::Followed(head)),
        Err(StoreError::PreconditionFailed | StoreError::NotFound) => Ok(HeadPut::Lost),
        Err(error) => Err(error.into()),
    }
}

/// Checks the size of the head of a change. Later heads of the same change are longer.
///
/// # Errors
/// `file_too_large` if the head is over half of [`HEAD_BYTES`].
pub(crate) fn check_new_head(target: &SkillTarget, head: &SkillHead) -> Result<()> {
    let bytes = serde_json::to_vec(head).map_err(Error::internal)?.len() + head.files.len() * TAG_BYTES;
    check_size(target, bytes, HEAD_BYTES / 2)
}

fn check_size(target: &SkillTarget, bytes: usize, limit: u64) -> Result<()> {
    if bytes as u64 <= limit {
        return Ok(());
    }
    let message = format!(
        "the list of the files of {} takes {bytes} bytes with those it replaces, and up to {limit} fit: publish fewer files, or \
         files with shorter paths",
        target.skill
    );
    Err(Error::new(Code::FileTooLarge, message))
}

/// Whether the head in the store is still `known`; `None` if there was no head.
///
/// # Errors
/// The store's.
pub(crate) async fn is_newest(target: &SkillTarget, known: Option<&StoredHead>) -> Result<bool> {
    let now = target.content.store().head(&target.space.head(&target.skill)?).await;
    let now: StoreResult<Option<ETag>> = match now {
        Ok(meta) => Ok(Some(meta.etag)),
        Err(StoreError::NotFound) => Ok(None),
        Err(error) => Err(error),
    };
    Ok(now?.as_ref() == known.and_then(StoredHead::etag))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::{path::SkillPath, skill::HeadChange};

    #[test]
    fn a_copy_that_an_operator_restores_long_after_a_head_is_no_late_write() {
        let change = HeadChange::nothing();
        let (at, skill) = (Timestamp::from_second(1_000).unwrap(), SkillPath::parse("a/s").unwrap());
        let head = SkillHead::after(None, &skill, change, at);
        let read = StoredHead { head, base: ExpectedVersion::Absent, stored_at: Some(at) };
        assert!(read.may_be_late(at) && read.may_be_late(at + LATE_CHANGES) && !read.is_own());
        assert!(!read.may_be_late(at + LATE_CHANGES + Duration::from_secs(1)));
        assert!(StoredHead { stored_at: None, ..read }.is_own());
    }
}
