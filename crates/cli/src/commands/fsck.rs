//! `skillmount fsck`

use anstyle::AnsiColor;
use clap::Args;

use crate::{
    app::App,
    encoding::encoder,
    error::Result,
    handle::ServiceOptions,
    output::Output,
    screen::{Cell, LastColumn, plain},
    status::ExitStatus,
    wire::{FindingLevel, FsckReport},
};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  skillmount --user ana fsck
  skillmount --store s3://bucket/prefix fsck --all
  skillmount fsck --all --repair --json | jq '.findings[]'

Reads what the service keeps: heads, versions, drafts, snapshots, sessions,
policies, bundles, audit records, indexes, vectors, what was noted of uses and
loads, and with --all the deletions. Each finding says what to do about it.
--repair deletes what is made again and what nothing has used for a day, and
finishes what was begun; it never deletes a file, a version or a session.
The exit status is 1 if something is wrong, still.")]
pub(crate) struct Fsck {
    /// Check every user, the teams and the organisation
    #[arg(long)]
    all: bool,
    /// Fix what can be fixed without losing anything
    #[arg(long)]
    repair: bool,
}

impl Fsck {
    pub(crate) async fn run(self, app: &App) -> Result<ExitStatus> {
        // An encoder that cannot be opened made no vectors to check.
        let encoder = encoder(&app.process, &app.settings).ok().flatten();
        let service =
            app.direct_store("fsck").await?.direct_service(ServiceOptions { encoder, ..ServiceOptions::default() });
        let report = if self.all {
            service.upkeep().check_everybody(self.repair).await?
        } else {
            service.upkeep().check_user(&app.user()?, self.repair).await?
        };
        app.out.reply(&report, print)?;
        Ok(if report.clean { ExitStatus::Done } else { ExitStatus::FoundWrong })
    }
}

fn print(out: &Output, report: &FsckReport) -> Result<()> {
    let rows = report.findings.iter().flat_map(|found| {
        let (word, colour) = match (found.repaired, found.level) {
            (true, _) => ("fixed", AnsiColor::Green),
            (false, FindingLevel::Note) => ("note", AnsiColor::Cyan),
            (false, FindingLevel::Warning) => ("warning", AnsiColor::Yellow),
            (false, FindingLevel::Error) => ("error", AnsiColor::Red),
        };
        let what = plain(&format!("{}: {}", found.key, found.detail));
        let fix = (!found.repaired).then(|| ["".into(), format!("to fix it: {}", found.fix).into()]);
        std::iter::once([Cell::from(word).styled(colour.on_default()), what.into()]).chain(fix)
    });
    out.table(LastColumn::Wrapped, rows)?;
    let state = if report.clean { "clean" } else { "NOT CLEAN" };
    out.line(format_args!("{state}: {} object(s) of {} owner(s)", report.objects, report.owners))
}
