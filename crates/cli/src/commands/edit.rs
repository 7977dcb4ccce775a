//! `skillmount edit`

use std::path::{Path, PathBuf};

use clap::Args;

use crate::{
    app::App,
    counts::counted,
    error::Result,
    input,
    wire::{EditRequest, Newlines},
};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  skillmount edit /workspace/notes.md 'draft' 'final'
  skillmount edit /workspace/notes.md TODO '' --all              take out every TODO
  skillmount edit /workspace/notes.md --old-file before.txt --file after.txt
  skillmount edit /workspace/notes.md 'PLACEHOLDER' < text.md    the new text from standard input

The old text must be in the file exactly once, unless --all is given.
Everything else in the file stays as it is.")]
pub(crate) struct Edit {
    /// The file
    path: String,
    /// The exact text to replace
    #[arg(required_unless_present = "old_file")]
    old: Option<String>,
    /// What to put in its place [default: from --file, or standard input]
    new: Option<String>,
    /// Take the text to replace from this file
    #[arg(long, value_name = "FILE", conflicts_with = "old")]
    old_file: Option<PathBuf>,
    /// Take the new text from this file; - is standard input
    #[arg(short, long, value_name = "FILE", conflicts_with = "new")]
    file: Option<PathBuf>,
    /// Replace every occurrence
    #[arg(long)]
    all: bool,
    /// What a line end in the texts stands for: itself, or the line end that the file has
    #[arg(long, value_enum, value_name = "KIND", default_value = "exact")]
    newlines: Newlines,
}

impl Edit {
    pub(crate) async fn run(self, app: &App) -> Result<()> {
        if self.old_file.as_deref() == Some(Path::new("-")) {
            return Err(invalid!("standard input can only give the new text: use --file -"));
        }
        let old_string = input::text(app, self.old, self.old_file.as_deref())?;
        let new_string = input::text(app, self.new, self.file.as_deref())?;
        let request = EditRequest {
            replace_all: self.all,
            newlines: self.newlines,
            ..EditRequest::new(self.path, old_string, new_string)
        };
        let reply = app.backend().await?.edit(request).await?;
        app.out.reply(&reply, |out, reply| {
            out.line(format_args!("edited {} ({})", reply.path, counted(reply.occurrences, "time")))
        })
    }
}
