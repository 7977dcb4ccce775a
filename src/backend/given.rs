//! What a session notes to have been given, so that it is given once.

use super::SkillBackend;
use crate::{error::Result, session::Change};

impl SkillBackend {
    /// Notes in the session that it was given the listing of skills. Returns false if that is noted already.
    ///
    /// # Errors
    /// As [`session`](Self::session); `read_only` if nothing can be written; the store's.
    pub async fn note_listing(&self) -> Result<bool> {
        // Asked first, because this is where a bound caller meets its bounds.
        if self.session().await?.listing_given {
            return Ok(false);
        }
        let update = self.shared.sessions.update(self.user(), &self.session, |session| {
            if session.listing_given {
                return Ok(Change::None(false));
            }
            session.listing_given = true;
            Ok(Change::Save(true))
        });
        Ok(update.await?.1)
    }
}
