//! The service: everything that sessions share.

use std::{sync::Arc, time::Duration};

use moka::sync::Cache;

use super::{
    budgets::Budgets,
    catalog_reads::ManifestCache,
    changes::SkillChanges,
    context::{Author, Caller, Context, Observer},
    edits::EditQueues,
    leaving::{DeletionFence, DeletionMonitor, DeletionsInProgress},
    publish::{HeadCache, VersionCache},
    session_backend::SessionBackend,
    shared::Shared,
};
use crate::{
    budget::{Memory, Workers},
    catalog::Catalogs,
    clock::Clock,
    encoder::Encoder,
    error::Result,
    limits::{DIGEST_PACE, MEMORY_PATIENCE},
    path::{Id, MountTemplates, Namespace},
    session::{KeyedLocks, Sessions},
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

    /// The handle of one session, for the caller of a service without keys. Asks nothing of the store.
    #[must_use]
    pub fn session(&self, user: Id, session: Id) -> SessionBackend {
        self.session_of(Caller::new(user), session)
    }

    /// The handle of one session for `caller`. Asks nothing of the store.
    #[must_use]
    pub fn session_of(&self, caller: impl Into<Arc<Caller>>, session: Id) -> SessionBackend {
        SessionBackend::new(Context::new(Arc::clone(&self.shared), caller.into(), session))
    }

    /// The entry of `caller` as an author or an operator.
    #[must_use]
    pub fn author(&self, caller: impl Into<Arc<Caller>>) -> Author {
        Author::new(Arc::clone(&self.shared), caller.into())
    }

    /// The service that a call is made of.
    pub(super) fn over(shared: &Arc<Shared>) -> Self {
        Self { shared: Arc::clone(shared) }
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
