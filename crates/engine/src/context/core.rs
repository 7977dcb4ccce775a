//! The owners that all calls of a service share.

use std::{sync::Arc, time::Duration};

use crate::{
    budget::{Capacity, Workers},
    catalog::Catalogs,
    clock::Clock,
    content::Content,
    deletions::{DeletionListener, Deletions},
    error::Result,
    limits::DIGEST_PACE,
    observer::Observer,
    path::{Id, MountTemplates, Namespace},
    session::Sessions,
    store::{Committer, SharedStore, StoreHandle},
};

/// The owners that every call goes to.
#[derive(Debug)]
pub(crate) struct Core {
    store: StoreHandle,
    capacity: Capacity,
    templates: MountTemplates,
    deletions: Deletions,
    sessions: Arc<Sessions>,
    catalogs: Catalogs,
    content: Content,
    observer: Option<Arc<dyn Observer>>,
    /// Whether a load after a search raises the skill for the next search of the same user.
    feedback: bool,
}

impl Core {
    /// The owners over `store`.
    pub(crate) fn new(
        store: StoreHandle,
        capacity: Capacity,
        (catalogs, digest_pace): (Catalogs, Option<Duration>),
        (sessions, templates): (Sessions, MountTemplates),
        observer: Option<Arc<dyn Observer>>,
        feedback: bool,
    ) -> Self {
        let sessions = Arc::new(sessions);
        let deletions = Deletions::new(store.clone(), templates.clone());
        let memories = Memories { catalogs: catalogs.clone(), sessions: sessions.clone(), observer: observer.clone() };
        deletions.set_listener(Arc::new(memories));
        let pace = digest_pace.unwrap_or(DIGEST_PACE);
        let content = Content::new(store.clone(), capacity.clone(), catalogs.clone(), pace);
        Self { store, capacity, templates, deletions, sessions, catalogs, content, observer, feedback }
    }

    pub(crate) fn store(&self) -> &SharedStore {
        self.store.store()
    }

    pub(crate) fn handle(&self) -> &StoreHandle {
        &self.store
    }

    pub(crate) fn committer(&self) -> &Committer {
        self.store.committer()
    }

    pub(crate) fn namespace(&self) -> &Namespace {
        self.store.namespace()
    }

    pub(crate) fn clock(&self) -> &Arc<dyn Clock> {
        self.store.clock()
    }

    pub(crate) fn capacity(&self) -> &Capacity {
        &self.capacity
    }

    pub(crate) fn workers(&self) -> &Workers {
        self.capacity.workers()
    }

    pub(crate) fn templates(&self) -> &MountTemplates {
        &self.templates
    }

    pub(crate) fn deletions(&self) -> &Deletions {
        &self.deletions
    }

    pub(crate) fn sessions(&self) -> &Sessions {
        &self.sessions
    }

    pub(crate) fn catalogs(&self) -> &Catalogs {
        &self.catalogs
    }

    pub(crate) fn content(&self) -> &Content {
        &self.content
    }

    pub(crate) fn observer(&self) -> Option<&Arc<dyn Observer>> {
        self.observer.as_ref()
    }

    pub(crate) fn feedback(&self) -> bool {
        self.feedback
    }

    /// Checks that the service may write.
    ///
    /// # Errors
    /// `read_only`, with the reason.
    pub(crate) fn check_writable(&self) -> Result<()> {
        self.store.check_writable()
    }
}

/// The memory of this process about users.
#[derive(Debug)]
struct Memories {
    catalogs: Catalogs,
    sessions: Arc<Sessions>,
    observer: Option<Arc<dyn Observer>>,
}

impl DeletionListener for Memories {
    fn deletion_started(&self, user: &Id) {
        if let Some(observer) = &self.observer {
            observer.deletion_started(user);
        }
    }

    fn deletion_finished(&self, user: &Id) {
        self.catalogs.forget_user(user);
        let (sessions, leaver) = (self.sessions.clone(), user.clone());
        tokio::spawn(async move { sessions.forget_user(&leaver).await });
        if let Some(observer) = &self.observer {
            observer.deletion_finished(user);
        }
    }
}
