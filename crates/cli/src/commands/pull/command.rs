//! The arguments of a pull, and what it does.

use std::{collections::HashSet, future::ready};

use bytes::Bytes;
use clap::Args;
use futures_util::{StreamExt as _, stream};

use super::{
    gone::gone,
    report::{PullReport, PullRow},
};
use crate::{
    app::App,
    client::sync::{PullHow, PullOptions, PullTarget, SyncBase, VersionMemory, pull_skill},
    each::Run,
    error::Result,
    folder::{PullFolder, check_names, remember, remembered},
    limits::{LIST_OBJECTS, PARALLEL_SKILLS},
    local_path::LocalPath,
    skill::MAIN,
    skills::{NamedSkill, skill_named},
    transfer,
    wire::{SkillDigest, SkillDigests, SkillRepository},
};

#[derive(Debug, Args)]
#[command(
    override_usage = "skillmount pull [OPTIONS] [SKILL]... <DIR>",
    after_help = "\
Examples:
  skillmount pull ./backup                           every skill
  skillmount pull escrituras/compraventa ./work      one skill, to ./work/escrituras/compraventa
  skillmount pull compraventa ./work/venta           one skill, into a folder that is one already
  skillmount pull ./backup --dry-run                 say what would change, change nothing
  skillmount pull ./work --merge                     put what others changed into files that you changed too

Only what differs is written, each file whole or not at all. The file .skillmount.json in each skill's folder says which
version it comes from, and is never pushed. What you changed since stays; a skill in which another author changed the same
file stays whole as it is, and the exit status is 6. --merge joins the changes line by line, with marks where both changed
the same lines; beside a file that is no text it puts theirs, called FILE.theirs. --force takes the files as they are in the
store. If a person must finish the merge, the exit status is 3 and the error names the files. Nothing is written outside the folder or through a
link, and names this machine cannot hold are refused. The store keeps no executable bit: a file that is new here has none."
)]
pub(crate) struct Pull {
    /// Skill paths [default: all of the user's skills], and last the folder to write to
    #[arg(required = true, value_name = "SKILL… DIR", num_args = 1..)]
    places: Vec<String>,
    /// Say what would change and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Join what you and another author changed in the same file
    #[arg(long)]
    merge: bool,
    /// Take every file as it is in the store, whatever you changed
    #[arg(long, conflicts_with = "merge")]
    force: bool,
}

/// The folder of one skill on this disk.
struct SkillFolder<'run> {
    app: &'run App,
    target: &'run PullFolder,
    /// Its place below the target; empty for the target itself.
    at: String,
}

impl Pull {
    pub(crate) async fn run(mut self, app: &App) -> Result<()> {
        let began = app.clock.uptime();
        let dir = folder(app, &self.places.pop().unwrap_or_default())?;
        let author = app.author().await?;
        let known = author.skill_digests(None).await?;
        if known.is_cut {
            app.out.note(format_args!("there are more than {LIST_OBJECTS} files; skills beyond them are left out"));
        }
        let wanted = chosen(&known, &self.places)?;
        check_names(wanted.iter().map(|there| there.skill.as_str()))?;
        // A skill does not lie in a skill, so a folder that is one is meant itself.
        let is_skill = self.places.len() == 1 && dir.join(MAIN).is_file();
        let target = PullFolder::new(dir);
        let run = Run::default();
        let options = PullOptions { how: self.how(), dry_run: self.dry_run, store: app.store_id()? };
        let rows = pull_each(app, &*author, &wanted, &run, &options, |there| SkillFolder {
            app,
            target: &target,
            at: if is_skill { String::new() } else { there.skill.to_string() },
        });
        let rows = rows.await;
        let gone = if self.places.is_empty() && !is_skill {
            gone(&*author, &target.folder(""), &known, &options.store).await?
        } else {
            Vec::new()
        };
        let took = app.clock.uptime().saturating_sub(began);
        let report = PullReport { rows, gone, stopped: run.stopped(), took };
        if report.stopped.is_none() || !report.rows.is_empty() {
            report.show(app, self.dry_run)?;
        }
        report.outcome(self.merge)
    }

    fn how(&self) -> PullHow {
        match (self.merge, self.force) {
            (true, _) => PullHow::Merge,
            (_, true) => PullHow::Theirs,
            _ => PullHow::Careful,
        }
    }
}

/// Brings the skills up to date, some at a time, each in its folder. A skill that is gone by now has no row.
async fn pull_each<'run>(
    app: &App,
    author: &dyn SkillRepository,
    wanted: &[&SkillDigest],
    run: &Run,
    options: &PullOptions,
    folder: impl Fn(&SkillDigest) -> SkillFolder<'run>,
) -> Vec<PullRow> {
    let bar = transfer::progress(&app.out, wanted.len(), "skills");
    let pulls = wanted.iter().map(|there| async {
        let pulled = run.on_one(pull_skill(author, there, &mut folder(there), options)).await;
        bar.inc(1);
        Some(PullRow::from_result(there, pulled?.transpose()?))
    });
    let pulls: Vec<_> = pulls.collect();
    let rows = stream::iter(pulls).buffered(PARALLEL_SKILLS).filter_map(ready).collect().await;
    bar.finish_and_clear();
    rows
}

/// The folder to write to.
///
/// # Errors
/// `invalid_request` if none is named, or if it is a file.
fn folder(app: &App, named: &str) -> Result<LocalPath> {
    if named.is_empty() {
        let message = "the last argument is empty, and it is the folder to write to: `.` is the one that you are in";
        return Err(invalid!("{message}"));
    }
    let folder = app.process.local(named);
    if folder.is_file() {
        return Err(invalid!("{named} is a file: name the folder to write to last"));
    }
    Ok(folder)
}

/// The skills of these paths or folder names; all of them if none is named.
fn chosen<'known>(known: &'known SkillDigests, names: &[String]) -> Result<Vec<&'known SkillDigest>> {
    if names.is_empty() {
        return Ok(known.skills.iter().collect());
    }
    let skills: Vec<_> =
        known.skills.iter().map(|there| NamedSkill { skill: &there.skill, name: there.skill.folder() }).collect();
    let mut paths = names.iter().map(|name| skill_named(name, &skills)).collect::<Result<Vec<_>>>()?;
    // Two names may mean one skill, and two pulls of it at once would meet in its folder.
    let mut seen = HashSet::new();
    paths.retain(|path| seen.insert(*path));
    Ok(paths.into_iter().filter_map(|path| known.find(path)).collect())
}

impl SkillFolder<'_> {
    fn place(&self, path: &str) -> String {
        if self.at.is_empty() { path.to_owned() } else { format!("{}/{path}", self.at) }
    }
}

impl VersionMemory for SkillFolder<'_> {
    fn remembered(&self) -> Result<Option<SyncBase>> {
        remembered(&self.target.folder(&self.at))
    }

    fn remember(&mut self, version: &SyncBase) -> Result<()> {
        remember(&self.target.folder(&self.at), version, self.app.clock.random())
    }
}

impl PullTarget for SkillFolder<'_> {
    fn read(&self, path: &str) -> Result<Option<Bytes>> {
        Ok(self.target.read(&self.place(path))?.map(Bytes::from))
    }

    fn write(&mut self, path: &str, bytes: &Bytes) -> Result<()> {
        self.target.write(&self.place(path), bytes, self.app.clock.random())
    }

    fn remove(&mut self, path: &str) -> Result<()> {
        self.target.remove(&self.place(path))
    }
}
