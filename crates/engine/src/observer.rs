//! The port for observers of operations: audit records, and events.
//!
//! A report names an operation, paths and digests. It also has the input of the call, but without contents and questions,
//! which are never reported.

use std::{
    fmt,
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
};

use sha2::{Digest as _, Sha256};

use crate::{
    error::{Outcome, Result},
    limits::{AUDIT_RECORD_FILES, EFFECT_DESCRIPTION_CHARS},
    path::{Id, Layer, LayerOwner, SkillPath},
    session::{CreatedSession, LoadedSkill},
    wire::{CallOutline, SkillState},
};

/// Completes once the record is stored.
pub type RecordWritten = Pin<Box<dyn Future<Output = Result<()>> + Send>>;

/// Paths of skills, the most used first.
pub type RankedPaths = Pin<Box<dyn Future<Output = Vec<SkillPath>> + Send>>;

/// An observer of operations.
pub trait Observer: fmt::Debug + Send + Sync {
    /// An operation has begun.
    fn begun(&self, call: &ObservedCall);

    /// An operation has ended. If the observer returns a future, the caller is answered after the future is done. If the future
    /// fails, the answer says so.
    fn ended(&self, operation: ObservedOperation) -> Option<RecordWritten>;

    /// A user is being deleted, as this process knows from now on. The observer must neither store nor send data of the user
    /// that it still holds. The call may be repeated.
    fn deletion_started(&self, _user: &Id) {}

    /// The deletion of a user is done, and the id may be in use again.
    fn deletion_finished(&self, _user: &Id) {}

    /// The skills that a new session of `user` begins with, if its policy leaves the choice to the use in earlier
    /// conversations.
    fn candidates(&self, _user: &Id) -> RankedPaths {
        Box::pin(std::future::ready(Vec::new()))
    }
}

/// A call of an operation.
#[derive(Clone, Debug, PartialEq)]
pub struct ObservedCall {
    /// The user whose data the call is about.
    pub user: Id,
    /// The session of the call; `None` for a call outside of sessions.
    pub session: Option<Id>,
    /// The name of the caller's key; `None` if the service has no keys.
    pub by: Option<String>,
    /// The id of the call as the model wrote it; for any other call a unique name.
    pub call: String,
    /// The operation, as policies and routes name it.
    pub operation: &'static str,
    /// The subject of the call: paths, or a skill.
    pub subject: String,
    /// The input without contents, at most 4 KiB; `None` if the call is no operation of an agent.
    pub input: Option<CallOutline>,
    /// Whether the call changes anything if it succeeds.
    pub is_change: bool,
}

/// An operation that has ended.
#[derive(Clone, Debug, PartialEq)]
pub struct ObservedOperation {
    /// The call.
    pub call: ObservedCall,
    /// `ok`, the code of the error, or `abandoned` if the caller did not wait for the end.
    pub outcome: &'static str,
    /// Whether a change that failed is in the store.
    pub changed: Option<Outcome>,
    /// The duration in milliseconds.
    pub milliseconds: f64,
    /// The effects of the operation.
    pub effects: Effects,
}

impl ObservedOperation {
    /// Whether a change was made, or may have been: the operation succeeded, or failed after a part of the change. A call that
    /// begins to wait for an approval changes its session, even if the call itself would only read.
    #[must_use]
    pub fn is_account_due(&self) -> bool {
        self.effects.approval.is_some() || (self.call.is_change && self.has_changed())
    }

    fn has_changed(&self) -> bool {
        let may_be_there = !matches!(self.changed, None | Some(Outcome::NotApplied));
        self.outcome == "ok" || may_be_there || !self.effects.files.is_empty() || self.effects.skill.is_some()
    }
}

/// The effects of an operation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// The changed files, [`AUDIT_RECORD_FILES`] at most.
    pub files: Vec<ChangeEffect>,
    /// The number of further changed files.
    pub more_files: u64,
    /// The skill that was loaded or unloaded.
    pub skill: Option<SkillUse>,
    /// The skills that a new session begins with, from the policy and from the parent session.
    pub began_with: Vec<SkillUse>,
    /// The number of new or different skills and the number of removed skills, as found or made in the catalog.
    pub catalog: Option<(u64, u64)>,
    /// The number of skills that a search found.
    pub found: Option<u64>,
    /// The approval that the call has begun to wait for. A call that is repeated while it waits has begun before.
    pub approval: Option<String>,
    /// The owner of the skill, if the skill is not the user's own.
    pub owner: Option<LayerOwner>,
    /// The number of refused calls that the record reports.
    pub refused: Option<u64>,
}

/// A change of a file, or of the version of a skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeEffect {
    /// Its virtual path, or the path of the skill.
    pub path: String,
    /// The version that was there before, if it was seen.
    pub before: Option<String>,
    /// SHA-256 of the content after; `None` if the file is gone.
    pub after: Option<String>,
    /// The version after.
    pub etag: Option<String>,
}

/// The use of a skill in a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillUse {
    /// Its path.
    pub skill: String,
    /// Its name.
    pub name: String,
    /// Its description.
    pub description: String,
    /// Its layer.
    pub layer: Layer,
    /// Its team, if it is a team's.
    pub team: Option<Id>,
    /// Whether the skill was loaded, reloaded, unloaded or unchanged. A preloaded skill began with its session, but neither a
    /// call nor the policy named it.
    pub status: &'static str,
}

impl SkillUse {
    /// The use of a loaded skill.
    pub(crate) fn from_loaded(loaded: &LoadedSkill, status: &'static str) -> Self {
        Self {
            skill: loaded.skill.to_string(),
            name: loaded.name.clone(),
            description: loaded.description.chars().take(EFFECT_DESCRIPTION_CHARS).collect(),
            layer: loaded.layer,
            team: loaded.team.clone(),
            status,
        }
    }
}

/// Collects the effects of one operation while the operation runs. So the effects are known even if the operation fails.
#[derive(Clone, Debug, Default)]
pub struct EffectsRecorder(Arc<Mutex<Effects>>);

impl EffectsRecorder {
    /// Records that the operation is about a skill of this owner.
    pub fn owner(&self, owner: &LayerOwner) {
        self.change(|effects| effects.owner = Some(owner.clone()).filter(|owner| owner.layer() != Layer::User));
    }

    /// Records that the report is about this number of refused calls.
    pub fn refused(&self, calls: u64) {
        self.change(|effects| effects.refused = Some(calls));
    }

    /// Records a change of a skill from the version `before` to `after`; `None` stands for no skill. The state says whether a
    /// version is a draft.
    pub(crate) fn version(
        &self,
        skill: &SkillPath,
        before: Option<(&str, SkillState)>,
        after: Option<(&str, SkillState)>,
    ) {
        let digest = |version: Option<(&str, SkillState)>| version.map(|(digest, _)| digest.to_owned());
        let state = |version: Option<(&str, SkillState)>| version.map(|(_, state)| state);
        let file = ChangeEffect { path: skill.to_string(), before: digest(before), after: digest(after), etag: None };
        let catalog = catalog_change(state(before), state(after));
        self.change(|effects| {
            effects.files = vec![file];
            effects.catalog = catalog;
        });
    }

    pub(crate) fn change(&self, change: impl FnOnce(&mut Effects)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }

    pub(crate) fn take(&self) -> Effects {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The change of the catalog if a skill goes from the state `before` to `now`; `None` stands for no skill. Agents see the
/// catalog, and drafts are not in it, so only published skills count.
const fn catalog_change(before: Option<SkillState>, now: Option<SkillState>) -> Option<(u64, u64)> {
    match (before, now) {
        (_, Some(SkillState::Published)) => Some((1, 0)),
        (Some(SkillState::Published), _) => Some((0, 1)),
        _ => None,
    }
}

impl Effects {
    /// The effect of a write: the document at `path` had the content `before`, as far as that is known, and has this content now.
    #[must_use]
    pub fn of_file(path: &str, before: Option<&[u8]>, content: Option<&[u8]>) -> Self {
        let (before, after) = (before.map(content_digest), content.map(content_digest));
        let file = ChangeEffect { path: path.to_owned(), before, after, etag: None };
        Self { files: vec![file], ..Self::default() }
    }

    /// The effect of a new session: the skills that the session began with. Empty unless `created` is new.
    #[must_use]
    pub fn of_session(created: &CreatedSession) -> Self {
        let loaded = created.session.loaded_skills.iter().filter(|_| created.is_new);
        let named = created.session.policy.preload.named();
        let status = |loaded: &LoadedSkill| {
            let own = [loaded.skill.as_str(), loaded.skill.folder(), loaded.name.as_str()];
            if named.iter().any(|one| own.contains(&one.as_str())) { "loaded" } else { "preloaded" }
        };
        Self {
            began_with: loaded.map(|loaded| SkillUse::from_loaded(loaded, status(loaded))).collect(),
            ..Self::default()
        }
    }

    /// Adds a file, or counts it if there are too many to name.
    pub fn add(&mut self, file: ChangeEffect) {
        if self.files.len() < AUDIT_RECORD_FILES {
            self.files.push(file);
        } else {
            self.more_files += 1;
        }
    }
}

/// SHA-256 of `bytes` as records write it.
pub(crate) fn content_digest(bytes: &[u8]) -> String {
    format!("sha256:{}", hex::encode(Sha256::digest(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalog_changes_by_what_is_published_and_not_by_drafts() {
        let (draft, published) = (Some(SkillState::Draft), Some(SkillState::Published));
        let table = [
            (None, draft, None),
            (None, published, Some((1, 0))),
            (draft, draft, None),
            (draft, published, Some((1, 0))),
            (draft, None, None),
            (published, draft, Some((0, 1))),
            (published, published, Some((1, 0))),
            (published, None, Some((0, 1))),
        ];
        for (before, now, catalog) in table {
            assert_eq!(catalog_change(before, now), catalog, "{before:?} {now:?}");
        }
    }

    #[test]
    fn a_record_names_so_many_files_and_counts_the_rest() {
        let mut effects = Effects::default();
        for number in 0..=AUDIT_RECORD_FILES {
            assert_eq!((effects.files.len(), effects.more_files), (number, 0));
            effects.add(ChangeEffect { path: number.to_string(), before: None, after: None, etag: None });
        }
        assert_eq!((effects.files.len(), effects.more_files), (AUDIT_RECORD_FILES, 1));
    }
}
