//! The document of a session for callers: shown, listed and fetched. It omits the parts that only operations of the
//! session need.

use super::{LoadedSkill, Session};
use crate::wire::{LoadedSummary, SessionSummary};

impl From<&Session> for SessionSummary {
    fn from(session: &Session) -> Self {
        Self {
            session_id: session.session_id.clone(),
            user_id: session.user_id.clone(),
            vars: session.vars.clone(),
            policy: session.policy.clone(),
            unknown_tools: session.policy.unknown_tools().map(str::to_owned).collect(),
            unmatched_rules: Vec::new(),
            unchanged: Vec::new(),
            parent: session.parent.clone(),
            workspace_of: session.workspace_of.clone(),
            current_skill: session.current_skill.clone(),
            version: session.version,
            created_at: session.created_at,
            updated_at: session.updated_at,
            expires_at: session.expires_at(),
            loaded_skills: session.loaded_skills.iter().map(LoadedSummary::from).collect(),
        }
    }
}

impl From<&LoadedSkill> for LoadedSummary {
    fn from(loaded: &LoadedSkill) -> Self {
        Self {
            skill: loaded.skill.clone(),
            layer: loaded.layer,
            team: loaded.team.clone(),
            mount: loaded.mount.clone(),
            name: loaded.name.clone(),
            description: loaded.description.clone(),
            digest: loaded.digest.clone(),
            loaded_at: loaded.loaded_at,
        }
    }
}
