//! Making sessions, with the skills that they begin with.

use std::sync::Arc;

use super::{
    bound_session::begin_parent,
    load_skill::{find_preloads, mount_in},
};
use crate::{
    context::{Caller, Context, Core},
    error::{Error, Result},
    files::note_load,
    path::Id,
    session::{CreateSession, CreatedSession, Preload, Session, preview_session},
};

/// Creates a session of the user of `caller`, or returns the existing one. A new session begins with the skills that
/// its policy preloads, if `caller` sees them.
///
/// # Errors
/// As [`Sessions::create`](crate::session::Sessions::create); that of a preload that fails, with the skill's name: then no
/// session is created.
pub(crate) async fn create_session(
    core: &Arc<Core>,
    caller: &Arc<Caller>,
    session: &Id,
    wanted: CreateSession,
) -> Result<CreatedSession> {
    create_for(core, caller, session, wanted).await.map_err(Error::of_change)
}

async fn create_for(
    core: &Arc<Core>,
    caller: &Arc<Caller>,
    session: &Id,
    wanted: CreateSession,
) -> Result<CreatedSession> {
    core.check_writable()?;
    let context = Context::new(Arc::clone(core), Arc::clone(caller), session.clone());
    begin_parent(core, caller, &wanted).await?;
    let draft = preview_session(core.sessions(), caller.user(), session, &wanted).await?;
    // All of them are found before anything is written, and the session is written once, with them in it.
    let has_none = draft.version > 0 || draft.policy.preload.is_empty();
    let preloads = if has_none { None } else { Some(find_preloads(&context, &draft).await?) };
    let furnish = |state: &mut Session| match &preloads {
        None => Ok(()),
        Some((skills, policy)) => {
            skills.iter().try_for_each(|skill| match mount_in(&context, state, skill, policy, None, None) {
                // Nobody named this skill: it is left out, and not the session.
                Err(_) if draft.policy.preload == Preload::Auto => Ok(()),
                mounted => mounted.map(drop),
            })
        }
    };
    let created = core.sessions().create_with(caller.user(), session, wanted, furnish).await?;
    for fetched in preloads.iter().flat_map(|(skills, _)| skills) {
        if let Some(loaded) = created.session.loaded(&fetched.skill).filter(|_| created.is_new) {
            note_load(&context, loaded, &fetched.snapshot).await;
        }
    }
    Ok(created)
}
