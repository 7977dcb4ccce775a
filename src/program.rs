//! The program: the command line, joined to the surfaces that it may not import.

use crate::{
    backend::SessionBackend,
    cli::{Edges, Future, Serving},
    error::{Error, Result},
    http::{self, HttpConfig, McpAnswer},
    mcp::{self, HttpTransport},
};

/// The functions of the HTTP interface and of the Model Context Protocol, for the commands that need them.
#[must_use]
pub fn edges() -> Edges {
    Edges { serve, openapi, mcp }
}

fn serve(serving: Serving) -> Future<Result<()>> {
    let Serving { service, clock, listener, mut callers, spool, audit, shutdown } = serving;
    let first = callers.borrow_and_update().clone();
    let hosts = HttpTransport::default();
    let mcp = McpAnswer::new(move |backend, request, begins| {
        let hosts = hosts.clone();
        Box::pin(async move { hosts.answer(backend, request, begins).await })
    });
    let config = HttpConfig { callers: first, caller_updates: Some(callers), spool, audit, mcp: Some(mcp) };
    Box::pin(http::serve(config, service, clock, listener, shutdown))
}

fn mcp(backend: SessionBackend) -> Future<Result<()>> {
    Box::pin(mcp::serve_stdio(backend))
}

fn openapi() -> Result<String> {
    http::openapi().to_pretty_json().map_err(Error::internal)
}
