//! `skillmount pull`

use clap::Args;
use futures_util::{StreamExt as _, stream};
use indicatif::ProgressBar;
use serde::Serialize;

use super::super::{
    app::App,
    counts::counted,
    folder::{Target, check_names},
    output::{OfSkills, note},
    transfer::{self, Totals},
};
use crate::{
    backend::{Service, StoredFile, StoredSkill},
    error::{Code, Error, Result},
    limits::PARALLEL_TRANSFERS,
    skill::shown::one_line,
    wire::{FileChange, FileChanges},
};

#[derive(Debug, Args)]
#[command(
    override_usage = "skillmount pull [OPTIONS] [SKILL]... <DIR>",
    after_help = "\
Examples:
  skillmount pull ./backup                           every skill
  skillmount pull escrituras/compraventa ./work      one skill, to ./work/escrituras/compraventa
  skillmount pull ./backup --dry-run                 say what would change, change nothing

Only what differs is written, each file whole or not at all. Nothing is deleted from the folder,
nothing is written outside it or through a link, and names this machine cannot hold are refused."
)]
pub(in super::super) struct Pull {
    /// Skill paths [default: all of the user's skills], and last the folder to write to
    #[arg(required = true, value_name = "SKILL… DIR", num_args = 1..)]
    places: Vec<String>,
    /// Say what would change and change nothing
    #[arg(long)]
    dry_run: bool,
}

/// What a pull did, or would do, to one skill.
#[derive(Debug, Serialize)]
struct Pulled {
    skill: String,
    #[serde(flatten)]
    changes: FileChanges,
    refused: Vec<String>,
}

/// Why a file was not pulled.
enum NotPulled {
    /// The file cannot be on this disk. The others are pulled all the same.
    Refused(Error),
    /// The store failed, and the pull ends.
    Failed(Error),
}

impl Pull {
    pub(in super::super) async fn run(mut self, app: &App) -> Result<()> {
        let began = app.clock.uptime();
        let target = Target::new(self.places.pop().unwrap_or_default().into());
        let (service, stored) = app.stored_skills("pull").await?;
        let wanted = stored.choose(&self.places)?;
        let places: Vec<_> = wanted.iter().flat_map(|skill| skill.files.iter().map(|file| skill.place(file))).collect();
        check_names(places.iter().map(String::as_str))?;
        let files = || wanted.iter().flat_map(|skill| &skill.files);
        let mut totals = Totals {
            skills: wanted.len(),
            files: files().count(),
            bytes: files().map(|file| file.size).sum(),
            ..Totals::default()
        };
        let bar = transfer::progress(app, totals.files);
        let mut pulled = Vec::with_capacity(wanted.len());
        for skill in wanted {
            bar.set_message(skill.skill.to_string());
            pulled.push(pull(app, &service, &target, skill, (self.dry_run, &bar)).await?);
        }
        bar.finish_and_clear();
        totals.changed = pulled.iter().map(|one| one.changes.changed()).sum();
        totals.took = app.clock.uptime().saturating_sub(began);
        app.out.reply(&OfSkills { skills: &pulled }, |out, pulled| {
            for skill in pulled.skills {
                out.line(transfer::summary(&skill.skill, &skill.changes))?;
                transfer::lines(&skill.changes).try_for_each(|line| out.line(line))?;
                skill.refused.iter().for_each(|refused| note(format_args!("  refused: {}", one_line(refused).plain())));
            }
            out.line(transfer::closing(&totals, self.dry_run))
        })?;
        match pulled.iter().map(|skill| skill.refused.len()).sum::<usize>() {
            0 => Ok(()),
            refused => {
                let (refused, are) = (counted(refused, "file"), if refused == 1 { "was" } else { "were" });
                Err(Error::new(Code::InvalidRequest, format!("{refused} {are} refused; see above")))
            }
        }
    }
}

async fn pull(
    app: &App,
    service: &Service,
    target: &Target,
    skill: &StoredSkill,
    (dry_run, bar): (bool, &ProgressBar),
) -> Result<Pulled> {
    let outcomes: Vec<_> = stream::iter(&skill.files)
        .map(|file| async {
            let outcome = fetch(app, service, target, (skill, file), dry_run).await;
            bar.inc(1);
            (skill.place(file), outcome)
        })
        .buffered(PARALLEL_TRANSFERS)
        .collect()
        .await;
    let mut refused = Vec::new();
    let mut changes = Vec::new();
    for (place, outcome) in &outcomes {
        match outcome {
            Ok(change) => changes.push((place.as_str(), *change)),
            Err(NotPulled::Refused(why)) => refused.push(why.message().to_owned()),
            Err(NotPulled::Failed(error)) => return Err(error.clone()),
        }
    }
    Ok(Pulled { skill: skill.skill.to_string(), changes: changes.into_iter().collect(), refused })
}

/// Brings one file of a skill up to date.
async fn fetch(
    app: &App,
    service: &Service,
    target: &Target,
    (skill, file): (&StoredSkill, &StoredFile),
    dry_run: bool,
) -> Result<FileChange, NotPulled> {
    let place = skill.pullable(file).map_err(NotPulled::Refused)?;
    let here = target.read(&place).map_err(NotPulled::Refused)?;
    let pulled = service.pull_file(skill, file, here.as_deref(), dry_run).await.map_err(NotPulled::Failed)?;
    if let Some(bytes) = pulled.bytes {
        target.write(&place, &bytes, app.clock.random()).map_err(NotPulled::Refused)?;
    }
    Ok(pulled.change)
}
