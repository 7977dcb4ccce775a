//! `skillmount completions`

use clap::{Args, CommandFactory as _};
use clap_complete::Shell;

use super::super::{app::App, args::Cli};
use crate::error::Result;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  skillmount completions bash > ~/.local/share/bash-completion/completions/skillmount
  skillmount completions zsh > ~/.zfunc/_skillmount
  skillmount completions fish > ~/.config/fish/completions/skillmount.fish")]
pub(in super::super) struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    pub(in super::super) fn run(self, app: &App) -> Result<()> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "skillmount", &mut script);
        app.out.bytes(&script)
    }
}
