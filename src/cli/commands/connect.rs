//! `skillmount connect`

use std::{
    collections::BTreeMap,
    env,
    path::{Path, absolute},
};

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
        let secrets = if remove { Vec::new() } else { left_out(app) };
        let state = match (remove, is_changed) {
            (false, true) => "connected",
            (false, false) => "was connected already",
            (true, true) => "is no longer connected",
            (true, false) => "was not connected",
        };
        app.out.reply(&document, |out, _| {
            out.line(format!("{} {state}: {}", host.name(), file.display()))?;
            if let Some(backup) = &backup {
                out.line(format!("as it was before: {}", backup.display()))?;
            }
            secrets.iter().try_for_each(|name| {
                out.line(format!("{name} is a secret and stays out of that file: set it where the host is started"))
            })
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
    let mut launch =
        Launch { command: program.display().to_string(), args: vec!["mcp".to_owned()], variables: BTreeMap::new() };
    for setting in Setting::ALL.iter().copied().filter(|setting| !app.settings.is_default(*setting)) {
        let Some(value) = app.settings.get(setting) else { continue };
        match passage(setting) {
            Passage::Flag(flag) => {
                launch.args.extend([flag.to_owned(), absolute_value(app, setting, value)?]);
            }
            Passage::Switch(flag) if app.settings.switch(setting)?.unwrap_or_default() => {
                launch.args.push(flag.to_owned());
            }
            Passage::Switch(_) | Passage::Variable => {
                launch.variables.insert(setting.env_name(), value.to_owned());
            }
            Passage::Secret | Passage::Unread => {}
        }
    }
    Ok(launch)
}

/// How a setting that was chosen comes to the program that a host starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Passage {
    /// As a flag with its value.
    Flag(&'static str),
    /// As a flag if it is on, and as a variable if it is off.
    Switch(&'static str),
    /// As a variable of its environment, because it has no flag.
    Variable,
    /// Not at all, because it must not stand in a file that others read: the person gives it to the host.
    Secret,
    /// Not at all: `mcp` does not read it.
    Unread,
}

const fn passage(setting: Setting) -> Passage {
    match setting {
        Setting::Store => Passage::Flag("--store"),
        Setting::User => Passage::Flag("--user"),
        Setting::Session => Passage::Flag("--session"),
        Setting::EndpointUrl => Passage::Flag("--endpoint-url"),
        Setting::Region => Passage::Flag("--region"),
        Setting::Profile => Passage::Flag("--profile"),
        Setting::SseKmsKeyId => Passage::Flag("--sse-kms-key-id"),
        Setting::Encoder => Passage::Flag("--encoder"),
        Setting::PathStyle => Passage::Switch("--path-style"),
        Setting::Layers => Passage::Switch("--layers"),
        Setting::Write => Passage::Switch("--write"),
        Setting::Workspace
        | Setting::Ticket
        | Setting::Log
        | Setting::LogFormat
        | Setting::Memory
        | Setting::CatalogMemory
        | Setting::Audit
        | Setting::DigestPace
        | Setting::EncoderModel => Passage::Variable,
        Setting::EncoderKey => Passage::Secret,
        Setting::Server
        | Setting::ApiKey
        | Setting::Listen
        | Setting::Keys
        | Setting::Hosts
        | Setting::Origins
        | Setting::Public
        | Setting::LinkSecret
        | Setting::Spool
        | Setting::Drain => Passage::Unread,
    }
}

/// The value of a setting with its paths absolute, because the host starts the program in a folder of its own.
fn absolute_value(app: &App, setting: Setting, value: &str) -> Result<String> {
    let whole = |folder: &Path| absolute(folder).map_err(Error::internal);
    if let (Setting::Encoder, Some(folder)) = (setting, value.strip_prefix("dir:")) {
        return Ok(format!("dir:{}", whole(Path::new(folder))?.display()));
    }
    if setting != Setting::Store {
        return Ok(value.to_owned());
    }
    Ok(match app.settings.required(setting, StoreAddress::parse)? {
        StoreAddress::Directory(folder) => format!("file:{}", whole(&folder)?.display()),
        StoreAddress::Skills(skills) => address_of(&whole(&skills.folder)?),
        _ => value.to_owned(),
    })
}

/// Settings that were chosen and do not come to the program, because they are secrets.
fn left_out(app: &App) -> Vec<String> {
    let is_left_out = |setting: &&Setting| passage(**setting) == Passage::Secret && !app.settings.is_default(**setting);
    Setting::ALL.iter().filter(is_left_out).map(|setting| setting.env_name()).collect()
}
