//! All sessions: found, made, changed and forgotten.
//!
//! A session is changed only by compare-and-swap on its object, so any replica can serve any session. Changes from one
//! process to one session queue up first, because losing a race against oneself is a wasted round trip.

use std::{
    collections::BTreeMap,
    hash::{DefaultHasher, Hash, Hasher},
    sync::Arc,
};

use futures_util::{StreamExt as _, stream};
use jiff::SignedDuration;
use tokio::sync::Mutex;

use super::{
    Life, LoadedSkill, PastDiscovery, Policy, Session, SessionVersion,
    objects::{Objects, Seen},
    pending::Pending,
    snapshots::Snapshots,
    uses::{Ranks, Uses},
};
use crate::{
    clock::Clock,
    error::{Code, Error, Outcome, Result},
    limits::{PARALLEL_GETS, POLICY_CACHE_BYTES, SESSION_ATTEMPTS, SESSION_VALUES_BYTES, VARS},
    path::{Id, MountTemplates, Namespace, ObjectKey, SkillPath, check_variable_name},
    skill::Snapshot,
    store::{SharedStore, StoreError},
};

/// Locks that keep changes of one session in line; sessions share them by hash.
const LANES: usize = 256;
/// A session that is only read is touched this often, so that it does not count as idle.
const TOUCH_EVERY: SignedDuration = SignedDuration::from_hours(24);

/// What a new session begins with.
#[derive(Clone, Debug, Default)]
pub struct CreateSession {
    /// Values for the mount templates.
    pub vars: BTreeMap<String, Id>,
    /// What it may do.
    pub policy: Option<Policy>,
    /// The session whose loaded skills, variables and policy it starts from.
    pub parent: Option<Id>,
}

/// The sessions and policies of every user.
#[derive(Debug)]
pub struct Sessions {
    pub(super) store: SharedStore,
    pub(super) namespace: Namespace,
    templates: MountTemplates,
    pub(super) clock: Arc<dyn Clock>,
    read_only: Option<String>,
    pub(super) records: Objects<Session>,
    pub(super) policies: Objects<Policy>,
    lanes: Vec<Mutex<()>>,
    pub(super) pending: Pending,
    uses: Uses,
    snapshots: Snapshots,
}

impl Sessions {
    /// The sessions below `namespace`; `templates` says which variables have a use.
    #[must_use]
    pub fn new(store: SharedStore, namespace: Namespace, templates: MountTemplates, clock: Arc<dyn Clock>) -> Self {
        let records = Objects::new(store.clone(), clock.clone(), SESSION_VALUES_BYTES);
        Self {
            policies: Objects::new(store.clone(), clock.clone(), POLICY_CACHE_BYTES),
            lanes: (0..LANES).map(|_| Mutex::new(())).collect(),
            pending: Pending::default(),
            uses: Uses::new(store.clone(), namespace.clone(), clock.clone()),
            snapshots: Snapshots::new(store.clone(), clock.clone(), Arc::clone(records.shared())),
            records,
            store,
            namespace,
            templates,
            clock,
            read_only: None,
        }
    }

    /// The same, refusing every change with the reason `why`, where there is one: for a store that cannot keep the
    /// promises changes need.
    #[must_use]
    pub fn read_only(mut self, why: Option<String>) -> Self {
        self.read_only = why;
        self
    }

    /// Whether anything may be changed, here or in the files.
    ///
    /// # Errors
    /// `read_only`, with the reason.
    pub fn check_writable(&self) -> Result<()> {
        match &self.read_only {
            None => Ok(()),
            Some(why) => Err(Error::new(Code::ReadOnly, format!("this service only reads: {why}"))),
        }
    }

    /// The session as it is now, a fresh one where there is none. Never one older than version `at_least`: where that is
    /// of another life than the one that is known, the store is asked which is there.
    ///
    /// # Errors
    /// `store_unavailable` where the store is down and the session is not in memory; `internal` where its object is
    /// damaged.
    pub async fn get(&self, user: &Id, session: &Id, at_least: impl Into<SessionVersion>) -> Result<Arc<Session>> {
        let key = self.namespace.user(user)?.session(session)?;
        let seen = self.records.get(&key, &at_least.into()).await?;
        let Some(found) = self.alive(&seen)? else {
            return Ok(Arc::new(Session::fresh(user.clone(), session.clone(), self.clock.now())));
        };
        if self.read_only.is_some() || self.clock.now().duration_since(found.updated_at) < TOUCH_EVERY {
            return Ok(found);
        }
        match self.update(user, session, |_| Ok(Change::<()>::Touch)).await {
            Ok((touched, _)) => Ok(touched),
            Err(error) => {
                tracing::warn!(%user, %session, cause = %error.chain(), "could not note that the session is in use");
                Ok(found)
            }
        }
    }

    /// As [`get`](Self::get), and a fresh session has the ranks it would begin with now.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    pub async fn get_ranked(
        &self,
        user: &Id,
        session: &Id,
        at_least: impl Into<SessionVersion>,
    ) -> Result<Arc<Session>> {
        let key = self.namespace.user(user)?.session(session)?;
        if self.records.remembers(&key) {
            let found = self.get(user, session, at_least).await?;
            return if found.version > 0 { Ok(found) } else { Ok(ranked(found, self.uses.ranks(user).await)) };
        }
        // Both at once, because the first prompt of a conversation is waited for.
        let (found, ranks) = tokio::join!(self.get(user, session, at_least), self.uses.ranks(user));
        found.map(|found| if found.version > 0 { found } else { ranked(found, ranks) })
    }

    /// Asks for what a session begins with, where a change is about to make this one, so that the change need not.
    pub async fn prepare(&self, session: &Session) {
        if session.version == 0 {
            self.uses.ranks(&session.user_id).await;
        }
    }

    /// The session, if there is one.
    ///
    /// # Errors
    /// `session_not_found` where there is none; as [`get`](Self::get).
    pub async fn existing(&self, user: &Id, session: &Id, at_least: impl Into<SessionVersion>) -> Result<Arc<Session>> {
        let found = self.get(user, session, at_least).await?;
        if found.version == 0 { Err(not_found(session)) } else { Ok(found) }
    }

    /// Makes a session, or returns the one there is; the flag says whether it was made.
    ///
    /// # Errors
    /// `invalid_request` for variables without a use, a policy that does not hold together or a parent that does not
    /// exist; the store's.
    pub async fn create(&self, user: &Id, session: &Id, wanted: CreateSession) -> Result<(Arc<Session>, bool)> {
        self.check_vars(&wanted.vars)?;
        if let Some(policy) = &wanted.policy {
            policy.check()?;
        }
        let parent = match &wanted.parent {
            None => None,
            Some(parent) => Some(self.existing(user, parent, 0).await?),
        };
        self.update(user, session, |state| {
            if state.version > 0 {
                return Ok(Change::None(false));
            }
            if let Some(parent) = &parent {
                state.vars.clone_from(&parent.vars);
                state.policy.clone_from(&parent.policy);
                state.loaded_skills.clone_from(&parent.loaded_skills);
                state.current_skill.clone_from(&parent.current_skill);
                state.ranks.clone_from(&parent.ranks);
                state.used.clone_from(&parent.used);
                state.has_found = parent.has_found;
                state.parent = Some(parent.session_id.clone());
            }
            state.vars.extend(wanted.vars.clone());
            if let Some(policy) = &wanted.policy {
                state.policy.clone_from(policy);
            }
            Ok(Change::Save(true))
        })
        .await
        .map(|(session, made)| (session, made.unwrap_or(false)))
    }

    /// Changes a session by `change`, which may run several times: once on each version that was read.
    ///
    /// # Errors
    /// What `change` says; `edit_conflict` where others kept winning; the store's, with its outcome.
    pub async fn update<T>(
        &self,
        user: &Id,
        session: &Id,
        mut change: impl FnMut(&mut Session) -> Result<Change<T>>,
    ) -> Result<(Arc<Session>, Option<T>)> {
        self.check_writable()?;
        let key = self.namespace.user(user)?.session(session)?;
        let name = (user.clone(), session.clone());
        let _lane = self.lane(&key).lock().await;
        let mut seen = self.records.get(&key, &SessionVersion::default()).await?;
        for _ in 0..SESSION_ATTEMPTS {
            let now = self.clock.now();
            let current = self.alive(&seen)?;
            let mut next = match current.as_deref() {
                Some(current) => current.clone(),
                None => {
                    Session { ranks: self.uses.ranks(user).await, ..Session::fresh(user.clone(), session.clone(), now) }
                }
            };
            let said = match change(&mut next)? {
                Change::None(said) => return Ok((current.unwrap_or_else(|| Arc::new(next)), Some(said))),
                Change::Save(said) => Some(said),
                Change::Touch => None,
            };
            let (past, last) = self.pending.of(&name);
            next.remember(past);
            self.snapshots.put_aside(&self.namespace.user(user)?, &mut next).await?;
            if next.version == 0 {
                next.life = Some(Life::new(now, self.clock.random()));
            }
            next.version = next.version.saturating_add(1);
            next.updated_at = now;
            match self.records.put(&key, &seen, next).await {
                Ok(saved) => {
                    self.pending.drop_through(&name, last);
                    return Ok((saved, said));
                }
                Err(StoreError::PreconditionFailed | StoreError::NotFound) => seen = self.records.look(&key).await?,
                Err(error) => return Err(error.into()),
            }
        }
        Err(Error::new(Code::EditConflict, "other replicas kept changing the session at the same time; try again")
            .with_outcome(Outcome::NotApplied))
    }

    /// Notes what a session discovered, to be written with its next change; true where the caller should see to it that
    /// [`flush`](Self::flush) follows.
    ///
    /// # Errors
    /// `invalid_path` where the ids are too long for a key.
    pub fn note(&self, user: &Id, session: &Id, past: PastDiscovery) -> Result<bool> {
        self.namespace.user(user)?.session(session)?;
        Ok(self.pending.add(&(user.clone(), session.clone()), past))
    }

    /// Writes what is noted of a session and was not written since. Where that fails the notes are given up.
    ///
    /// # Errors
    /// As [`update`](Self::update).
    pub async fn flush(&self, user: &Id, session: &Id) -> Result<()> {
        let name = (user.clone(), session.clone());
        let (past, last) = self.pending.of(&name);
        if past.is_empty() {
            return Ok(());
        }
        let flushed = self.update(user, session, |_| Ok(Change::<()>::Touch)).await.map(drop);
        self.pending.drop_through(&name, last);
        flushed
    }

    /// Writes everything that is noted, of every session and user, before the process ends.
    pub async fn flush_all(&self) {
        let sessions = stream::iter(self.pending.sessions());
        let discoveries = sessions.for_each_concurrent(PARALLEL_GETS, async |(user, session)| {
            if let Err(error) = self.flush(&user, &session).await {
                tracing::warn!(%user, %session, error = %error.chain(), "discoveries of a session were not written");
            }
        });
        let uses = stream::iter(self.uses.waiting_users()).for_each_concurrent(PARALLEL_GETS, async |user| {
            if let Err(error) = self.uses.flush(&user).await {
                tracing::warn!(%user, error = %error.chain(), "uses of skills were not counted");
            }
        });
        tokio::join!(discoveries, uses);
    }

    /// Notes that a session loaded a skill for the first time, to be counted; true where the caller should see to it
    /// that [`flush_uses`](Self::flush_uses) follows.
    pub fn note_use(&self, user: &Id, skill: &SkillPath) -> bool {
        self.uses.add(user, skill)
    }

    /// Writes the uses that were noted and not counted yet. Where that fails they are given up.
    ///
    /// # Errors
    /// The store's.
    pub async fn flush_uses(&self, user: &Id) -> Result<()> {
        self.uses.flush(user).await
    }

    /// The files of a loaded skill, wherever they are kept.
    ///
    /// # Errors
    /// `skill_changed` where the object that holds them was deleted; the store's.
    pub async fn snapshot(&self, user: &Id, loaded: &LoadedSkill) -> Result<Arc<Snapshot>> {
        self.snapshots.of(&self.namespace.user(user)?, loaded).await
    }

    /// Whether agents may set this variable: the mount templates say so.
    #[must_use]
    pub fn agents_may_set(&self, variable: &str) -> bool {
        self.templates.agents_may_set(variable)
    }

    /// Checks that every variable has a use.
    ///
    /// # Errors
    /// `invalid_request`, naming the variable and those there are.
    pub fn check_vars(&self, vars: &BTreeMap<String, Id>) -> Result<()> {
        if vars.len() > VARS {
            return Err(Error::new(Code::InvalidRequest, format!("a session holds at most {VARS} variables")));
        }
        let known = self.templates.variables();
        for name in vars.keys() {
            check_variable_name(name)?;
            if !known.contains(name.as_str()) {
                let known = known.iter().copied().collect::<Vec<_>>().join(", ");
                let message = format!("no mount uses a variable {name:?}; those in use: {known}");
                return Err(Error::new(Code::InvalidRequest, message));
            }
        }
        Ok(())
    }

    /// The session that was seen, unless it was idle too long.
    ///
    /// # Errors
    /// `internal` where its object is damaged.
    pub(super) fn alive(&self, seen: &Seen<Session>) -> Result<Option<Arc<Session>>> {
        Ok(seen.value()?.filter(|session| self.clock.now() < session.expires_at()).cloned())
    }

    #[expect(clippy::indexing_slicing, reason = "a remainder by the number of lanes is the index of one")]
    pub(super) fn lane(&self, key: &ObjectKey) -> &Mutex<()> {
        let mut hash = DefaultHasher::new();
        key.hash(&mut hash);
        &self.lanes[usize::from(hash.finish().to_le_bytes()[0]) % LANES]
    }
}

/// What [`Sessions::update`] does with a session that was looked at.
#[derive(Debug)]
pub enum Change<T> {
    /// Leaves it as it is.
    None(T),
    /// Saves what was changed.
    Save(T),
    /// Saves it only to note that it is in use.
    Touch,
}

fn ranked(session: Arc<Session>, ranks: Ranks) -> Arc<Session> {
    Arc::new(Session { ranks, ..Arc::unwrap_or_clone(session) })
}

pub(super) fn not_found(session: &Id) -> Error {
    Error::new(Code::SessionNotFound, format!("there is no session {session:?}; the first change in it makes one"))
}
