//! `skillmount catalog`

use clap::Subcommand;

use crate::{
    app::App,
    error::Result,
    output::Output,
    wire::{CatalogStatus, IndexStatus},
};

#[derive(Debug, Subcommand)]
pub(crate) enum Catalog {
    /// Show how many skills the user has, and the state of their cache in the store
    #[command(after_help = "\
Examples:
  skillmount catalog status
  skillmount --user ana catalog status --json | jq .index.age_seconds")]
    Status,
    /// Delete the cache of the user's skills in the store, and rebuild it from every skill
    #[command(after_help = "\
Examples:
  skillmount catalog rebuild

Nothing is lost by it: catalog.json is made from the skills, and services
read the skills themselves wherever it is missing.")]
    Rebuild,
}

impl Catalog {
    pub(crate) async fn run(self, app: &App) -> Result<()> {
        let status = match self {
            Self::Status => app.author().await?.catalog_status().await?,
            Self::Rebuild => app.author_with(app.options()?).await?.rebuild_catalog().await?,
        };
        app.out.reply(&status, print)
    }
}

fn print(out: &Output, status: &CatalogStatus) -> Result<()> {
    out.line(format_args!("{:<12} {}", "skills", status.skills))?;
    out.line(format_args!("{:<12} {} error(s), {} warning(s)", "diagnostics", status.errors, status.warnings))?;
    out.line(format_args!("{:<12} {}", "as of", status.as_of))?;
    match &status.index {
        Some(index) => {
            let IndexStatus { key, size, age_seconds, problem, .. } = index;
            let unused =
                problem.as_ref().map(|why| format!("; NOT USED: {why}; `skillmount catalog rebuild` replaces it"));
            let unused = unused.unwrap_or_default();
            out.line(format_args!("{:<12} {key}, {size} bytes, written {age_seconds} s ago{unused}", "index"))
        }
        None => out.line(format_args!("{:<12} none; a service writes it when it next reads the skills", "index")),
    }
}
