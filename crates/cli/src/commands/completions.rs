//! `skillmount completions`

use clap::Args;
use clap_complete::{Shell, env::Shells};

use crate::{
    app::App,
    error::{Error, Result},
};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  skillmount completions bash > ~/.local/share/bash-completion/completions/skillmount
  skillmount completions zsh > ~/.zfunc/_skillmount
  skillmount completions fish > ~/.config/fish/completions/skillmount.fish

The script asks skillmount for each completion, so that skills and sessions are those there are,
in the store or on the server that the line names.")]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(self, app: &App) -> Result<()> {
        const NAME: &str = "skillmount";
        let (shell, shells) = (self.shell.to_string(), Shells::builtins());
        let completer = shells.completer(&shell).ok_or_else(|| Error::internal(format!("{shell} is not completed")))?;
        let mut script = Vec::new();
        completer.write_registration("COMPLETE", NAME, NAME, NAME, &mut script).map_err(Error::internal)?;
        app.out.bytes(&script)
    }
}
