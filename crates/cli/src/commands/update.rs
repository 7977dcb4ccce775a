//! `skillmount update`

use std::{collections::BTreeSet, path::PathBuf};

use clap::Args;
use serde_json::{Value, json};

use crate::{
    app::App,
    error::{Error, Result},
    input::typed,
    sources::{How, Lock, SourceAddress, SourceContents, SourceReport, bring, outcome},
    wire::SkillRepository,
};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  skillmount update --dry-run                     what the sources of added skills have that is newer
  skillmount update                               the same, and asks before anything changes
  skillmount update --yes                         without asking

Looks at every source in the lock file that `skillmount add` writes, and shows what would change
before it does. A skill that was changed here stays, and the exit status is 6. What a source no
longer has stays too, and so does what it has besides: `skillmount add` takes that. A source
that cannot be looked at is named, the others are updated, and the exit status is that of its
error.")]
pub(crate) struct Update {
    /// Say what would change and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Change without asking
    #[arg(long, short, conflicts_with = "dry_run")]
    yes: bool,
    /// Take repositories on this machine, file://…, too
    #[arg(long)]
    allow_local: bool,
    /// The lock file [default: one in your data folder for each store or server and user]
    #[arg(long, value_name = "FILE")]
    lock: Option<PathBuf>,
}

/// A source of the lock file, with its present contents.
struct LockedSource {
    source: SourceAddress,
    into: Option<String>,
    fetched: SourceContents,
}

/// A source that could not be looked at.
struct FailedSource {
    source: String,
    error: Error,
}

impl FailedSource {
    fn document(&self) -> Value {
        json!({ "source": self.source, "code": self.error.name(), "detail": self.error.message() })
    }
}

impl Update {
    pub(crate) async fn run(self, app: &App) -> Result<()> {
        let mut lock = Lock::open(app, self.lock.as_deref())?;
        let known: BTreeSet<_> = lock.skills.values().map(|one| (one.source.clone(), one.into.clone())).collect();
        let mut sources = Vec::new();
        let mut failed = Vec::new();
        for (text, into) in known {
            match self.read_source(app, &text, into).await {
                Ok(source) => sources.push(source),
                Err(error) => {
                    let source =
                        SourceAddress::parse(&text, true).map_or_else(|_| text.clone(), |source| source.shown());
                    failed.push(FailedSource { source, error });
                }
            }
        }
        self.take(app, &mut lock, &sources, &failed).await?;
        // The other sources are done. The first failure is returned last, for the status.
        failed.into_iter().next().map_or(Ok(()), |failed| Err(failed.error))
    }

    async fn read_source(&self, app: &App, text: &str, into: Option<String>) -> Result<LockedSource> {
        let source = SourceAddress::parse(text, self.allow_local)?;
        let fetched = source.fetch(app, into.as_deref()).await?;
        Ok(LockedSource { source, into, fetched })
    }

    /// Takes over newer skills, once the person has agreed.
    async fn take(self, app: &App, lock: &mut Lock, sources: &[LockedSource], failed: &[FailedSource]) -> Result<()> {
        let author = app.author().await?;
        let planned = brought(&*author, lock, sources, true).await?;
        let has_news = planned.iter().any(SourceReport::changes);
        if self.dry_run || !has_news {
            print(app, lock, (&planned, failed), self.dry_run && has_news)?;
            return outcome(&planned);
        }
        if !self.yes {
            planned.iter().filter(|_| !app.out.is_json()).try_for_each(|one| one.print(&app.out))?;
            let answer = typed(app, "change these skills? Type yes to do it:")?;
            if !answer.is_some_and(|answer| ["y", "yes"].contains(&answer.trim().to_lowercase().as_str())) {
                return Err(invalid!("nothing was changed; --yes changes without asking, --dry-run only shows"));
            }
        }
        let done = brought(&*author, lock, sources, false).await;
        lock.save(app.clock.random())?;
        let done = done?;
        print(app, lock, (&done, failed), false)?;
        outcome(&done)
    }
}

async fn brought(
    author: &dyn SkillRepository,
    lock: &mut Lock,
    sources: &[LockedSource],
    dry_run: bool,
) -> Result<Vec<SourceReport>> {
    let mut all = Vec::with_capacity(sources.len());
    for LockedSource { source, into, fetched } in sources {
        let how = How { into: into.as_deref(), dry_run, adds: false };
        all.push(bring(author, lock, (source, fetched), how).await?);
    }
    Ok(all)
}

fn print(app: &App, lock: &Lock, (brought, failed): (&[SourceReport], &[FailedSource]), would: bool) -> Result<()> {
    let not_reached: Vec<_> = failed.iter().map(FailedSource::document).collect();
    app.out.reply(&json!({ "sources": brought, "failed": not_reached, "lock": lock.path() }), |out, _| {
        brought.iter().try_for_each(|one| one.print(out))?;
        for FailedSource { source, error } in failed {
            out.line(format!("{source}: nothing was looked at: {}", error.message()))?;
        }
        match brought {
            [] if !failed.is_empty() => Ok(()),
            [] => out.line("no skills were added; `skillmount add` adds some"),
            _ if would => out.line("nothing was changed: this is what update would do"),
            _ => Ok(()),
        }
    })
}
