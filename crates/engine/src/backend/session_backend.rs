//! The handle of one session.

use std::sync::Arc;

use tokio::sync::watch;

use super::context::{CallReport, Context, Progress, SessionState};
use crate::{
    budget::Job,
    catalog::{CatalogView, Searchable},
    error::Result,
    limits::CALL_ID_BYTES,
    path::Id,
    session::{ApprovalList, DecideApproval, PromptMode, Session, SessionVersion},
};

/// One session of one user: the agent's file system. Cheap to clone.
#[derive(Clone, Debug)]
pub struct SessionBackend {
    pub(super) context: Context,
}

impl SessionBackend {
    /// The handle whose calls have this context.
    pub(super) fn new(context: Context) -> Self {
        Self { context }
    }

    /// The same handle, never answered from a session older than `version`.
    #[must_use]
    pub fn at_least(mut self, version: impl Into<SessionVersion>) -> Self {
        self.context.options.at_least = version.into();
        self
    }

    /// The same handle for a caller that asks for its prompt in this mode, if it names one: instructions of loaded skills,
    /// and tools that come as skills are found, go by it in place of the policy's.
    #[must_use]
    pub fn in_mode(mut self, mode: Option<PromptMode>) -> Self {
        self.context.options.mode = mode;
        self
    }

    /// The same handle for the call that a model wrote with this id. Its events and its audit record have the id, of which they
    /// keep [`CALL_ID_BYTES`] at most.
    #[must_use]
    pub fn for_call(mut self, id: &str) -> Self {
        let id = id.get(..id.floor_char_boundary(CALL_ID_BYTES)).unwrap_or_default();
        self.context.options.id = Some(id.into());
        self
    }

    /// The same handle, which sends to `listener` how far its searches are.
    #[must_use]
    pub fn reporting_to(mut self, listener: watch::Sender<Progress>) -> Self {
        self.context.options.progress = Some(listener);
        self
    }

    /// Whose session it is.
    #[must_use]
    pub fn user(&self) -> &Id {
        self.context.user()
    }

    /// Which of the user's sessions it is.
    #[must_use]
    pub fn session_id(&self) -> &Id {
        &self.context.session
    }

    /// The session as it is now; a fresh one if there is none.
    ///
    /// # Errors
    /// `store_unavailable` if the store is down and the session is not in memory; `denied` if the caller is bound and
    /// does not reach it.
    pub async fn session(&self) -> Result<Arc<Session>> {
        Ok(self.context.session().await?)
    }

    /// The session and what it may do: its own policy and its user's, asked for at once.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    pub async fn state(&self) -> Result<SessionState> {
        Ok(self.context.state().await?)
    }

    /// As [`state`](Self::state), and a fresh session has the ranks it would begin with now.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    pub async fn ranked_state(&self) -> Result<SessionState> {
        self.context.ranked_state().await
    }

    /// The state, and the same handle, whose first call takes that state in place of reading it.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    pub async fn read_ahead(&self) -> Result<(Self, SessionState)> {
        let (context, state) = self.context.read_ahead().await?;
        Ok((Self { context }, state))
    }

    /// Notes that the answer of this handle is made from `session`, or led to it.
    pub fn note_seen(&self, session: &Session) {
        self.context.note_seen(session);
    }

    /// What the calls of this handle have seen so far: the version of the session, and the tag of prompt and tools. If none of them
    /// read the session, reads it now.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    pub async fn report(&self) -> Result<CallReport> {
        self.context.report().await
    }

    /// The skills this session may know of, own and shared; asks the store again if that is old, and always with `fresh`.
    ///
    /// # Errors
    /// The store's.
    pub async fn catalog(&self, fresh: bool) -> Result<Arc<CatalogView>> {
        self.context.catalog(fresh).await
    }

    /// As [`catalog`](Self::catalog), with its search index.
    ///
    /// # Errors
    /// The store's.
    pub async fn searchable_catalog(&self) -> Result<Searchable> {
        self.context.searchable_catalog().await
    }

    /// The long work of one operation for this user, which ends with it.
    #[must_use]
    pub fn errand(&self) -> Job {
        self.context.errand()
    }

    /// A hash of session, policies and catalog. It is the same on every replica. `None` unless this process has recent versions of
    /// them all in memory. Does not ask the store.
    pub async fn known_tag(&self) -> Option<String> {
        self.context.known_tag().await
    }

    /// Notes in the session that it was given the listing of skills. Returns false if that is noted already. The note is reported
    /// as the change of a session that it is, or as making one that was not there.
    ///
    /// # Errors
    /// As [`session`](Self::session); `read_only` if nothing can be written; the store's; `store_unavailable` with `parts` if
    /// it was noted and no account could be kept of it.
    pub async fn note_listing(&self) -> Result<bool> {
        self.context.note_listing().await
    }

    /// The calls of this session that wait for a decision, as the store has them now.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    pub async fn waiting_calls(&self) -> Result<ApprovalList> {
        self.context.waiting_calls().await
    }

    /// Decides about a call that waits, and returns the session as it is then. The decision has its audit record, whoever asked
    /// for it.
    ///
    /// # Errors
    /// `approval_not_found` if no such call waits in this session; as [`session`](Self::session); `store_unavailable` with `parts`
    /// if it was decided and has no record.
    pub async fn decide_approval(&self, id: &str, decision: DecideApproval) -> Result<Arc<Session>> {
        self.context.decide_approval(id, decision).await
    }
}
