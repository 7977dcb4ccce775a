//! `skillmount config`

use clap::{Args, Subcommand};
use serde_json::json;

use super::super::{
    app::App,
    screen::{LastColumn, Table},
};
use crate::error::Result;

#[derive(Debug, Args)]
pub(in super::super) struct Config {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Print each setting with its value and where the value comes from
    #[command(after_help = "\
Examples:
  skillmount config show
  SKILLMOUNT_USER=ana skillmount config show --json

Origins, strongest first: flag, env NAME, file PATH, default. Secrets print as [redacted].")]
    #[command(aliases = ["list", "ls"])]
    Show,
}

impl Config {
    pub(in super::super) fn run(self, app: &App) -> Result<()> {
        match self.action {
            Action::Show => app.out.reply(&json!({ "settings": app.settings.shown() }), |out, _| {
                let mut table = Table::new(LastColumn::Whole);
                app.settings.shown().into_iter().for_each(|shown| table.row(shown.cells().map(Into::into)));
                out.table(&table)
            }),
        }
    }
}
