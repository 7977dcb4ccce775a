//! The outcome of a pull, for its reader.

use std::time::Duration;

use serde::Serialize;
use serde_json::json;

use super::gone::GoneSkill;
use crate::{
    app::App,
    client::sync::PullResult,
    counts::counted,
    each::{SkillRefusal, gravest, refused},
    error::{Code, Error, Result},
    output::Output,
    screen::plain,
    status::PARTIAL,
    transfer::{self, Totals},
    wire::{FileChanges, SkillDigest},
};

/// Files that an error names; of more it says how many.
const FILES_NAMED: usize = 10;

/// The outcome of a pull, or of a dry run, for one skill.
#[derive(Debug, Serialize)]
pub(super) struct PullRow {
    skill: String,
    #[serde(flatten)]
    changes: FileChanges,
    refused: Vec<String>,
    /// Files that both authors changed, which stay as they are.
    conflicts: Vec<String>,
    /// Files that have marks where both changed the same lines.
    marked: Vec<String>,
    /// Binary files of the other author, which lie beside this author's files.
    beside: Vec<String>,
    /// Files that belong to a tool, which are not pulled.
    of_tools: Vec<String>,
    /// Why the whole skill was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    refusal: Option<SkillRefusal>,
    #[serde(skip)]
    size: u64,
}

/// The outcome of a pull for all of its skills.
pub(super) struct PullReport {
    pub(super) rows: Vec<PullRow>,
    pub(super) gone: Vec<GoneSkill>,
    /// Why the pull stopped before all of it was done.
    pub(super) stopped: Option<Error>,
    pub(super) took: Duration,
}

impl PullReport {
    /// Shows all of it.
    pub(super) fn show(&self, app: &App, dry_run: bool) -> Result<()> {
        let place = app.settings.place_flags();
        self.gone.iter().for_each(|gone| gone.say(&app.out, &place));
        let gone: Vec<_> = self.gone.iter().map(GoneSkill::skill).collect();
        let changed: Vec<_> = self.gone.iter().filter(|gone| gone.is_changed).map(GoneSkill::skill).collect();
        // Those of them that were changed here since are in the last member too.
        let pulled = json!({ "skills": self.rows, "gone": gone, "gone_and_changed": changed });
        app.out.reply(&pulled, |out, _| {
            self.rows.iter().try_for_each(|row| print(out, row))?;
            out.line(transfer::closing(&self.totals(), dry_run))
        })
    }

    fn totals(&self) -> Totals {
        let counts = |changes: &FileChanges| changes.changed() + changes.unchanged + changes.kept.len();
        let changed = |row: &PullRow| if row.conflicts.is_empty() { row.changes.changed() } else { 0 };
        let stayed = |row: &&PullRow| !row.conflicts.is_empty() || row.refusal.is_some();
        Totals {
            skills: self.rows.len(),
            files: self.rows.iter().map(|row| counts(&row.changes) + row.conflicts.len()).sum(),
            bytes: self.rows.iter().map(|row| row.size).sum(),
            changed: self.rows.iter().map(changed).sum(),
            refused: self.rows.iter().filter(stayed).count(),
            took: self.took,
        }
    }

    /// The error of an incomplete pull: the error that stopped it, else the gravest. `is_merge` is set for a pull that
    /// joins the changes of both authors.
    pub(super) fn outcome(self, is_merge: bool) -> Result<()> {
        let skills = self.rows.iter().filter_map(|row| Some((row.skill.as_str(), row.refusal.as_ref()?)));
        let found =
            [refused(skills), in_conflict(&self.rows, is_merge), refused_files(&self.rows), to_resolve(&self.rows)];
        self.stopped.or(gravest(found.into_iter().flatten())).map_or(Ok(()), Err)
    }
}

impl PullRow {
    /// The outcome for the skill that is `there`.
    pub(super) fn from_result(there: &SkillDigest, pulled: Result<PullResult, SkillRefusal>) -> Self {
        match pulled {
            Ok(pulled) => Self::pulled(there, pulled),
            Err(refusal) => Self { refusal: Some(refusal), ..Self::pulled(there, PullResult::default()) },
        }
    }

    fn pulled(there: &SkillDigest, pulled: PullResult) -> Self {
        let PullResult { changes, size, conflicts, marked, beside, of_tools, refused } = pulled;
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
            refusal: None,
            size,
        }
    }
}

fn print(out: &Output, row: &PullRow) -> Result<()> {
    if let Some(refusal) = &row.refusal {
        return out.line(format_args!("{}: refused, {}", plain(&row.skill), plain(refusal.message())));
    }
    if !row.refused.is_empty() && row.changes == FileChanges::default() {
        out.line(format_args!("{}: nothing written", plain(&row.skill)))?;
    } else if row.conflicts.is_empty() {
        out.line(transfer::summary(&row.skill, &row.changes))?;
        transfer::lines(&row.changes).try_for_each(|line| out.line(line))?;
    } else {
        out.line(format_args!("{}: left as it is, you and another author changed it", plain(&row.skill)))?;
    }
    for path in &row.conflicts {
        out.line(format_args!("  ! {}", plain(path)))?;
    }
    for path in &row.marked {
        out.note(format_args!("  {} has marks where both changed the same lines: choose there", plain(path)));
    }
    for path in &row.beside {
        let path = plain(path);
        out.note(format_args!(
            "  {path} is theirs, because both changed that file and it is no text: keep one of the two under its own name, \
             remove the other, and push"
        ));
    }
    for path in &row.of_tools {
        out.note(format_args!("  {} belongs to a tool that would act on it, and is not pulled", plain(path)));
    }
    row.refused.iter().for_each(|refused| out.note(format_args!("  refused: {}", plain(refused))));
    Ok(())
}

/// That skills stayed as they are, because another author changed the same files; nothing if none did.
fn in_conflict(rows: &[PullRow], is_merge: bool) -> Option<Error> {
    let conflicts = rows.iter().filter(|row| !row.conflicts.is_empty()).count();
    if conflicts == 0 {
        return None;
    }
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
    Some(Error::new(Code::VersionConflict, message))
}

/// The error of an unfinished merge. It names the files that a person must edit, and has the exit status of a partial result.
/// `None` if there is no such file.
fn to_resolve(rows: &[PullRow]) -> Option<Error> {
    let files: Vec<_> = rows.iter().flat_map(|row| row.marked.iter().chain(&row.beside)).cloned().collect();
    let named: Vec<_> = files.iter().take(FILES_NAMED).map(|file| plain(file)).collect();
    let more = match files.len().saturating_sub(named.len()) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let it = if files.len() == 1 { "it" } else { "them" };
    let message = format!(
        "the merge is not finished in {}: {}{more}; edit {it} as said above, and push",
        counted(files.len(), "file"),
        named.join(", ")
    );
    (!files.is_empty())
        .then(|| Error::new(Code::VersionConflict, message).with_detail("files", files).with_detail(PARTIAL, true))
}

/// That files were refused; nothing if none was.
fn refused_files(rows: &[PullRow]) -> Option<Error> {
    let count = rows.iter().map(|row| row.refused.len()).sum::<usize>();
    let (refused, were) = (counted(count, "file"), if count == 1 { "was" } else { "were" });
    (count > 0).then(|| invalid!("{refused} {were} refused; see above"))
}
