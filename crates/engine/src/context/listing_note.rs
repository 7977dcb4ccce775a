//! A session's note that it was given the listing of skills. So it is given the listing once.

use super::{
    author::{Action, author_of_call},
    call::Context,
};
use crate::{error::Result, session::Change};

/// The subject of the note's record.
const LISTING: &str = "listing";

/// Notes in the session that it was given the listing of skills. Returns false if the session has that note already.
/// The observer receives the note as a change of the session, or as its creation if there was none.
///
/// # Errors
/// As [`Context::session`]; `read_only` if nothing can be written; the store's; `store_unavailable` with `parts` if the
/// note was made and could not be recorded.
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
