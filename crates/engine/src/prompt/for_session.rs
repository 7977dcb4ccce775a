//! The prompt of a session: gathers what [`render`] depends on.

use super::{CurrentSkill, PromptInput, render};
use crate::{
    budget::WorkBudget,
    context::SessionState,
    error::Result,
    handle::SessionBackend,
    session::Session,
    skills::with_drafts,
    wire::{PromptMode, PromptRequest, Rendering},
};

/// Rough size of a skill in a listing.
const ENTRY_BYTES: usize = 256;
/// Steps for each byte of a prompt: most go into counting its tokens.
const STEPS_PER_BYTE: u64 = 16;

/// The prompt of the session behind `backend`, as it is now.
///
/// # Errors
/// The store's; `skill_changed` where the current skill's instructions are needed and the version loaded is gone.
pub async fn for_session(backend: &SessionBackend, request: &PromptRequest) -> Result<Rendering> {
    let (SessionState { session, policy, .. }, view) =
        tokio::try_join!(backend.ranked_state(), backend.catalog(false))?;
    let view = with_drafts(&view, &session);
    let mode = request.mode.unwrap_or(policy.session().prompt_mode);
    let shows_body = matches!(mode, PromptMode::TwoState | PromptMode::Combined);
    let current = if shows_body { current(backend, &session).await? } else { None };
    let bytes = current.as_ref().map_or(0, |current| current.body.len()) + ENTRY_BYTES * view.entries.len();
    let request = request.clone();
    let job = move |_: &WorkBudget| {
        let scene = PromptInput { view: &view, session: &session, policy: &policy, current: current.as_ref() };
        Ok(render(&scene, &request))
    };
    backend.errand().run_sized(STEPS_PER_BYTE * bytes as u64, job).await
}

async fn current(backend: &SessionBackend, session: &Session) -> Result<Option<CurrentSkill>> {
    let Some(loaded) = session.current_skill.as_ref().and_then(|skill| session.loaded(skill)) else {
        return Ok(None);
    };
    let Some(body) = backend.skills().render_loaded(loaded).await? else { return Ok(None) };
    Ok(Some(CurrentSkill { skill: loaded.skill.clone(), name: loaded.name.clone(), mount: loaded.mount.clone(), body }))
}
