//! The tombstone of a user under deletion, `_deleted/{user}`, and its receipt once all is done.
//!
//! A tombstone is changed by compare-and-swap only. A process that works on a deletion holds a lease, and renews the lease
//! with each note. After the lease has run out, another process may take over. The first one then stops at its next note.

use bytes::Bytes;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Deletions, error::DeletionError};
use crate::{
    error::{Code, Error, Result},
    json::{self, UnknownMembers},
    limits::{DELETION_AGAIN, DELETION_BYTES, DELETION_LEASE},
    path::{Id, ObjectKey},
    store::{CachePolicy, ExpectedVersion, GetOptions, StoreError},
    wire::{Deletion, DeletionState, Sweep},
};

/// The format of new tombstones, and the newest format that can be read.
const FORMAT: u32 = 1;
/// Sweeps of a deletion.
const SWEEPS: usize = 2;

/// A deletion as it lies in the bucket.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Tombstone {
    format: u32,
    /// The part that callers see.
    pub(crate) deletion: Deletion,
    /// The process that works on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lease: Option<Lease>,
    /// The members of a newer version.
    #[serde(flatten)]
    unknown: UnknownMembers,
}

/// The right of one process to work on a deletion.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Lease {
    holder: String,
    until: Timestamp,
}

/// A tombstone, and the version of its object.
#[derive(Clone, Debug)]
pub(crate) struct StoredTombstone {
    pub(crate) tombstone: Tombstone,
    pub(crate) base: ExpectedVersion,
}

/// The next step of a deletion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DeletionStep {
    /// A sweep.
    Sweep,
    /// Nothing before this time.
    Wait(Timestamp),
    /// Nothing: another process works on the deletion.
    Held,
    /// The removal of the tombstone.
    Retire,
}

#[derive(Deserialize)]
struct Format {
    #[serde(default)]
    format: u32,
}

impl Tombstone {
    pub(crate) fn new(user: &Id, by: Option<String>, now: Timestamp) -> Self {
        let deletion = Deletion {
            user_id: user.clone(),
            state: DeletionState::Deleting,
            requested_at: now,
            requested_by: by,
            second_sweep_at: now.saturating_add(DELETION_AGAIN).unwrap_or(Timestamp::MAX),
            sweeps: Vec::new(),
            finished_at: None,
            found_now: None,
        };
        Self { format: FORMAT, deletion, lease: None, unknown: UnknownMembers::default() }
    }

    pub(crate) fn is_finished(&self) -> bool {
        self.deletion.finished_at.is_some()
    }

    /// The next step of `holder` at `now`. `has_waited` says that the holder has waited until the time of the second sweep.
    pub(crate) fn step(&self, holder: &str, now: Timestamp, has_waited: bool) -> DeletionStep {
        let is_held = self.lease.as_ref().is_some_and(|lease| lease.holder != holder && now < lease.until);
        let ended = self.deletion.sweeps.iter().filter(|sweep| sweep.ended_at.is_some()).count();
        let due = self.deletion.second_sweep_at;
        match () {
            () if self.is_finished() => DeletionStep::Retire,
            () if is_held => DeletionStep::Held,
            () if ended == 1 && self.deletion.sweeps.len() == 1 && now < due && !has_waited => DeletionStep::Wait(due),
            () => DeletionStep::Sweep,
        }
    }

    /// Takes the lease for `holder`. Begins the next sweep, or continues an interrupted one.
    pub(crate) fn claim(&mut self, holder: &str, now: Timestamp) {
        self.renew(holder, now);
        match self.deletion.sweeps.last_mut() {
            Some(sweep) if sweep.ended_at.is_none() => sweep.interrupted += 1,
            _ => self.deletion.sweeps.push(Sweep::begun(now)),
        }
    }

    /// Renews the lease of `holder`.
    pub(crate) fn renew(&mut self, holder: &str, now: Timestamp) {
        let until = now.saturating_add(DELETION_LEASE).unwrap_or(Timestamp::MAX);
        self.lease = Some(Lease { holder: holder.to_owned(), until });
    }

    /// Ends the lease.
    pub(crate) fn release(&mut self) {
        self.lease = None;
    }

    /// Ends the current sweep. The end of the second sweep ends the deletion.
    pub(crate) fn end_sweep(&mut self, now: Timestamp) {
        self.release();
        if let Some(sweep) = self.deletion.sweeps.last_mut() {
            sweep.ended_at = Some(now);
        }
        if self.deletion.sweeps.len() >= SWEEPS {
            self.deletion.finished_at = Some(now);
            self.deletion.state = DeletionState::Deleted;
        }
    }
}

/// The tombstone of a user; `None` if there is none.
pub(crate) async fn read_tombstone(deletions: &Deletions, user: &Id) -> Result<Option<StoredTombstone>, DeletionError> {
    deletion_object(deletions, &deletions.0.store.namespace().deletion(user)?, user).await
}

/// The receipt of the last finished deletion of a user; `None` if there is none.
///
/// # Errors
/// `object_damaged` if it is damaged; the store's.
pub(crate) async fn read_receipt(deletions: &Deletions, user: &Id) -> Result<Option<StoredTombstone>, DeletionError> {
    deletion_object(deletions, &deletions.0.store.namespace().receipt(user)?, user).await
}

async fn deletion_object(
    deletions: &Deletions,
    key: &ObjectKey,
    user: &Id,
) -> Result<Option<StoredTombstone>, DeletionError> {
    let options = GetOptions::range(0..DELETION_BYTES + 1).with_keep(CachePolicy::Not);
    let object = match deletions.0.store.store().get(key, options).await {
        Ok(object) => object,
        Err(StoreError::NotFound) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let damaged = |why: &str| {
        let message = format!(
            "the object {key}, which says that user {user} is deleted, is damaged ({why}): an operator deletes it, \
             and asks for the deletion again"
        );
        DeletionError::Damaged(Error::new(Code::ObjectDamaged, message))
    };
    if !object.is_whole() {
        return Err(damaged("it is too large"));
    }
    let Format { format } = json::from_slice(&object.bytes).map_err(|fault| damaged(&fault.to_string()))?;
    if format > FORMAT {
        let message =
            format!("the deletion of user {user} was written by a newer version of skillmount: update this service");
        return Err(DeletionError::Damaged(Error::new(Code::ObjectDamaged, message)));
    }
    let tombstone: Tombstone = json::from_slice(&object.bytes).map_err(|fault| damaged(&fault.to_string()))?;
    if tombstone.deletion.user_id != *user {
        return Err(damaged("it is of another user"));
    }
    Ok(Some(StoredTombstone { tombstone, base: ExpectedVersion::version(&object.meta) }))
}

/// Puts the tombstone in the place of the version in `stored`. Returns false if another version is there by now.
pub(crate) async fn put_tombstone(deletions: &Deletions, user: &Id, stored: &mut StoredTombstone) -> Result<bool> {
    let key = deletions.0.store.namespace().deletion(user)?;
    let bytes = Bytes::from(serde_json::to_vec(&stored.tombstone).map_err(Error::internal)?);
    match deletions.0.store.committer().commit(&key, bytes, &stored.base).await {
        Ok(commit) => {
            let Some(etag) = commit.etag else { return Ok(false) };
            stored.base = ExpectedVersion::Version(etag, commit.metadata);
            Ok(true)
        }
        Err(StoreError::PreconditionFailed | StoreError::NotFound) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(seconds).unwrap()
    }

    #[test]
    fn two_sweeps_a_minute_apart_end_a_deletion_and_one_process_does_each() {
        let user = Id::parse("u1").unwrap();
        let mut tombstone = Tombstone::new(&user, None, at(0));
        assert_eq!(tombstone.step("one", at(0), false), DeletionStep::Sweep);
        tombstone.claim("one", at(0));
        assert_eq!(tombstone.step("two", at(59), false), DeletionStep::Held);
        assert_eq!(tombstone.step("two", at(60), false), DeletionStep::Sweep, "nobody noted that it goes on");
        tombstone.claim("two", at(60));
        assert_eq!(tombstone.deletion.sweeps[0].interrupted, 1);
        let mut early = Tombstone::new(&user, None, at(0));
        early.claim("one", at(0));
        early.end_sweep(at(1));
        assert_eq!(early.step("two", at(59), false), DeletionStep::Wait(at(60)));
        assert_eq!(early.step("two", at(59), true), DeletionStep::Sweep);
        assert_eq!(early.step("two", at(60), false), DeletionStep::Sweep);
        early.claim("two", at(60));
        assert!(!early.is_finished());
        early.end_sweep(at(61));
        assert_eq!((early.step("one", at(61), false), early.deletion.sweeps.len()), (DeletionStep::Retire, 2));
    }

    #[test]
    fn a_tombstone_in_the_bucket_looks_like_this() {
        let tombstone = Tombstone::new(&Id::parse("u1").unwrap(), Some("k".to_owned()), Timestamp::UNIX_EPOCH);
        let written = serde_json::to_string(&tombstone).unwrap();
        assert_eq!(
            written,
            r#"{"format":1,"deletion":{"user_id":"u1","state":"deleting","requested_at":"1970-01-01T00:00:00Z","requested_by":"k","second_sweep_at":"1970-01-01T00:01:00Z","sweeps":[],"finished_at":null}}"#
        );
        let later = written.replace("\"sweeps\"", "\"later\":1,\"sweeps\"");
        assert_eq!(serde_json::from_str::<Tombstone>(&later).unwrap().deletion, tombstone.deletion);
    }
}
