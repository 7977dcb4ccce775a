//! `skillmount man`

use clap::{Args, CommandFactory as _};

use super::super::{app::App, args::Cli};
use crate::error::{Error, Result};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  skillmount man | man -l -
  skillmount man > /usr/local/share/man/man1/skillmount.1")]
pub(in super::super) struct Man {}

impl Man {
    pub(in super::super) fn run(self, app: &App) -> Result<()> {
        let mut page = Vec::new();
        clap_mangen::Man::new(Cli::command()).render(&mut page).map_err(Error::internal)?;
        app.out.bytes(&page)
    }
}
