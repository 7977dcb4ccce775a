//! Sessions as they are shown: naming no skill that the reader may not see.
//!
//! A session keeps a skill that a policy has hidden since, and a skill of a team that its caller is not in. Another
//! caller may see the skill, and the policy may change back. Until then the caller reaches neither its files nor its
//! name.

use std::{collections::BTreeSet, sync::Arc};

use super::{call::Context, caller::Caller, core::Core, state::SessionState};
use crate::{
    error::Result,
    limits::PAGE_ENTRIES,
    session::{Session, list_sessions},
    wire::{ChildRights, EffectivePolicy, LoadedSummary, Policy, SessionListRequest, SessionPage, SessionSummary},
};

/// The policy for an agent's key on the routes of the catalog: the user's. A key for forks alone that may load no skills
/// reads the skills that they have loaded.
///
/// # Errors
/// Those of the user's policy and of the sessions.
pub(crate) async fn catalog_policy(core: &Core, caller: &Caller) -> Result<Arc<Policy>> {
    let (sessions, user) = (core.sessions(), caller.user());
    let policy = sessions.user_policy(user).await?;
    let Some(bound) = caller.sessions().single_sessions() else { return Ok(policy) };
    let mut skills = BTreeSet::new();
    for session in bound {
        let session = sessions.get_untouched(user, session, 0).await?;
        match session.rights() {
            Some(ChildRights { load: false, .. }) => skills.extend(session.loaded_paths().cloned()),
            _ => return Ok(policy),
        }
    }
    Ok(Arc::new(policy.limited_to(&skills)))
}

/// The session as it is now, as this caller may see it.
///
/// # Errors
/// As [`Context::session`].
pub(crate) async fn summary(context: &Context) -> Result<SessionSummary> {
    let SessionState { session, policy, .. } = context.state().await?;
    Ok(visible(context, SessionSummary::from(&*session), &policy))
}

/// The session after a change, as this caller may see it. The `user`'s policy is read before the change, so that a
/// change that was made never ends as an error.
#[must_use]
pub(crate) fn summary_of(context: &Context, session: &Session, user: &Policy) -> SessionSummary {
    visible(context, SessionSummary::from(session), &session.policy_under(user))
}

fn visible(context: &Context, summary: SessionSummary, policy: &EffectivePolicy) -> SessionSummary {
    let has_home = |loaded: &LoadedSummary| context.layer(loaded.layer).is_ok_and(|home| home.is_some());
    summary.naming(|loaded| {
        policy.skill(&loaded.skill).is_visible()
            && context.is_in(loaded.layer, loaded.team.as_ref())
            && has_home(loaded)
    })
}

/// A page of the sessions of the user of `caller`, as `caller` may see them.
///
/// # Errors
/// As [`list_sessions`].
pub(crate) async fn visible_sessions(
    core: &Arc<Core>,
    caller: &Arc<Caller>,
    wanted: &SessionListRequest,
) -> Result<SessionPage> {
    let (limit, cursor) = (wanted.limit.unwrap_or(PAGE_ENTRIES), wanted.cursor.as_deref());
    let sessions = core.sessions();
    let (mut page, user) =
        tokio::try_join!(list_sessions(sessions, caller.user(), limit, cursor), sessions.user_policy(caller.user()))?;
    let show = |summary: SessionSummary| {
        let reader = Context::new(Arc::clone(core), Arc::clone(caller), summary.session_id.clone());
        let policy = summary.policy.under(&user);
        visible(&reader, summary, &policy)
    };
    page.sessions = page.sessions.into_iter().map(show).collect();
    Ok(page)
}
