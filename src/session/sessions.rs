//! All sessions: found, made, changed, listed and forgotten.
//!
//! A session is changed only by compare-and-swap on its object, so any replica can serve any session. Changes from one
//! process to one session queue up first, because losing a race against oneself is a wasted round trip.

use std::{
    collections::BTreeMap,
    hash::{DefaultHasher, Hash, Hasher},
    sync::Arc,
};

use futures_util::{StreamExt, TryStreamExt, stream};
use jiff::SignedDuration;
use moka::future::Cache;
use tokio::sync::Mutex;

use super::{
    LoadedSkill, PastDiscovery, Policy, Session,
    objects::{Objects, Seen, Stored},
    pending::Pending,
};
use crate::{
    clock::Clock,
    error::{Code, Error, Outcome, Result},
    limits::{LIST_OBJECTS, PAGE_ENTRIES, PARALLEL_GETS, SESSION_ATTEMPTS, SNAPSHOT_INLINE_FILES, VARS},
    path::{Id, MountTemplates, Namespace, ObjectKey, check_variable_name},
    skill::Snapshot,
    store::{Base, Committer, DeleteOptions, GetOptions, ListOptions, SharedStore, StoreError, StoreExt},
};

/// Locks that keep changes of one session in line; sessions share them by hash.
const LANES: usize = 256;
/// A session that is only read is touched this often, so that it does not count as idle.
const TOUCH_EVERY: SignedDuration = SignedDuration::from_hours(24);
/// Large snapshots kept in memory.
const SNAPSHOTS_REMEMBERED: u64 = 1000;

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

/// Some sessions of a user, and where to go on.
#[derive(Clone, Debug)]
pub struct SessionPage {
    /// Sessions in byte order of their ids.
    pub sessions: Vec<Arc<Session>>,
    /// Give this back to get the next page.
    pub next_cursor: Option<String>,
}

/// The sessions and policies of every user.
#[derive(Debug)]
pub struct Sessions {
    store: SharedStore,
    committer: Committer,
    namespace: Namespace,
    templates: MountTemplates,
    clock: Arc<dyn Clock>,
    read_only: Option<String>,
    records: Objects<Session>,
    policies: Objects<Policy>,
    lanes: Vec<Mutex<()>>,
    pending: Pending,
    snapshots: Cache<String, Arc<Snapshot>>,
}

impl Stored for Session {
    fn order(&self) -> u64 {
        self.version
    }
}

impl Stored for Policy {
    /// A policy counts no versions: which is newer is told by when it was seen.
    fn order(&self) -> u64 {
        0
    }
}

impl Sessions {
    /// The sessions below `namespace`; `templates` says which variables have a use.
    #[must_use]
    pub fn new(store: SharedStore, namespace: Namespace, templates: MountTemplates, clock: Arc<dyn Clock>) -> Self {
        Self {
            committer: Committer::new(store.clone(), clock.clone()),
            records: Objects::new(store.clone(), clock.clone()),
            policies: Objects::new(store.clone(), clock.clone()),
            lanes: (0..LANES).map(|_| Mutex::new(())).collect(),
            pending: Pending::default(),
            snapshots: Cache::new(SNAPSHOTS_REMEMBERED),
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

    /// The session as it is now, a fresh one where there is none. Never one older than version `at_least`.
    ///
    /// # Errors
    /// `store_unavailable` where the store is down and the session is not in memory.
    pub async fn get(&self, user: &Id, session: &Id, at_least: u64) -> Result<Arc<Session>> {
        let key = self.namespace.user(user)?.session(session)?;
        let seen = self.records.get(&key, at_least).await?;
        let Some(found) = self.alive(&seen) else {
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

    /// The session, if there is one.
    ///
    /// # Errors
    /// `session_not_found` where there is none; as [`get`](Self::get).
    pub async fn existing(&self, user: &Id, session: &Id, at_least: u64) -> Result<Arc<Session>> {
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
        let _lane = self.lane(&key).lock().await;
        let mut seen = self.records.get(&key, 0).await?;
        for _ in 0..SESSION_ATTEMPTS {
            let now = self.clock.now();
            let current = self.alive(&seen);
            let mut next =
                current.as_deref().cloned().unwrap_or_else(|| Session::fresh(user.clone(), session.clone(), now));
            let said = match change(&mut next)? {
                Change::None(said) => return Ok((current.unwrap_or_else(|| Arc::new(next)), Some(said))),
                Change::Save(said) => Some(said),
                Change::Touch => None,
            };
            let (past, last) = self.pending.of(&key);
            next.remember(past);
            next.version += 1;
            next.updated_at = now;
            self.put_snapshots_aside(user, &mut next).await?;
            match self.records.put(&key, &seen, next).await {
                Ok(saved) => {
                    self.pending.drop_through(&key, last);
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
        let key = self.namespace.user(user)?.session(session)?;
        Ok(self.pending.add(&key, past))
    }

    /// Writes what is noted of a session and was not written since. Where that fails the notes are given up.
    ///
    /// # Errors
    /// As [`update`](Self::update).
    pub async fn flush(&self, user: &Id, session: &Id) -> Result<()> {
        let key = self.namespace.user(user)?.session(session)?;
        let (past, last) = self.pending.of(&key);
        if past.is_empty() {
            return Ok(());
        }
        let flushed = self.update(user, session, |_| Ok(Change::<()>::Touch)).await.map(drop);
        self.pending.drop_through(&key, last);
        flushed
    }

    /// Forgets a session. Its workspace stays.
    ///
    /// # Errors
    /// `session_not_found` where there is none; the store's.
    pub async fn delete(&self, user: &Id, session: &Id) -> Result<()> {
        self.check_writable()?;
        self.existing(user, session, 0).await?;
        let key = self.namespace.user(user)?.session(session)?;
        let _lane = self.lane(&key).lock().await;
        self.store.delete(&key, DeleteOptions::default()).await?;
        self.records.forget(&key).await;
        Ok(())
    }

    /// A page of a user's sessions, up to `limit` of them after `cursor`.
    ///
    /// # Errors
    /// The store's.
    pub async fn list(&self, user: &Id, limit: usize, cursor: Option<&str>) -> Result<SessionPage> {
        let space = self.namespace.user(user)?;
        let prefix = space.sessions()?;
        let limit = limit.clamp(1, PAGE_ENTRIES);
        let start_after = cursor.map(|cursor| format!("{prefix}{cursor}"));
        let options = ListOptions { start_after, max_entries: Some(limit), ..ListOptions::default() };
        let page = self.store.list(&prefix, options).await?;
        let last = page.objects.last().and_then(|entry| prefix.relative(&entry.key)).map(str::to_owned);
        let keys: Vec<ObjectKey> = page.objects.iter().filter_map(|entry| prefix.admit(&entry.key)).collect();
        let sessions = stream::iter(keys)
            .map(|key| async move { self.records.get(&key, 0).await })
            .buffered(PARALLEL_GETS)
            .try_filter_map(|seen| async move { Ok(self.alive(&seen)) })
            .try_collect()
            .await?;
        Ok(SessionPage { sessions, next_cursor: page.next.and(last) })
    }

    /// Removes a user's sessions that were idle too long, and says how many.
    ///
    /// # Errors
    /// The store's.
    pub async fn collect_garbage(&self, user: &Id) -> Result<u64> {
        self.check_writable()?;
        let prefix = self.namespace.user(user)?.sessions()?;
        let (entries, _) = self.store.list_all(&prefix, LIST_OBJECTS).await?;
        let mut removed = 0;
        for key in entries.iter().filter_map(|entry| prefix.admit(&entry.key)) {
            let _lane = self.lane(&key).lock().await;
            let seen = self.records.look(&key).await?;
            if seen.value.is_some() && self.alive(&seen).is_none() {
                self.store.delete(&key, DeleteOptions::default()).await?;
                self.records.forget(&key).await;
                removed += 1;
            }
        }
        Ok(removed)
    }

    /// The user's policy: it holds in every session of the user, beside the session's own. Where none was set, one that
    /// forbids nothing.
    ///
    /// # Errors
    /// The store's.
    pub async fn user_policy(&self, user: &Id) -> Result<Arc<Policy>> {
        let key = self.namespace.user(user)?.policy()?;
        let seen = self.policies.get(&key, 0).await?;
        Ok(seen.value.clone().unwrap_or_else(|| Arc::new(Policy::unrestricted())))
    }

    /// Replaces the user's policy.
    ///
    /// # Errors
    /// `invalid_request` for one that does not hold together; the store's.
    pub async fn set_user_policy(&self, user: &Id, policy: Policy) -> Result<Arc<Policy>> {
        self.check_writable()?;
        policy.check()?;
        let key = self.namespace.user(user)?.policy()?;
        for _ in 0..SESSION_ATTEMPTS {
            let seen = self.policies.look(&key).await?;
            match self.policies.put(&key, &seen, policy.clone()).await {
                Ok(saved) => return Ok(saved),
                Err(StoreError::PreconditionFailed | StoreError::NotFound) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(Error::new(Code::EditConflict, "others kept changing the policy at the same time; try again")
            .with_outcome(Outcome::NotApplied))
    }

    /// The files of a loaded skill, wherever they are kept.
    ///
    /// # Errors
    /// `skill_changed` where the object that holds them was deleted; the store's.
    pub async fn snapshot(&self, user: &Id, loaded: &LoadedSkill) -> Result<Arc<Snapshot>> {
        if let Some(snapshot) = &loaded.snapshot {
            return Ok(snapshot.clone());
        }
        let key = self.namespace.user(user)?.snapshot(snapshot_name(&loaded.digest))?;
        let fetch = async {
            let object = self.store.get(&key, GetOptions::default()).await?;
            let snapshot: Snapshot = serde_json::from_slice(&object.bytes).map_err(Error::internal)?;
            Ok(Arc::new(snapshot))
        };
        let fetched = self.snapshots.try_get_with(format!("{user} {}", loaded.digest), fetch).await;
        fetched.map_err(|error: Arc<Error>| match error.code() {
            Code::FileNotFound => Error::new(
                Code::SkillChanged,
                format!(
                    "the file list of skill {} is gone; call load_skill({:?}) again",
                    loaded.skill,
                    loaded.skill.as_str()
                ),
            ),
            _ => error.as_ref().clone(),
        })
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

    /// Stores snapshots too large to ride in the session, and leaves their digests.
    async fn put_snapshots_aside(&self, user: &Id, session: &mut Session) -> Result<()> {
        let space = self.namespace.user(user)?;
        for loaded in &mut session.loaded_skills {
            let Some(snapshot) = loaded.snapshot.take_if(|snapshot| snapshot.files().len() > SNAPSHOT_INLINE_FILES)
            else {
                continue;
            };
            let key = space.snapshot(snapshot_name(&loaded.digest))?;
            let bytes = serde_json::to_vec(&snapshot).map_err(Error::internal)?;
            // Named by its digest: one that is there already holds the same.
            match self.committer.commit(&key, bytes.into(), &Base::Absent).await {
                Ok(_) | Err(StoreError::PreconditionFailed) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// The session that was seen, unless it was idle too long.
    fn alive(&self, seen: &Seen<Session>) -> Option<Arc<Session>> {
        seen.value.clone().filter(|session| self.clock.now() < session.expires_at())
    }

    #[expect(clippy::indexing_slicing, reason = "a remainder by the number of lanes is the index of one")]
    fn lane(&self, key: &ObjectKey) -> &Mutex<()> {
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

fn snapshot_name(digest: &str) -> &str {
    digest.strip_prefix("sha256:").unwrap_or(digest)
}

fn not_found(session: &Id) -> Error {
    Error::new(Code::SessionNotFound, format!("there is no session {session:?}; the first change in it makes one"))
}
