//! Making sessions, with the skills that they begin with.

use std::{collections::BTreeMap, sync::Arc};

use super::load_skill::{find_preloads, mount_in};
use crate::{
    context::{Action, Author, Caller, Context, Core},
    error::{Error, Result},
    files::record_load,
    observer::Effects,
    path::Id,
    session::{CreatedSession, Session, preview_session},
    store::ListOptions,
    wire::{CreateSession, Preload, SessionVersion},
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
    let is_inherited = wanted.policy.is_none();
    let preloads = if has_none { None } else { Some(find_preloads(&context, &draft, is_inherited).await?) };
    let furnish = |state: &mut Session| match &preloads {
        None => Ok(()),
        Some((skills, policy)) => {
            skills.iter().try_for_each(|skill| match mount_in(&context, state, skill, policy, None, None) {
                // The service chose this skill from the records. If it cannot be loaded, the session begins without it.
                Err(_) if draft.policy.preload == Preload::Auto => Ok(()),
                mounted => mounted.map(drop),
            })
        }
    };
    let created = core.sessions().create_with(caller.user(), session, wanted, furnish).await?;
    for fetched in preloads.iter().flat_map(|(skills, _)| skills) {
        if let Some(loaded) = created.session.loaded(&fetched.skill).filter(|_| created.is_new) {
            record_load(&context, loaded, &fetched.snapshot).await;
        }
    }
    Ok(created)
}

/// Creates the parent of a session if the parent has files but no session object yet. The call is reported as any creation of a
/// session.
///
/// # Errors
/// The store's; `store_unavailable` with `parts` if the parent was made and no account could be kept of it.
async fn begin_parent(core: &Arc<Core>, caller: &Arc<Caller>, wanted: &CreateSession) -> Result<()> {
    let user = caller.user();
    let Some(parent) = &wanted.parent else { return Ok(()) };
    let is_there = core.sessions().get(user, parent, &SessionVersion::default()).await?.version > 0;
    if !is_there && !has_no_files(core, user, parent).await? {
        let work = core.sessions().create(user, parent, CreateSession::default());
        let entry = Author::new(Arc::clone(core), Arc::clone(caller)).in_session(parent.clone());
        entry.perform_with((Action::CreateSession, ""), Effects::of_session, work).await?;
    }
    Ok(())
}

/// Returns true if no object lies in the workspace and ticket folders that the id alone chooses.
pub(super) async fn has_no_files(core: &Arc<Core>, user: &Id, session: &Id) -> Result<bool> {
    let (space, vars) = (core.namespace().user(user)?, BTreeMap::new());
    for template in [core.templates().workspace(), core.templates().ticket()] {
        if !template.has_variable() {
            continue;
        }
        let first = ListOptions { max_entries: Some(1), ..ListOptions::default() };
        let found = core.store().list(&template.prefix(&space, session, &vars)?, first).await?;
        if !found.objects.is_empty() {
            return Ok(false);
        }
    }
    Ok(true)
}
