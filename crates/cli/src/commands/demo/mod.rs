//! `skillmount demo`: the real service, on a store of its own, played through over HTTP.

mod fixtures;
mod play;
mod stage;

use std::{fs, io, path::Path, time::Duration};

use clap::Args;
use tokio::net::TcpListener;

use self::{fixtures::FILES, play::Play, stage::Stage};
use crate::{
    app::App,
    client::RemoteBackend,
    error::{Error, Result},
    handle::OpenStore,
    http::{self, HttpConfig},
    mcp::McpOptions,
    path::Id,
    store::{S3Options, StoreAddress},
};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  skillmount demo
  skillmount demo --json | jq '.calls[] | select(.right | not)'

Needs no account and no network: the service runs on a folder that is removed
afterwards. The exit status is 0 only if every answer is right.")]
pub(crate) struct Demo {}

impl Demo {
    pub(crate) async fn run(self, app: &App) -> Result<()> {
        let folder = tempfile::Builder::new().prefix("skillmount-demo-").tempdir_in(&app.process.folders.temporary);
        let folder = folder.map_err(Error::internal)?;
        seed(folder.path()).map_err(Error::internal)?;
        let address = StoreAddress::Directory(folder.path().to_owned());
        let store = OpenStore::open(address, S3Options::default(), app.clock.clone()).await?;
        let service = app.shared_service(&store, app.options()?, None)?;
        let listener = TcpListener::bind("127.0.0.1:0").await.map_err(Error::internal)?;
        let url = format!("http://{}", listener.local_addr().map_err(Error::internal)?);
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let stopped = async move {
            let _ = stopped.await;
            Duration::ZERO
        };
        let config = HttpConfig { mcp: Some(McpOptions::default()), ..HttpConfig::default() };
        let serving = tokio::spawn(Box::pin(http::serve(config, service, app.clock.clone(), listener, stopped)));
        let played = play(app, &url).await;
        // The service has ended by itself only if it failed, which the play has reported by then.
        let _ = stop.send(());
        serving.await.map_err(Error::internal)??;
        // While its folder is still there.
        app.end().await;
        played
    }
}

async fn play(app: &App, url: &str) -> Result<()> {
    let (user, session) = (Id::parse("demo")?, Id::parse("ejemplo")?);
    let stage = Stage::new(&app.out);
    stage.scene(&format!("The service runs on a new folder at {url}; the session is new, too."))?;
    let agent = RemoteBackend::new(url, user.clone(), session.clone(), None)?;
    let framework = RemoteBackend::new(url, user, session, None)?;
    Play { agent: &agent, framework: &framework, stage }.perform().await
}

/// Puts the fixtures below `folder` as plain files, as a person would.
fn seed(folder: &Path) -> io::Result<()> {
    for (key, bytes) in FILES {
        let path = folder.join(key);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(path, bytes)?;
    }
    Ok(())
}
