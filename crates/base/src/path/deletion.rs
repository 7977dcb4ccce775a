//! Where deletions of users lie: outside the part of the bucket that is deleted.

use super::{Id, KeyPrefix, Namespace, ObjectKey};
use crate::error::Result;

impl Namespace {
    /// `_deleted/`: one object for each user who is being deleted, and `.receipts/`.
    ///
    /// # Errors
    /// As [`user`](Self::user), here and below.
    pub fn deletions(&self) -> Result<KeyPrefix> {
        self.prefix().folder("_deleted")
    }

    /// `_deleted/{user}`: the tombstone of a user who is being deleted.
    ///
    /// # Errors
    /// As [`user`](Self::user).
    pub fn deletion(&self, user: &Id) -> Result<ObjectKey> {
        self.prefix().key(&format!("_deleted/{user}"))
    }

    /// `_deleted/.receipts/{user}`: the receipt of the last finished deletion of a user.
    ///
    /// # Errors
    /// As [`user`](Self::user).
    pub fn receipt(&self, user: &Id) -> Result<ObjectKey> {
        self.prefix().key(&format!("_deleted/.receipts/{user}"))
    }
}
