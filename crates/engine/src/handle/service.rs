//! The service: everything that sessions share.

use std::{sync::Arc, time::Duration};

use super::SessionBackend;
use crate::{
    authoring::Authoring,
    budget::{Capacity, Memory, Workers},
    catalog::Catalogs,
    clock::Clock,
    context::{Author, Budgets, Caller, Context, Core, visible_sessions},
    deletions::Deletions,
    encoder::Encoder,
    error::Result,
    files::Files,
    limits::MEMORY_PATIENCE,
    observer::Observer,
    path::{Id, MountTemplates, Namespace},
    publish::{PublishedSkills, Publisher},
    session::{CreatedSession, Sessions},
    skills::{Library, create_session, create_session_within},
    store::{DeletionFence, ReadOnly, RequestCounts, SharedStore, StoreHandle, WriteAccess},
    upkeep::Upkeep,
    users::Users,
    wire::{CreateSession, SessionListRequest, SessionPage},
};

/// The configuration of a service.
#[derive(Clone, Debug, Default)]
pub struct ServiceOptions {
    /// The folder of the bucket everything lies below; the whole bucket if `None`.
    pub namespace: Option<Namespace>,
    /// Where `/workspace` and `/ticket` lie.
    pub templates: MountTemplates,
    /// Whether the service may write: [`OpenStore::write_access`](super::OpenStore::write_access).
    pub access: WriteAccess,
    /// Whether sessions see the skills of their caller's team (`_teams/{team}/skills/`) and of the organisation
    /// (`_org/skills/`) beside their user's own.
    pub layers: bool,
    /// Whether catalogs are kept in the bucket as well (`.skillmount/catalog.json`), so that a new process reads one object
    /// in place of every SKILL.md. Not while there is no `access`.
    pub index: bool,
    /// The resources that the process may take for all sessions together.
    pub budgets: Budgets,
    /// The counts of requests to the store below the service, if the opener of the store counts them.
    pub ledger: Option<Arc<RequestCounts>>,
    /// The observer of every operation, if there is one.
    pub observer: Option<Arc<dyn Observer>>,
    /// The pause between two requests for digests that no host has asked for;
    /// [`DIGEST_PACE`](crate::limits::DIGEST_PACE) if `None`.
    pub digest_pace: Option<Duration>,
    /// The encoder of texts as vectors, if skills are to be found by meaning as well.
    pub encoder: Option<Arc<dyn Encoder>>,
    /// Whether skills that a user's sessions loaded after a question are raised for the like questions of the same user.
    pub feedback: bool,
}

/// Everything that sessions share, by its owners. Cheap to clone.
///
/// ```
/// use std::sync::Arc;
///
/// use skillmount_base::{clock::SystemClock, path::Id};
/// use skillmount_engine::handle::{Service, ServiceOptions};
/// use skillmount_store::MemoryStore;
/// use skillmount_wire::{BackendProtocol, LoadSkillRequest};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> skillmount_base::Result<()> {
/// let store = Arc::new(MemoryStore::new());
/// store.put_raw("anna/skills/minutes/SKILL.md", "---\nname: minutes\ndescription: Writes minutes.\n---\nBegin.\n");
/// let service = Service::new(store, ServiceOptions::default(), Arc::new(SystemClock::new()));
/// let agent = service.session(Id::parse("anna")?, Id::parse("chat-7")?);
/// let loaded = agent.load_skill(LoadSkillRequest::new("minutes")).await?;
/// assert_eq!(loaded.mount, "/skills/minutes");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Service {
    pub(crate) core: Arc<Core>,
    files: Files,
    library: Library,
    publisher: Publisher,
    published: PublishedSkills,
    authoring: Authoring,
    users: Users,
    upkeep: Upkeep,
    ledger: Option<Arc<RequestCounts>>,
}

impl Service {
    /// A service over `store`.
    #[must_use]
    pub fn new(store: SharedStore, options: ServiceOptions, clock: Arc<dyn Clock>) -> Self {
        let namespace = options.namespace.clone().unwrap_or_default();
        let fence = DeletionFence::new(store, namespace.clone());
        let handle = StoreHandle::new(fence.clone(), namespace, clock, options.access.clone());
        let budgets = options.budgets;
        let memory = Memory::new(budgets.requests(), MEMORY_PATIENCE);
        let capacity = Capacity::new(Workers::new(budgets.workers), memory, budgets.steps);
        let catalogs = catalogs(&handle, &capacity, &options);
        let files = Files::new(&handle, capacity.workers(), options.observer.is_some());
        let templates = options.templates;
        let sessions = Sessions::new(handle.clone(), templates.clone());
        let core = Core::new(
            handle,
            capacity,
            (catalogs, options.digest_pace),
            (sessions, templates),
            options.observer,
            options.feedback,
        );
        fence.set_monitor(Arc::downgrade(&core.deletions().monitor()));
        let core = Arc::new(core);
        let publisher = Publisher::new(Arc::clone(&core));
        Self {
            files,
            library: Library::new(Arc::clone(&core)),
            published: PublishedSkills::new(publisher.clone()),
            publisher,
            authoring: Authoring::new(Arc::clone(&core)),
            users: Users::new(Arc::clone(&core)),
            upkeep: Upkeep::new(Arc::clone(&core)),
            ledger: options.ledger,
            core,
        }
    }

    /// The handle of one session, for the caller of a service without keys. Asks nothing of the store.
    #[must_use]
    pub fn session(&self, user: Id, session: Id) -> SessionBackend {
        self.session_of(Caller::new(user), session)
    }

    /// The handle of one session for `caller`. Asks nothing of the store.
    #[must_use]
    pub fn session_of(&self, caller: impl Into<Arc<Caller>>, session: Id) -> SessionBackend {
        let context = Context::new(Arc::clone(&self.core), caller.into(), session);
        SessionBackend { context, files: self.files.clone() }
    }

    /// The entry of `caller` as an author or an operator.
    #[must_use]
    pub fn author(&self, caller: impl Into<Arc<Caller>>) -> Author {
        Author::new(Arc::clone(&self.core), caller.into())
    }

    /// The sessions and policies of every user.
    #[must_use]
    pub fn sessions(&self) -> &Sessions {
        self.core.sessions()
    }

    /// The skills of every user.
    #[must_use]
    pub fn catalogs(&self) -> &Catalogs {
        self.core.catalogs()
    }

    /// The documents of skills, without a session.
    #[must_use]
    pub fn library(&self) -> &Library {
        &self.library
    }

    /// New versions of skills, and drafts.
    #[must_use]
    pub fn publisher(&self) -> &Publisher {
        &self.publisher
    }

    /// Published skills with numbered versions.
    #[must_use]
    pub fn published(&self) -> &PublishedSkills {
        &self.published
    }

    /// Queries of authors beside publishing: lint findings, digests, and the state of catalogs.
    #[must_use]
    pub fn authoring(&self) -> &Authoring {
        &self.authoring
    }

    /// The users, and everything that one has.
    #[must_use]
    pub fn users(&self) -> &Users {
        &self.users
    }

    /// The deletions of users.
    #[must_use]
    pub fn deletions(&self) -> &Deletions {
        self.core.deletions()
    }

    /// Checks of the store's contents.
    #[must_use]
    pub fn upkeep(&self) -> &Upkeep {
        &self.upkeep
    }

    /// Creates a session of the user of `caller`, or returns the existing one. A new session begins with the skills that
    /// its policy preloads, if `caller` sees them.
    ///
    /// # Errors
    /// As [`Sessions::create`]; that of a preload that fails, with the skill's name: then no session is created.
    pub async fn create_session(
        &self,
        caller: impl Into<Caller>,
        session: &Id,
        wanted: CreateSession,
    ) -> Result<CreatedSession> {
        create_session(&self.core, &Arc::new(caller.into()), session, wanted).await
    }

    /// As [`create_session`](Self::create_session), for a caller whose key may be bound. `is_taken` is true if
    /// any key is bound to the id `session`.
    ///
    /// # Errors
    /// `denied` if the key does not reach the session or its parent, if another key is bound to a new id that this one
    /// does not name, or if files already lie there. Also `denied` if the parent has as many ancestors as a fork may
    /// have. Else as [`create_session`](Self::create_session).
    pub async fn create_session_within(
        &self,
        caller: &Arc<Caller>,
        session: &Id,
        wanted: CreateSession,
        is_taken: bool,
    ) -> Result<CreatedSession> {
        create_session_within(&self.core, caller, session, wanted, is_taken).await
    }

    /// A page of the sessions of the user of `caller`, as `caller` may see them.
    ///
    /// # Errors
    /// As [`list_sessions`](crate::session::list_sessions).
    pub async fn list_sessions(&self, caller: &Arc<Caller>, wanted: &SessionListRequest) -> Result<SessionPage> {
        visible_sessions(&self.core, caller, wanted).await
    }

    /// The threads for work that takes long.
    #[must_use]
    pub fn workers(&self) -> &Workers {
        self.core.workers()
    }

    /// The counts of requests to the store, if they are kept: [`ServiceOptions::ledger`].
    #[must_use]
    pub fn ledger(&self) -> Option<&RequestCounts> {
        self.ledger.as_deref()
    }

    /// The bytes that requests may hold.
    #[must_use]
    pub fn memory(&self) -> &Memory {
        self.core.capacity().memory()
    }

    /// The store below everything.
    #[must_use]
    pub fn store(&self) -> &SharedStore {
        self.core.store()
    }

    /// The folder of the bucket everything lies below.
    #[must_use]
    pub fn namespace(&self) -> &Namespace {
        self.core.namespace()
    }

    /// Checks that the store answers, with the smallest request there is.
    ///
    /// # Errors
    /// The store's.
    pub async fn check_reachable(&self) -> Result<()> {
        self.core.handle().check_reachable().await
    }

    /// Why the service may not write; `None` if it may.
    #[must_use]
    pub fn read_only(&self) -> Option<Arc<ReadOnly>> {
        self.core.handle().access().read_only()
    }

    /// Checks that the service may write.
    ///
    /// # Errors
    /// `read_only`, with the reason.
    pub fn check_writable(&self) -> Result<()> {
        self.core.check_writable()
    }

    /// Where `/workspace` and `/ticket` lie.
    #[must_use]
    pub fn templates(&self) -> &MountTemplates {
        self.core.templates()
    }
}

fn catalogs(store: &StoreHandle, capacity: &Capacity, options: &ServiceOptions) -> Catalogs {
    let (shared, namespace, clock) = (store.store().clone(), store.namespace().clone(), store.clock().clone());
    let catalogs =
        Catalogs::new(shared, namespace, clock, capacity.workers().clone()).with_budget(options.budgets.catalogs);
    let catalogs = catalogs.with_access(options.access.clone());
    let catalogs = if options.layers { catalogs.with_layers() } else { catalogs };
    let catalogs = if options.index { catalogs.with_index() } else { catalogs };
    match &options.encoder {
        Some(encoder) => catalogs.with_encoder(Arc::clone(encoder)),
        None => catalogs,
    }
}
