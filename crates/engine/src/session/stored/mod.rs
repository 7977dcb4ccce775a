//! The format of a session in the bucket and its size in memory.
//!
//! Sessions that loaded the same skill have equal snapshots, and forks have many of them, so equal snapshots are one
//! value in memory. They are found by digest and compared whole, because an object can claim a wrong digest.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError, Weak},
};

use super::{
    LoadedSkill, SearchRecord, Session, SessionDraft, objects::StoredValue, policy_object::weight_of_policy,
    usage::weight_of_ranks,
};
use crate::wire::SessionVersion;
use crate::{
    budget::weight,
    error::{Code, Error, Result},
    path::{Id, ObjectKey, SkillPath},
    skill::Snapshot,
};

/// The snapshots in memory, by digest.
#[derive(Debug, Default)]
pub(super) struct SharedSnapshots {
    known: Mutex<SnapshotsByDigest>,
}

#[derive(Debug, Default)]
struct SnapshotsByDigest {
    by_digest: HashMap<String, Weak<Snapshot>>,
    /// The number of names at which the names of dropped snapshots are removed.
    sweep_at: usize,
}

impl SharedSnapshots {
    /// The snapshot in memory that equals `new`, or else `new`.
    pub(super) fn share(&self, new: Arc<Snapshot>) -> Arc<Snapshot> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(held) = known.by_digest.get(new.digest()).and_then(Weak::upgrade) {
            return if held == new { held } else { new };
        }
        if known.by_digest.len() >= known.sweep_at {
            known.by_digest.retain(|_, held| held.strong_count() > 0);
            known.sweep_at = 2 * known.by_digest.len() + 64;
        }
        known.by_digest.insert(new.digest().to_owned(), Arc::downgrade(&new));
        new
    }
}

impl StoredValue for Session {
    type Shared = Arc<SharedSnapshots>;

    fn version(&self) -> SessionVersion {
        self.seen_version()
    }

    fn check(&self, key: &ObjectKey) -> Result<(), &'static str> {
        let place = format!("{}/.skillmount/sessions/{}.json", self.user_id, self.session_id);
        let is_own = key.as_str().strip_suffix(&place).is_some_and(|above| above.is_empty() || above.ends_with('/'));
        let unlike = |loaded: &LoadedSkill| loaded.snapshot.as_ref().is_some_and(|of| of.digest() != loaded.digest);
        if !is_own {
            return Err("it is the session of another user or id");
        }
        if self.version == 0 {
            return Err("it counts no change");
        }
        if self.loaded_skills.iter().any(unlike) {
            return Err("a loaded skill has the snapshot of another digest");
        }
        Ok(())
    }

    fn share(&mut self, shared: &Self::Shared) {
        for loaded in &mut self.loaded_skills {
            loaded.snapshot = loaded.snapshot.take().map(|snapshot| shared.share(snapshot));
        }
    }

    /// Snapshots count in full, even if other sessions share them: each session alone keeps them in memory.
    fn weight(&self) -> usize {
        let vars: usize = self.vars.iter().map(|(name, value)| weight::text(name) + weight::text(value.as_str())).sum();
        let vars = vars + weight::tree(self.vars.len(), size_of::<(String, Id)>());
        let loaded: usize = self.loaded_skills.iter().map(weight_of_loaded).sum();
        let loaded = loaded + weight::list(self.loaded_skills.len(), size_of::<LoadedSkill>());
        let past: usize = self.discoveries.iter().map(weight_of_discovery).sum();
        let past = past + weight::list(self.discoveries.len(), size_of::<SearchRecord>());
        let used: usize = self.used.iter().map(|skill| weight::text(skill.as_str())).sum();
        let used = used + weight::tree(self.used.len(), size_of::<SkillPath>());
        let dropped: usize = self.dropped_instructions.iter().map(|skill| weight::text(skill.as_str())).sum();
        let used = used + dropped + weight::tree(self.dropped_instructions.len(), size_of::<SkillPath>());
        let drafts: usize = self.drafts.iter().map(weight_of_draft).sum();
        let drafts = drafts + weight::list(self.drafts.len(), size_of::<SessionDraft>());
        let names = weight::text(self.session_id.as_str()) + weight::text(self.user_id.as_str());
        let parent = self.parent.as_ref().map_or(0, |parent| weight::text(parent.as_str()));
        let workspace = self.workspace_of.as_ref().map_or(0, |of| weight::text(of.as_str()));
        let current = self.current_skill.as_ref().map_or(0, |skill| weight::text(skill.as_str()));
        let life = self.life.as_ref().map_or(0, |life| 2 * weight::text(life.as_str()));
        let small = names + parent + workspace + current + life + vars + self.unknown.weight();
        let approvals = self.approvals.weight();
        small
            + weight_of_policy(&self.policy)
            + loaded
            + drafts
            + past
            + used
            + weight_of_ranks(&self.ranks)
            + approvals
    }

    fn in_place_of_damaged(key: &ObjectKey) -> Result<Self> {
        let name = key.as_str().rsplit('/').next().unwrap_or_default();
        let session = name.strip_suffix(".json").unwrap_or(name);
        let message = format!(
            "the session {session} is damaged and cannot be read: delete it, which keeps its files, and begin again; \
             `skillmount fsck` names the object"
        );
        Err(Error::new(Code::ObjectDamaged, message).with_source(Error::internal(key.to_string())))
    }
}

fn weight_of_loaded(loaded: &LoadedSkill) -> usize {
    let LoadedSkill {
        skill,
        layer: _,
        team,
        mount,
        name,
        description,
        digest,
        version,
        draft,
        arguments,
        loaded_at: _,
        snapshot,
        unknown,
    } = loaded;
    let texts = [skill.as_str(), mount.as_str(), name, description, digest];
    let texts: usize = texts.into_iter().map(weight::text).sum();
    let team = team.as_ref().map_or(0, |team| weight::text(team.as_str()));
    let arguments = arguments.as_deref().map_or(0, weight::text) + version.as_deref().map_or(0, weight::text);
    let arguments = arguments + draft.as_deref().map_or(0, weight::text);
    texts + team + arguments + unknown.weight() + snapshot.as_ref().map_or(0, |snapshot| snapshot.weight())
}

fn weight_of_draft(SessionDraft { skill, name, description, digest, made_at: _, unknown }: &SessionDraft) -> usize {
    let texts: usize = [skill.as_str(), name, description, digest].into_iter().map(weight::text).sum();
    texts + unknown.weight()
}

/// The bytes of a discovery in memory.
pub(super) fn weight_of_discovery(past: &SearchRecord) -> usize {
    let skills: usize = past.skills.iter().map(|skill| weight::text(skill.as_str())).sum();
    let texts = weight::text(&past.query) + skills + weight::list(past.skills.len(), size_of::<SkillPath>());
    texts + past.unknown.weight()
}

#[cfg(test)]
mod tests;
