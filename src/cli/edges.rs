//! What the command line needs of the other surfaces, which it may not import: handed in by `program`.

use std::{path::PathBuf, pin::Pin, sync::Arc, time::Duration};

use tokio::{net::TcpListener, sync::watch};

use crate::{
    access::Callers,
    audit::Recorder,
    backend::{Service, SessionBackend},
    clock::Clock,
    error::Result,
};

/// A future that owns what it works on.
pub type Future<T> = Pin<Box<dyn std::future::Future<Output = T> + Send>>;

/// What to serve, where, for whom, until when.
pub struct Serving {
    /// The service.
    pub service: Service,
    /// Its clock.
    pub clock: Arc<dyn Clock>,
    /// The socket, already bound.
    pub listener: TcpListener,
    /// Who may call, and who may from when on.
    pub callers: watch::Receiver<Callers>,
    /// The folder for uploads under way.
    pub spool: Option<PathBuf>,
    /// The writer of audit records, if there are any.
    pub audit: Option<Recorder>,
    /// Done when the service is to stop, with how long it goes on accepting.
    pub shutdown: Future<Duration>,
}

/// The functions of the other surfaces that commands call.
#[derive(Clone, Copy)]
pub struct Edges {
    /// Serves until told to stop. Its first poll makes every check that can refuse to start.
    pub serve: fn(Serving) -> Future<Result<()>>,
    /// The OpenAPI document.
    pub openapi: fn() -> Result<String>,
    /// Speaks the Model Context Protocol on standard input and output until the input ends.
    pub mcp: fn(SessionBackend) -> Future<Result<()>>,
}
