//! What every handler shares.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use tokio::sync::Semaphore;

use super::{guard::AllowedPeers, keys::Keys, metrics::Metrics};
use crate::{backend::Service, clock::Clock, limits::REQUESTS_AT_ONCE};

/// How the service is reached and by whom.
#[derive(Clone, Debug, Default)]
pub struct HttpConfig {
    /// Who may call.
    pub keys: Keys,
    /// Which Hosts and Origins are answered.
    pub peers: AllowedPeers,
}

/// The service and what the HTTP interface keeps beside it.
#[derive(Debug)]
pub(super) struct App {
    pub(super) service: Service,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) keys: Keys,
    pub(super) peers: AllowedPeers,
    pub(super) metrics: Metrics,
    pub(super) requests: Semaphore,
    stopping: AtomicBool,
}

impl App {
    pub(super) fn new(config: HttpConfig, service: Service, clock: Arc<dyn Clock>) -> Self {
        Self {
            service,
            clock,
            keys: config.keys,
            peers: config.peers,
            metrics: Metrics::default(),
            requests: Semaphore::new(REQUESTS_AT_ONCE),
            stopping: AtomicBool::new(false),
        }
    }

    /// From here on the service says that it is not ready, so that a balancer sends nothing new.
    pub(super) fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }
}
