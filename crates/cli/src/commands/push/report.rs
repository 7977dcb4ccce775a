//! The outcome of a push, for its reader.

use std::time::Duration;

use serde::Serialize;

use super::{conflict::Conflict, local::Candidate};
use crate::{
    app::App,
    client::sync::{PushResult, PushStatus},
    counts::counted,
    each::{SkillRefusal, gravest, refused},
    error::{Code, Error, Kind, Result},
    findings::{heading, line},
    folder::LocalSkill,
    output::{Detail, OfSkills, Output},
    screen::plain,
    skill::Severity,
    status::PARTIAL,
    transfer::{self, Totals},
    wire::{FileChanges, LintedSkill},
};

/// The files of so many skills are listed; of more there is a summary.
const SKILLS_SHOWN: usize = 10;

/// The outcome of a push, or of a dry run, for one skill.
#[derive(Debug, Serialize)]
pub(super) struct PushRow {
    pub(super) skill: String,
    pub(super) status: PushRowStatus,
    #[serde(flatten)]
    changes: FileChanges,
    skipped: Vec<String>,
    /// The findings of lint. Errors leave the skill behind.
    errors: usize,
    warnings: usize,
    /// Its version after the push, if known.
    digest: Option<String>,
    /// Files that another tool wrote meanwhile, which stay.
    overtaken: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    conflict: Option<Conflict>,
    /// Why it was refused, if that is no finding of lint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) refusal: Option<SkillRefusal>,
}

/// The outcome for a skill, or the outcome that it would have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum PushRowStatus {
    /// The store did not have it.
    New,
    /// It has a new version.
    Changed,
    /// The store has the same files.
    Unchanged,
    /// Lint finds an error, or the push failed, so the skill stayed behind.
    Refused,
    /// Another author published the skill since, so it stayed as it is.
    Conflict,
}

/// The rows of a report that are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PrintExtent {
    /// Each skill, with its files.
    Every,
    /// The skills that stayed behind.
    Faults,
}

/// The outcome of a push for everything in its folder.
pub(super) struct PushReport {
    pub(super) rows: Vec<PushRow>,
    /// Candidates that stayed behind for their errors.
    left: Vec<Candidate>,
    totals: Totals,
    /// Why the push stopped before all of it was done.
    stopped: Option<Error>,
}

impl PushRow {
    /// The outcome for a skill that was sent. `place` has the flags that choose the store, with a space before each.
    pub(super) fn from_result(candidate: &Candidate, pushed: Result<PushResult, SkillRefusal>, place: &str) -> Self {
        match pushed {
            Ok(pushed) => Self::pushed(candidate, pushed, place),
            Err(refusal) => Self { refusal: Some(refusal), ..Self::behind(&candidate.judged) },
        }
    }

    fn pushed(candidate: &Candidate, pushed: PushResult, place: &str) -> Self {
        let status = match pushed.status {
            PushStatus::New => PushRowStatus::New,
            PushStatus::Changed => PushRowStatus::Changed,
            PushStatus::Unchanged => PushRowStatus::Unchanged,
            PushStatus::Conflict => PushRowStatus::Conflict,
        };
        let local = candidate.local.as_ref();
        Self {
            status,
            changes: pushed.changes,
            skipped: local.map(|local| local.skipped.clone()).unwrap_or_default(),
            digest: pushed.digest,
            overtaken: pushed.kept,
            conflict: (pushed.conflict.zip(local))
                .map(|(conflict, local)| Conflict::from_conflict(conflict, local, place.to_owned())),
            ..Self::behind(&candidate.judged)
        }
    }

    /// The row of a candidate that stayed behind for its errors.
    pub(super) fn left_behind(candidate: &Candidate) -> Option<Self> {
        candidate.judged.errors_only().map(|errors| Self { warnings: 0, ..Self::behind(&errors) })
    }

    fn behind(judged: &LintedSkill) -> Self {
        Self {
            skill: judged.skill.clone(),
            status: PushRowStatus::Refused,
            changes: FileChanges::default(),
            skipped: Vec::new(),
            errors: judged.count(Severity::Error),
            warnings: judged.count(Severity::Warning),
            digest: None,
            overtaken: Vec::new(),
            conflict: None,
            refusal: None,
        }
    }

    /// Whether the store has the files of the folder. After a dry run, whether a push would send them.
    fn is_sent(&self) -> bool {
        matches!(self.status, PushRowStatus::New | PushRowStatus::Changed | PushRowStatus::Unchanged)
    }

    /// How many files of it changed.
    pub(super) fn changed(&self) -> usize {
        self.changes.changed()
    }

    /// Why the push was refused: its error, or the number of errors that lint found.
    pub(super) fn why_refused(&self) -> String {
        let refusal = self.refusal.as_ref().map(|refusal| plain(refusal.message()));
        refusal.unwrap_or_else(|| counted(self.errors, "error"))
    }

    /// The lines of it.
    pub(super) fn print(&self, out: &Output, extent: PrintExtent) -> Result<()> {
        if extent == PrintExtent::Faults && !matches!(self.status, PushRowStatus::Refused | PushRowStatus::Conflict) {
            return Ok(());
        }
        match (self.status, &self.conflict) {
            (PushRowStatus::Refused, _) => {
                return out.line(format_args!("{}: refused, {}", plain(&self.skill), self.why_refused()));
            }
            (_, Some(conflict)) => return conflict.print(out, &self.skill),
            _ => {}
        }
        out.line(transfer::summary(&self.skill, &self.changes))?;
        transfer::lines(&self.changes).try_for_each(|line| out.line(line))?;
        self.skipped.iter().for_each(|skipped| out.note(format_args!("  passed over: {}", plain(skipped))));
        for path in &self.overtaken {
            out.note(format_args!("  {} was written by another tool meanwhile, and stays so", plain(path)));
        }
        Ok(())
    }
}

impl PushReport {
    /// The outcome for `locals`, and for the candidates that were `left`. `stopped` says why not all of it was done, if
    /// so.
    pub(super) fn new(
        mut rows: Vec<PushRow>,
        locals: &[&LocalSkill],
        left: Vec<Candidate>,
        took: Duration,
        stopped: Option<Error>,
    ) -> Self {
        rows.sort_by(|one, two| one.skill.cmp(&two.skill));
        let files = || locals.iter().flat_map(|local| &local.files);
        let stayed = |row: &&PushRow| matches!(row.status, PushRowStatus::Refused | PushRowStatus::Conflict);
        let totals = Totals {
            skills: locals.len(),
            files: files().count(),
            bytes: files().map(|file| file.size).sum(),
            changed: rows.iter().map(|row| row.changes.changed()).sum(),
            refused: rows.iter().filter(stayed).count(),
            took,
        };
        Self { rows, left, totals, stopped }
    }

    /// Whether there is more to show than the error that stopped the push.
    pub(super) fn has_changes(&self) -> bool {
        self.stopped.is_none() || self.unsent() < self.totals.skills
    }

    /// How many skills were not sent, because the push stopped.
    fn unsent(&self) -> usize {
        let left = self.left.iter().filter(|one| one.judged.errors_only().is_some()).count();
        (self.totals.skills + left).saturating_sub(self.rows.len())
    }

    /// Shows all of it.
    pub(super) fn show(&self, app: &App, dry_run: bool) -> Result<()> {
        app.out.reply(&OfSkills { skills: &self.rows }, |out, of| {
            let extent = self.extent(out);
            of.skills.iter().try_for_each(|row| row.print(out, extent))?;
            self.say_what_stayed(out);
            if extent == PrintExtent::Faults && out.detail() == Detail::Usual {
                out.line(self.summary())?;
                out.note("`--verbose` lists each skill with its files");
            }
            let sum = |count: fn(&PushRow) -> usize| -> usize {
                self.rows.iter().filter(|row| row.status != PushRowStatus::Refused).map(count).sum()
            };
            let warnings = sum(|row| row.warnings);
            if warnings > 0 {
                let warnings = counted(warnings, "warning");
                out.note(format_args!("`skillmount lint` shows {warnings} about the pushed skills"));
            }
            if self.unsent() > 0 {
                let unsent = counted(self.unsent(), "skill");
                out.note(format_args!(
                    "the push stopped, and nothing is known of {unsent}: the same command does the rest"
                ));
            }
            if out.detail() == Detail::Quiet { Ok(()) } else { out.line(transfer::closing(&self.totals, dry_run)) }
        })
    }

    /// Everything for a few skills. For many the lines of files would hide what went wrong.
    fn extent(&self, out: &Output) -> PrintExtent {
        match out.detail() {
            Detail::Every => PrintExtent::Every,
            Detail::Usual if self.rows.len() <= SKILLS_SHOWN => PrintExtent::Every,
            Detail::Usual | Detail::Quiet => PrintExtent::Faults,
        }
    }

    /// How many skills have each outcome.
    fn summary(&self) -> String {
        const OUTCOMES: [(PushRowStatus, &str); 5] = [
            (PushRowStatus::New, "new"),
            (PushRowStatus::Changed, "changed"),
            (PushRowStatus::Unchanged, "unchanged"),
            (PushRowStatus::Refused, "refused"),
            (PushRowStatus::Conflict, "in conflict"),
        ];
        let counts = OUTCOMES.map(|(status, word)| (self.rows.iter().filter(|row| row.status == status).count(), word));
        let counts = counts.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}"));
        format!("skills: {}", counts.collect::<Vec<_>>().join(", "))
    }

    /// Prints the faults of candidates that stayed behind.
    fn say_what_stayed(&self, out: &Output) {
        for one in &self.left {
            let errors = one.judged.errors_only();
            let what = if errors.is_some() { "error" } else { "passed over" };
            let judged = errors.unwrap_or_else(|| one.judged.clone());
            out.fault(heading(&judged));
            judged.findings.iter().for_each(|finding| out.fault(line(&judged, what, finding)));
        }
    }

    /// The error of an incomplete push: the error that stopped it, else the gravest. Wrong input of some skills
    /// differs from wrong input of all.
    pub(super) fn outcome(self) -> Result<()> {
        let is_partial = self.rows.iter().any(PushRow::is_sent);
        let conflicts = self.conflicts();
        let refused = refused(self.rows.iter().filter_map(|row| Some((row.skill.as_str(), row.refusal.as_ref()?))));
        let left: Vec<_> = self.left.iter().filter_map(|one| one.judged.errors_only()).collect();
        let left = if left.is_empty() { None } else { Some(stayed_behind(&left)) };
        let gravest = gravest([refused, conflicts, left].into_iter().flatten());
        let is_partial = |error: &Error| is_partial && error.kind() == Kind::InvalidInput;
        let gravest = gravest.map(|error| if is_partial(&error) { error.with_detail(PARTIAL, true) } else { error });
        self.stopped.or(gravest).map_or(Ok(()), Err)
    }

    /// Why the push stopped before all of it was done.
    pub(super) fn stopped(self) -> Option<Error> {
        self.stopped
    }

    fn conflicts(&self) -> Option<Error> {
        let conflicts = self.rows.iter().filter_map(|row| row.conflict.as_ref());
        let (deleted, changed): (Vec<_>, Vec<_>) = conflicts.partition(|conflict| conflict.is_deleted());
        let said = [changed_there(changed.len()), deleted_there(deleted.len())];
        let said: Vec<String> = said.into_iter().flatten().collect();
        (!said.is_empty()).then(|| Error::new(Code::VersionConflict, said.join("; ")))
    }

    /// Whether the same push may do more a while later, though no file changes.
    pub(super) fn is_passing(&self) -> bool {
        self.rows.iter().filter_map(|row| row.refusal.as_ref()).any(SkillRefusal::is_passing)
    }
}

/// That so many skills have another version in the store; nothing if none has.
fn changed_there(skills: usize) -> Option<String> {
    let (as_is, why, it) = match skills {
        0 => return None,
        1 => ("it is", "it is not the version that your folder comes from", "it"),
        _ => ("they are", "they are not the versions that your folders come from", "them"),
    };
    Some(format!(
        "{} stayed as {as_is} in the store, because {why}: pull to join the changes as said above, or publish yours over {it} \
         with --force",
        counted(skills, "skill")
    ))
}

/// That so many skills are not in the store any more; nothing if all are.
fn deleted_there(skills: usize) -> Option<String> {
    let (was, folder, it) = match skills {
        0 => return None,
        1 => ("was", "its folder", "it"),
        _ => ("were", "their folders", "them"),
    };
    Some(format!(
        "{} {was} deleted or moved by another author since you had {it}: delete {folder} too, or put {it} back with --force",
        counted(skills, "skill")
    ))
}

/// That some of the skills were not sent, and which.
fn stayed_behind(refused: &[LintedSkill]) -> Error {
    let errors: usize = refused.iter().map(|one| one.findings.len()).sum();
    let fixable = refused.iter().flat_map(|one| &one.findings).filter(|finding| finding.fixable).count();
    let them = if errors == 1 { "it" } else { "them" };
    let way_out = match fixable {
        0 => format!("fix {them} and push again"),
        _ if fixable == errors => format!("`skillmount lint --fix` fixes {them}"),
        _ => format!("`skillmount lint --fix` fixes {fixable} of them, and you fix the others"),
    };
    let message = format!(
        "{} stayed behind, because lint finds {}: {way_out}",
        counted(refused.len(), "skill"),
        counted(errors, "error"),
    );
    match serde_json::to_value(refused) {
        Ok(findings) => invalid!("{message}").with_detail("findings", findings),
        Err(error) => Error::internal(error),
    }
}
