//! `skillmount connect`

use std::{env, path::absolute};

use clap::Args;
use serde_json::json;

use super::super::{
    app::App,
    connect::{Done, Host, Launch, change, entry_alone},
    folder::address_of,
    settings::Setting,
};
use crate::{
    error::{Code, Error, Result},
    store::StoreAddress,
};

/// Settings that the host gives back to the server that it starts, if they were chosen.
const PASSED_ON: &[(Setting, &str)] = &[
    (Setting::User, "--user"),
    (Setting::EndpointUrl, "--endpoint-url"),
    (Setting::Region, "--region"),
    (Setting::Profile, "--profile"),
];

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  skillmount connect claude-code              Claude Code starts `skillmount mcp` from now on
  skillmount connect cursor --user anna       with the skills of another user
  skillmount connect codex --print            shows what would be in its configuration
  skillmount connect vscode --remove          takes it out again

The configuration as it was stays beside it, as FILE.before-skillmount.
A file that cannot be understood is left alone. The host reads it when it starts.")]
pub(in super::super) struct Connect {
    /// The program that agents run in
    #[arg(value_name = "HOST")]
    host: Host,
    /// Print what belongs into its configuration, and change nothing
    #[arg(long, conflicts_with = "remove")]
    print: bool,
    /// Take skillmount out of its configuration
    #[arg(long)]
    remove: bool,
}

impl Connect {
    pub(in super::super) fn run(self, app: &App) -> Result<()> {
        let Self { host, print, remove } = self;
        if print {
            let text = entry_alone(host, &launch(app)?)?;
            return app.out.reply(&json!({ "host": host.name(), "file": host.file()?, "text": text }), |out, _| {
                out.bytes(text.as_bytes())
            });
        }
        let launch = if remove { None } else { Some(launch(app)?) };
        let Done { file, is_changed, backup } = change(host, launch.as_ref())?;
        let document = json!({
            "host": host.name(), "file": file, "connected": !remove, "changed": is_changed, "backup": backup
        });
        let state = match (remove, is_changed) {
            (false, true) => "connected",
            (false, false) => "was connected already",
            (true, true) => "is no longer connected",
            (true, false) => "was not connected",
        };
        app.out.reply(&document, |out, _| {
            out.line(format!("{} {state}: {}", host.name(), file.display()))?;
            match &backup {
                Some(backup) => out.line(format!("as it was before: {}", backup.display())),
                None => Ok(()),
            }
        })
    }
}

/// How a host starts this program with the settings that are in effect now.
fn launch(app: &App) -> Result<Launch> {
    if app.settings.server()?.is_some() {
        let message = "connect makes a host start this program on a store; a host that speaks to a service takes its address \
                       with /mcp behind it";
        return Err(Error::new(Code::InvalidRequest, message));
    }
    let program = env::current_exe().map_err(Error::internal)?;
    let mut args = vec!["mcp".to_owned()];
    if !app.settings.is_default(Setting::Store) {
        // The host starts the program in a folder of its own.
        let address = match app.settings.required(Setting::Store, StoreAddress::parse)? {
            StoreAddress::Directory(folder) => format!("file:{}", absolute(folder).map_err(Error::internal)?.display()),
            StoreAddress::Skills(skills) => address_of(&absolute(skills.folder).map_err(Error::internal)?),
            _ => app.settings.get(Setting::Store).unwrap_or_default().to_owned(),
        };
        args.extend(["--store".to_owned(), address]);
    }
    if app.settings.switch(Setting::Write)?.unwrap_or_default() {
        args.push("--write".to_owned());
    }
    for (setting, flag) in PASSED_ON {
        if let Some(value) = app.settings.get(*setting).filter(|_| !app.settings.is_default(*setting)) {
            args.extend([(*flag).to_owned(), value.to_owned()]);
        }
    }
    Ok(Launch { command: program.display().to_string(), args })
}
