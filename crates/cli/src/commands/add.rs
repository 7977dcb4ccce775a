//! `skillmount add`

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::{
    app::App,
    error::Result,
    sources::{How, Lock, SourceAddress, bring, outcome},
};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  skillmount add https://skills.example.com              what the host offers; also another skillmount
  skillmount add https://example.com/team/skills.git     the skills of a git repository
  skillmount add git@example.com:team/skills.git#v1.2    at a branch or a tag
  skillmount add ./skills --into writing                 those of a folder

Digests are checked, and each skill as a publish checks it. One with an error stays behind, and
the exit status is 3, or 2 if none came. Nothing of a source is run: a repository is fetched by
https or ssh and read without hooks, filters, links and submodules. A lock file keeps the source,
its revision and the version of each skill, so that the same command changes nothing the second
time; a skill that was changed here stays, and the exit status is 6. `skillmount update` looks for
newer ones.")]
pub(crate) struct Add {
    /// A host, a git repository or a folder
    #[arg(value_name = "SOURCE")]
    source: String,
    /// Put the skills below this category
    #[arg(long, value_name = "CATEGORY")]
    into: Option<String>,
    /// Say what would change and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Take repositories on this machine, file://…, too
    #[arg(long)]
    allow_local: bool,
    /// The lock file [default: one in your data folder for each store or server and user]
    #[arg(long, value_name = "FILE")]
    lock: Option<PathBuf>,
}

impl Add {
    pub(crate) async fn run(self, app: &App) -> Result<()> {
        let source = SourceAddress::parse(&self.source, self.allow_local)?.made_absolute(&app.process)?;
        let mut lock = Lock::open(app, self.lock.as_deref())?;
        let into = self.into.as_deref();
        let fetched = source.fetch(app, into).await?;
        let author = app.author().await?;
        let how = How { into, dry_run: self.dry_run, adds: true };
        let brought = bring(&*author, &mut lock, (&source, &fetched), how).await;
        if !self.dry_run {
            lock.save(app.clock.random())?;
        }
        let brought = brought?;
        app.out.reply(&json!({ "sources": [&brought], "lock": lock.path() }), |out, _| brought.print(out))?;
        outcome(&[brought])
    }
}
