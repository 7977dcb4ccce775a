//! `skillmount catalog`

use std::time::Duration;

use clap::{Args, Subcommand};
use jiff::Timestamp;
use serde::Serialize;

use super::super::{app::App, output::Output};
use crate::{
    catalog::{CatalogView, IndexState, discover},
    error::Result,
    path::UserSpace,
    skill::Severity,
    store::SharedStore,
};

#[derive(Debug, Args)]
pub(in super::super) struct Catalog {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Read the user's skills and say how many there are, and what is kept of them in the store
    #[command(after_help = "\
Examples:
  skillmount catalog status
  skillmount --user ana catalog status --json | jq .index.age_seconds")]
    Status,
    /// Throw away what is kept of the user's skills in the store, and read every one anew
    #[command(after_help = "\
Examples:
  skillmount catalog rebuild

Nothing is lost by it: catalog.json is made from the skills, and services
read the skills themselves wherever it is missing.")]
    Rebuild,
}

/// What the catalog of a user holds, and what is kept of it.
#[derive(Debug, Serialize)]
struct Status {
    skills: usize,
    /// Findings that leave a skill out.
    errors: usize,
    /// Findings that a skill survives.
    warnings: usize,
    as_of: Timestamp,
    /// The `catalog.json`, where there is one.
    index: Option<Index>,
}

#[derive(Debug, Serialize)]
struct Index {
    key: String,
    size: u64,
    modified_at: Timestamp,
    age_seconds: u64,
    /// When the store was asked for it.
    as_of: Option<Timestamp>,
    /// Why it is not used.
    problem: Option<String>,
}

impl Catalog {
    pub(in super::super) async fn run(self, app: &App) -> Result<()> {
        let (store, namespace) = app.direct_store("catalog").await?;
        let user = app.user()?;
        let space = namespace.user(&user)?;
        let status = match self.action {
            Action::Status => {
                let discovery = discover(&*store, &space, &*app.clock, None).await?;
                status(app, &store, &space, discovery.view()).await?
            }
            Action::Rebuild => {
                let service = app.service_over(store.clone(), namespace, None)?;
                let view = service.catalogs().rebuild(&user).await?;
                status(app, &store, &space, &view).await?
            }
        };
        app.out.reply(&status, print)
    }
}

async fn status(app: &App, store: &SharedStore, space: &UserSpace, view: &CatalogView) -> Result<Status> {
    let index = IndexState::look(&**store, space).await?.map(|found| {
        // A clock that runs behind the store's makes what was written just now no older than that.
        let age = Duration::try_from(app.clock.now().duration_since(found.modified_at)).unwrap_or_default();
        Index {
            key: found.key.to_string(),
            size: found.size,
            modified_at: found.modified_at,
            age_seconds: age.as_secs(),
            as_of: found.as_of.as_ref().ok().copied(),
            problem: found.as_of.err(),
        }
    });
    let errors = view.diagnostics.iter().filter(|found| found.diagnostic.severity == Severity::Error).count();
    let warnings = view.diagnostics.len() - errors;
    Ok(Status { skills: view.entries.len(), errors, warnings, as_of: view.as_of, index })
}

fn print(out: &Output, status: &Status) -> Result<()> {
    out.line(format_args!("{:<12} {}", "skills", status.skills))?;
    out.line(format_args!("{:<12} {} error(s), {} warning(s)", "diagnostics", status.errors, status.warnings))?;
    out.line(format_args!("{:<12} {}", "as of", status.as_of))?;
    match &status.index {
        Some(index) => {
            let Index { key, size, age_seconds, problem, .. } = index;
            let unused =
                problem.as_ref().map(|why| format!("; NOT USED: {why}; `skillmount catalog rebuild` replaces it"));
            let unused = unused.unwrap_or_default();
            out.line(format_args!("{:<12} {key}, {size} bytes, written {age_seconds} s ago{unused}", "index"))
        }
        None => out.line(format_args!("{:<12} none; a service writes it when it next reads the skills", "index")),
    }
}
