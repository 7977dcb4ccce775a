//! What every handler shares.

use std::{
    collections::BTreeSet,
    path::PathBuf,
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicBool, Ordering},
    },
};

use tokio::sync::watch;

use super::{admission::Admission, connections::Connections, metrics::Metrics, spool::Spool};
use crate::{
    access::{AllowedPeers, Callers, Keys},
    backend::Service,
    clock::Clock,
    limits::CONNECTIONS,
};

/// How the service is reached and by whom.
#[derive(Clone, Debug, Default)]
pub struct HttpConfig {
    /// Who may call.
    pub keys: Keys,
    /// Which Hosts and Origins are answered.
    pub peers: AllowedPeers,
    /// Both again, whenever they change while the service runs. What would let other machines in without a key is refused.
    pub changes: Option<watch::Receiver<Callers>>,
    /// The folder for temporary files of uploads; the system's own where `None`.
    pub spool: Option<PathBuf>,
}

/// The service and what the HTTP interface keeps beside it.
#[derive(Debug)]
pub(super) struct App {
    pub(super) service: Service,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) metrics: Metrics,
    pub(super) admission: Arc<Admission>,
    pub(super) spool: Arc<Spool>,
    pub(super) connections: Connections,
    callers: RwLock<Arc<Callers>>,
    stopping: AtomicBool,
}

impl App {
    pub(super) fn new(config: HttpConfig, service: Service, clock: Arc<dyn Clock>) -> Self {
        let callers = Callers { keys: config.keys, peers: config.peers };
        Self {
            clock,
            metrics: Metrics::default(),
            admission: Arc::new(Admission::new(service.memory())),
            spool: Arc::new(Spool::new(config.spool)),
            connections: Connections::new(CONNECTIONS),
            callers: RwLock::new(Arc::new(callers)),
            stopping: AtomicBool::new(false),
            service,
        }
    }

    /// Who may call, as of now.
    pub(super) fn callers(&self) -> Arc<Callers> {
        Arc::clone(&self.callers.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// From here on others may call. Calls under way go on.
    pub(super) fn set_callers(&self, new: Callers) {
        let new = Arc::new(new);
        let old =
            std::mem::replace(&mut *self.callers.write().unwrap_or_else(PoisonError::into_inner), Arc::clone(&new));
        let names = |callers: &Callers| -> BTreeSet<_> { callers.keys.names().cloned().collect() };
        let (before, after) = (names(&old), names(&new));
        tracing::info!(
            keys = after.len(),
            added = after.difference(&before).count(),
            removed = before.difference(&after).count(),
            peers_changed = old.peers != new.peers,
            "keys and peers were read again"
        );
    }

    /// From here on the service says that it is not ready, so that a balancer sends nothing new.
    pub(super) fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }
}
