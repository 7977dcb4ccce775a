//! The prompt of one session: gathers what [`render`] is a function of.

use std::collections::BTreeMap;

use super::{CurrentSkill, PromptRequest, Rendering, Scene, render};
use crate::{backend::SkillBackend, error::Result, session::Session};

/// Renders the prompt of a session as it is now.
///
/// # Errors
/// `skill_changed` where the instructions of the current skill are gone from the store; the store's.
pub async fn for_session(backend: &SkillBackend, request: PromptRequest) -> Result<Rendering> {
    let (session, policy, view) = tokio::try_join!(backend.session(), backend.policy(), backend.catalog(false))?;
    let current = current_skill(backend, &session).await?;
    let scene =
        Scene { view: &view, session: &session, policy: &policy, current: current.as_ref(), ranks: &BTreeMap::new() };
    Ok(render(&scene, &request))
}

/// The session's current skill with its instructions, from the snapshot it was loaded with.
async fn current_skill(backend: &SkillBackend, session: &Session) -> Result<Option<CurrentSkill>> {
    let Some(loaded) = session.current_skill.as_ref().and_then(|skill| session.loaded(skill)) else { return Ok(None) };
    let document = backend.loaded_document(loaded).await?;
    Ok(Some(CurrentSkill {
        skill: loaded.skill.clone(),
        name: loaded.name.clone(),
        mount: loaded.mount.clone(),
        body: document.body,
    }))
}
