//! The state that every handler shares. Keys and peers are replaced as one value, so a call sees the old ones or the new ones.

use std::{
    path::PathBuf,
    sync::{Arc, PoisonError, RwLock},
};

use tokio::sync::watch;

use crate::{
    access::{Callers, KeyChanges},
    audit::{Events, Recorder},
    budget::Owner,
    clock::Clock,
    handle::Service,
    http::{Admission, Connections, Metrics, Refusals, Spool},
    limits::CONNECTIONS,
    mcp::{HttpTransport, McpOptions},
};

/// Names of keys that one line of the log has.
const KEYS_SHOWN: usize = 32;

/// The settings of the HTTP interface beside its listener.
#[derive(Clone, Debug, Default)]
pub struct HttpConfig {
    /// Who may call, and by which names.
    pub callers: Callers,
    /// Delivers new keys and peers while the service runs. The service refuses a change that would let other machines in
    /// without a key.
    pub caller_updates: Option<watch::Receiver<Callers>>,
    /// Connections that are open at once; [`CONNECTIONS`] if `None`. Half of the unreserved ones are for streams of events.
    pub connections: Option<usize>,
    /// The folder for temporary files of bodies; the system's own if `None`.
    pub spool: Option<PathBuf>,
    /// The writer of the audit records of the service, if there are any.
    pub audit: Option<Recorder>,
    /// The sizes and forms for hosts of the Model Context Protocol at `/mcp`. With `None` the service has no such address.
    pub mcp: Option<McpOptions>,
}

/// The service and what the HTTP interface keeps beside it.
#[derive(Debug)]
pub(super) struct ServerState {
    pub(super) service: Service,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) metrics: Metrics,
    pub(super) limits: RequestLimits,
    pub(super) refusals: Refusals,
    pub(super) audit: Option<Recorder>,
    pub(super) events: Events,
    /// The hosts that call at `/mcp`, if they may.
    pub(super) mcp: Option<HttpTransport>,
    callers: RwLock<Arc<Callers>>,
    stopping: watch::Sender<bool>,
}

/// The limits that requests share: places, room for bodies, and connections.
#[derive(Debug)]
pub(super) struct RequestLimits {
    pub(super) admission: Arc<Admission>,
    pub(super) spool: Arc<Spool>,
    pub(super) connections: Connections,
}

/// The service as handlers and middleware hold it.
pub(super) type SharedState = Arc<ServerState>;

impl ServerState {
    pub(super) fn new(config: HttpConfig, service: Service, clock: Arc<dyn Clock>) -> Self {
        let connections = config.connections.unwrap_or(CONNECTIONS);
        Self {
            metrics: Metrics::new(clock.now()),
            limits: RequestLimits {
                admission: Arc::new(Admission::new(service.memory(), connections)),
                spool: Arc::new(Spool::new(config.spool)),
                connections: Connections::new(connections),
            },
            refusals: Refusals::default(),
            events: Events::new(&service, config.audit.clone(), clock.clone()),
            audit: config.audit,
            clock,
            mcp: config.mcp.map(HttpTransport::new),
            callers: RwLock::new(Arc::new(config.callers)),
            stopping: watch::Sender::new(false),
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
            added = shown_keys(&added),
            removed = shown_keys(&removed),
            changed = shown_keys(&changed),
            peers_changed = old.peers != new.peers,
            "keys and peers were read again"
        );
    }

    /// Makes `/readyz` report that the service stops. A load balancer then sends no new requests. Ends streams of events, whose
    /// clients connect to another replica.
    pub(super) fn set_stopping(&self) {
        self.stopping.send_replace(true);
    }

    pub(super) fn is_stopping(&self) -> bool {
        *self.stopping.borrow()
    }

    /// Done when the service stops.
    pub(super) fn stopping(&self) -> impl Future<Output = ()> + Send + 'static {
        let mut stopping = self.stopping.subscribe();
        async move {
            // It fails if the service is gone, which is the end too.
            let _ = stopping.wait_for(|stopping| *stopping).await;
        }
    }
}

/// The first names of some keys, and how many there are.
fn shown_keys(names: &[Owner]) -> String {
    let first = names.get(..names.len().min(KEYS_SHOWN)).unwrap_or(names);
    format!("{} {}", names.len(), first.join(" ")).trim_end().to_owned()
}
