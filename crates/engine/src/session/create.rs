//! The first state of a session: each is written once, complete.

use std::sync::Arc;

use super::{Session, Sessions, vars::check_vars};
use crate::{
    error::Result,
    path::Id,
    wire::{ChildRights, CreateSession, Policy, SessionVersion},
};

/// A session that was asked for.
#[derive(Clone, Debug)]
pub struct CreatedSession {
    /// The session as it is now.
    pub session: Arc<Session>,
    /// True if the call created it, and false if it existed.
    pub is_new: bool,
    /// The members of the request that differ from a session that existed. They change nothing.
    pub unchanged: Vec<String>,
}

/// Fetches the ranks of a new session, so that the change that creates the session does not wait for them.
pub async fn prefetch_ranks(sessions: &Sessions, session: &Session) {
    if session.version == 0 {
        sessions.usage.ranks(&session.user_id).await;
    }
}

/// The present session, or the session that [`Sessions::create`] would create. Writes nothing.
///
/// # Errors
/// As [`Sessions::create`].
pub async fn preview_session(
    sessions: &Sessions,
    user: &Id,
    session: &Id,
    wanted: &CreateSession,
) -> Result<Arc<Session>> {
    let parent = check_wanted(sessions, user, wanted).await?;
    let mut preview = sessions.get(user, session, &SessionVersion::default()).await?;
    if preview.version == 0 {
        begin(Arc::make_mut(&mut preview), parent.as_ref(), wanted);
    }
    Ok(preview)
}

/// Checks the first state of a new session. Returns the parent; `None` for a session without a parent.
pub(super) async fn check_wanted(sessions: &Sessions, user: &Id, wanted: &CreateSession) -> Result<Option<Parent>> {
    check_vars(&sessions.templates, &wanted.vars)?;
    if let Some(policy) = &wanted.policy {
        policy.check()?;
    }
    let Some(parent) = &wanted.parent else { return Ok(None) };
    let none = SessionVersion::default();
    let (session, policy) = tokio::try_join!(sessions.existing(user, parent, &none), sessions.user_policy(user))?;
    Ok(Some(Parent { children: session.policy.under(&policy).children(), session }))
}

/// The session that another one is made from.
pub(super) struct Parent {
    session: Arc<Session>,
    /// The rights of sessions made from the parent.
    children: ChildRights,
}

/// The members of a request that differ from a session that exists: `policy`, `vars` and `parent`.
pub(super) fn differing(session: &Session, wanted: &CreateSession) -> Vec<String> {
    let is_as_wanted = |policy: &Policy| {
        let mut policy = policy.clone();
        // A fork was made with the rights that its parent gave.
        session.given.iter().for_each(|given| policy.restrict(*given));
        policy == session.policy
    };
    let differs = [
        ("policy", wanted.policy.as_ref().is_some_and(|policy| !is_as_wanted(policy))),
        ("vars", wanted.vars.iter().any(|(name, value)| session.vars.get(name) != Some(value))),
        ("parent", wanted.parent.is_some() && wanted.parent != session.parent),
    ];
    differs.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name.to_owned()).collect()
}

/// Gives a new session its first state.
pub(super) fn begin(state: &mut Session, parent: Option<&Parent>, wanted: &CreateSession) {
    if let Some(Parent { session: parent, .. }) = parent {
        state.vars.clone_from(&parent.vars);
        state.policy.clone_from(&parent.policy);
        state.loaded_skills.clone_from(&parent.loaded_skills);
        state.current_skill.clone_from(&parent.current_skill);
        state.ranks.clone_from(&parent.ranks);
        state.used.clone_from(&parent.used);
        state.has_found = parent.has_found;
        state.parent = Some(parent.session_id.clone());
        state.workspace_of = Some(parent.files_id().clone());
    }
    state.vars.extend(wanted.vars.clone());
    if let Some(policy) = &wanted.policy {
        state.policy.clone_from(policy);
    }
    if let Some(Parent { children, .. }) = parent {
        state.policy.restrict(*children);
        state.given = Some(*children);
    }
}
