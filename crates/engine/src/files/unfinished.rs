//! The state that changes of skills share in one process, and the part of a change that is done. `two_part_change` uses
//! both.

use moka::sync::Cache;

use crate::{
    error::{Code, Error, Outcome},
    path::{ETag, ObjectKey, VirtualPath},
    session::KeyedLocks,
    store::Commit,
};

/// Calls whose second part failed that a process remembers.
const UNFINISHED: u64 = 10_000;
/// How often a call begins again because the session turns out to be another than the one it knew.
pub(crate) const ATTEMPTS: usize = 4;

/// The state that changes of skills share in one process.
#[derive(Debug)]
pub(crate) struct SkillChanges {
    /// The changes of one skill take turns.
    pub(crate) lanes: KeyedLocks,
    /// The last call on each file of a session whose second part failed. The session may have changed although the
    /// answer never came. Then only this entry distinguishes a repeated call from a new one.
    pub(crate) unfinished: Cache<(ObjectKey, VirtualPath), UnfinishedChange>,
}

/// A call whose second part failed.
#[derive(Clone, Debug)]
pub(crate) enum UnfinishedChange {
    /// The digest of the request, and the version that the call began from.
    Write { asked: String, from: Option<ETag> },
    /// How many files the call deleted.
    Delete(u64),
}

impl Default for SkillChanges {
    fn default() -> Self {
        Self { lanes: KeyedLocks::default(), unfinished: Cache::new(UNFINISHED) }
    }
}

/// The first part of a change, once it is in the store.
#[derive(Clone, Debug)]
pub(crate) struct FirstPartWritten {
    pub(crate) commit: Commit,
    pub(crate) size: u64,
    /// The count of the call: occurrences that an edit replaced.
    pub(crate) count: u64,
    /// Whether an earlier, equal call put it there.
    pub(crate) is_earlier: bool,
    /// The version before the write, if it was seen.
    pub(crate) before: Option<ETag>,
    /// SHA-256 of the content, if an observer keeps records.
    pub(crate) after: Option<String>,
}

/// The error if others keep changing what a call stands on.
pub(crate) fn contested() -> Error {
    let message = "others kept changing the session at the same time; make the same call again";
    Error::new(Code::EditConflict, message).with_outcome(Outcome::NotApplied)
}
