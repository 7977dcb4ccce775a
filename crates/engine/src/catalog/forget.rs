//! Users who are deleted.

use super::Catalogs;
use crate::path::Id;

impl Catalogs {
    /// Drops what is in memory of a user who is deleted, so that who has the id next is not shown the skills of the last.
    pub fn forget(&self, user: &Id) {
        self.kept.forget(user);
    }
}
