//! `skillmount glob`

use clap::Args;

use crate::{app::App, error::Result, failure::for_people, wire::GlobRequest};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  skillmount glob '*.md'                      by name, at any depth
  skillmount glob '/skills/*/SKILL.md'        a leading / anchors the pattern
  skillmount glob '**/*.{pdf,docx}' /ticket")]
pub(crate) struct GlobArgs {
    /// The pattern; quote it, or the shell expands it
    pattern: String,
    /// The folder to look in [default: everything the session sees]
    path: Option<String>,
}

impl GlobArgs {
    pub(crate) async fn run(self, app: &App) -> Result<()> {
        let reply = app.backend().await?.glob(GlobRequest { pattern: self.pattern, path: self.path }).await?;
        app.out.reply(&reply, |out, reply| {
            reply.matches.iter().try_for_each(|file| out.line(&file.path))?;
            if let Some(reason) = &reply.truncation_reason {
                out.note(for_people(reason));
            }
            if reply.matches.is_empty() {
                out.note("no file matches; `skillmount ls` shows what there is");
            }
            Ok(())
        })
    }
}
