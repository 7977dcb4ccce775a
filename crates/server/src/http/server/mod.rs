//! The listening socket: connections in, one task each, and an orderly end.
//!
//! HTTP/1.1 only: TLS and HTTP/2 end at the proxy before the service, and a protocol that is not served needs no defence
//! against its floods. The service closes connections with slow headers and connections that do not take
//! their reply. The module `connections` decides which connection gives way if too many are open. A stopping service reports
//! that it is not ready. If it drains, it accepts for a while longer, because load balancers notice late. Then it closes the
//! listener and finishes the requests that have begun.

use std::{
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use axum::Router;
use hyper::{
    body::Incoming,
    server::conn::http1,
    service::{Service as _, service_fn},
};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
    service::TowerToHyperService,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
    sync::watch,
};

use super::{app::HttpConfig, router};
use crate::{
    access::{Callers, Keys},
    clock::Clock,
    error::{Error, Result},
    handle::Service,
    http::{ClientAddress, Connection, ServerState, StallGuard},
    limits::{CONNECTION_BUFFER_BYTES, HALF_CLOSE_PATIENCE, HEADER_BYTES, HEADER_TIMEOUT, SHUTDOWN_GRACE, WRITE_STALL},
};

/// How long to leave the listener alone after it failed, out of file descriptors most likely.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Serves on `listener` until `shutdown` is done, and for as long after that as it says, not ready any more; then takes no new
/// connection and finishes the requests under way, for [`SHUTDOWN_GRACE`] at most. Long work that still runs then is cancelled.
///
/// # Errors
/// `invalid_request` if the listener is reachable from other machines and there are no keys.
pub async fn serve(
    config: HttpConfig,
    service: Service,
    clock: Arc<dyn Clock>,
    listener: TcpListener,
    shutdown: impl Future<Output = Duration>,
) -> Result<()> {
    let address = listener.local_addr().map_err(Error::internal)?;
    check_exposure(&config.callers.keys, address)?;
    let updates = config.caller_updates.clone();
    let app = Arc::new(ServerState::new(config, service, clock));
    let router = router::router(Arc::clone(&app));
    let connections = GracefulShutdown::new();
    let serving = async {
        let drain = accept_until(shutdown, &listener, &app, &router, &connections).await;
        app.set_stopping();
        accept_until(tokio::time::sleep(drain), &listener, &app, &router, &connections).await;
    };
    tokio::select! {
        () = serving => {}
        () = follow_updates(&app, address, updates) => {}
    }
    drop(listener);
    let open = connections.count();
    if tokio::time::timeout(SHUTDOWN_GRACE, connections.shutdown()).await.is_err() {
        tracing::warn!(open, "requests were still under way when the time to finish was over");
    }
    app.service.workers().close();
    Ok(())
}

/// Takes over each change of who may call; never done.
async fn follow_updates(app: &ServerState, address: SocketAddr, updates: Option<watch::Receiver<Callers>>) {
    let Some(mut updates) = updates else { return std::future::pending().await };
    while updates.changed().await.is_ok() {
        let callers = updates.borrow_and_update().clone();
        match check_exposure(&callers.keys, address) {
            Ok(()) => app.set_callers(callers),
            Err(error) => tracing::error!(cause = %error.chain(), "the keys stay as they were"),
        }
    }
    std::future::pending::<()>().await;
}

/// Without keys anyone who reaches the socket is let in, so only this machine may reach it.
fn check_exposure(keys: &Keys, address: SocketAddr) -> Result<()> {
    if keys.are_required() || address.ip().is_loopback() {
        return Ok(());
    }
    Err(invalid!(
        "refusing to listen on {address} without API keys, since other machines can reach it: give --api-key KEY or --keys FILE, or listen on 127.0.0.1"
    ))
}

async fn accept_until<T>(
    end: impl Future<Output = T>,
    listener: &TcpListener,
    app: &ServerState,
    router: &Router,
    connections: &GracefulShutdown,
) -> T {
    let mut end = std::pin::pin!(end);
    loop {
        let next = tokio::select! {
            biased;
            end = &mut end => return end,
            next = accept(listener) => next,
        };
        match next {
            Ok((stream, client)) => {
                let served =
                    serve_connection(stream, client, app.limits.connections.open(), router.clone(), connections);
                tokio::spawn(served);
            }
            Err(error) => {
                tracing::warn!(error = %error, "no connection could be accepted; one that is quiet gives way");
                app.limits.connections.close_one();
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

async fn accept(listener: &TcpListener) -> Result<(TcpStream, IpAddr), std::io::Error> {
    let (stream, client) = listener.accept().await?;
    stream.set_nodelay(true)?;
    Ok((stream, client.ip().to_canonical()))
}

/// Serves one connection to its end.
fn serve_connection<S>(
    stream: S,
    client: IpAddr,
    place: Connection,
    router: Router,
    connections: &GracefulShutdown,
) -> impl Future<Output = ()> + Send + 'static
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let io = TokioIo::new(StallGuard::new(stream, WRITE_STALL, HALF_CLOSE_PATIENCE));
    let (line, router) = (place.line(), TowerToHyperService::new(router));
    let service = service_fn(move |mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(line.clone());
        request.extensions_mut().insert(ClientAddress(client));
        router.call(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT)
        // The hard limit of the parser: the connection is closed without an answer. The exact limit is checked in `admit`.
        .max_header_size(2 * HEADER_BYTES)
        .max_buf_size(CONNECTION_BUFFER_BYTES)
        .serve_connection(io, service);
    let connection = connections.watch(connection);
    async move {
        tokio::select! {
            ended = connection => if let Err(error) = ended {
                tracing::debug!(error = %error, "a connection ended early");
            },
            () = place.gives_way() => tracing::debug!("a quiet connection gave way to a new one"),
        }
    }
}

#[cfg(test)]
mod tests;
