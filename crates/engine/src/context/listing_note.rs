//! What a session notes to have been given, so that it is given once.

use super::{
    author::{Action, author_of_call},
    call::Context,
};
use crate::{error::Result, session::Change};

/// What the record of the note is about.
const LISTING: &str = "listing";

/// Notes in the session that it was given the listing of skills. Returns false if that is noted already. The note is reported
/// as the change of a session that it is, or as making one that was not there.
///
/// # Errors
/// As [`Context::session`]; `read_only` if nothing can be written; the store's; `store_unavailable` with `parts` if
/// it was noted and no account could be kept of it.
pub(crate) async fn record_listing(context: &Context) -> Result<bool> {
    let session = context.session().await?;
    if session.listing_given {
        return Ok(false);
    }
    let (action, subject) =
        if session.version == 0 { (Action::CreateSession, "") } else { (Action::ChangeSession, LISTING) };
    author_of_call(context).perform((action, subject), record_listing_given(context)).await
}

async fn record_listing_given(context: &Context) -> Result<bool> {
    let noted = context.change(|session| {
        if session.listing_given {
            return Ok(Change::None(false));
        }
        session.listing_given = true;
        Ok(Change::Save(true))
    });
    Ok(noted.await?.1)
}
