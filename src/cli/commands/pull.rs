//! `skillmount pull`

use std::path::{Path, PathBuf};

use bytes::Bytes;
use clap::Args;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use serde::Serialize;

use super::super::{
    app::App,
    counts::counted,
    folder::{Extent, Target, check_names, remember, remembered, scan},
    output::{Output, note},
    transfer::{self, Totals},
};
use crate::{
    backend::{
        AuthorProtocol, NamedSkill, PullHow, PullOptions, PullTarget, Pulled, Remembered, SkillDigest, SkillDigests,
        VersionMemory, pull_skill, skill_named,
    },
    error::{Code, Error, Result},
    limits::{LIST_OBJECTS, PARALLEL_SKILLS},
    skill::shown::one_line,
    wire::FileChanges,
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
store. Nothing is written outside the folder or through a
link, and names this machine cannot hold are refused."
)]
pub(in super::super) struct Pull {
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

/// What a pull did, or would do, to one skill.
#[derive(Debug, Serialize)]
struct Row {
    skill: String,
    #[serde(flatten)]
    changes: FileChanges,
    refused: Vec<String>,
    /// Files that both authors changed, which stay as they are.
    conflicts: Vec<String>,
    /// Files that have marks where both changed the same lines.
    marked: Vec<String>,
    /// Files of the other author that lie beside those of this one, because they are no text.
    beside: Vec<String>,
    /// Files that belong to a tool, which are not pulled.
    of_tools: Vec<String>,
}

/// What a pull did, or would do.
#[derive(Debug, Serialize)]
struct PulledSkills<'run> {
    skills: &'run [Row],
    /// Skills that lie here and are not in the store any more.
    gone: &'run [String],
}

/// The folder of one skill on this disk.
struct SkillFolder<'run> {
    app: &'run App,
    target: &'run Target,
    /// Where it lies below the target; empty if it is that.
    at: String,
}

impl Pull {
    pub(in super::super) async fn run(mut self, app: &App) -> Result<()> {
        let began = app.clock.uptime();
        let dir = PathBuf::from(self.places.pop().unwrap_or_default());
        let author = app.author().await?;
        let known = author.skill_digests(None).await?;
        if known.is_cut {
            note(format_args!("there are more than {LIST_OBJECTS} files; skills beyond them are left out"));
        }
        let wanted = chosen(&known, &self.places)?;
        check_names(wanted.iter().map(|there| there.skill.as_str()))?;
        // A skill does not lie in a skill, so a folder that is one is meant itself.
        let is_skill = self.places.len() == 1 && dir.join("SKILL.md").is_file();
        let target = Target::new(dir);
        let bar = transfer::progress(&app.out, wanted.len(), "skills");
        let pulls = wanted.iter().map(|there| async {
            let at = if is_skill { String::new() } else { there.skill.to_string() };
            let pulled = self.pull(&*author, there, SkillFolder { app, target: &target, at }).await;
            bar.inc(1);
            pulled
        });
        let pulls: Vec<_> = pulls.collect();
        let pulled: Vec<(&SkillDigest, Pulled)> =
            stream::iter(pulls).buffered(PARALLEL_SKILLS).try_filter_map(async |one| Ok(one)).try_collect().await?;
        bar.finish_and_clear();
        let counts = |changes: &FileChanges| changes.changed() + changes.unchanged + changes.kept.len();
        let totals = Totals {
            skills: pulled.len(),
            files: pulled.iter().map(|(_, one)| counts(&one.changes) + one.conflicts.len()).sum(),
            bytes: pulled.iter().map(|(_, one)| one.size).sum(),
            changed: pulled
                .iter()
                .filter(|(_, one)| one.conflicts.is_empty())
                .map(|(_, one)| one.changes.changed())
                .sum(),
            refused: pulled.iter().filter(|(_, one)| !one.conflicts.is_empty()).count(),
            took: app.clock.uptime().saturating_sub(began),
        };
        let gone = if self.places.is_empty() && !is_skill { gone(&target.folder(""), &known)? } else { Vec::new() };
        let rows: Vec<_> = pulled.into_iter().map(|(there, one)| Row::of(there, one)).collect();
        for skill in &gone {
            let skill = one_line(skill).plain().to_owned();
            note(format_args!("{skill} is not in the store any more: delete its folder, or push it with --force"));
        }
        app.out.reply(&PulledSkills { skills: &rows, gone: &gone }, |out, of| {
            of.skills.iter().try_for_each(|row| print(out, row))?;
            out.line(transfer::closing(&totals, self.dry_run))
        })?;
        outcome(&rows, self.merge)
    }

    /// Brings one skill up to date; nothing if it is gone by now. One that is too large for a version is refused by itself.
    async fn pull<'known>(
        &self,
        author: &dyn AuthorProtocol,
        there: &'known SkillDigest,
        mut folder: SkillFolder<'_>,
    ) -> Result<Option<(&'known SkillDigest, Pulled)>> {
        let how = match (self.merge, self.force) {
            (true, _) => PullHow::Merge,
            (_, true) => PullHow::Theirs,
            _ => PullHow::Careful,
        };
        let options = PullOptions { how, dry_run: self.dry_run };
        match pull_skill(author, there, &mut folder, options).await {
            Ok(pulled) => Ok(pulled.map(|pulled| (there, pulled))),
            Err(error) if matches!(error.code(), Code::FileTooLarge | Code::InvalidRequest) => {
                let refused = vec![error.message().to_owned()];
                Ok(Some((there, Pulled { refused, ..Pulled::default() })))
            }
            Err(error) => Err(error),
        }
    }
}

/// The skills below `folder` that come from a version and are not among `known` any more, as another author deleted them.
fn gone(folder: &Path, known: &SkillDigests) -> Result<Vec<String>> {
    if known.is_cut || !folder.is_dir() {
        return Ok(Vec::new());
    }
    // A folder without any skill is refused by a scan. Then none is gone.
    let Ok(scanned) = scan(folder, None, Extent::Everything) else { return Ok(Vec::new()) };
    let mut gone = Vec::new();
    for local in scanned.skills {
        if known.find(&local.skill).is_none() && remembered(local.folder())?.is_some() {
            gone.push(local.skill.to_string());
        }
    }
    Ok(gone)
}

/// The skills of these paths or folder names; all of them if none is named.
fn chosen<'known>(known: &'known SkillDigests, names: &[String]) -> Result<Vec<&'known SkillDigest>> {
    if names.is_empty() {
        return Ok(known.skills.iter().collect());
    }
    let skills: Vec<_> =
        known.skills.iter().map(|there| NamedSkill { skill: &there.skill, name: there.skill.folder() }).collect();
    let paths = names.iter().map(|name| skill_named(name, &skills)).collect::<Result<Vec<_>>>()?;
    Ok(paths.into_iter().filter_map(|path| known.find(path)).collect())
}

impl Row {
    fn of(there: &SkillDigest, pulled: Pulled) -> Self {
        let Pulled { changes, conflicts, marked, beside, of_tools, refused, .. } = pulled;
        let placed = |paths: Vec<String>| paths.into_iter().map(|path| format!("{}/{path}", there.skill)).collect();
        let FileChanges { created, updated, deleted, unchanged, kept } = changes;
        let changes = FileChanges {
            created: placed(created),
            updated: placed(updated),
            deleted: placed(deleted),
            unchanged,
            kept: placed(kept),
        };
        Self {
            skill: there.skill.to_string(),
            changes,
            refused,
            conflicts: placed(conflicts),
            marked: placed(marked),
            beside: placed(beside),
            of_tools: placed(of_tools),
        }
    }
}

fn print(out: &Output, row: &Row) -> Result<()> {
    if row.conflicts.is_empty() {
        out.line(transfer::summary(&row.skill, &row.changes))?;
        transfer::lines(&row.changes).try_for_each(|line| out.line(line))?;
    } else {
        out.line(format_args!("{}: left as it is, you and another author changed it", one_line(&row.skill).plain()))?;
    }
    for path in &row.conflicts {
        out.line(format_args!("  ! {}", one_line(path).plain()))?;
    }
    for path in &row.marked {
        note(format_args!("  {} has marks where both changed the same lines", one_line(path).plain()));
    }
    for path in &row.beside {
        let path = one_line(path).plain().to_owned();
        note(format_args!(
            "  {path} is theirs, because both changed that file and it is no text: keep one of the two under its own name, \
             remove the other, and push"
        ));
    }
    for path in &row.of_tools {
        note(format_args!("  {} belongs to a tool that would act on it, and is not pulled", one_line(path).plain()));
    }
    row.refused.iter().for_each(|refused| note(format_args!("  refused: {}", one_line(refused).plain())));
    Ok(())
}

/// The error of a pull that could not do all of it. `is_merge` says whether the pull was to join what both changed.
fn outcome(rows: &[Row], is_merge: bool) -> Result<()> {
    let conflicts = rows.iter().filter(|row| !row.conflicts.is_empty()).count();
    if conflicts > 0 {
        let them = if conflicts == 1 { "it" } else { "them" };
        let way_out = if is_merge {
            "move away what is in the place of theirs, as said above, and pull again"
        } else {
            "--merge joins the changes"
        };
        let message = format!(
            "{} stayed as you have {them}, because another author changed the same files: {way_out}, and --force takes the \
             files as they are in the store",
            counted(conflicts, "skill")
        );
        return Err(Error::new(Code::VersionConflict, message));
    }
    match rows.iter().map(|row| row.refused.len()).sum::<usize>() {
        0 => Ok(()),
        refused => {
            let (refused, are) = (counted(refused, "file"), if refused == 1 { "was" } else { "were" });
            Err(Error::new(Code::InvalidRequest, format!("{refused} {are} refused; see above")))
        }
    }
}

impl SkillFolder<'_> {
    fn place(&self, path: &str) -> String {
        if self.at.is_empty() { path.to_owned() } else { format!("{}/{path}", self.at) }
    }
}

impl VersionMemory for SkillFolder<'_> {
    fn remembered(&self) -> Result<Option<Remembered>> {
        remembered(&self.target.folder(&self.at))
    }

    fn remember(&mut self, version: &Remembered) -> Result<()> {
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
