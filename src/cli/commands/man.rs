//! `skillmount man`

use std::io;

use clap::{Args, Command, CommandFactory as _};
use clap_mangen::Man as Page;

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
        let Self {} = self;
        let mut page = Vec::new();
        Page::new(Cli::command()).render(&mut page).map_err(Error::internal)?;
        let mut commands = Vec::new();
        for command in Cli::command().get_subcommands() {
            describe("skillmount", command, &mut commands).map_err(Error::internal)?;
        }
        // One page for everything: what is a section in a page of its own is a subsection here.
        page.extend(
            String::from_utf8_lossy(&commands).replace(".SH ", ".SS ").replace(".COMMAND ", ".SH ").into_bytes(),
        );
        app.out.bytes(&page)
    }
}

/// The sections of one command, then those of the commands below it, each headed by its full name.
fn describe(above: &str, command: &Command, page: &mut Vec<u8>) -> io::Result<()> {
    let name = format!("{above} {}", command.get_name());
    page.extend(format!(".COMMAND \"{name}\"\n").into_bytes());
    let own = Page::new(command.clone().bin_name(name.clone()).display_name(name.clone()));
    own.render_synopsis_section(page)?;
    own.render_description_section(page)?;
    own.render_options_section(page)?;
    own.render_extra_section(page)?;
    command.get_subcommands().try_for_each(|below| describe(&name, below, page))
}
