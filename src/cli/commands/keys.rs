//! `skillmount keys`

use clap::{Args, Subcommand};
use serde_json::json;

use super::super::{app::App, edges::NewKey, output::note, settings::Setting};
use crate::error::Result;

#[derive(Debug, Args)]
pub(in super::super) struct Keys {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Make a key: the key for the client, and its entry for the keys file of `serve --keys`
    #[command(after_help = "\
Examples:
  skillmount --user ana keys new >> keys.toml      the key itself is told once, on stderr
  skillmount keys new --all-users --control --json

The entry holds only a hash: whoever reads the keys file learns no key.")]
    New {
        /// For every user, not only the one named by --user
        #[arg(long)]
        all_users: bool,
        /// Also allow changing policy and forgetting sessions
        #[arg(long)]
        control: bool,
    },
}

impl Keys {
    pub(in super::super) fn run(self, app: &App) -> Result<()> {
        let Action::New { all_users, control } = self.action;
        let user = if all_users { None } else { Some(app.settings.id(Setting::User)?) };
        let (key, entry) = (app.edges.new_key)(&*app.clock, &NewKey { user, control })?;
        if app.out.is_json() {
            return app.out.document(&json!({ "key": key, "entry": entry }));
        }
        app.out.line(entry.trim_end())?;
        note(format_args!("the key, which is kept nowhere: {key}"));
        Ok(())
    }
}
