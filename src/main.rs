//! The `skillmount` binary: the command line, joined to the HTTP interface it may not import.

use std::process::ExitCode;

use skillmount::{
    Error, Result,
    backend::SkillBackend,
    cli::{self, Edges, Future, Serving},
    http::{self, HttpConfig, McpAnswer},
    mcp::{self, WebHosts},
};

/// The memory budget bounds what is in use, and an allocator decides how much more the process keeps. That of glibc keeps half
/// as much again after large buffers of many threads.
#[cfg(all(target_os = "linux", feature = "jemalloc"))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    cli::run(std::env::args_os().collect(), Edges { serve, openapi, mcp })
}

fn serve(serving: Serving) -> Future<Result<()>> {
    let Serving { service, clock, listener, mut callers, spool, audit, shutdown } = serving;
    let first = callers.borrow_and_update().clone();
    let hosts = WebHosts::default();
    let mcp = McpAnswer::new(move |backend, request, begins| {
        let hosts = hosts.clone();
        Box::pin(async move { hosts.answer(backend, request, begins).await })
    });
    let config = HttpConfig { callers: first, caller_updates: Some(callers), spool, audit, mcp: Some(mcp) };
    Box::pin(http::serve(config, service, clock, listener, shutdown))
}

fn mcp(backend: SkillBackend) -> Future<Result<()>> {
    Box::pin(mcp::serve_stdio(backend))
}

fn openapi() -> Result<String> {
    http::openapi().to_pretty_json().map_err(Error::internal)
}
