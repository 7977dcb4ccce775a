//! The `skillmount` binary: the command line, joined to the HTTP interface it may not import.

use std::process::ExitCode;

use skillmount::{
    Error, Result,
    cli::{self, Edges, Future, NewKey, Serving},
    clock::Clock,
    http::{self, AllowedPeers, HttpConfig, KeyEntry, Keys, Scope},
};

fn main() -> ExitCode {
    cli::run(std::env::args_os().collect(), Edges { serve, new_key, openapi })
}

fn serve(serving: Serving) -> Future<Result<()>> {
    Box::pin(async move {
        let keys = match (&serving.keys, &serving.api_key) {
            (Some(file), _) => Keys::from_toml(file)?,
            (None, Some(key)) => Keys::single(key)?,
            (None, None) => Keys::none(),
        };
        let peers = AllowedPeers { hosts: serving.hosts, origins: serving.origins };
        let config = HttpConfig { keys, peers };
        http::serve(config, serving.service, serving.clock, serving.listener, serving.shutdown).await
    })
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
