//! What the changes of skills share in one process, and what one has done so far. `parts` makes them.

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

/// What the changes of skills share in one process.
#[derive(Debug)]
pub(crate) struct SkillChanges {
    /// The changes of one skill take turns.
    pub(crate) lanes: KeyedLocks,
    /// The last call on each file of a session whose second part failed. The session may have changed although the answer
    /// never came, and then only this tells a repeated call from a new one.
    pub(crate) unfinished: Cache<(ObjectKey, VirtualPath), UnfinishedChange>,
}

/// A call whose second part failed.
#[derive(Clone, Debug)]
pub(crate) enum UnfinishedChange {
    /// What it asked for, and the version it began from.
    Write { asked: String, from: Option<ETag> },
    /// How many files it deleted.
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
    /// What the call counts: occurrences that an edit replaced.
    pub(crate) count: u64,
    /// Whether an earlier call, the same as this one, put it there.
    pub(crate) is_earlier: bool,
    /// The version that it replaced, if it was seen.
    pub(crate) before: Option<ETag>,
    /// SHA-256 of the content, if somebody keeps account of it.
    pub(crate) after: Option<String>,
}

/// The error if others keep changing what a call stands on.
pub(crate) fn contested() -> Error {
    let message = "others kept changing the session at the same time; make the same call again";
    Error::new(Code::EditConflict, message).with_outcome(Outcome::NotApplied)
}
