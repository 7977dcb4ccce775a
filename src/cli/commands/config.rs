//! `skillmount config`

use clap::{Args, Subcommand};

use super::super::app::App;
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
    Show,
}

impl Config {
    pub(in super::super) fn run(self, app: &App) -> Result<()> {
        match self.action {
            Action::Show => {
                app.out.reply(&app.settings.shown(), |out, lines| lines.iter().try_for_each(|line| out.line(line)))
            }
        }
    }
}
