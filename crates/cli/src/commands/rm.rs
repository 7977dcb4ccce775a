//! `skillmount rm`

use clap::Args;

use crate::{
    app::App,
    counts::counted,
    error::{Code, Error, Result},
    screen::plain,
    wire::{DeleteRequest, LsRequest},
};

/// Files that could not be deleted of which a line each is shown.
const SHOWN_FILES: usize = 10;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  skillmount rm /workspace/notes.md
  skillmount rm -r /workspace/drafts        the folder and everything below it")]
pub(crate) struct Rm {
    /// The files and folders to delete
    #[arg(required = true)]
    paths: Vec<String>,
    /// Delete folders with everything below them
    #[arg(short, long)]
    recursive: bool,
}

impl Rm {
    pub(crate) async fn run(self, app: &App) -> Result<()> {
        let backend = app.backend().await?;
        for path in self.paths {
            // The agent's delete takes folders without asking; a person gets to say so first.
            if !self.recursive && backend.ls(LsRequest { path: path.clone() }).await.is_ok() {
                return Err(Error::new(Code::IsADirectory, format!("{path} is a folder; delete it with --recursive")));
            }
            let reply = backend.delete(DeleteRequest { path }).await?;
            if let Some(error) = reply.failure() {
                if !app.out.is_json() {
                    let shown = reply.failed.iter().take(SHOWN_FILES);
                    shown.for_each(|file| {
                        app.out.note(format_args!("not deleted: {} ({})", plain(&file.path), file.code));
                    });
                }
                return Err(error);
            }
            app.out.reply(&reply, |out, reply| {
                out.line(format_args!("deleted {} ({})", reply.path, counted(reply.deleted, "file")))
            })?;
        }
        Ok(())
    }
}
