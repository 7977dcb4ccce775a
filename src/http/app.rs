//! The state that every handler shares. Keys and peers are replaced as one value, so a call sees the old ones or the new ones.

use std::{
    path::PathBuf,
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicBool, Ordering},
    },
};

use tokio::sync::watch;

use super::{admission::Admission, connections::Connections, metrics::Metrics, spool::Spool};
use crate::{
    access::{Callers, KeyChanges},
    backend::Service,
    clock::Clock,
    limits::CONNECTIONS,
};

/// The settings of the HTTP interface beside its listener.
#[derive(Clone, Debug, Default)]
pub struct HttpConfig {
    /// Who may call, and by which names.
    pub callers: Callers,
    /// Delivers new keys and peers while the service runs. The service refuses a change that would let other machines in
    /// without a key.
    pub caller_updates: Option<watch::Receiver<Callers>>,
    /// The folder for temporary files of uploads; the system's own if `None`.
    pub spool: Option<PathBuf>,
}

/// The service and what the HTTP interface keeps beside it.
#[derive(Debug)]
pub(super) struct ServerState {
    pub(super) service: Service,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) metrics: Metrics,
    pub(super) admission: Arc<Admission>,
    pub(super) spool: Arc<Spool>,
    pub(super) connections: Connections,
    callers: RwLock<Arc<Callers>>,
    stopping: AtomicBool,
}

impl ServerState {
    pub(super) fn new(config: HttpConfig, service: Service, clock: Arc<dyn Clock>) -> Self {
        Self {
            metrics: Metrics::new(clock.now()),
            clock,
            admission: Arc::new(Admission::new(service.memory())),
            spool: Arc::new(Spool::new(config.spool)),
            connections: Connections::new(CONNECTIONS),
            callers: RwLock::new(Arc::new(config.callers)),
            stopping: AtomicBool::new(false),
            service,
        }
    }

    /// Who may call, as of now.
    pub(super) fn callers(&self) -> Arc<Callers> {
        Arc::clone(&self.callers.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Replaces the keys and peers. Calls that have begun keep the old ones.
    pub(super) fn set_callers(&self, new: Callers) {
        let new = Arc::new(new);
        let old =
            std::mem::replace(&mut *self.callers.write().unwrap_or_else(PoisonError::into_inner), Arc::clone(&new));
        let KeyChanges { added, removed, changed } = new.keys.changes_since(&old.keys);
        tracing::info!(
            keys = new.keys.names().count(),
            added,
            removed,
            changed,
            peers_changed = old.peers != new.peers,
            "keys and peers were read again"
        );
    }

    /// Makes `/readyz` report that the service stops. A load balancer then sends no new requests.
    pub(super) fn set_stopping(&self) {
        self.stopping.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }
}
