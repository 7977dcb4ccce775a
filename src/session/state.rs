//! A session as a value.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::{Life, SessionVersion, policy::Policy, uses::Ranks};
use crate::{
    limits::{DISCOVERIES, DISCOVERY_QUERY_BYTES, SESSION_IDLE, USED_IN_SESSION},
    path::{Id, Layer, MountName, SkillPath},
    skill::Snapshot,
};

/// One skill a session has loaded, with the files it was loaded with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadedSkill {
    /// Where it lies.
    pub skill: SkillPath,
    /// Whose folder that is in.
    #[serde(default)]
    pub layer: Layer,
    /// The team, where it is a team's: whoever is not in it does not see the skill.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<Id>,
    /// Its folder below `/skills`.
    pub mount: MountName,
    /// The name its frontmatter gives, or its folder's.
    pub name: String,
    /// What its frontmatter says it is for.
    pub description: String,
    /// The digest of its files as they were when it was loaded.
    pub digest: String,
    /// The arguments it was last loaded with, for the parameters of its body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<String>,
    /// When it was loaded.
    pub loaded_at: Timestamp,
    /// Those files; `None` where they are too many to ride here and lie in an object of their own, named by the digest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<Arc<Snapshot>>,
}

/// A question a session asked of the catalog, and what it was answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PastDiscovery {
    /// The question, cut to [`DISCOVERY_QUERY_BYTES`].
    pub query: String,
    /// The skills it was answered with, best first.
    pub skills: Vec<SkillPath>,
    /// How many there were, those beyond the answer's limit included.
    pub total: usize,
    /// When.
    pub at: Timestamp,
}

/// One agent conversation. Changed only by replacing it whole, under compare-and-swap.
///
/// This is also how it lies in the bucket. Fields a newer replica may have added are passed over when reading.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// Its id, unique within the user.
    pub session_id: Id,
    /// Whose it is.
    pub user_id: Id,
    /// Values for the mount templates.
    #[serde(default)]
    pub vars: BTreeMap<String, Id>,
    /// What it may do; the user's policy holds beside it.
    #[serde(default)]
    pub policy: Policy,
    /// The session it was forked from.
    #[serde(default)]
    pub parent: Option<Id>,
    /// The session whose `/workspace` and `/ticket` it shares; `None` where its own id chooses them, as it does in sessions
    /// that were made from others before they shared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace_of: Option<Id>,
    /// The skill whose instructions the prompt holds.
    #[serde(default)]
    pub current_skill: Option<SkillPath>,
    /// Counts changes in this life; 0 for a session that was never changed and so does not exist in the store.
    pub version: u64,
    /// The life it is in; `None` before its first change, and in objects of a time when lives had no names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub life: Option<Life>,
    /// When it began.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// Skills in the order they were loaded.
    #[serde(default)]
    pub loaded_skills: Vec<LoadedSkill>,
    /// The last [`DISCOVERIES`], oldest first.
    #[serde(default)]
    pub discoveries: Vec<PastDiscovery>,
    /// Whether it has ever searched for skills and found any.
    #[serde(default)]
    pub has_found: bool,
    /// Skills it has ever loaded, the first [`USED_IN_SESSION`] of them.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub used: BTreeSet<SkillPath>,
    /// How often the user's sessions had used each skill when this one began: the least used give way first in its
    /// prompts, which so stay the same for as long as it lasts.
    #[serde(default, skip_serializing_if = "Ranks::is_empty")]
    pub ranks: Ranks,
}

impl PastDiscovery {
    /// A question that was answered just now.
    #[must_use]
    pub fn new(query: &str, skills: Vec<SkillPath>, total: usize, at: Timestamp) -> Self {
        let query = query.get(..query.floor_char_boundary(DISCOVERY_QUERY_BYTES)).unwrap_or_default().to_owned();
        Self { query, skills, total, at }
    }
}

impl Session {
    /// A session as it is before anything has happened in it.
    #[must_use]
    pub fn fresh(user_id: Id, session_id: Id, now: Timestamp) -> Self {
        Self {
            session_id,
            user_id,
            vars: BTreeMap::new(),
            policy: Policy::default(),
            parent: None,
            workspace_of: None,
            current_skill: None,
            version: 0,
            life: None,
            created_at: now,
            updated_at: now,
            loaded_skills: Vec::new(),
            discoveries: Vec::new(),
            has_found: false,
            used: BTreeSet::new(),
            ranks: Ranks::new(),
        }
    }

    /// The id that chooses its `/workspace` and `/ticket` where no variable says otherwise: its own, or that of the session
    /// it shares them with.
    #[must_use]
    pub fn files_id(&self) -> &Id {
        self.workspace_of.as_ref().unwrap_or(&self.session_id)
    }

    /// When it is forgotten if nothing happens in it.
    #[must_use]
    pub fn expires_at(&self) -> Timestamp {
        let idle = SignedDuration::try_from(SESSION_IDLE).unwrap_or(SignedDuration::MAX);
        self.updated_at.saturating_add(idle).unwrap_or(Timestamp::MAX)
    }

    /// What a client is told it has seen, to be sent back.
    #[must_use]
    pub fn seen_version(&self) -> SessionVersion {
        if self.version == 0 {
            return SessionVersion::default();
        }
        let life = self.life.clone().unwrap_or_else(|| Life::begun(self.created_at));
        SessionVersion { life: Some(life), number: self.version }
    }

    /// Remembers `past` as the newest discoveries, and forgets the oldest beyond the limit.
    pub(super) fn remember(&mut self, past: impl IntoIterator<Item = PastDiscovery>) {
        self.discoveries.extend(past);
        self.has_found |= self.discoveries.iter().any(|past| past.total > 0);
        self.discoveries.drain(..self.discoveries.len().saturating_sub(DISCOVERIES));
    }

    /// Notes that it loads `skill`; true where it never did before.
    pub fn note_use(&mut self, skill: &SkillPath) -> bool {
        self.used.len() < USED_IN_SESSION && self.used.insert(skill.clone())
    }

    /// The loaded skill that lies at `skill`.
    #[must_use]
    pub fn loaded(&self, skill: &SkillPath) -> Option<&LoadedSkill> {
        self.loaded_skills.iter().find(|loaded| loaded.skill == *skill)
    }

    /// The loaded skill mounted as `mount`.
    #[must_use]
    pub fn mounted(&self, mount: &str) -> Option<&LoadedSkill> {
        self.loaded_skills.iter().find(|loaded| loaded.mount.as_str() == mount)
    }
}
