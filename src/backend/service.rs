//! The service: everything that sessions share, and the handle of one session.

use std::{sync::Arc, time::Duration};

use moka::sync::Cache;
use tokio::sync::{Semaphore, watch};

use super::{
    budgets::Budgets,
    catalog_reads::ManifestCache,
    changes::SkillChanges,
    edits::EditQueues,
    leaving::{DeletionFence, DeletionMonitor, DeletionsInProgress},
    lines::LineIndex,
    observer::{EffectsRecorder, Observer},
    progress::Progress,
    publish::{HeadCache, VersionCache},
};
use crate::{
    access::SessionScope,
    budget::{Job, Memory, Workers},
    catalog::{Audience, Catalogs, Searchable},
    clock::Clock,
    encoder::Encoder,
    error::Result,
    limits::{CALL_ID_BYTES, DIGEST_PACE, MEMORY_PATIENCE, SEARCH_WINDOW_KIB},
    path::{Id, Layer, MountTemplates, Namespace, ObjectKey, UserSpace},
    session::{KeyedLocks, LoadedSkill, PromptMode, SessionVersion, Sessions},
    store::{Committer, ListOptions, RequestCounts, SharedStore},
};

/// Line indexes of large files kept in memory; one takes up to 2 MiB.
const LINE_INDEXES: u64 = 64;

/// What a service is configured with.
#[derive(Clone, Debug, Default)]
pub struct ServiceOptions {
    /// The folder of the bucket everything lies below; the whole bucket if `None`.
    pub namespace: Option<Namespace>,
    /// Where `/workspace` and `/ticket` lie.
    pub templates: MountTemplates,
    /// Why nothing can be written, if the store does not honour conditional writes.
    pub read_only: Option<String>,
    /// Whether sessions see the skills of their caller's team (`_teams/{team}/skills/`) and of the organisation
    /// (`_org/skills/`) beside their user's own.
    pub layers: bool,
    /// Whether catalogs are kept in the bucket as well (`.skillmount/catalog.json`), so that a new process reads one object
    /// in place of every SKILL.md. Not if `read_only` forbids to write it.
    pub index: bool,
    /// What the process may take for them all.
    pub budgets: Budgets,
    /// The counts of requests to the store below the service, if whoever opened the store counts them.
    pub ledger: Option<Arc<RequestCounts>>,
    /// Who is told of every operation, if anybody is.
    pub observer: Option<Arc<dyn Observer>>,
    /// The pause between two requests for digests that no host has asked for; [`DIGEST_PACE`] if `None`.
    pub digest_pace: Option<Duration>,
    /// What turns texts into vectors, if skills are to be found by meaning as well.
    pub encoder: Option<Arc<dyn Encoder>>,
    /// Whether skills that a user's sessions loaded after a question are raised for the like questions of the same user.
    pub feedback: bool,
}

/// What every session of every user shares. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Service {
    pub(super) shared: Arc<Shared>,
}

#[derive(Debug)]
pub(super) struct Shared {
    pub(super) store: SharedStore,
    pub(super) committer: Committer,
    pub(super) namespace: Namespace,
    pub(super) templates: MountTemplates,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) workers: Workers,
    pub(super) steps: u64,
    pub(super) memory: Memory,
    pub(super) sessions: Sessions,
    pub(super) catalogs: Catalogs,
    pub(super) edits: EditQueues,
    pub(super) skill_changes: SkillChanges,
    /// Publishing, one skill at a time.
    pub(super) publishing: KeyedLocks,
    pub(super) versions: Arc<VersionCache>,
    pub(super) departures: DeletionsInProgress,
    pub(super) heads: HeadCache,
    pub(super) manifests: ManifestCache,
    pub(super) digest_pace: Duration,
    pub(super) feedback: bool,
    pub(super) line_indexes: Cache<ObjectKey, Arc<LineIndex>>,
    pub(super) ledger: Option<Arc<RequestCounts>>,
    pub(super) observer: Option<Arc<dyn Observer>>,
}

impl Service {
    /// A service over `store`.
    #[must_use]
    pub fn new(store: SharedStore, options: ServiceOptions, clock: Arc<dyn Clock>) -> Self {
        let namespace = options.namespace.unwrap_or_default();
        let wall = DeletionFence::new(store, namespace.clone());
        let store: SharedStore = wall.clone();
        let committer = Committer::new(store.clone(), clock.clone());
        let workers = Workers::new(options.budgets.workers);
        let catalogs = Catalogs::new(store.clone(), namespace.clone(), clock.clone(), workers.clone())
            .with_budget(options.budgets.catalogs);
        let catalogs = if options.layers { catalogs.with_layers() } else { catalogs };
        let is_writable = options.read_only.is_none();
        let catalogs = if options.index && is_writable { catalogs.with_index() } else { catalogs };
        let catalogs = match options.encoder {
            Some(encoder) => catalogs.with_encoder(encoder, is_writable),
            None => catalogs,
        };
        let shared = Shared {
            workers: workers.clone(),
            steps: options.budgets.steps,
            memory: Memory::new(options.budgets.requests(), MEMORY_PATIENCE),
            sessions: Sessions::new(store.clone(), namespace.clone(), options.templates.clone(), clock.clone())
                .read_only(options.read_only),
            catalogs,
            edits: EditQueues::new(store.clone(), committer.clone(), workers.clone(), options.observer.is_some()),
            skill_changes: SkillChanges::default(),
            publishing: KeyedLocks::default(),
            versions: Arc::new(VersionCache::new(workers.clone())),
            heads: HeadCache::default(),
            manifests: ManifestCache::default(),
            digest_pace: options.digest_pace.unwrap_or(DIGEST_PACE),
            feedback: options.feedback,
            departures: DeletionsInProgress::default(),
            line_indexes: Cache::new(LINE_INDEXES),
            templates: options.templates,
            ledger: options.ledger,
            observer: options.observer,
            committer,
            namespace,
            store,
            clock,
        };
        let shared = Arc::new(shared);
        let keeper: Arc<dyn DeletionMonitor> = shared.clone();
        wall.go_by(Arc::downgrade(&keeper));
        Self { shared }
    }

    /// The handle of one session; asks nothing of the store.
    #[must_use]
    pub fn session(&self, user: Id, session: Id) -> SessionBackend {
        let audience = Audience { user, team: None };
        let (at_least, reach) = (SessionVersion::default(), Arc::default());
        let window = Arc::new(Semaphore::new(SEARCH_WINDOW_KIB as usize));
        SessionBackend {
            shared: self.shared.clone(),
            audience,
            session,
            at_least,
            mode: None,
            reach,
            window,
            is_approved: false,
            by: None,
            call: None,
            effects: None,
            listener: None,
        }
    }

    /// The sessions and policies of every user.
    #[must_use]
    pub fn sessions(&self) -> &Sessions {
        &self.shared.sessions
    }

    /// The skills of every user.
    #[must_use]
    pub fn catalogs(&self) -> &Catalogs {
        &self.shared.catalogs
    }

    /// The threads for work that takes long.
    #[must_use]
    pub fn workers(&self) -> &Workers {
        &self.shared.workers
    }

    /// The counts of requests to the store, if they are kept: [`ServiceOptions::ledger`].
    #[must_use]
    pub fn ledger(&self) -> Option<&RequestCounts> {
        self.shared.ledger.as_deref()
    }

    /// The bytes that requests may hold.
    #[must_use]
    pub fn memory(&self) -> &Memory {
        &self.shared.memory
    }

    /// The store below everything.
    #[must_use]
    pub fn store(&self) -> &SharedStore {
        &self.shared.store
    }

    /// Where `/workspace` and `/ticket` lie.
    #[must_use]
    pub fn templates(&self) -> &MountTemplates {
        &self.shared.templates
    }

    /// The folder of the bucket everything lies below.
    #[must_use]
    pub fn namespace(&self) -> &Namespace {
        &self.shared.namespace
    }

    /// Checks that the store answers, with the least that can be asked of it.
    ///
    /// # Errors
    /// The store's.
    pub async fn check_reachable(&self) -> Result<()> {
        let least = ListOptions { max_entries: Some(1), ..ListOptions::default() };
        self.store().list(self.namespace().prefix(), least).await?;
        Ok(())
    }

    /// Whether anything can be written at all.
    ///
    /// # Errors
    /// `read_only`, with the reason.
    pub fn check_writable(&self) -> Result<()> {
        self.shared.sessions.check_writable()
    }
}

/// One session of one user: the agent's file system. Cheap to clone.
#[derive(Clone, Debug)]
pub struct SessionBackend {
    pub(super) shared: Arc<Shared>,
    pub(super) audience: Audience,
    pub(super) session: Id,
    pub(super) at_least: SessionVersion,
    pub(super) mode: Option<PromptMode>,
    pub(super) reach: Arc<SessionScope>,
    /// What searches hold of contents at once, in KiB: clones share it, so a turn with many searches takes no more than one.
    pub(super) window: Arc<Semaphore>,
    /// The name of the caller's key.
    pub(super) by: Option<Arc<str>>,
    /// The id of the call that a model wrote, if this handle is for one.
    pub(super) call: Option<Arc<str>>,
    /// Where the operation under way notes what it does, if anybody keeps account of it.
    pub(super) effects: Option<EffectsRecorder>,
    /// Who is told how far a search is, if anybody is.
    pub(super) listener: Option<watch::Sender<Progress>>,
    /// Whether a person approved the one call that this handle is for.
    pub(super) is_approved: bool,
}

impl SessionBackend {
    /// The same handle, never answered from a session older than `version`.
    #[must_use]
    pub fn at_least(mut self, version: impl Into<SessionVersion>) -> Self {
        self.at_least = version.into();
        self
    }

    /// The same handle for a caller of this team: its skills are seen if layers are on. The team comes from the caller's
    /// key, never from a request.
    #[must_use]
    pub fn in_team(mut self, team: Option<Id>) -> Self {
        self.audience.team = team;
        self
    }

    /// The same handle for a caller that asks for its prompt in this mode, if it names one: instructions of loaded skills,
    /// and tools that come as skills are found, go by it in place of the policy's.
    #[must_use]
    pub fn in_mode(mut self, mode: Option<PromptMode>) -> Self {
        self.mode = mode;
        self
    }

    /// The same handle for a caller that reaches no more than this: beyond it every operation is `denied`.
    #[must_use]
    pub fn within(mut self, reach: Arc<SessionScope>) -> Self {
        self.reach = reach;
        self
    }

    /// The same handle for a caller whose key has this name: it stands in audit records.
    #[must_use]
    pub fn called_by(mut self, key: Option<&str>) -> Self {
        self.by = key.map(Arc::from);
        self
    }

    /// The same handle for the call that a model wrote with this id. Its events and its audit record have the id, of which they
    /// keep [`CALL_ID_BYTES`] at most.
    #[must_use]
    pub fn for_call(mut self, id: &str) -> Self {
        self.call = Some(id.get(..id.floor_char_boundary(CALL_ID_BYTES)).unwrap_or_default().into());
        self
    }

    /// The service whose session it is.
    pub(super) fn service(&self) -> Service {
        Service { shared: self.shared.clone() }
    }

    /// Whose session it is.
    #[must_use]
    pub fn user(&self) -> &Id {
        &self.audience.user
    }

    /// Which of the user's sessions it is.
    #[must_use]
    pub fn session_id(&self) -> &Id {
        &self.session
    }

    /// The skills this session may know of, own and shared; asks the store again if that is old, and always with `fresh`.
    ///
    /// # Errors
    /// The store's.
    pub async fn catalog(&self, fresh: bool) -> Result<Arc<crate::catalog::CatalogView>> {
        self.shared.catalogs.view(self.audience.clone(), fresh).await
    }

    /// As [`catalog`](Self::catalog), with its search index.
    ///
    /// # Errors
    /// The store's.
    pub async fn searchable_catalog(&self) -> Result<Searchable> {
        self.shared.catalogs.searchable(self.audience.clone()).await
    }

    /// The long work of one operation for this user, which ends with it.
    #[must_use]
    pub fn errand(&self) -> Job {
        self.shared.workers.errand(self.user().as_str(), self.shared.steps)
    }

    /// Where the skills of a layer lie; nothing if this caller does not see it.
    pub(super) fn layer(&self, layer: Layer) -> Result<Option<UserSpace>> {
        let layers = self.shared.catalogs.layers(&self.audience)?;
        Ok(layers.into_iter().find_map(|(seen, space)| (seen == layer).then_some(space)))
    }

    /// Where the layer of a loaded skill lies; nothing if this caller does not see it, as one of another team does not.
    pub(super) fn home(&self, loaded: &LoadedSkill) -> Result<Option<UserSpace>> {
        if self.is_in(loaded.layer, loaded.team.as_ref()) { self.layer(loaded.layer) } else { Ok(None) }
    }

    /// Whether this caller is in the team, if the layer is a team's.
    pub(super) fn is_in(&self, layer: Layer, team: Option<&Id>) -> bool {
        layer != Layer::Team || team == self.audience.team.as_ref()
    }

    pub(super) fn space(&self) -> Result<UserSpace> {
        self.shared.namespace.user(self.user())
    }
}
