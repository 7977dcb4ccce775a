//! What a session notes to have been given, so that it is given once.

use super::{author::Action, call::Context};
use crate::{error::Result, session::Change};

/// What the record of the note is about.
const LISTING: &str = "listing";

impl Context {
    /// Notes in the session that it was given the listing of skills. Returns false if that is noted already. The note is reported
    /// as the change of a session that it is, or as making one that was not there.
    ///
    /// # Errors
    /// As [`session`](Self::session); `read_only` if nothing can be written; the store's; `store_unavailable` with `parts` if
    /// it was noted and no account could be kept of it.
    pub(crate) async fn note_listing(&self) -> Result<bool> {
        let session = self.session().await?;
        if session.listing_given {
            return Ok(false);
        }
        let (action, subject) =
            if session.version == 0 { (Action::CreateSession, "") } else { (Action::ChangeSession, LISTING) };
        self.author().perform((action, subject), self.note_listing_given()).await
    }

    async fn note_listing_given(&self) -> Result<bool> {
        let noted = self.change(|session| {
            if session.listing_given {
                return Ok(Change::None(false));
            }
            session.listing_given = true;
            Ok(Change::Save(true))
        });
        Ok(noted.await?.1)
    }
}
