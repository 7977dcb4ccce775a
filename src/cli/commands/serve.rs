//! `skillmount serve`

use std::{net::SocketAddr, path::PathBuf, process, task::Poll};

use clap::Args;
use futures_util::poll;
use serde_json::json;
use tokio::net::TcpListener;

use super::super::{
    app::App,
    edges::{Future, Serving},
    settings::Setting,
};
use crate::error::{Code, Error, Kind, Result};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  skillmount serve                                            for this machine only
  skillmount serve --store s3://bucket/prefix --region eu-west-1
  skillmount serve --listen 0.0.0.0:8787 --keys keys.toml     for others: keys are required
  skillmount serve --listen 127.0.0.1:0 --json                a free port, told as JSON

Prints one line, `listening on http://…`, once it accepts requests;
logs go to stderr, as JSON where nobody watches.
SIGTERM or Ctrl-C finishes the requests under way; a second one ends it at once.")]
pub(in super::super) struct Serve {
    /// Address to listen on; port 0 takes a free one [default: 127.0.0.1:8787]
    #[arg(long, value_name = "ADDRESS")]
    pub(in super::super) listen: Option<String>,
    /// File of the keys that clients may show, as `keys new` makes them
    #[arg(long, value_name = "FILE")]
    pub(in super::super) keys: Option<PathBuf>,
}

impl Serve {
    /// The settings that were given as flags.
    pub(in super::super) fn settings(&self) -> Vec<(Setting, String)> {
        let keys = self.keys.as_ref().map(|path| (Setting::Keys, path.display().to_string()));
        self.listen.clone().map(|listen| (Setting::Listen, listen)).into_iter().chain(keys).collect()
    }

    pub(in super::super) async fn run(self, app: &App) -> Result<()> {
        let address = app.settings.required(Setting::Listen, parse_address)?;
        let (store, namespace) = app.direct_store("serve").await?;
        let read_only = app.why_read_only(&store, &namespace).await?;
        if let Some(why) = &read_only {
            tracing::warn!(why, "serving without writes");
        }
        let service = app.service_over(store, namespace, read_only)?;
        let listener = TcpListener::bind(address).await.map_err(|error| {
            let message =
                format!("cannot listen on {address}; is something else there? --listen takes another address");
            Error::new(Code::InvalidRequest, message).with_source(error)
        })?;
        let bound = listener.local_addr().map_err(Error::internal)?;
        let keys = app.settings.get(Setting::Keys).map(read_keys).transpose()?;
        let mut serving = (app.edges.serve)(Serving {
            service,
            clock: app.clock.clone(),
            listener,
            api_key: app.settings.get(Setting::ApiKey).map(str::to_owned),
            keys,
            hosts: list(app.settings.get(Setting::Hosts)),
            origins: list(app.settings.get(Setting::Origins)),
            shutdown: told_to_stop()?,
        });
        // The first poll refuses what must not be served; only after it may anybody be told to come.
        if let Poll::Ready(outcome) = poll!(&mut serving) {
            return outcome;
        }
        announce(app, bound)?;
        serving.await
    }
}

fn announce(app: &App, bound: SocketAddr) -> Result<()> {
    let url = format!("http://{bound}");
    app.out.reply(&json!({ "listening": url }), |out, _| out.line(format_args!("listening on {url}")))
}

fn parse_address(text: &str) -> Result<SocketAddr> {
    text.parse().map_err(|_| {
        Error::new(Code::InvalidRequest, format!("{text:?} is not an address; one looks like 127.0.0.1:8787"))
    })
}

fn read_keys(path: &str) -> Result<String> {
    std::fs::read_to_string(path).map_err(|error| {
        Error::new(Code::InvalidRequest, format!("the keys file {path} cannot be read")).with_source(error)
    })
}

/// The parts of a comma-separated setting.
fn list(text: Option<&str>) -> Vec<String> {
    text.unwrap_or_default().split(',').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

/// Done at the first signal to stop; a second one ends the process without waiting any longer.
#[cfg(unix)]
fn told_to_stop() -> Result<Future<()>> {
    use tokio::signal::unix::{SignalKind, signal};

    let mut terminate = signal(SignalKind::terminate()).map_err(Error::internal)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(Error::internal)?;
    let (stop, stopped) = tokio::sync::oneshot::channel();
    tokio::spawn(async move {
        let mut next = async || tokio::select! { _ = terminate.recv() => {}, _ = interrupt.recv() => {} };
        next().await;
        tracing::info!("stopping once the requests under way are done");
        // The server may have ended by itself meanwhile; then nobody waits.
        let _ = stop.send(());
        next().await;
        process::exit(i32::from(Kind::Unavailable.exit_code()));
    });
    Ok(Box::pin(async move {
        let _ = stopped.await;
    }))
}

#[cfg(not(unix))]
fn told_to_stop() -> Result<Future<()>> {
    let (stop, stopped) = tokio::sync::oneshot::channel();
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            let _ = stop.send(());
            let _ = tokio::signal::ctrl_c().await;
            process::exit(i32::from(Kind::Unavailable.exit_code()));
        }
    });
    Ok(Box::pin(async move {
        let _ = stopped.await;
    }))
}
