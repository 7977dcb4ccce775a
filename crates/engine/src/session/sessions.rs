//! All sessions: reading, changing and writing them.
//!
//! A session changes only by compare-and-swap on its object, so any replica can serve any session. Changes from one
//! process to one session queue first, because a race between them would waste a round trip.

use std::{collections::BTreeMap, sync::Arc};

use futures_util::{StreamExt as _, stream};
use tokio::sync::MutexGuard;

use super::{
    KeyedLocks, LoadedSkill, Policy, SearchRecord, Session, SessionIncarnation, SessionVersion,
    followed::{FollowedLoad, LoadHistory},
    objects::{CachedObject, CasObjects},
    pending::PendingDiscoveries,
    session_tags::session_tags,
    snapshots::Snapshots,
    uses::{Ranks, UsageCounts},
};
use crate::{
    clock::Clock,
    error::{Code, Error, Outcome, Result},
    limits::{PARALLEL_GETS, POLICY_CACHE_BYTES, SESSION_ATTEMPTS, SESSION_TOUCH, SESSION_VALUES_BYTES, VARS},
    path::{Id, MountTemplates, Namespace, ObjectKey, SkillPath, check_variable_name},
    skill::Snapshot,
    store::{SharedStore, StoreError},
};

/// The sessions and policies of every user.
#[derive(Debug)]
pub struct Sessions {
    pub(super) store: SharedStore,
    pub(super) namespace: Namespace,
    templates: MountTemplates,
    pub(super) clock: Arc<dyn Clock>,
    read_only: Option<String>,
    pub(super) records: CasObjects<Session>,
    pub(super) policies: CasObjects<Policy>,
    /// Orders the changes of one session.
    lanes: KeyedLocks,
    pub(super) pending: PendingDiscoveries,
    pub(super) uses: UsageCounts,
    followed: LoadHistory,
    snapshots: Snapshots,
    #[cfg(feature = "testing")]
    pub(super) reads: super::read_counts::ReadCounter,
}

impl Sessions {
    /// The sessions below `namespace`. `templates` decides which variables have a use.
    #[must_use]
    pub fn new(store: SharedStore, namespace: Namespace, templates: MountTemplates, clock: Arc<dyn Clock>) -> Self {
        let records = CasObjects::new(store.clone(), clock.clone(), SESSION_VALUES_BYTES).tagged(session_tags());
        Self {
            policies: CasObjects::new(store.clone(), clock.clone(), POLICY_CACHE_BYTES),
            lanes: KeyedLocks::default(),
            pending: PendingDiscoveries::default(),
            uses: UsageCounts::new(store.clone(), namespace.clone(), clock.clone()),
            followed: LoadHistory::new(store.clone(), namespace.clone(), clock.clone()),
            snapshots: Snapshots::new(store.clone(), clock.clone(), Arc::clone(records.shared())),
            records,
            store,
            namespace,
            templates,
            clock,
            read_only: None,
            #[cfg(feature = "testing")]
            reads: super::read_counts::ReadCounter::default(),
        }
    }

    /// Refuses every change with the reason `why`, if there is one: for a store that cannot keep the promises changes
    /// need.
    #[must_use]
    pub fn read_only(mut self, why: Option<String>) -> Self {
        self.read_only = why;
        self
    }

    /// Checks that sessions and files may be changed.
    ///
    /// # Errors
    /// `read_only`, with the reason.
    pub fn check_writable(&self) -> Result<()> {
        match &self.read_only {
            None => Ok(()),
            Some(why) => Err(Error::new(Code::ReadOnly, format!("this service only reads: {why}"))),
        }
    }

    /// The present session, or a new value if there is none. It is never older than version `at_least`: if that is of
    /// another life than the one in memory, the store is asked.
    ///
    /// # Errors
    /// `store_unavailable` if the store is down and the session is not in memory; `internal` if its object is damaged.
    pub async fn get(&self, user: &Id, session: &Id, at_least: impl Into<SessionVersion>) -> Result<Arc<Session>> {
        let found = self.look_on(user, session, at_least).await?;
        // A session that does not exist is not in use.
        if found.version == 0
            || self.read_only.is_some()
            || self.clock.now().duration_since(found.updated_at) < SESSION_TOUCH
        {
            return Ok(found);
        }
        match self.update(user, session, |_| Ok(Change::Save(()))).await {
            Ok((touched, ())) => Ok(touched),
            Err(error) => {
                tracing::warn!(%user, %session, cause = %error.chain(), "could not note that the session is in use");
                Ok(found)
            }
        }
    }

    /// As [`get`](Self::get), for a caller that only looks on: the session does not count as used.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    pub async fn look_on(&self, user: &Id, session: &Id, at_least: impl Into<SessionVersion>) -> Result<Arc<Session>> {
        #[cfg(feature = "testing")]
        self.reads.count_session();
        let seen = self.records.get(&self.namespace.user(user)?.session(session)?, &at_least.into()).await?;
        let fresh = || Arc::new(Session::fresh(user.clone(), session.clone(), self.clock.now()));
        Ok(self.alive(&seen)?.unwrap_or_else(fresh))
    }

    /// The session as the store has it now, or a new value if there is none.
    ///
    /// # Errors
    /// `internal` if its object is damaged; the store's.
    pub async fn look(&self, user: &Id, session: &Id) -> Result<Arc<Session>> {
        #[cfg(feature = "testing")]
        self.reads.count_session();
        let seen = self.records.look(&self.namespace.user(user)?.session(session)?).await?;
        let fresh = || Arc::new(Session::fresh(user.clone(), session.clone(), self.clock.now()));
        Ok(self.alive(&seen)?.unwrap_or_else(fresh))
    }

    /// As [`get`](Self::get). A new value also has the ranks it would begin with now.
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
        // At the same time, because the user waits for the first prompt of a conversation.
        let (found, ranks) = tokio::join!(self.get(user, session, at_least), self.uses.ranks(user));
        found.map(|found| if found.version > 0 { found } else { ranked(found, ranks) })
    }

    /// Fetches the ranks of a new session, so that the change that creates the session does not wait for them.
    pub async fn prepare(&self, session: &Session) {
        if session.version == 0 {
            self.uses.ranks(&session.user_id).await;
        }
    }

    /// The session, if there is one.
    ///
    /// # Errors
    /// `session_not_found` if there is none; as [`get`](Self::get).
    pub async fn existing(&self, user: &Id, session: &Id, at_least: impl Into<SessionVersion>) -> Result<Arc<Session>> {
        let found = self.get(user, session, at_least).await?;
        if found.version == 0 { Err(not_found(session)) } else { Ok(found) }
    }

    /// Changes a session by `change`, which can run several times, once on each version that was read.
    ///
    /// # Errors
    /// Those of `change`; `edit_conflict` if other replicas kept winning; the store's, with its outcome.
    pub async fn update<T>(
        &self,
        user: &Id,
        session: &Id,
        mut change: impl FnMut(&mut Session) -> Result<Change<T>>,
    ) -> Result<(Arc<Session>, T)> {
        self.check_writable()?;
        let key = self.namespace.user(user)?.session(session)?;
        let name = (user.clone(), session.clone());
        let _lane = self.lane(&key).await;
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
                Change::None(said) => return Ok((current.unwrap_or_else(|| Arc::new(next)), said)),
                Change::Save(said) => said,
            };
            let (past, last) = self.pending.for_session(&name);
            next.remember(past);
            // A snapshot beside a session has no effect until the session names it.
            let aside = self.snapshots.put_aside(&self.namespace.user(user)?, &mut next).await;
            aside.map_err(|error| error.with_outcome(Outcome::NotApplied))?;
            if next.version == 0 {
                next.life = Some(SessionIncarnation::new(now, self.clock.random()));
            }
            // No session reaches this count by itself, but an object that another tool wrote can.
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

    /// Keeps a discovery to be written with the next change of its session. Returns true if the caller must schedule a
    /// [`flush`](Self::flush).
    ///
    /// # Errors
    /// `invalid_path` if the ids are too long for a key.
    pub fn note(&self, user: &Id, session: &Id, past: SearchRecord) -> Result<bool> {
        self.namespace.user(user)?.session(session)?;
        Ok(self.pending.add(&(user.clone(), session.clone()), past))
    }

    /// Writes the discoveries of a session that are not written yet, and returns the session as it is then; `None` if all are
    /// written. If that fails, they are dropped.
    ///
    /// # Errors
    /// As [`update`](Self::update).
    pub async fn flush(&self, user: &Id, session: &Id) -> Result<Option<Arc<Session>>> {
        let name = (user.clone(), session.clone());
        let (past, last) = self.pending.for_session(&name);
        if past.is_empty() {
            return Ok(None);
        }
        let flushed = self.update(user, session, |_| Ok(Change::Save(()))).await.map(|(session, ())| Some(session));
        self.pending.drop_through(&name, last);
        flushed
    }

    /// Writes the discoveries and uses of all sessions and users, before the process ends.
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
        let followed = stream::iter(self.followed.waiting_users()).for_each_concurrent(PARALLEL_GETS, async |user| {
            if let Err(error) = self.followed.flush(&user).await {
                tracing::warn!(%user, error = %error.chain(), "loads after questions were not noted");
            }
        });
        tokio::join!(discoveries, uses, followed);
    }

    /// Counts the first load of a skill in a session. Returns true if the caller must schedule a
    /// [`flush_uses`](Self::flush_uses).
    pub fn note_use(&self, user: &Id, skill: &SkillPath) -> bool {
        self.uses.add(user, skill)
    }

    /// Writes the uses that are not written yet. If that fails, they are dropped.
    ///
    /// # Errors
    /// The store's.
    pub async fn flush_uses(&self, user: &Id) -> Result<()> {
        self.uses.flush(user).await
    }

    /// Forgets what memory has of a user who was deleted. Sessions and policies are looked at again by themselves.
    pub async fn forget_user(&self, user: &Id) {
        self.uses.forget(user).await;
        self.followed.forget(user).await;
        if let Ok(space) = self.namespace.user(user) {
            self.snapshots.forget(&space).await;
        }
    }

    /// The loads of a user that followed questions, oldest first: from memory, or else from the bucket. Also returns
    /// true if it is time to [`look`](Self::look_at_followed) again.
    pub async fn followed(&self, user: &Id) -> (Arc<Vec<FollowedLoad>>, bool) {
        self.followed.for_user(user).await
    }

    /// Looks which loads other replicas noted.
    ///
    /// # Errors
    /// The store's.
    pub async fn look_at_followed(&self, user: &Id) -> Result<()> {
        self.followed.look(user).await
    }

    /// Notes a load that followed a question. Returns true if the caller must schedule a
    /// [`flush_followed`](Self::flush_followed).
    pub fn note_followed(&self, user: &Id, load: FollowedLoad) -> bool {
        self.followed.add(user, load)
    }

    /// Writes the loads that are not written yet. If that fails, they are dropped.
    ///
    /// # Errors
    /// The store's.
    pub async fn flush_followed(&self, user: &Id) -> Result<()> {
        self.followed.flush(user).await
    }

    /// The files of a loaded skill, from the session object or from their own.
    ///
    /// # Errors
    /// `skill_changed` if the object of the files was deleted; the store's.
    pub async fn snapshot(&self, user: &Id, loaded: &LoadedSkill) -> Result<Arc<Snapshot>> {
        self.snapshots.for_loaded(&self.namespace.user(user)?, loaded).await
    }

    /// The reads of sessions and policies so far, of all callers.
    #[cfg(feature = "testing")]
    #[must_use]
    pub fn read_counts(&self) -> super::ReadCounts {
        self.reads.counts()
    }

    /// Whether the mount templates let agents set this variable.
    #[must_use]
    pub fn agents_may_set(&self, variable: &str) -> bool {
        self.templates.agents_may_set(variable)
    }

    /// Checks that every variable has a use.
    ///
    /// # Errors
    /// `invalid_request`, with the variable and those in use.
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

    /// The session in `seen`, unless it was idle too long.
    ///
    /// # Errors
    /// `internal` if its object is damaged.
    pub(super) fn alive(&self, seen: &CachedObject<Session>) -> Result<Option<Arc<Session>>> {
        Ok(seen.value()?.filter(|session| self.clock.now() < session.expires_at()).cloned())
    }

    pub(super) async fn lane(&self, key: &ObjectKey) -> MutexGuard<'_, ()> {
        self.lanes.enter(key.as_str()).await
    }
}

/// Whether [`Sessions::update`] saves the session.
#[derive(Debug)]
pub enum Change<T> {
    /// Leaves it unchanged.
    None(T),
    /// Saves the session, changed or not. The session counts as used now, and its discoveries are written.
    Save(T),
}

fn ranked(session: Arc<Session>, ranks: Ranks) -> Arc<Session> {
    Arc::new(Session { ranks, ..Arc::unwrap_or_clone(session) })
}

pub(super) fn not_found(session: &Id) -> Error {
    Error::new(Code::SessionNotFound, format!("there is no session {session:?}; the first change in it makes one"))
}
