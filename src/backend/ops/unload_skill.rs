//! Hiding a loaded skill again.

use crate::{
    backend::{SessionBackend, SessionState, lookup::loaded_by_name, observer::SkillUse},
    error::Result,
    session::Change,
    wire::{Operation, UnloadSkillReply, UnloadSkillRequest, UnloadStatus},
};

pub(in crate::backend) async fn unload_skill(
    backend: &SessionBackend,
    request: UnloadSkillRequest,
) -> Result<UnloadSkillReply> {
    let SessionState { session, policy } = backend.approved(&request).await?.admit(Operation::UnloadSkill).await?;
    backend.shared.sessions.check_writable()?;
    let name = request.skill;
    if loaded_by_name(&session, &name).is_none() {
        return Ok(UnloadSkillReply { status: UnloadStatus::NotLoaded, skill: name });
    }
    let update = backend.shared.sessions.update(backend.user(), &backend.session, |session| {
        let Some(found) = loaded_by_name(session, &name).cloned() else {
            return Ok(Change::None(None));
        };
        session.loaded_skills.retain(|loaded| loaded.skill != found.skill);
        if session.current_skill.as_ref() == Some(&found.skill) {
            session.current_skill = session.loaded_skills.last().map(|loaded| loaded.skill.clone());
        }
        Ok(Change::Save(Some(found)))
    });
    match update.await?.1 {
        Some(found) => {
            backend.note_skill(|| SkillUse::from_loaded(&found, "unloaded"));
            let skill = if backend.may_name(&found, &policy)? { found.skill.to_string() } else { name };
            Ok(UnloadSkillReply { status: UnloadStatus::Unloaded, skill })
        }
        None => Ok(UnloadSkillReply { status: UnloadStatus::NotLoaded, skill: name }),
    }
}
