//! The judge of the loaded skills that a caller may see now. Every text about a session is made from the session that it returns.
//!
//! Which other skills a caller may see, the catalog of its audience and [`EffectivePolicy::skill`] decide.

use std::sync::Arc;

use super::call::Context;
use crate::{
    path::MountName,
    session::{LoadedSkill, Session},
    wire::EffectivePolicy,
};

/// Whether this caller may see a loaded skill now. A policy may have hidden the skill since the load, or the caller may be of
/// another team.
pub(crate) fn may_see(context: &Context, loaded: &LoadedSkill, policy: &EffectivePolicy) -> bool {
    policy.skill(&loaded.skill).is_visible() && context.home(loaded).is_ok_and(|home| home.is_some())
}

/// The session with the loaded skills that this caller may see now, and the folders of the others. Every text about a session is
/// made from it.
pub(super) fn visible_session(
    context: &Context,
    session: Arc<Session>,
    policy: &EffectivePolicy,
) -> (Arc<Session>, Vec<MountName>) {
    let is_hidden = |loaded: &&LoadedSkill| !may_see(context, loaded, policy);
    let hidden: Vec<_> = session.loaded_skills.iter().filter(is_hidden).map(|loaded| loaded.mount.clone()).collect();
    if hidden.is_empty() {
        return (session, hidden);
    }
    let mut shown = Session::clone(&session);
    shown.loaded_skills.retain(|loaded| may_see(context, loaded, policy));
    shown.current_skill = shown.current_skill.take().filter(|skill| shown.loaded(skill).is_some());
    (Arc::new(shown), hidden)
}
