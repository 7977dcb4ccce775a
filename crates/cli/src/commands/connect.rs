//! `skillmount connect`

use clap::Args;
use serde_json::json;

use crate::{
    app::App,
    connect::{ConfigChange, Host, Launch, change, entry_alone, launch, left_out},
    error::Result,
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
pub(crate) struct Connect {
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
    pub(crate) fn run(self, app: &App) -> Result<()> {
        let Self { host, print, remove } = self;
        if print {
            let text = entry_alone(host, &server(app)?)?;
            return app
                .out
                .reply(&json!({ "host": host.name(), "file": host.file(&app.process)?, "text": text }), |out, _| {
                    out.bytes(text.as_bytes())
                });
        }
        let launch = if remove { None } else { Some(server(app)?) };
        let ConfigChange { file, is_changed, backup } = change(&app.process, host, launch.as_ref())?;
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

/// How a host starts the server, unless a service is the server already.
fn server(app: &App) -> Result<Launch> {
    if app.settings.server()?.is_some() {
        let message = "connect makes a host start this program on a store; a host that speaks to a service takes its address \
                       with /mcp behind it";
        return Err(invalid!("{message}"));
    }
    launch(app, "mcp")
}
