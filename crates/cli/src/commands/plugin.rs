//! `skillmount plugin`

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

use clap::{Args, Subcommand};
use serde_json::json;
use tokio::time::sleep;

use crate::{
    app::App,
    counts::counted,
    error::{Code, Error, Result},
    failure::for_people,
    plugin::{ExportRow, ExportStatus, Exporter},
    skill::is_skill_name,
};

/// Seconds between two looks, unless others are asked for.
const EVERY: u64 = 10;

#[derive(Debug, Subcommand)]
pub(crate) enum Plugin {
    /// Write the user's skills with their hooks and tools as a plugin of Claude Code
    Export(ExportArgs),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  skillmount plugin export ./plugin                           from your store
  claude --plugin-dir ./plugin                                a host that reads it
  skillmount --server https://skills.example.com --user anna plugin export ./plugin --watch

For hosts that read only disks. The plugin has each skill that agents of the user may read without
asking, each whole or not at all; unchanged skills are not fetched. --watch looks again every
10 seconds, or at the interval of --every, and brings new, changed and removed skills; Ctrl-C
ends it. With --server and a key, hooks and tools take the key from SKILLMOUNT_API_KEY of the host;
it is not written down. Only what an export wrote is ever changed or removed: what somebody else put
there or changed stays, and the exit status is 6. A folder with files that no export wrote is refused.")]
pub(crate) struct ExportArgs {
    /// The folder of the plugin, made if it is not there
    dir: PathBuf,
    /// What hosts call the plugin, before the names of its skills
    #[arg(long, default_value = "skillmount")]
    name: String,
    /// Go on looking, and write what changes
    #[arg(long)]
    watch: bool,
    /// Seconds between two looks, 1 to 86400 [default: 10]
    #[arg(long, value_name = "SECONDS", requires = "watch", value_parser = clap::value_parser!(u64).range(1..=86400))]
    every: Option<u64>,
}

impl Plugin {
    pub(crate) async fn run(self, app: &App) -> Result<()> {
        let Self::Export(export) = self;
        export.run(app).await
    }
}

impl ExportArgs {
    async fn run(self, app: &App) -> Result<()> {
        if !is_skill_name(&self.name) {
            return Err(invalid!("a plugin is called like a skill: small letters, digits and single hyphens"));
        }
        let mut exporter = Exporter::open(app, app.process.local(&self.dir), &self.name).await?;
        let rows = exporter.pass().await?;
        let document = json!({ "plugin": self.dir, "files": rows });
        app.out.reply(&document, |out, _| {
            rows.iter().filter(|row| row.status != ExportStatus::Unchanged).try_for_each(|row| out.line(row.line()))?;
            out.line(closing(&rows))
        })?;
        if !self.watch {
            return outcome(&rows);
        }
        self.watch(app, exporter, rows).await
    }

    /// Looks again and again until a signal stops the process, and prints news. `rows` are of the first look.
    async fn watch(&self, app: &App, mut exporter: Exporter<'_>, rows: Vec<ExportRow>) -> Result<()> {
        let every = self.every.unwrap_or(EVERY);
        app.out.note(format_args!("looking every {}; Ctrl-C ends it", counted(every, "second")));
        let mut told: BTreeMap<String, String> = rows.iter().map(|row| (row.path.clone(), row.line())).collect();
        loop {
            sleep(Duration::from_secs(every)).await;
            let rows = match exporter.pass().await {
                Ok(rows) => rows,
                // A server that is away for a while is no reason to end, nor to remove anything.
                Err(error) => {
                    app.out.note(format_args!("not looked: {}", for_people(error.message())));
                    continue;
                }
            };
            let mut news = Vec::new();
            for row in rows {
                let is_news = told.insert(row.path.clone(), row.line()).as_ref() != Some(&row.line());
                let repeats = matches!(row.status, ExportStatus::Kept | ExportStatus::Refused) && !is_news;
                if row.status != ExportStatus::Unchanged && !repeats {
                    news.push(row);
                }
            }
            if !news.is_empty() {
                let document = json!({ "plugin": self.dir, "files": news });
                app.out.reply(&document, |out, _| news.iter().try_for_each(|row| out.line(row.line())))?;
            }
        }
    }
}

fn closing(rows: &[ExportRow]) -> String {
    let skills = rows.iter().filter(|row| row.skill.is_some() && row.status != ExportStatus::Removed).count();
    let changed = rows
        .iter()
        .filter(|row| matches!(row.status, ExportStatus::New | ExportStatus::Changed | ExportStatus::Removed));
    format!("{}; {} changed", counted(skills, "skill"), changed.count())
}

/// The error of an export that could not do all of it.
fn outcome(rows: &[ExportRow]) -> Result<()> {
    let many = |status| rows.iter().filter(|row| row.status == status).count();
    let (kept, refused) = (many(ExportStatus::Kept), many(ExportStatus::Refused));
    if kept > 0 {
        let message = format!(
            "{kept} of the plugin stayed as somebody else left them; move them away, and export again, or export into a new folder"
        );
        return Err(Error::new(Code::VersionConflict, message));
    }
    if refused > 0 {
        return Err(invalid!("{} cannot be on this disk; see above", counted(refused, "skill")));
    }
    Ok(())
}
