//! The handle of one session.

use std::sync::Arc;

use tokio::sync::watch;

use crate::{
    budget::Job,
    catalog::{Audience, CatalogView},
    context::{
        Approvals, CallReport, Context, HookNote, Progress, SessionState, cached_prompt_tag, call_report, record_hook,
        summary, summary_of,
    },
    error::Result,
    files::{Files, SessionFiles},
    limits::CALL_ID_BYTES,
    path::Id,
    session::Session,
    skills::{HostSkills, SessionSkills},
    users::forget_with_workspace,
    wire::{Policy, PromptMode, SessionSummary, SessionVersion},
};

/// One session of one user: the agent's file system. Cheap to clone.
///
/// ```
/// use std::sync::Arc;
///
/// use skillmount_base::{clock::SystemClock, path::Id};
/// use skillmount_engine::handle::{Service, ServiceOptions};
/// use skillmount_store::MemoryStore;
/// use skillmount_wire::{BackendProtocol, LsRequest, WriteRequest};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> skillmount_base::Result<()> {
/// let store = Arc::new(MemoryStore::new());
/// store.put_raw("anna/skills/minutes/SKILL.md", "---\nname: minutes\ndescription: Writes minutes.\n---\nBegin.\n");
/// let service = Service::new(store, ServiceOptions::default(), Arc::new(SystemClock::new()));
/// let agent = service.session(Id::parse("anna")?, Id::parse("chat-7")?);
/// agent.write(WriteRequest::new("/workspace/notes.md", "one\ntwo\n")).await?;
/// let folder = agent.ls(LsRequest { path: "/workspace".to_owned() }).await?;
/// assert_eq!(folder.entries.len(), 1);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct SessionBackend {
    pub(super) context: Context,
    pub(super) files: Files,
}

impl SessionBackend {
    /// The same handle, never answered from a session older than `version`.
    #[must_use]
    pub fn at_least(mut self, version: impl Into<SessionVersion>) -> Self {
        self.context.options.at_least = version.into();
        self
    }

    /// The same handle for a caller that asks for its prompt in this mode. The mode replaces the policy's, for
    /// instructions of loaded skills and for tools that come as skills are found. With `None` the policy's mode counts.
    #[must_use]
    pub fn in_mode(mut self, mode: Option<PromptMode>) -> Self {
        self.context.options.mode = mode;
        self
    }

    /// The same handle for the call that a model wrote with this id. Events and the audit record have the id, cut to
    /// [`CALL_ID_BYTES`].
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

    /// The session as it is stored now; a fresh one if there is none. It also has the loaded skills that are hidden from the
    /// caller. Texts for the caller come from [`state`](Self::state).
    ///
    /// # Errors
    /// `store_unavailable` if the store is down and the session is not in memory; `denied` if the caller is bound and
    /// does not reach it.
    pub async fn session(&self) -> Result<Arc<Session>> {
        Ok(self.context.session().await?)
    }

    /// The session and the policies in effect: its own and its user's, read at once.
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

    /// As [`state`](Self::state). The next call of this handle, or of a clone, takes that state in place of reading it.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    pub async fn read_ahead(&mut self) -> Result<SessionState> {
        Ok(self.context.read_ahead().await?)
    }

    /// Notes that the answer of this handle is made from `session`, or led to it.
    pub fn record_seen(&self, session: &Session) {
        self.context.record_seen(session);
    }

    /// The report of this handle's calls so far: the version of the session, and the tag of prompt and tools. If none
    /// of them read the session, reads it now.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    pub async fn report(&self) -> Result<CallReport> {
        call_report(&self.context).await
    }

    /// The layers of the catalog that are in memory, nearest first, and the audience that sees them; `None` unless all are. Does not
    /// ask the store.
    #[must_use]
    pub fn cached_layers(&self) -> Option<(Audience, Vec<Arc<CatalogView>>)> {
        let (catalogs, audience) = (self.context.core.catalogs(), self.context.caller.audience());
        let layers = catalogs.layers(audience).ok()?.into_iter();
        let views: Option<_> = layers.map(|(layer, _)| catalogs.cached_layer(audience.clone(), layer)).collect();
        Some((audience.clone(), views?))
    }

    /// The skills this session may know of, own and shared; asks the store again if that is old, and always with `fresh`.
    ///
    /// # Errors
    /// The store's.
    pub async fn catalog(&self, fresh: bool) -> Result<Arc<CatalogView>> {
        self.context.catalog(fresh).await
    }

    /// The long work of an operation for this user. It ends with the operation.
    pub fn errand(&self) -> Job {
        self.context.errand()
    }

    /// A hash of session, policies and catalog. It is the same on every replica. `None` unless this process has recent
    /// versions of them all in memory. Does not ask the store.
    pub async fn cached_tag(&self) -> Option<String> {
        cached_prompt_tag(&self.context).await
    }

    /// Keeps the note of a hook in the session. Returns false if the session has that note already. The observer receives
    /// the note as a change of the session, or as its creation if there was none.
    ///
    /// # Errors
    /// As [`session`](Self::session); `read_only` if nothing can be written; the store's; `store_unavailable` with
    /// `parts` if the note was made and could not be recorded.
    pub async fn record_hook(&self, note: HookNote) -> Result<bool> {
        record_hook(&self.context, note).await
    }

    /// The calls of this session that wait for a decision.
    #[must_use]
    pub fn approvals(&self) -> Approvals {
        Approvals::new(self.context.clone())
    }

    /// The files of this session, read and written whole.
    #[must_use]
    pub fn files(&self) -> SessionFiles {
        SessionFiles::new(self.context.clone(), self.files.clone())
    }

    /// The skills that this session has and finds.
    #[must_use]
    pub fn skills(&self) -> SessionSkills {
        SessionSkills::new(self.context.clone())
    }

    /// The skills of this session for hosts that fetch files themselves, without a load.
    #[must_use]
    pub fn host_skills(&self) -> HostSkills {
        HostSkills::new(self.context.clone())
    }

    /// The session as it is now, as this caller may see it.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    pub async fn summary(&self) -> Result<SessionSummary> {
        summary(&self.context).await
    }

    /// The session after a change, as this caller may see it. The `user`'s policy is read before the change, so that a
    /// change that was made never ends as an error.
    #[must_use]
    pub fn summary_of(&self, session: &Session, user: &Policy) -> SessionSummary {
        summary_of(&self.context, session, user)
    }

    /// Forgets this session and deletes every file of its workspace. Its ticket stays.
    ///
    /// If a session cannot be read, it counts as sharing the workspace. A session that is forked from this one
    /// meanwhile may find the workspace emptied.
    ///
    /// # Errors
    /// `session_not_found` if it does not exist and has no files of its own. `workspace_shared` if other sessions share
    /// its workspace; the error names those sessions within the caller's reach. The error of a delete of files if some
    /// could not be deleted: then the session stays.
    pub async fn forget_with_workspace(&self) -> Result<()> {
        forget_with_workspace(&self.context).await
    }

    /// Checks that the user of the session is not being deleted; as
    /// [`Deletions::check_not_deleted`](crate::deletions::Deletions::check_not_deleted).
    ///
    /// # Errors
    /// `denied` if the user is being deleted.
    pub async fn check_not_deleted(&self) -> Result<()> {
        self.context.core.deletions().check_not_deleted(self.user()).await
    }
}
