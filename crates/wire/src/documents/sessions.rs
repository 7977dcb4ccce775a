//! Sessions as callers see them, and what callers ask to be made, changed and listed.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use utoipa::{IntoParams, ToSchema};

use crate::Policy;
use skillmount_base::path::{Id, Layer, MountName, SkillPath};

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
    /// What it may do. Only a key of scope `control` is shown rules that name skills.
    pub policy: Policy,
    /// Tools that the policy has rules for and that this version does not know; they change nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknown_tools: Vec<String>,
    /// In the answer to a change of the policy: rules for skills, and skills for sub-agents, that match no skill of the catalog;
    /// they change nothing now.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unmatched_rules: Vec<String>,
    /// In the answer to a creation of a session that exists: the members of the request that differ from the session and
    /// change nothing, of `policy`, `vars` and `parent`. `PATCH` changes policy and variables.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unchanged: Vec<String>,
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
    /// The session whose `/workspace` and `/ticket` it has: another, or itself.
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

/// The folder of a mount, as an agent names it.
fn as_folder<S: Serializer>(mount: &MountName, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("/skills/{mount}"))
}

fn from_folder<'de, D: Deserializer<'de>>(deserializer: D) -> Result<MountName, D::Error> {
    let folder = String::deserialize(deserializer)?;
    let name = folder.strip_prefix("/skills/").unwrap_or(&folder);
    MountName::parse(name).map_err(D::Error::custom)
}

/// Which sessions to list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct SessionListRequest {
    /// Sessions of one page, 1 to 1,000; a page of large ones ends sooner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// `next_cursor` of the page before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// One page of sessions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = SessionList)]
pub struct SessionPage {
    /// In byte order of their ids, as keys of the store have them.
    pub sessions: Vec<SessionSummary>,
    /// Sessions of the page with a damaged object. `DELETE` removes one.
    pub damaged: Vec<DamagedSession>,
    /// Give this back to get the next page; null on the last one.
    pub next_cursor: Option<String>,
}

/// A session whose object cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DamagedSession {
    /// Its id.
    #[schema(value_type = String)]
    pub session_id: Id,
    /// What the caller can do about it.
    pub message: String,
}

/// What a new session begins with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = CreateSessionRequest)]
pub struct CreateSession {
    /// Values for the mount templates. A key of scope `control` sets any, and an agent's key sets the values that the templates
    /// leave to agents.
    #[serde(default)]
    #[schema(value_type = BTreeMap<String, String>)]
    pub vars: BTreeMap<String, Id>,
    /// What it may do; needs a key of scope `control`.
    pub policy: Option<Policy>,
    /// A session of the same user whose loaded skills, variables and policy it starts from, and whose `/workspace` and
    /// `/ticket` it shares. What that session's policy withholds in `children`, it may not do.
    #[schema(value_type = Option<String>)]
    pub parent: Option<Id>,
}

/// What to change of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ChangeSessionRequest)]
pub struct ChangeSession {
    /// The new policy, whole; needs a key of scope `control`. Approvals that were given for the whole session end with the old one.
    /// What was withheld from a session when it was made from another one stays withheld.
    pub policy: Option<Policy>,
    /// Variables to set. A key of scope `control` sets any, and an agent's key sets the variables that the templates leave to
    /// agents.
    #[schema(value_type = Option<BTreeMap<String, String>>)]
    pub vars: Option<BTreeMap<String, Id>>,
    /// `null`: no skill is current any more. A skill becomes current by loading it.
    #[serde(
        default,
        rename = "current_skill",
        deserialize_with = "only_null",
        serialize_with = "null",
        skip_serializing_if = "std::ops::Not::not"
    )]
    #[schema(value_type = Option<String>)]
    pub clear_current_skill: bool,
}

/// Takes `null` and nothing else.
fn only_null<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    match Option::<serde::de::IgnoredAny>::deserialize(deserializer)? {
        None => Ok(true),
        Some(_) => Err(serde::de::Error::custom(
            "current_skill can be set to null alone; load a skill to make it the current one",
        )),
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes what it writes by reference")]
fn null<S: Serializer>(_: &bool, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_unit()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_reads_back_as_it_was_written_and_the_current_skill_takes_null_alone() {
        for clear_current_skill in [false, true] {
            let change = ChangeSession { clear_current_skill, ..ChangeSession::default() };
            let text = serde_json::to_string(&change).unwrap();
            assert_eq!(serde_json::from_str::<ChangeSession>(&text).unwrap(), change, "{text}");
        }
        assert!(serde_json::from_str::<ChangeSession>(r#"{"current_skill": "a"}"#).is_err());
    }
}

/// The result of removing a user's idle sessions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = SessionGcReply)]
pub struct ExpiryReport {
    /// Sessions that were removed.
    pub removed: u64,
    /// Sessions that cannot be read and were not removed.
    pub damaged: Vec<DamagedSession>,
    /// Sessions that have the tag now, if they were to get it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tagged: Option<u64>,
    /// Why others have none, if so: the store keeps no tags, or does not let them be set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub untagged: Option<String>,
}
