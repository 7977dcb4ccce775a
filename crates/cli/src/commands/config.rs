//! `skillmount config`

use clap::Subcommand;
use serde_json::json;

use crate::{
    app::App,
    error::Result,
    screen::{Cell, LastColumn},
};

#[derive(Debug, Subcommand)]
pub(crate) enum Config {
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
    pub(crate) fn run(self, app: &App) -> Result<()> {
        match self {
            Self::Show => app.out.reply(&json!({ "settings": app.settings.shown() }), |out, _| {
                let rows = app.settings.shown().into_iter().map(|line| line.cells().map(Cell::from));
                out.list(["SETTING", "VALUE", "FROM"], LastColumn::Whole, rows)
            }),
        }
    }
}
