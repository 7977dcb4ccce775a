//! Creating sessions for callers whose keys are bound to sessions or variables.
//!
//! Files outlive sessions. If no variable and no parent says otherwise, a session's id chooses its files. A bound caller may
//! therefore create a session under an id that its key does not name only if no files lie there. A fork takes each variable that
//! neither the key nor the request sets from its parent. A parent that has only files yet is created first.

use std::{collections::BTreeMap, sync::Arc};

use super::begin_session::{create_session, has_no_files};
use crate::{
    access::{SessionScope, out_of_reach},
    context::{Caller, Core},
    error::{Code, Error, Outcome, Result},
    limits::FORK_DEPTH,
    path::Id,
    session::{CreatedSession, Session, SessionLineage, is_session_within},
    wire::{CreateSession, SessionVersion},
};

/// As [`create_session`], for a caller whose key may be bound. `is_taken` is true if
/// any key is bound to the id `session`.
///
/// # Errors
/// `denied` if the session or its parent lies outside the reach of the key, or if the parent has as many ancestors as a fork may
/// have. `denied` also if the key does not name a new id and another key is bound to it or files already lie there. Otherwise as
/// [`create_session`].
pub(crate) async fn create_session_within(
    core: &Arc<Core>,
    caller: &Arc<Caller>,
    session: &Id,
    mut wanted: CreateSession,
    is_taken: bool,
) -> Result<CreatedSession> {
    let reach = caller.sessions();
    if !reach.is_bound() {
        return create_session(core, caller, session, wanted).await;
    }
    check_within(core, reach, caller.user(), session, &mut wanted, is_taken).await.map_err(Error::of_change)?;
    let created = create_session(core, caller, session, wanted).await?;
    // Another caller may have created the session since the checks above.
    if is_session_within(core.sessions(), &*created.session, reach).await? {
        Ok(created)
    } else {
        let outcome = if created.is_new { Outcome::Applied } else { Outcome::NotApplied };
        Err(out_of_reach().with_outcome(outcome))
    }
}

/// Checks that the session will lie within `reach`, and gives `wanted` the variables that make it do so.
async fn check_within(
    core: &Arc<Core>,
    reach: &SessionScope,
    user: &Id,
    session: &Id,
    wanted: &mut CreateSession,
    is_taken: bool,
) -> Result<()> {
    let sessions = core.sessions();
    let parent = match &wanted.parent {
        None => None,
        Some(parent) => Some(sessions.get(user, parent, &SessionVersion::default()).await?),
    };
    if let Some(parent) = &parent
        && !is_session_within(sessions, &**parent, reach).await?
    {
        return Err(out_of_reach());
    }
    wanted.vars.extend(reach.vars().clone());
    if reach.names(session) {
        return Ok(());
    }
    match &parent {
        // A key bound only to variables may create sessions under any free id.
        None if reach.sessions().is_empty() => {}
        None => return Err(out_of_reach()),
        Some(parent) => {
            inherit(core, &mut wanted.vars, parent);
            if !is_session_within(sessions, SessionLineage::of_fork(parent, session, &wanted.vars), reach).await? {
                return Err(too_deep(parent));
            }
        }
    }
    let is_new = sessions.get(user, session, &SessionVersion::default()).await?.version == 0;
    if is_new && (is_taken || !has_no_files(core, user, session).await?) {
        return Err(out_of_reach());
    }
    Ok(())
}

/// Adds each variable that `vars` lacks, with the parent's value. If the parent has no value, uses the id that chooses
/// the parent's files.
fn inherit(core: &Arc<Core>, vars: &mut BTreeMap<String, Id>, parent: &Session) {
    for name in core.templates().variables() {
        let value = parent.vars.get(name).unwrap_or(parent.files_id());
        vars.entry(name.to_owned()).or_insert_with(|| value.clone());
    }
}

/// The error of a fork that its own creator could not use.
fn too_deep(parent: &Session) -> Error {
    let message = format!(
        "{} is {FORK_DEPTH} forks away from the session that this API key is bound to, and the key would not reach a fork of it; make the fork from one of its ancestors",
        parent.session_id
    );
    Error::new(Code::Denied, message)
}
