//! The `skillmount` binary: the command line, joined to the HTTP interface it may not import.

use std::process::ExitCode;

use skillmount::{
    Error, Result,
    cli::{self, Callers, Edges, Future, NewKey, Serving},
    clock::Clock,
    http::{self, Access, AllowedPeers, HttpConfig, KeyEntry, Keys, Scope},
};
use tokio::sync::watch;

fn main() -> ExitCode {
    cli::run(std::env::args_os().collect(), Edges { serve, new_key, openapi })
}

fn serve(serving: Serving) -> Future<Result<()>> {
    Box::pin(async move {
        let Serving { service, clock, listener, mut callers, spool, shutdown } = serving;
        let first = access(&callers.borrow_and_update())?;
        let (changed, access_now) = watch::channel(first.clone());
        let config = HttpConfig { keys: first.keys, peers: first.peers, changes: Some(access_now), spool };
        let follow = async {
            while callers.changed().await.is_ok() {
                match access(&callers.borrow_and_update()) {
                    Ok(now) => drop(changed.send(now)),
                    Err(error) => tracing::error!(cause = %error.chain(), "the keys stay as they were"),
                }
            }
            std::future::pending::<()>().await;
        };
        tokio::select! {
            outcome = http::serve(config, service, clock, listener, shutdown) => outcome,
            () = follow => Ok(()),
        }
    })
}

fn access(callers: &Callers) -> Result<Access> {
    let keys = match (&callers.keys, &callers.api_key) {
        (Some(file), _) => Keys::from_toml(file)?,
        (None, Some(key)) => Keys::single(key)?,
        (None, None) => Keys::none(),
    };
    Ok(Access { keys, peers: AllowedPeers { hosts: callers.hosts.clone(), origins: callers.origins.clone() } })
}

fn new_key(clock: &dyn Clock, wanted: &NewKey) -> Result<(String, String)> {
    let scope = if wanted.control { Scope::Control } else { Scope::Agent };
    let (key, entry) = KeyEntry::generate(clock, wanted.user.as_ref(), vec![scope]);
    let NewKey { name, expires, team, sessions, vars, .. } = wanted.clone();
    let sessions = Some(sessions).filter(|sessions| !sessions.is_empty());
    let vars = Some(vars).filter(|vars| !vars.is_empty());
    let text = KeyEntry { name, expires, team, sessions, vars, ..entry }.to_toml()?;
    // What a service would refuse is refused here.
    Keys::from_toml(&text)?;
    Ok((key, text))
}

fn openapi() -> Result<String> {
    http::openapi().to_pretty_json().map_err(Error::internal)
}
