//! The notes of hooks in a session: it was given the listing of skills, or its host dropped the instructions of loaded skills.

use super::{
    author::{Action, author_of_call},
    call::Context,
};
use crate::{
    error::Result,
    session::{Change, Session},
};

/// A note of a hook in a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookNote {
    /// The session was given the listing of skills.
    ListingGiven,
    /// The host dropped the instructions of all loaded skills from the conversation.
    InstructionsDropped,
}

impl HookNote {
    /// The subject of the note's record.
    const fn subject(self) -> &'static str {
        match self {
            Self::ListingGiven => "listing",
            Self::InstructionsDropped => "instructions",
        }
    }

    /// Whether `session` has the note.
    fn is_in(self, session: &Session) -> bool {
        match self {
            Self::ListingGiven => session.listing_given,
            Self::InstructionsDropped => {
                session.loaded_skills.iter().all(|loaded| session.dropped_instructions.contains(&loaded.skill))
            }
        }
    }

    fn write(self, session: &mut Session) {
        match self {
            Self::ListingGiven => session.listing_given = true,
            Self::InstructionsDropped => {
                session.dropped_instructions =
                    session.loaded_skills.iter().map(|loaded| loaded.skill.clone()).collect();
            }
        }
    }
}

/// Keeps `note` in the session. Returns false if the session has that note already. The observer receives the note as a change
/// of the session, or as its creation if there was none.
///
/// # Errors
/// As [`Context::session`]; `read_only` if nothing can be written; the store's; `store_unavailable` with `parts` if the
/// note was made and could not be recorded.
pub(crate) async fn record_hook(context: &Context, note: HookNote) -> Result<bool> {
    let session = context.session().await?;
    if note.is_in(&session) {
        return Ok(false);
    }
    let (action, subject) =
        if session.version == 0 { (Action::CreateSession, "") } else { (Action::ChangeSession, note.subject()) };
    author_of_call(context).perform((action, subject), write(context, note)).await
}

async fn write(context: &Context, note: HookNote) -> Result<bool> {
    let noted = context.change(|session| {
        if note.is_in(session) {
            return Ok(Change::None(false));
        }
        note.write(session);
        Ok(Change::Save(true))
    });
    Ok(noted.await?.1)
}
