//! The listening socket: connections in, one task each, and an orderly end.
//!
//! HTTP/1.1 only: TLS and HTTP/2 end at whatever stands before the service, and every protocol left out is one whose
//! floods need no defence. A connection that sends its headers slowly or does not take its reply is closed; when too many
//! are open, new ones wait in the listener's backlog.

use std::{future::Future, net::SocketAddr, sync::Arc, time::Duration};

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
    service::TowerToHyperService,
};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
};

use super::{
    app::{App, HttpConfig},
    router,
    stall::StallGuard,
};
use crate::{
    backend::Service,
    clock::Clock,
    error::{Code, Error, Result},
    limits::{CONNECTIONS, HEADER_BYTES, HEADER_TIMEOUT, SHUTDOWN_GRACE, WRITE_STALL},
};

/// How long to leave the listener alone after it failed, out of file descriptors most likely.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Serves on `listener` until `shutdown` is done, then takes no new connection and finishes the requests under way, for
/// [`SHUTDOWN_GRACE`] at most.
///
/// # Errors
/// `invalid_request` where the listener is reachable from other machines and there are no keys.
pub async fn serve(
    config: HttpConfig,
    service: Service,
    clock: Arc<dyn Clock>,
    listener: TcpListener,
    shutdown: impl Future<Output = ()>,
) -> Result<()> {
    let address = listener.local_addr().map_err(Error::internal)?;
    check_exposure(&config, address)?;
    let app = Arc::new(App::new(config, service, clock));
    let router = router::router(Arc::clone(&app));
    let connections = GracefulShutdown::new();
    accept_until(shutdown, listener, &router, &connections).await;
    app.stop();
    let open = connections.count();
    if tokio::time::timeout(SHUTDOWN_GRACE, connections.shutdown()).await.is_err() {
        tracing::warn!(open, "requests were still under way when the time to finish was over");
    }
    Ok(())
}

/// Without keys anyone who reaches the socket is let in, so only this machine may reach it.
fn check_exposure(config: &HttpConfig, address: SocketAddr) -> Result<()> {
    if config.keys.are_required() || address.ip().is_loopback() {
        return Ok(());
    }
    Err(Error::new(
        Code::InvalidRequest,
        format!(
            "refusing to listen on {address} without API keys, since other machines can reach it: give --api-key KEY or --keys FILE, or listen on 127.0.0.1"
        ),
    ))
}

async fn accept_until(
    shutdown: impl Future<Output = ()>,
    listener: TcpListener,
    router: &Router,
    connections: &GracefulShutdown,
) {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    let mut shutdown = std::pin::pin!(shutdown);
    loop {
        let next = tokio::select! {
            biased;
            () = &mut shutdown => return,
            next = accept(&listener, &places) => next,
        };
        match next {
            Ok((stream, place)) => serve_connection(stream, place, router.clone(), connections),
            Err(error) => {
                tracing::warn!(error = %error, "no connection could be accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

async fn accept(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> Result<(TcpStream, OwnedSemaphorePermit), std::io::Error> {
    let place = Arc::clone(places).acquire_owned().await.map_err(std::io::Error::other)?;
    let (stream, _) = listener.accept().await?;
    stream.set_nodelay(true)?;
    Ok((stream, place))
}

fn serve_connection(stream: TcpStream, place: OwnedSemaphorePermit, router: Router, connections: &GracefulShutdown) {
    let io = TokioIo::new(StallGuard::new(stream, WRITE_STALL));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT)
        // Beyond the exact limit, which is answered with a problem, there is this hard one, which is not.
        .max_header_size(2 * HEADER_BYTES)
        .serve_connection(io, TowerToHyperService::new(router));
    let connection = connections.watch(connection);
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!(error = %error, "a connection ended early");
        }
        drop(place);
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::Keys;

    #[test]
    fn without_keys_only_this_machine_may_reach_the_socket() {
        let with_keys = HttpConfig { keys: Keys::single("k").unwrap(), ..HttpConfig::default() };
        for (address, open) in [("127.0.0.1:1", true), ("[::1]:1", true), ("0.0.0.0:1", false), ("10.0.0.1:1", false)] {
            let address = address.parse().unwrap();
            assert_eq!(check_exposure(&HttpConfig::default(), address).is_ok(), open, "{address}");
            assert!(check_exposure(&with_keys, address).is_ok());
        }
        let error = check_exposure(&HttpConfig::default(), "0.0.0.0:1".parse().unwrap()).unwrap_err();
        assert!(error.message().contains("--api-key"));
    }
}
