//! A session as a value.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::{approvals::Approvals, usage::Ranks};
use crate::{
    json::UnknownMembers,
    limits::{DISCOVERIES, DISCOVERY_QUERY_BYTES, SESSION_IDLE, USED_IN_SESSION},
    path::{Id, Layer, MountName, SkillPath},
    skill::Snapshot,
    wire::{ChildRights, EffectivePolicy, Policy, SessionIncarnation, SessionVersion, stored_policy},
};

/// One loaded skill of a session, with its files at the time of the load.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadedSkill {
    /// Its path.
    pub skill: SkillPath,
    /// Its layer.
    #[serde(default)]
    pub layer: Layer,
    /// Its team, if it is in a team's layer. Only members of the team see the skill.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<Id>,
    /// Its folder below `/skills`.
    pub mount: MountName,
    /// The name in its frontmatter, or its folder's.
    pub name: String,
    /// The description in its frontmatter.
    pub description: String,
    /// The digest of its files at the time of the load.
    pub digest: String,
    /// The digest of the published version that has these files; `None` if no version has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The digest of the draft that has these files; `None` if no draft has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draft: Option<String>,
    /// The arguments of its last load, for the parameters of its body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<String>,
    /// When it was loaded.
    pub loaded_at: Timestamp,
    /// Those files; `None` if they are too many for the session object. Then they are in an object of their own, named
    /// by the digest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<Arc<Snapshot>>,
    /// The members of a newer version.
    #[serde(flatten)]
    pub unknown: UnknownMembers,
}

/// A draft of a skill by a session, with the fields for its prompt and its searches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionDraft {
    /// Its path.
    pub skill: SkillPath,
    /// The name in its frontmatter.
    pub name: String,
    /// The description in its frontmatter.
    pub description: String,
    /// The digest of its files when it was made.
    pub digest: String,
    /// When it was made.
    pub made_at: Timestamp,
    /// The members of a newer version.
    #[serde(flatten)]
    pub unknown: UnknownMembers,
}

/// A question of a session to the catalog, and the answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchRecord {
    /// The question, cut to [`DISCOVERY_QUERY_BYTES`].
    pub query: String,
    /// The skills in the answer, best first.
    pub skills: Vec<SkillPath>,
    /// The number of all matches, those beyond the answer's limit included.
    pub total: usize,
    /// The time of the answer.
    pub at: Timestamp,
    /// The members of a newer version.
    #[serde(flatten)]
    pub unknown: UnknownMembers,
}

/// One agent conversation. It changes only by being replaced whole, under compare-and-swap.
///
/// This is also the format in the bucket. A reader keeps members that a newer replica may have added.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// Its id, unique within the user.
    pub session_id: Id,
    /// Its user.
    pub user_id: Id,
    /// Values for the mount templates.
    #[serde(default)]
    pub vars: BTreeMap<String, Id>,
    /// Its policy. The user's policy holds beside it.
    #[serde(default, with = "stored_policy")]
    pub policy: Policy,
    /// The session it was forked from.
    #[serde(default)]
    pub parent: Option<Id>,
    /// The rights that the policies of parent and user gave at creation. `None` without a parent, or if an earlier
    /// version of the program made or changed the session: see [`rights`](Self::rights).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given: Option<ChildRights>,
    /// The session whose `/workspace` and `/ticket` it shares. `None` if its own id chooses them, as in old forks,
    /// which did not share them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace_of: Option<Id>,
    /// The skill whose instructions the prompt contains.
    #[serde(default)]
    pub current_skill: Option<SkillPath>,
    /// The number of changes in this life; 0 for a session that does not exist in the store.
    pub version: u64,
    /// Its life; `None` before its first change, and in objects written before lives had names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub life: Option<SessionIncarnation>,
    /// When it began.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// Skills in the order they were loaded.
    #[serde(default)]
    pub loaded_skills: Vec<LoadedSkill>,
    /// The last [`DISCOVERIES`], oldest first.
    #[serde(default)]
    pub discoveries: Vec<SearchRecord>,
    /// Whether a search of this session ever found skills.
    #[serde(default)]
    pub has_found: bool,
    /// The drafts of skills that it made, in byte order of their paths, [`SESSION_DRAFTS`](crate::limits::SESSION_DRAFTS) at
    /// most.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drafts: Vec<SessionDraft>,
    /// Whether a hook has given the listing of skills. An earlier version that changes the session drops this, and then the
    /// listing is given once more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub listing_given: bool,
    /// The loaded skills whose instructions the host dropped from the conversation, and that were not loaded again since. An
    /// earlier version that changes the session drops this, and then hooks do not name these skills.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub dropped_instructions: BTreeSet<SkillPath>,
    /// The first [`USED_IN_SESSION`] different skills that it loaded.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub used: BTreeSet<SkillPath>,
    /// How often the user's sessions had used each skill when this one began. Its prompts shorten the least used first.
    /// They stay the same for its whole life.
    #[serde(default, skip_serializing_if = "Ranks::is_empty")]
    pub ranks: Ranks,
    /// The calls that a person approves first, and what was decided for the whole session.
    #[serde(default, skip_serializing_if = "Approvals::is_empty")]
    pub approvals: Approvals,
    /// The members of a newer version.
    #[serde(flatten)]
    pub unknown: UnknownMembers,
}

impl SearchRecord {
    /// A discovery of this moment.
    #[must_use]
    pub fn new(query: &str, skills: Vec<SkillPath>, total: usize, at: Timestamp) -> Self {
        let query = query.get(..query.floor_char_boundary(DISCOVERY_QUERY_BYTES)).unwrap_or_default().to_owned();
        Self { query, skills, total, at, unknown: UnknownMembers::default() }
    }
}

impl Session {
    /// A session in which nothing has happened yet.
    #[must_use]
    pub fn fresh(user_id: Id, session_id: Id, now: Timestamp) -> Self {
        Self {
            session_id,
            user_id,
            vars: BTreeMap::new(),
            policy: Policy::default(),
            parent: None,
            given: None,
            workspace_of: None,
            current_skill: None,
            version: 0,
            life: None,
            created_at: now,
            updated_at: now,
            loaded_skills: Vec::new(),
            discoveries: Vec::new(),
            has_found: false,
            drafts: Vec::new(),
            listing_given: false,
            dropped_instructions: BTreeSet::new(),
            used: BTreeSet::new(),
            ranks: Ranks::new(),
            approvals: Approvals::default(),
            unknown: UnknownMembers::default(),
        }
    }

    /// The id that chooses `/workspace` and `/ticket` if no variable does: the id of the session that shares them, or
    /// else the session's own.
    #[must_use]
    pub fn files_id(&self) -> &Id {
        self.workspace_of.as_ref().unwrap_or(&self.session_id)
    }

    /// The rights that bound each policy of the session; `None` for a session without a parent. If `given` is missing,
    /// the present policy yields the rights, because creation restricted the policy to them.
    #[must_use]
    pub fn rights(&self) -> Option<ChildRights> {
        self.parent.as_ref().map(|_| self.given.unwrap_or_else(|| self.policy.rights()))
    }

    /// The policy in effect under the `user`'s. For a fork without the right to load there are only the skills that it has.
    #[must_use]
    pub fn policy_under(&self, user: &Policy) -> EffectivePolicy {
        let policy = self.policy.under(user);
        match self.rights() {
            Some(ChildRights { load: false, .. }) => policy.limited_to(self.loaded_paths().cloned().collect()),
            _ => policy,
        }
    }

    /// The paths of the loaded skills.
    pub fn loaded_paths(&self) -> impl Iterator<Item = &SkillPath> {
        self.loaded_skills.iter().map(|loaded| &loaded.skill)
    }

    /// When the session expires if it is not used.
    #[must_use]
    pub fn expires_at(&self) -> Timestamp {
        let idle = SignedDuration::try_from(SESSION_IDLE).unwrap_or(SignedDuration::MAX);
        self.updated_at.saturating_add(idle).unwrap_or(Timestamp::MAX)
    }

    /// The version for the client to send back.
    #[must_use]
    pub fn seen_version(&self) -> SessionVersion {
        if self.version == 0 {
            return SessionVersion::default();
        }
        let life = self.life.clone().unwrap_or_else(|| SessionIncarnation::begun(self.created_at));
        SessionVersion { life: Some(life), number: self.version }
    }

    /// Adds `past` as the newest discoveries, and drops the oldest beyond the limit.
    pub(super) fn remember(&mut self, past: impl IntoIterator<Item = SearchRecord>) {
        self.discoveries.extend(past);
        self.has_found |= self.discoveries.iter().any(|past| past.total > 0);
        self.discoveries.drain(..self.discoveries.len().saturating_sub(DISCOVERIES));
    }

    /// Records a load of `skill`. Returns true for the first one.
    pub fn record_use(&mut self, skill: &SkillPath) -> bool {
        self.used.len() < USED_IN_SESSION && self.used.insert(skill.clone())
    }

    /// The draft with the path `skill` that it made.
    #[must_use]
    pub fn draft(&self, skill: &SkillPath) -> Option<&SessionDraft> {
        self.drafts.iter().find(|draft| draft.skill == *skill)
    }

    /// Records a draft, in the place of one with the same path. Returns false if it is recorded already.
    pub fn record_draft(&mut self, made: SessionDraft) -> bool {
        if self.drafts.contains(&made) {
            return false;
        }
        self.drafts.retain(|draft| draft.skill != made.skill);
        let at = self.drafts.partition_point(|draft| draft.skill < made.skill);
        self.drafts.insert(at, made);
        true
    }

    /// The loaded skill with the path `skill`.
    #[must_use]
    pub fn loaded(&self, skill: &SkillPath) -> Option<&LoadedSkill> {
        self.loaded_skills.iter().find(|loaded| loaded.skill == *skill)
    }

    /// Whether the conversation has the instructions of `skill`: it is loaded, and the host did not drop them since.
    #[must_use]
    pub fn has_instructions(&self, skill: &SkillPath) -> bool {
        self.loaded(skill).is_some() && !self.dropped_instructions.contains(skill)
    }

    /// The loaded skill mounted as `mount`.
    #[must_use]
    pub fn mounted(&self, mount: &str) -> Option<&LoadedSkill> {
        self.loaded_skills.iter().find(|loaded| loaded.mount.as_str() == mount)
    }
}
