//! `skillmount pull`

use clap::Args;
use futures_util::{StreamExt as _, stream};
use serde::Serialize;

use super::super::{
    app::App,
    folder::{Target, check_names},
    output::note,
    stored::{self, StoredSkill},
    transfer::{self, Change, PARALLEL},
};
use crate::{
    error::{Code, Error, Result},
    limits::UPLOAD_FILE_BYTES,
    path::KeyPrefix,
    skill::shown::one_line,
    store::{ListEntry, SharedStore},
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
    changes: transfer::Changes,
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
        let target = Target::new(self.places.pop().unwrap_or_default().into());
        let (store, namespace) = app.direct_store("pull").await?;
        let prefix = namespace.user(&app.user()?)?.skills()?;
        let found = stored::find(&store, &prefix).await?;
        let wanted = stored::choose(&found, &self.places)?;
        check_names(wanted.iter().flat_map(|skill| &skill.files).filter_map(|file| prefix.relative(&file.key)))?;
        let mut pulled = Vec::with_capacity(wanted.len());
        for skill in wanted {
            pulled.push(pull(app, &store, &prefix, &target, skill, self.dry_run).await?);
        }
        app.out.reply(&pulled, |out, pulled| {
            for skill in pulled {
                out.line(transfer::summary(&skill.skill, &skill.changes, self.dry_run))?;
                skill.changes.lines().try_for_each(|line| out.line(line))?;
                skill.refused.iter().for_each(|refused| note(format_args!("  refused: {}", one_line(refused).plain())));
            }
            Ok(())
        })?;
        match pulled.iter().map(|skill| skill.refused.len()).sum::<usize>() {
            0 => Ok(()),
            refused => Err(Error::new(Code::InvalidRequest, format!("{refused} file(s) were refused; see above"))),
        }
    }
}

async fn pull(
    app: &App,
    store: &SharedStore,
    prefix: &KeyPrefix,
    target: &Target,
    skill: &StoredSkill,
    dry_run: bool,
) -> Result<Pulled> {
    let bar = transfer::progress(app, skill.files.len(), skill.skill.as_str());
    let outcomes: Vec<_> = stream::iter(&skill.files)
        .map(|file| async {
            let outcome = fetch(app, store, prefix, target, file, dry_run).await;
            bar.inc(1);
            (prefix.relative(&file.key).unwrap_or_default(), outcome)
        })
        .buffered(PARALLEL)
        .collect()
        .await;
    bar.finish_and_clear();
    let mut refused = Vec::new();
    let mut changes = Vec::new();
    for (relative, outcome) in outcomes {
        match outcome {
            Ok(change) => changes.push((relative, change)),
            Err(NotPulled::Refused(why)) => refused.push(why.message().to_owned()),
            Err(NotPulled::Failed(error)) => return Err(error),
        }
    }
    Ok(Pulled { skill: skill.skill.to_string(), changes: changes.into_iter().collect(), refused })
}

/// Brings one file up to date: by size first, by content only where the sizes are equal.
async fn fetch(
    app: &App,
    store: &SharedStore,
    prefix: &KeyPrefix,
    target: &Target,
    file: &ListEntry,
    dry_run: bool,
) -> Result<Change, NotPulled> {
    let refused = |why: String| NotPulled::Refused(Error::new(Code::InvalidRequest, why));
    let unnameable = || refused(format!("{:?} is not a name any path could have", file.key));
    let key = prefix.admit(&file.key).ok_or_else(unnameable)?;
    let relative = prefix.relative(key.as_str()).ok_or_else(unnameable)?;
    if file.size > UPLOAD_FILE_BYTES as u64 {
        return Err(refused(format!("{relative} is over {} MiB", UPLOAD_FILE_BYTES >> 20)));
    }
    let here = target.read(relative).map_err(NotPulled::Refused)?;
    let change = if here.is_some() { Change::Updated } else { Change::Created };
    let differs = here.as_ref().is_none_or(|here| here.len() as u64 != file.size);
    if differs && dry_run {
        return Ok(change);
    }
    let Some(object) = transfer::fetch(store, &key).await.map_err(NotPulled::Failed)? else {
        let message = format!("{relative} was deleted while it was being pulled; pull again");
        return Err(NotPulled::Failed(Error::new(Code::EditConflict, message)));
    };
    if here.is_some_and(|here| here == object.bytes) {
        return Ok(Change::Unchanged);
    }
    if !dry_run {
        target.write(relative, &object.bytes, app.clock.random()).map_err(NotPulled::Refused)?;
    }
    Ok(change)
}
