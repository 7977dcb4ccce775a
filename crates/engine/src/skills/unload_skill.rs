//! Hiding a loaded skill again.

use super::lookup::loaded_by_name;
use crate::{
    context::{CallInput, OperationSpan, record_skill},
    error::Result,
    files::Files,
    observer::SkillUse,
    session::Change,
    wire::{UnloadSkillReply, UnloadSkillRequest, UnloadStatus},
};

pub(crate) async fn unload_skill(
    _: &Files,
    span: &OperationSpan,
    request: UnloadSkillRequest,
) -> Result<UnloadSkillReply> {
    let (context, admission) = (span.context(), span.check().await?.admit(CallInput::from_request(&request)).await?);
    let name = request.skill;
    let Some(found) = loaded_by_name(admission.session(), &name).map(|loaded| loaded.skill.clone()) else {
        return Ok(UnloadSkillReply { status: UnloadStatus::NotLoaded, skill: name });
    };
    let update = context.change(|session| {
        let Some(found) = session.loaded(&found).cloned() else {
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
            record_skill(context, || SkillUse::from_loaded(&found, "unloaded"));
            Ok(UnloadSkillReply { status: UnloadStatus::Unloaded, skill: found.skill.to_string() })
        }
        None => Ok(UnloadSkillReply { status: UnloadStatus::NotLoaded, skill: name }),
    }
}
