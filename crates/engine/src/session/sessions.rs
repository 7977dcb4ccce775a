//! All sessions, and how each is read. `lifecycle` changes them.

use std::sync::Arc;

use jiff::Timestamp;

use super::{
    LoadedSkill, Ranks, Session, SessionError,
    load_history::LoadHistory,
    objects::{CachedObject, CasObjects},
    pending_discoveries::PendingDiscoveries,
    policy_object::PolicyObject,
    session_tags::session_tags,
    shared_writes::SharedWrites,
    snapshots::Snapshots,
    usage::UsageCounts,
};
use crate::{
    error::{Code, Error, Result},
    limits::{POLICY_CACHE_BYTES, SESSION_TOUCH, SESSION_VALUES_BYTES},
    path::{Id, MountTemplates},
    skill::Snapshot,
    store::StoreHandle,
    wire::SessionVersion,
};

/// The sessions and policies of every user.
///
/// ```
/// use std::sync::Arc;
///
/// use skillmount_base::{clock::SystemClock, path::Id};
/// use skillmount_engine::handle::{Service, ServiceOptions};
/// use skillmount_store::MemoryStore;
/// use skillmount_wire::CreateSession;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> skillmount_base::Result<()> {
/// let store = Arc::new(MemoryStore::new());
/// store.put_raw("anna/skills/minutes/SKILL.md", "---\nname: minutes\ndescription: Writes minutes.\n---\nBegin.\n");
/// let service = Service::new(store, ServiceOptions::default(), Arc::new(SystemClock::new()));
/// let (anna, chat) = (Id::parse("anna")?, Id::parse("chat-7")?);
/// service.sessions().create(&anna, &chat, CreateSession::default()).await?;
/// service.sessions().delete(&anna, &chat).await?;
/// let again = service.sessions().delete(&anna, &chat).await;
/// assert_eq!(again.unwrap_err().code(), skillmount_base::Code::SessionNotFound);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Sessions {
    pub(super) store: StoreHandle,
    pub(super) templates: MountTemplates,
    pub(super) records: Arc<CasObjects<Session>>,
    pub(super) policies: CasObjects<PolicyObject>,
    /// Orders the changes of one session.
    pub(super) writes: SharedWrites,
    pub(super) pending: Arc<PendingDiscoveries>,
    pub(super) usage: UsageCounts,
    pub(super) load_history: LoadHistory,
    pub(super) snapshots: Arc<Snapshots>,
    #[cfg(feature = "testing")]
    pub(super) reads: super::read_counts::ReadCounter,
}

impl Sessions {
    /// The sessions in `store`. `templates` decides which variables have a use.
    #[must_use]
    pub fn new(store: StoreHandle, templates: MountTemplates) -> Self {
        let (shared, clock) = (store.store(), store.clock());
        let records = CasObjects::new(shared.clone(), clock.clone(), SESSION_VALUES_BYTES).tagged(session_tags());
        let snapshots = Arc::new(Snapshots::new(shared.clone(), clock.clone(), Arc::clone(records.shared())));
        let (records, pending) = (Arc::new(records), Arc::<PendingDiscoveries>::default());
        Self {
            policies: CasObjects::new(shared.clone(), clock.clone(), POLICY_CACHE_BYTES),
            writes: SharedWrites::new(store.clone(), records.clone(), snapshots.clone(), pending.clone()),
            pending,
            usage: UsageCounts::new(shared.clone(), store.namespace().clone(), clock.clone()),
            load_history: LoadHistory::new(shared.clone(), store.namespace().clone(), clock.clone()),
            snapshots,
            records,
            store,
            templates,
            #[cfg(feature = "testing")]
            reads: super::read_counts::ReadCounter::default(),
        }
    }

    /// Checks that sessions and files may be changed.
    ///
    /// # Errors
    /// `read_only`, with the reason.
    pub fn check_writable(&self) -> Result<()> {
        self.store.check_writable()
    }

    /// Whether the mount templates let agents set this variable.
    #[must_use]
    pub fn agents_may_set(&self, variable: &str) -> bool {
        self.templates.agents_may_set(variable)
    }

    /// How many sessions of each user loaded each skill.
    #[must_use]
    pub fn usage(&self) -> &UsageCounts {
        &self.usage
    }

    /// Which skills the sessions of each user loaded after which questions.
    #[must_use]
    pub fn load_history(&self) -> &LoadHistory {
        &self.load_history
    }

    /// The present session, or a new value if there is none. It is never older than version `at_least`: if that is of
    /// another life than the one in memory, the store is asked.
    ///
    /// # Errors
    /// [`SessionError::Damaged`] if its object is damaged; `store_unavailable` if the store is down and the session is not
    /// in memory.
    pub async fn get(
        &self,
        user: &Id,
        session: &Id,
        at_least: impl Into<SessionVersion>,
    ) -> Result<Arc<Session>, SessionError> {
        let found = self.get_untouched(user, session, at_least).await?;
        // A session that does not exist is not in use.
        if found.version == 0
            || self.store.check_writable().is_err()
            || self.store.clock().now().duration_since(found.updated_at) < SESSION_TOUCH
        {
            return Ok(found);
        }
        match self.update(user, session, |_| Ok(Change::Save(()))).await {
            Ok((touched, ())) => Ok(touched),
            Err(error) => {
                tracing::warn!(%user, %session, cause = %error.chain(), "could not record that the session is in use");
                Ok(found)
            }
        }
    }

    /// As [`get`](Self::get), and the session does not count as used.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    pub async fn get_untouched(
        &self,
        user: &Id,
        session: &Id,
        at_least: impl Into<SessionVersion>,
    ) -> Result<Arc<Session>, SessionError> {
        #[cfg(feature = "testing")]
        self.reads.count_session();
        let seen = self.records.get(&self.store.namespace().user(user)?.session(session)?, &at_least.into()).await?;
        let fresh = || Arc::new(Session::fresh(user.clone(), session.clone(), self.store.clock().now()));
        Ok(alive(&seen, self.store.clock().now())?.unwrap_or_else(fresh))
    }

    /// The session as the store has it now, or a new value if there is none.
    ///
    /// # Errors
    /// `object_damaged` if its object is damaged; the store's.
    pub async fn refresh(&self, user: &Id, session: &Id) -> Result<Arc<Session>> {
        #[cfg(feature = "testing")]
        self.reads.count_session();
        let seen = self.records.refresh(&self.store.namespace().user(user)?.session(session)?).await?;
        let fresh = || Arc::new(Session::fresh(user.clone(), session.clone(), self.store.clock().now()));
        Ok(alive(&seen, self.store.clock().now())?.unwrap_or_else(fresh))
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
        let key = self.store.namespace().user(user)?.session(session)?;
        if self.records.remembers(&key) {
            let found = self.get(user, session, at_least).await?;
            return if found.version > 0 { Ok(found) } else { Ok(ranked(found, self.usage.ranks(user).await)) };
        }
        // At the same time, because the user waits for the first prompt of a conversation.
        let (found, ranks) = tokio::join!(self.get(user, session, at_least), self.usage.ranks(user));
        Ok(found.map(|found| if found.version > 0 { found } else { ranked(found, ranks) })?)
    }

    /// The session, if there is one.
    ///
    /// # Errors
    /// `session_not_found` if there is none; as [`get`](Self::get).
    pub async fn existing(&self, user: &Id, session: &Id, at_least: impl Into<SessionVersion>) -> Result<Arc<Session>> {
        let found = self.get(user, session, at_least).await?;
        if found.version == 0 { Err(not_found(session)) } else { Ok(found) }
    }

    /// The files of a loaded skill, from the session object or from their own.
    ///
    /// # Errors
    /// `skill_changed` if the object of the files was deleted; the store's.
    pub async fn snapshot(&self, user: &Id, loaded: &LoadedSkill) -> Result<Arc<Snapshot>> {
        self.snapshots.for_loaded(&self.store.namespace().user(user)?, loaded).await
    }

    /// Forgets what memory has of a user who was deleted. The next call reads sessions and policies again.
    pub async fn forget_user(&self, user: &Id) {
        self.usage.forget(user).await;
        self.load_history.forget(user).await;
        if let Ok(space) = self.store.namespace().user(user) {
            self.snapshots.forget(&space).await;
        }
    }

    /// The reads of sessions and policies so far, of all callers.
    #[cfg(feature = "testing")]
    #[must_use]
    pub fn read_counts(&self) -> super::ReadCounts {
        self.reads.counts()
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

/// The session in `seen`, unless it was idle too long at `now`.
///
/// # Errors
/// [`SessionError::Damaged`].
pub(super) fn alive(seen: &CachedObject<Session>, now: Timestamp) -> Result<Option<Arc<Session>>, SessionError> {
    Ok(seen.value()?.filter(|session| now < session.expires_at()).cloned())
}

pub(super) fn not_found(session: &Id) -> Error {
    Error::new(Code::SessionNotFound, format!("there is no session {session:?}; the first change in it makes one"))
}
