//! `skillmount push`

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use bytes::Bytes;
use clap::Args;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use indicatif::ProgressBar;
use serde::Serialize;

use super::super::{
    app::App,
    findings::{Linted, judge_local},
    folder::{LocalFile, LocalSkill, scan},
    output::note,
    transfer::{self, Change, PARALLEL},
};
use crate::{
    error::{Code, Error, Result},
    limits::{SKILL_FILES, UPLOAD_FILE_BYTES},
    path::{KeyPrefix, ObjectKey},
    skill::{Severity, shown::one_line},
    store::{Base, Committer, DeleteOptions, ListEntry, Metadata, SharedStore, Store, StoreError, StoreExt as _},
};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  skillmount push ./skills                         every folder below it that holds a SKILL.md
  skillmount push ./compraventa --into escrituras  becomes the skill escrituras/compraventa
  skillmount push ./skills --dry-run               say what would change, change nothing
  skillmount push ./skills --delete                also remove files that are gone from the folder

Only what differs is sent. Where `skillmount lint` finds an error in any of the skills, nothing
is: it says where, `lint --fix` mends what is safe, and --force sends them as they are.
Links are not followed; .git, node_modules and .DS_Store stay where they are.")]
pub(in super::super) struct Push {
    /// The folder: a skill, or a folder of skills
    dir: PathBuf,
    /// Put the skills below this category
    #[arg(long, value_name = "CATEGORY")]
    into: Option<String>,
    /// Say what would change and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Remove files of these skills that are in the store and not in the folder
    #[arg(long)]
    delete: bool,
    /// Send skills in which lint finds errors, too
    #[arg(long)]
    force: bool,
}

/// What a push did, or would do, to one skill.
#[derive(Debug, Serialize)]
struct Pushed {
    skill: String,
    #[serde(flatten)]
    changes: transfer::Changes,
    skipped: Vec<String>,
    /// What lint finds in it. There are errors only by force.
    errors: usize,
    warnings: usize,
}

/// One step of a push: what to do with one file.
#[derive(Debug)]
struct Step {
    relative: String,
    key: ObjectKey,
    change: Change,
    /// Where the bytes are; none for a deletion.
    source: Option<PathBuf>,
    base: Base,
}

impl Push {
    pub(in super::super) async fn run(self, app: &App) -> Result<()> {
        let (store, namespace) = app.direct_store("push").await?;
        let space = namespace.user(&app.user()?)?;
        let scanned = scan(&self.dir, self.into.as_deref())?;
        let misnamed: Vec<_> = scanned.misnamed.iter().map(Linted::from).collect();
        let judge = |local: &LocalSkill| Ok(judge_local(local, &read(local.main())?));
        let judged = scanned.skills.iter().map(judge).collect::<Result<Vec<_>>>()?;
        if !self.force {
            refuse_errors(app, misnamed.iter().chain(&judged))?;
        }
        let mut pushed = Vec::with_capacity(judged.len());
        for (local, judged) in scanned.skills.into_iter().zip(judged) {
            let prefix = space.skill(&local.skill)?;
            let steps = plan(&store, &prefix, &local.files, self.delete).await?;
            if !self.dry_run {
                carry_out(app, &store, &local, &steps).await?;
            }
            let changes = steps.iter().map(|step| (step.relative.as_str(), step.change)).collect();
            let (errors, warnings) = (judged.count(Severity::Error), judged.count(Severity::Warning));
            let skill = local.skill.to_string();
            pushed.push(Pushed { skill, changes, skipped: local.skipped, errors, warnings });
        }
        app.out.reply(&pushed, |out, pushed| {
            for skill in pushed {
                out.line(transfer::summary(&skill.skill, &skill.changes, self.dry_run))?;
                skill.changes.lines().try_for_each(|line| out.line(line))?;
                skill
                    .skipped
                    .iter()
                    .for_each(|skipped| note(format_args!("  passed over: {}", one_line(skipped).plain())));
            }
            let other =
                misnamed.iter().flat_map(|one| one.findings.iter().map(|finding| one.line("passed over", finding)));
            other.for_each(note);
            let (errors, warnings) = pushed.iter().fold((0, 0), |sum, one| (sum.0 + one.errors, sum.1 + one.warnings));
            if errors + warnings > 0 {
                note(format_args!("`skillmount lint` has {errors} error(s) and {warnings} warning(s) to tell"));
            }
            Ok(())
        })
    }
}

/// Refuses the whole push where lint finds an error in any of its skills.
fn refuse_errors<'judged>(app: &App, judged: impl Iterator<Item = &'judged Linted>) -> Result<()> {
    let mut refused: Vec<Linted> = judged.filter(|one| one.count(Severity::Error) > 0).cloned().collect();
    for one in &mut refused {
        one.findings.retain(|finding| finding.severity == Severity::Error);
    }
    if refused.is_empty() {
        return Ok(());
    }
    if !app.out.is_json() {
        refused.iter().flat_map(|one| one.findings.iter().map(|finding| one.line("error", finding))).for_each(note);
    }
    let errors: usize = refused.iter().map(|one| one.findings.len()).sum();
    let message = format!(
        "nothing is pushed, because lint finds {errors} error(s) in {} skill(s): mend them (`skillmount lint --fix` does what \
         is safe), or send them as they are with --force",
        refused.len()
    );
    let findings = serde_json::to_value(&refused).map_err(Error::internal)?;
    Err(Error::new(Code::InvalidRequest, message).with_detail("findings", findings))
}

/// Compares a folder with what the store has of it.
async fn plan(store: &SharedStore, prefix: &KeyPrefix, files: &[LocalFile], delete: bool) -> Result<Vec<Step>> {
    let (listed, more) = store.list_all(prefix, SKILL_FILES).await?;
    if more {
        return Err(Error::new(Code::FileTooLarge, format!("{prefix} holds more than {SKILL_FILES} files")));
    }
    let mut there: BTreeMap<&str, &ListEntry> =
        listed.iter().filter_map(|entry| Some((prefix.relative(&entry.key)?, entry))).collect();
    let pairs: Vec<_> = files.iter().map(|file| (file, there.remove(file.relative.as_str()))).collect();
    let mut steps: Vec<Step> = stream::iter(pairs)
        .map(|(file, entry)| compare(store, prefix, file, entry))
        .buffered(PARALLEL)
        .try_collect()
        .await?;
    for (relative, entry) in there {
        let Some(key) = prefix.admit(&entry.key) else { continue };
        let change = if delete { Change::Deleted } else { Change::Kept };
        let base = Base::Version(entry.etag.clone(), Metadata::new());
        steps.push(Step { relative: relative.to_owned(), key, change, source: None, base });
    }
    Ok(steps)
}

/// Compares one file: by size first, by content only where the sizes are equal.
async fn compare(store: &SharedStore, prefix: &KeyPrefix, file: &LocalFile, entry: Option<&ListEntry>) -> Result<Step> {
    let key = prefix.key(&file.relative)?;
    let bytes = read(&file.path)?;
    let step = |change, base| Step {
        relative: file.relative.clone(),
        key: key.clone(),
        change,
        source: Some(file.path.clone()),
        base,
    };
    let Some(entry) = entry else { return Ok(step(Change::Created, Base::Absent)) };
    if entry.size != bytes.len() as u64 {
        return match store.head(&key).await {
            Ok(meta) => Ok(step(Change::Updated, Base::version(&meta))),
            Err(StoreError::NotFound) => Ok(step(Change::Created, Base::Absent)),
            Err(error) => Err(error.into()),
        };
    }
    match transfer::fetch(store, &key).await? {
        None => Ok(step(Change::Created, Base::Absent)),
        Some(object) => {
            let change = if object.bytes == bytes { Change::Unchanged } else { Change::Updated };
            Ok(step(change, Base::version(&object.meta)))
        }
    }
}

/// Sends what changed: resources first and SKILL.md last, so that a new skill is whole when it is first listed.
async fn carry_out(app: &App, store: &SharedStore, local: &LocalSkill, steps: &[Step]) -> Result<()> {
    let committer = Committer::new(store.clone(), app.clock.clone());
    let due: Vec<_> = steps.iter().filter(|step| step.change.is_change()).collect();
    let bar = transfer::progress(app, due.len(), local.skill.as_str());
    let (last, first): (Vec<_>, Vec<_>) = due.into_iter().partition(|step| step.relative == "SKILL.md");
    for batch in [first, last] {
        stream::iter(batch)
            .map(Ok)
            .try_for_each_concurrent(PARALLEL, |step| take(store, &committer, step, &bar))
            .await?;
    }
    bar.finish_and_clear();
    Ok(())
}

async fn take(store: &SharedStore, committer: &Committer, step: &Step, bar: &ProgressBar) -> Result<()> {
    let done = match &step.source {
        Some(path) => committer.commit(&step.key, Bytes::from(read(path)?), &step.base).await.map(|_| ()),
        None => store.delete(&step.key, delete_options(&**store, &step.base)).await,
    };
    bar.inc(1);
    done.map_err(|error| match error {
        StoreError::PreconditionFailed | StoreError::NotFound => Error::new(
            Code::EditConflict,
            format!("{} changed in the store while it was being pushed; look at it, then push again", step.relative),
        ),
        other => other.into(),
    })
}

fn delete_options(store: &dyn Store, base: &Base) -> DeleteOptions {
    match base {
        Base::Version(etag, _) if store.capabilities().conditional_delete => {
            DeleteOptions { if_match: Some(etag.clone()) }
        }
        _ => DeleteOptions::default(),
    }
}

fn read(path: &Path) -> Result<Vec<u8>> {
    let bytes = std::fs::read(path).map_err(|error| {
        Error::new(Code::InvalidRequest, format!("{} cannot be read", path.display())).with_source(error)
    })?;
    if bytes.len() > UPLOAD_FILE_BYTES {
        return Err(Error::new(
            Code::FileTooLarge,
            format!("{} is over {} MiB, the most a file may have", path.display(), UPLOAD_FILE_BYTES >> 20),
        ));
    }
    Ok(bytes)
}
