//! What the command line needs of the HTTP interface, which it may not import: handed in by `main`.

use std::{collections::BTreeMap, path::PathBuf, pin::Pin, sync::Arc, time::Duration};

use jiff::Timestamp;
use tokio::{net::TcpListener, sync::watch};

use crate::{backend::Service, clock::Clock, error::Result, path::Id};

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
    /// Done when the service is to stop, with how long it goes on accepting.
    pub shutdown: Future<Duration>,
}

/// Who may call, and by which names.
#[derive(Clone, Default)]
pub struct Callers {
    /// One key for everything.
    pub api_key: Option<String>,
    /// The text of a keys file.
    pub keys: Option<String>,
    /// Names the service is reached by, beside the address it listens on.
    pub hosts: Vec<String>,
    /// Origins of web pages that may call it.
    pub origins: Vec<String>,
}

/// What a new key is for.
#[derive(Clone, Debug, Default)]
pub struct NewKey {
    /// The user it is bound to; every user where `None`.
    pub user: Option<Id>,
    /// Whether it may also change policy and forget sessions.
    pub control: bool,
    /// What people call it.
    pub name: Option<String>,
    /// When it stops working.
    pub expires: Option<Timestamp>,
    /// The team whose skills its user sees.
    pub team: Option<Id>,
    /// The sessions it is bound to, by id or beginning of ids; all where empty.
    pub sessions: Vec<String>,
    /// The values of session variables it is bound to; any where empty.
    pub vars: BTreeMap<String, Id>,
}

/// The functions of the HTTP interface that commands call.
#[derive(Clone, Copy)]
pub struct Edges {
    /// Serves until told to stop. Its first poll makes every check that can refuse to start.
    pub serve: fn(Serving) -> Future<Result<()>>,
    /// Makes a key: the key itself, and the entry for a keys file.
    pub new_key: fn(&dyn Clock, &NewKey) -> Result<(String, String)>,
    /// The OpenAPI document.
    pub openapi: fn() -> Result<String>,
}
