//! `skillmount serve`

use std::{net::SocketAddr, path::PathBuf, task::Poll, time::Duration};

use clap::Args;
use futures_util::poll;
use serde_json::json;
use tokio::{net::TcpListener, sync::watch};

use crate::{
    app::App,
    callers::CallerSources,
    descriptors,
    error::{Error, Result},
    folder::address_of,
    handle::ServiceOptions,
    http::{self, HttpConfig},
    limits::{CONNECTIONS, CONNECTIONS_LEAST, SHUTDOWN_DRAIN_MOST},
    settings::Setting,
    signals::{self, Signals},
    wire::StoreCheck,
};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  skillmount serve                                            for this machine only
  skillmount serve ~/my-skills                                a folder of skills as it is
  skillmount serve --store s3://bucket/prefix --region eu-west-1
  skillmount serve --listen 0.0.0.0:8787 --keys keys.toml     for others: keys are required
  skillmount serve --listen 127.0.0.1:0 --json                a free port, told as JSON

Prints one line, `listening on http://…`, once it accepts requests;
logs go to stderr, as JSON where nobody watches, one line for each request.
SIGTERM makes /readyz answer 503, goes on accepting for --drain seconds and finishes
the requests under way; Ctrl-C does so without the drain. A second one ends it at once.
Takes over the keys file within 2 seconds of a change; SIGHUP reads keys, hosts and origins
again at once. Where they have a fault, the old ones stay.")]
pub(crate) struct Serve {
    /// A folder of skills to serve as it is, for the user `me`, instead of a store. It is only read, unless --write is given;
    /// sessions and the like lie in your data folder
    #[arg(value_name = "DIR", conflicts_with_all = ["store", "server"])]
    pub(crate) skills: Option<PathBuf>,
    /// Address to listen on; port 0 takes a free one [default: 127.0.0.1:8787]
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen: Option<String>,
    /// File of the keys that clients may show, as `keys new` makes them
    #[arg(long, value_name = "FILE")]
    pub(crate) keys: Option<PathBuf>,
    /// Show everybody who asks for HOST the skills of USER, for installers. Can be given several times
    #[arg(long, value_name = "HOST=USER")]
    pub(crate) public: Vec<String>,
    /// After SIGTERM, how long to go on accepting [default: 5]
    #[arg(long, value_name = "SECONDS")]
    pub(crate) drain: Option<String>,
    /// Memory for cached contents, sessions and requests [default: 256]
    #[arg(long, value_name = "MIB")]
    pub(crate) memory: Option<String>,
    /// Connections open at once, from 512 on; half are for streams of events. The limit of file descriptors may allow fewer
    /// [default: 4096]
    #[arg(long, value_name = "N")]
    pub(crate) connections: Option<String>,
    /// Memory for catalogs and their search indexes [default: 128]
    #[arg(long, value_name = "MIB")]
    pub(crate) catalog_memory: Option<String>,
    /// Audit records: off, relaxed, or strict, where a change is acknowledged once its record is in the store [default: relaxed]
    #[arg(long, value_name = "MODE")]
    pub(crate) audit: Option<String>,
    /// Days that audit records are kept [default: 90]
    #[arg(long, value_name = "DAYS")]
    pub(crate) audit_days: Option<String>,
    /// Find skills by meaning too: dir:FOLDER of a model, or the URL of an endpoint for embeddings
    #[arg(long, value_name = "ENCODER")]
    pub(crate) encoder: Option<String>,
    /// How log lines are written: json or text [default: text on a terminal, else json]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) log_format: Option<String>,
    /// Folder for uploads under way, on a disk and not in memory [default: the system's for temporary files]
    #[arg(long, value_name = "DIR")]
    pub(crate) spool: Option<PathBuf>,
}

impl Serve {
    /// The settings that were given as flags.
    pub(crate) fn settings(&self) -> Vec<(Setting, String)> {
        let path = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
        let given = [
            (Setting::Store, self.skills.as_deref().map(address_of)),
            (Setting::Listen, self.listen.clone()),
            (Setting::Keys, path(&self.keys)),
            (Setting::Public, (!self.public.is_empty()).then(|| self.public.join(","))),
            (Setting::Drain, self.drain.clone()),
            (Setting::Memory, self.memory.clone()),
            (Setting::Connections, self.connections.clone()),
            (Setting::CatalogMemory, self.catalog_memory.clone()),
            (Setting::Audit, self.audit.clone()),
            (Setting::AuditDays, self.audit_days.clone()),
            (Setting::Encoder, self.encoder.clone()),
            (Setting::LogFormat, self.log_format.clone()),
            (Setting::Spool, path(&self.spool)),
        ];
        given.into_iter().filter_map(|(setting, text)| Some((setting, text?))).collect()
    }

    pub(crate) async fn run(self, app: &App) -> Result<()> {
        let address = app.settings.required(Setting::Listen, parse_address)?;
        let (store, folder) = app.served_store("serve").await?;
        let read_only = store.why_read_only().await?;
        if let Some(read_only) = &read_only {
            tracing::warn!(why = read_only.why, "serving without writes");
        }
        let audit = app.recorder(&store, read_only.is_some())?;
        let service =
            app.shared_service(&store, ServiceOptions { read_only, ..app.options()? }, Some(audit.clone()))?;
        let listener = TcpListener::bind(address).await.map_err(|error| {
            invalid!("cannot listen on {address}; is something else there? --listen takes another address")
                .with_source(error)
        })?;
        let bound = listener.local_addr().map_err(Error::internal)?;
        let (sources, callers) = CallerSources::read(&app.process, &app.settings, app.clock.now())?;
        let has_keys = callers.keys.are_required();
        let (changed, caller_updates) = watch::channel(callers.clone());
        let drain = app.settings.seconds(Setting::Drain, Duration::ZERO, SHUTDOWN_DRAIN_MOST)?;
        let signals = if app.process.is_whole { signals::listen(drain)? } else { Signals::unheard() };
        let stop = signals.stop;
        let connections = connections(app)?;
        let config = HttpConfig {
            callers,
            caller_updates: Some(caller_updates),
            connections: Some(connections),
            spool: app.settings.get(Setting::Spool).map(|folder| app.process.local(folder).place().to_owned()),
            audit: Some(audit),
            mcp: Some(app.mcp_options()?),
        };
        let stopped = async { stop.await.unwrap_or_default() };
        let mut serving = Box::pin(http::serve(config, service, app.clock.clone(), listener, stopped));
        // The first poll refuses what must not be served; only after it may clients be told to come.
        if let Poll::Ready(outcome) = poll!(&mut serving) {
            return outcome;
        }
        announce(app, bound)?;
        tracing::info!(connections, "connections that may be open at once");
        if app.out.progress_is_seen() {
            greet(app, bound, has_keys, &folder);
        }
        tokio::select! {
            outcome = serving => outcome,
            () = sources.follow(app, signals.reload, changed) => Ok(()),
        }
    }
}

/// The connections that may be open at once: those of the setting, as far as the limit of file descriptors goes.
fn connections(app: &App) -> Result<usize> {
    let wanted = app.settings.number(Setting::Connections, CONNECTIONS_LEAST)?.unwrap_or(CONNECTIONS);
    let fitting = if app.process.is_whole { descriptors::connections_that_fit(wanted) } else { wanted };
    if fitting < wanted {
        tracing::warn!(
            wanted,
            connections = fitting,
            "the limit of file descriptors (`ulimit -n`) allows fewer connections"
        );
    }
    Ok(fitting)
}

fn announce(app: &App, bound: SocketAddr) -> Result<()> {
    let url = format!("http://{bound}");
    app.out.reply(&json!({ "listening": url }), |out, _| out.line(format_args!("listening on {url}")))
}

/// Says what is served and to whom, and where to look at it.
fn greet(app: &App, bound: SocketAddr, has_keys: bool, folder: &[StoreCheck]) {
    let callers = if has_keys {
        "callers with a key"
    } else {
        "anyone on this machine: there are no keys, which `skillmount keys new` makes"
    };
    let store = app.settings.get(Setting::Store).unwrap_or_default();
    let folder = folder.first().map(|check| format!("{}\n", check.detail)).unwrap_or_default();
    app.out.note(format_args!(
        "skillmount {} serves {store} to {callers}\n{folder}try it at http://{bound}/docs; Ctrl-C stops it",
        env!("CARGO_PKG_VERSION")
    ));
}

fn parse_address(text: &str) -> Result<SocketAddr> {
    text.parse().map_err(|_| invalid!("{text:?} is not an address; one looks like 127.0.0.1:8787"))
}
