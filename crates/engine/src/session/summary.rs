//! The document of a session for callers: shown, listed and fetched. It omits the parts that only operations of the
//! session need.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use utoipa::ToSchema;

use super::{LoadedSkill, Policy, Session};
use crate::path::{Id, Layer, MountName, SkillPath};

/// One agent conversation, without its snapshots, discoveries and ranks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = Session)]
pub struct SessionSummary {
    /// Its id, unique within the user.
    #[schema(value_type = String)]
    pub session_id: Id,
    /// The user it belongs to.
    #[schema(value_type = String)]
    pub user_id: Id,
    /// Values for the mount templates.
    #[schema(value_type = BTreeMap<String, String>)]
    pub vars: BTreeMap<String, Id>,
    /// What it may do. Only a key of scope `control` is shown rules that hide skills.
    pub policy: Policy,
    /// Tools that the policy has rules for and that this version does not know; they change nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknown_tools: Vec<String>,
    /// The session it was forked from.
    #[schema(value_type = Option<String>)]
    pub parent: Option<Id>,
    /// The session whose `/workspace` and `/ticket` it shares; null if they are its own.
    #[schema(value_type = Option<String>)]
    pub workspace_of: Option<Id>,
    /// The skill whose instructions the prompt holds.
    #[schema(value_type = Option<String>)]
    pub current_skill: Option<SkillPath>,
    /// Counts changes; 0 for a session that was never changed.
    pub version: u64,
    /// When it began.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// When it was last changed.
    #[schema(value_type = String, format = DateTime)]
    pub updated_at: Timestamp,
    /// When it is forgotten if nothing happens in it.
    #[schema(value_type = String, format = DateTime)]
    pub expires_at: Timestamp,
    /// Skills in the order they were loaded.
    pub loaded_skills: Vec<LoadedSummary>,
}

/// One skill a session has loaded, without its files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = LoadedSkill)]
pub struct LoadedSummary {
    /// Where it lies: `escrituras/compraventa`.
    #[schema(value_type = String)]
    pub skill: SkillPath,
    /// Its layer.
    pub layer: Layer,
    /// The team, if it is a team's; it is not part of the document.
    #[serde(skip)]
    pub team: Option<Id>,
    /// Its folder: `/skills/compraventa`.
    #[serde(serialize_with = "as_folder", deserialize_with = "from_folder")]
    #[schema(value_type = String)]
    pub mount: MountName,
    /// The name in its frontmatter, or its folder's.
    pub name: String,
    /// The description in its frontmatter.
    pub description: String,
    /// The digest of the snapshot that is mounted: of its files at the time of the load.
    pub digest: String,
    /// When it was loaded.
    #[schema(value_type = String, format = DateTime)]
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
            unknown_tools: session.policy.unknown_tools().map(str::to_owned).collect(),
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

/// The folder of a mount, as an agent names it.
fn as_folder<S: Serializer>(mount: &MountName, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("/skills/{mount}"))
}

fn from_folder<'de, D: Deserializer<'de>>(deserializer: D) -> Result<MountName, D::Error> {
    let folder = String::deserialize(deserializer)?;
    let name = folder.strip_prefix("/skills/").unwrap_or(&folder);
    MountName::parse(name).map_err(D::Error::custom)
}
