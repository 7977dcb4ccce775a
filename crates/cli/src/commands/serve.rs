//! `skillmount serve`

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::PathBuf,
    task::Poll,
    time::Duration,
};

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

/// The host of --port without --host.
const DEFAULT_HOST: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
/// The port of --host without --port.
const DEFAULT_PORT: u16 = 8787;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  skillmount serve                                            for this machine only
  skillmount serve ~/my-skills                                a folder of skills as it is
  skillmount serve --store s3://bucket/prefix --region eu-west-1
  skillmount serve --port 9000                                at another port
  skillmount serve --host 0.0.0.0 --keys keys.toml            for others: keys are required
  skillmount serve --port 0 --json                            a free port, printed as JSON

Prints one line, `listening on http://…`, once it accepts requests;
logs go to stderr, as JSON where nobody watches, one line for each request.
SIGTERM or Ctrl-C closes the port and finishes the requests under way; a second one ends it
at once. With --drain, SIGTERM first makes /readyz answer 503 and goes on accepting for so many
seconds, so that a load balancer notices.
Takes over the keys file within 2 seconds of a change; SIGHUP reads keys, hosts and origins
again at once. Where they have a fault, the old ones stay.")]
pub(crate) struct Serve {
    /// A folder of skills to serve as it is, for the user `me`, instead of a store. It is only read, unless --writable is given;
    /// sessions and the like lie in your data folder
    #[arg(value_name = "DIR", conflicts_with_all = ["store", "server"])]
    pub(crate) skills: Option<PathBuf>,
    /// Port to listen on; 0 takes a free one [default: 8787]
    #[arg(long, value_name = "PORT", conflicts_with = "listen")]
    pub(crate) port: Option<u16>,
    /// Address of this machine to listen on, such as 127.0.0.1 or 0.0.0.0 [default: 127.0.0.1]
    #[arg(long, value_name = "HOST", value_parser = parse_host, conflicts_with = "listen")]
    pub(crate) host: Option<IpAddr>,
    /// Both in one, in place of --host and --port [default: 127.0.0.1:8787]
    #[arg(long, value_name = "HOST:PORT")]
    pub(crate) listen: Option<String>,
    /// File of the keys that clients may show, as `keys new` makes them
    #[arg(long, value_name = "FILE")]
    pub(crate) keys: Option<PathBuf>,
    /// Show everybody who asks for HOST the skills of USER, for installers. Can be given several times
    #[arg(long, value_name = "HOST=USER")]
    pub(crate) public: Vec<String>,
    /// After SIGTERM, how long to go on accepting, for a load balancer to notice [default: 0]
    #[arg(long, value_name = "SECONDS")]
    pub(crate) drain: Option<String>,
    /// Memory for cached contents, sessions and requests [default: 256]
    #[arg(long, value_name = "MIB")]
    pub(crate) memory_limit: Option<String>,
    /// Connections open at once, from 512 on; half are for streams of events. The limit of file descriptors may allow fewer
    /// [default: 4096]
    #[arg(long, value_name = "N")]
    pub(crate) connections: Option<String>,
    /// Memory for catalogs and their search indexes [default: 128]
    #[arg(long, value_name = "MIB")]
    pub(crate) catalog_memory: Option<String>,
    /// Audit records: off, async, or sync, which acknowledges a change once its record is in the store [default: async]
    #[arg(long, value_name = "MODE")]
    pub(crate) audit: Option<String>,
    /// Days that audit records are kept [default: 90]
    #[arg(long, value_name = "DAYS")]
    pub(crate) audit_days: Option<String>,
    /// Find skills by meaning too: dir:FOLDER of a model, or the URL of an endpoint for embeddings
    #[arg(long, value_name = "URL")]
    pub(crate) embedding_url: Option<String>,
    /// How log lines are written: json or text [default: text on a terminal, else json]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) log_format: Option<String>,
    /// Folder for uploads under way, on a disk and not in memory [default: the system's for temporary files]
    #[arg(long, value_name = "DIR")]
    pub(crate) upload_dir: Option<PathBuf>,
}

impl Serve {
    /// The settings that were given as flags.
    pub(crate) fn settings(&self) -> Vec<(Setting, String)> {
        let path = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
        let given = [
            (Setting::Store, self.skills.as_deref().map(address_of)),
            (Setting::Listen, self.listen()),
            (Setting::Keys, path(&self.keys)),
            (Setting::Public, (!self.public.is_empty()).then(|| self.public.join(","))),
            (Setting::Drain, self.drain.clone()),
            (Setting::MemoryLimit, self.memory_limit.clone()),
            (Setting::Connections, self.connections.clone()),
            (Setting::CatalogMemory, self.catalog_memory.clone()),
            (Setting::Audit, self.audit.clone()),
            (Setting::AuditDays, self.audit_days.clone()),
            (Setting::EmbeddingUrl, self.embedding_url.clone()),
            (Setting::LogFormat, self.log_format.clone()),
            (Setting::UploadDir, path(&self.upload_dir)),
        ];
        given.into_iter().filter_map(|(setting, text)| Some((setting, text?))).collect()
    }

    /// The address to listen on, if a flag names it. `--host` and `--port` are no settings of their own: Kubernetes sets
    /// `SKILLMOUNT_PORT` in each container beside a service of the name skillmount, to something else.
    fn listen(&self) -> Option<String> {
        let parts = (self.host.is_some() || self.port.is_some()).then(|| {
            let (host, port) = (self.host.unwrap_or(DEFAULT_HOST), self.port.unwrap_or(DEFAULT_PORT));
            SocketAddr::new(host, port).to_string()
        });
        self.listen.clone().or(parts)
    }

    pub(crate) async fn run(self, app: &App) -> Result<()> {
        let address = app.settings.required(Setting::Listen, parse_address)?;
        let (store, folder) = app.served_store("serve").await?;
        let access = store.write_access().await?;
        if let Some(read_only) = access.read_only() {
            tracing::warn!(why = read_only.why, "serving without writes");
        }
        let audit = app.recorder(&store, &access)?;
        let options = ServiceOptions { access: access.clone(), ..app.options()? };
        let service = app.shared_service(&store, options, Some(audit.clone()))?;
        let listener = TcpListener::bind(address).await.map_err(|error| {
            invalid!(
                "cannot listen on {address}: another program listens there, perhaps a service that still drains; stop it, or \
                 take another port with --port"
            )
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
            spool: app.settings.get(Setting::UploadDir).map(|folder| app.process.local(folder).place().to_owned()),
            audit: Some(audit),
            mcp: Some(app.mcp_options()?),
        };
        let stopped = async { stop.await.unwrap_or_default() };
        let mut serving = Box::pin(http::serve(config, service, app.clock.clone(), listener, stopped));
        // The first poll refuses what must not be served; only after it may clients come.
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
            () = store.follow_denial(&access) => Ok(()),
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
        "skillmount {} serves {store} to {callers}\n{folder}try it at http://{bound}/docs, read the guide at http://{bound}/guide/; Ctrl-C stops it",
        env!("CARGO_PKG_VERSION")
    ));
}

fn parse_address(text: &str) -> Result<SocketAddr> {
    text.parse().map_err(|_| invalid!("{text:?} is not an address; one looks like 127.0.0.1:8787"))
}

fn parse_host(text: &str) -> Result<IpAddr, String> {
    match text {
        "localhost" => Ok(DEFAULT_HOST),
        other => {
            other.parse().map_err(|_| "give an IP address of this machine such as 0.0.0.0, or localhost".to_owned())
        }
    }
}
