//! `skillmount ls`

use clap::Args;

use crate::{
    app::App,
    error::Result,
    screen::{Cell, LastColumn},
    wire::{Entry, LsRequest},
};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  skillmount ls                     /workspace, /ticket, and /skills once a skill is loaded
  skillmount ls -l /workspace       with size and time
  skillmount ls /skills --json")]
pub(crate) struct Ls {
    /// The folder
    #[arg(default_value = "/")]
    path: String,
    /// Show size and time
    #[arg(short, long)]
    long: bool,
}

impl Ls {
    pub(crate) async fn run(self, app: &App) -> Result<()> {
        let reply = app.backend().await?.ls(LsRequest { path: self.path }).await?;
        app.out.reply(&reply, |out, reply| {
            if self.long {
                let (screen, now) = (out.screen(), app.clock.now());
                let row = |entry: &Entry| {
                    let time = entry.modified_at.map_or_else(|| "-".to_owned(), |at| screen.time(at, now));
                    [Cell::number(screen.size(entry.size)), time.into(), path(entry).into()]
                };
                out.list(["SIZE", "CHANGED", "PATH"], LastColumn::Whole, reply.entries.iter().map(row))?;
            } else {
                reply.entries.iter().try_for_each(|entry| out.line(path(entry)))?;
            }
            for file in &reply.hidden {
                out.note(format_args!("{} is a file too, of {} bytes; show it with cat", file.path, file.size));
            }
            if reply.truncated {
                out.note("there is more than is shown; list a folder further down");
            }
            Ok(())
        })
    }
}

/// The path, folders with a slash behind.
fn path(entry: &Entry) -> String {
    format!("{}{}", entry.path, if entry.is_dir { "/" } else { "" })
}
