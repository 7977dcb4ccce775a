//! Who may call a running service: by the settings and the keys file, when it starts and whenever they change.

use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use tokio::{
    sync::{mpsc, watch},
    time::{MissedTickBehavior, interval},
};

use crate::{
    access::{Callers, Keys, KeysFile, LinkSecret, PeerRules, PublicSkills},
    app::App,
    blocking::blocking,
    error::Result,
    limits::KEYS_LOOK,
    process::Process,
    settings::{Setting, Settings},
};

/// The settings and the keys file, which decide who may call.
pub(super) struct CallerSources {
    peers: PeerRules,
    public: PublicSkills,
    /// The keys file, if there is one.
    file: Option<Arc<Mutex<KeysFile>>>,
}

impl CallerSources {
    /// Returns who may call by these settings, and where that is said.
    ///
    /// # Errors
    /// `invalid_request` for a key or a keys file with a fault.
    pub(super) fn read(process: &Process, settings: &Settings, now: Timestamp) -> Result<(Self, Callers)> {
        let peers =
            PeerRules { hosts: list(settings.get(Setting::Hosts)), origins: list(settings.get(Setting::Origins)) };
        let public = PublicSkills {
            hosts: settings.parsed(Setting::Public, PublicSkills::parse_hosts)?.unwrap_or_default(),
            links: settings.parsed(Setting::ShareSigningKey, LinkSecret::parse)?,
        };
        let (file, keys) = match (settings.get(Setting::Keys), settings.get(Setting::ApiKey)) {
            (Some(path), _) => {
                let (file, keys) = KeysFile::open(process.local(path).place().to_owned(), path.to_owned(), now)?;
                (Some(Arc::new(Mutex::new(file))), keys)
            }
            (None, Some(key)) => (None, Keys::single(key)?),
            (None, None) => (None, Keys::none()),
        };
        Ok((Self { peers: peers.clone(), public: public.clone(), file }, Callers { keys, peers, public }))
    }

    /// Sends who may call whenever that changes: looks at the keys file every [`KEYS_LOOK`], and reads settings and keys
    /// again at each `reload`. Where they have a fault, the old ones stay. Never done.
    pub(super) async fn follow(mut self, app: &App, mut reload: mpsc::Receiver<()>, changed: watch::Sender<Callers>) {
        let mut looks = interval(KEYS_LOOK);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let found = tokio::select! {
                Some(()) = reload.recv() => self.read_again(app).await.map(Some),
                _ = looks.tick() => self.refresh(app.clock.now()).await,
            };
            match found {
                Ok(Some(callers)) => drop(changed.send(callers)),
                Ok(None) => {}
                Err(error) => tracing::error!(cause = %error.chain(), "the keys stay as they were"),
            }
        }
    }

    async fn read_again(&mut self, app: &App) -> Result<Callers> {
        let (process, settings, now) = (Arc::clone(&app.process), app.sources.settings()?, app.clock.now());
        let (sources, callers) = blocking(move || Self::read(&process, &settings, now)).await?;
        *self = sources;
        Ok(callers)
    }

    async fn refresh(&self, now: Timestamp) -> Result<Option<Callers>> {
        let Some(file) = self.file.clone() else { return Ok(None) };
        let keys = blocking(move || file.lock().unwrap_or_else(PoisonError::into_inner).refresh(now)).await?;
        Ok(keys.map(|keys| Callers { keys, peers: self.peers.clone(), public: self.public.clone() }))
    }
}

/// The parts of a comma-separated setting.
fn list(text: Option<&str>) -> Vec<String> {
    text.unwrap_or_default().split(',').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}
