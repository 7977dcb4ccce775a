//! A session as it is shown and listed, without the parts that only its own operations need.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::{LoadedSkill, Policy, Session};
use crate::path::{Id, Layer, MountName, SkillPath};

/// A session without its snapshots, discoveries and ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionSummary {
    /// Its id, unique within the user.
    pub session_id: Id,
    /// Its user.
    pub user_id: Id,
    /// Values for the mount templates.
    pub vars: BTreeMap<String, Id>,
    /// Its policy.
    pub policy: Policy,
    /// The session it was forked from.
    pub parent: Option<Id>,
    /// The session whose `/workspace` and `/ticket` it shares.
    pub workspace_of: Option<Id>,
    /// The skill whose instructions the prompt contains.
    pub current_skill: Option<SkillPath>,
    /// The number of changes.
    pub version: u64,
    /// When it began.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// The time at which it expires if it is not used.
    pub expires_at: Timestamp,
    /// Skills in the order they were loaded.
    pub loaded_skills: Vec<LoadedSummary>,
}

/// One loaded skill of a session, without its files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadedSummary {
    /// Its path.
    pub skill: SkillPath,
    /// Its layer.
    pub layer: Layer,
    /// Its team, if it is in a team's layer.
    pub team: Option<Id>,
    /// Its folder below `/skills`.
    pub mount: MountName,
    /// The name in its frontmatter, or its folder's.
    pub name: String,
    /// The description in its frontmatter.
    pub description: String,
    /// The digest of its files at the time of the load.
    pub digest: String,
    /// When it was loaded.
    pub loaded_at: Timestamp,
}

impl SessionSummary {
    /// As [`Session::files_id`].
    #[must_use]
    pub fn files_id(&self) -> &Id {
        self.workspace_of.as_ref().unwrap_or(&self.session_id)
    }

    /// The same summary with only the loaded skills that the reader `sees`.
    #[must_use]
    pub fn naming(mut self, mut sees: impl FnMut(&LoadedSummary) -> bool) -> Self {
        self.loaded_skills.retain(|loaded| sees(loaded));
        let names = |skill: &SkillPath| self.loaded_skills.iter().any(|loaded| loaded.skill == *skill);
        self.current_skill = self.current_skill.take().filter(names);
        self
    }
}

impl From<&Session> for SessionSummary {
    fn from(session: &Session) -> Self {
        Self {
            session_id: session.session_id.clone(),
            user_id: session.user_id.clone(),
            vars: session.vars.clone(),
            policy: session.policy.clone(),
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
