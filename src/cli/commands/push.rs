//! `skillmount push`

use std::path::{Path, PathBuf};

use async_trait::async_trait;
use bytes::Bytes;
use clap::Args;
use serde::Serialize;

use super::super::{
    app::App,
    blocking::blocking,
    counts::counted,
    findings::{heading, judge, judge_no_skill, line, read as read_main},
    folder::{Extent, LocalSkill, scan},
    output::{OfSkills, Output, note},
    transfer::{self, Totals},
};
use crate::{
    backend::{PushPlan, Service, SkillSource},
    error::{Code, Error, Result},
    limits::UPLOAD_FILE_BYTES,
    path::{Id, SkillPath},
    skill::{Severity, shown::one_line},
    wire::{FileChanges, LintedSkill},
};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  skillmount push ./skills                         every folder below it that holds a SKILL.md
  skillmount push ./compraventa --into escrituras  becomes the skill escrituras/compraventa
  skillmount push ./skills --dry-run               say what would change, change nothing
  skillmount push ./skills --delete                also remove files that are gone from the folder

Only what differs is sent. A skill in which `skillmount lint` finds an error stays behind, and the
exit status is 2: `lint --fix` mends what is safe, and --force sends it as it is.
What .gitignore, .ignore and .skillignore name is passed over, as are .git, node_modules and
.DS_Store. Links are not followed.")]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own on the command line")]
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
    /// Send what .gitignore, .ignore and .skillignore name, too
    #[arg(long)]
    no_ignore: bool,
}

/// What a push did, or would do, to one skill.
#[derive(Debug, Serialize)]
struct Pushed {
    skill: String,
    status: PushStatus,
    #[serde(flatten)]
    changes: FileChanges,
    skipped: Vec<String>,
    /// What lint finds in it. Errors were sent by force, or left the skill behind.
    errors: usize,
    warnings: usize,
}

/// What became of a skill, or would.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum PushStatus {
    /// The store did not have it.
    New,
    /// A file of it changed.
    Changed,
    /// The store has the same files.
    Unchanged,
    /// Lint finds an error in it, so it stayed behind.
    Refused,
}

/// A skill of the folder, or what almost is one, with its findings.
struct Candidate {
    local: Option<LocalSkill>,
    judged: LintedSkill,
}

#[async_trait]
impl SkillSource for LocalSkill {
    fn paths(&self) -> Vec<&str> {
        self.files.iter().map(|file| file.relative.as_str()).collect()
    }

    async fn read(&self, path: &str) -> Result<Bytes> {
        let found = self.files.binary_search_by(|file| file.relative.as_str().cmp(path)).ok();
        let file = found.and_then(|at| self.files.get(at)).ok_or_else(|| {
            Error::new(Code::InvalidRequest, format!("{path} is no file of {}; push again", self.skill))
        })?;
        read(&file.path).map(Bytes::from)
    }
}

impl Push {
    pub(in super::super) async fn run(self, app: &App) -> Result<()> {
        let began = app.clock.uptime();
        let service = app.authoring("push").await?;
        let user = app.user()?;
        let candidates = self.candidates().await?;
        let refused: Vec<_> = candidates.iter().filter_map(|one| self.refusal(one)).collect();
        let stays = |one: &Candidate| one.local.is_none() || self.refusal(one).is_some();
        let (left, sent): (Vec<_>, Vec<_>) = candidates.into_iter().partition(stays);
        let plans = self.plans(&service, &user, &sent).await?;
        if !self.dry_run {
            send(app, &service, &sent, &plans).await?;
        }
        let mut pushed: Vec<_> = sent.iter().zip(&plans).map(|(one, plan)| Pushed::of(one, plan)).collect();
        let files = || sent.iter().filter_map(|one| one.local.as_ref()).flat_map(|local| &local.files);
        let totals = Totals {
            skills: sent.len(),
            files: files().count(),
            bytes: files().map(|file| file.size).sum(),
            changed: pushed.iter().map(|one| one.changes.changed()).sum(),
            refused: refused.len(),
            took: app.clock.uptime().saturating_sub(began),
        };
        pushed.extend(refused.iter().map(Pushed::refused));
        pushed.sort_by(|one, two| one.skill.cmp(&two.skill));
        app.out.reply(&OfSkills { skills: &pushed }, |out, of| self.print(out, of.skills, &left, &totals))?;
        if refused.is_empty() { Ok(()) } else { Err(stayed_behind(&refused)) }
    }

    /// Everything in the folder that is a skill or almost one.
    async fn candidates(&self) -> Result<Vec<Candidate>> {
        let (dir, into) = (self.dir.clone(), self.into.clone());
        let extent = if self.no_ignore { Extent::Everything } else { Extent::NotIgnored };
        blocking(move || {
            let scanned = scan(&dir, into.as_deref(), extent)?;
            let none = scanned.no_skills.iter().map(|one| Ok(Candidate { local: None, judged: judge_no_skill(one) }));
            let skills = scanned.skills.into_iter().map(|local| {
                let judged = judge(&local, &read_main(local.main())?)?;
                Ok(Candidate { local: Some(local), judged })
            });
            none.chain(skills).collect()
        })
        .await
    }

    /// The errors for which a candidate stays behind.
    fn refusal(&self, candidate: &Candidate) -> Option<LintedSkill> {
        if self.force { None } else { candidate.judged.errors_only() }
    }

    async fn plans(&self, service: &Service, user: &Id, sent: &[Candidate]) -> Result<Vec<PushPlan>> {
        let skills: Vec<SkillPath> = sent.iter().filter_map(|one| Some(one.local.as_ref()?.skill.clone())).collect();
        if skills.is_empty() {
            return Ok(Vec::new());
        }
        let listing = service.list_for_push(user, &skills).await?;
        let mut plans = Vec::with_capacity(skills.len());
        for local in sent.iter().filter_map(|one| one.local.as_ref()) {
            plans.push(service.plan_push(user, &local.skill, local, &listing, self.delete).await?);
        }
        Ok(plans)
    }

    fn print(&self, out: &Output, pushed: &[Pushed], left: &[Candidate], totals: &Totals) -> Result<()> {
        for one in pushed {
            if one.status == PushStatus::Refused {
                let (skill, errors) = (one_line(&one.skill), counted(one.errors, "error"));
                out.line(format_args!("{}: refused, {errors}", skill.plain()))?;
                continue;
            }
            out.line(transfer::summary(&one.skill, &one.changes))?;
            transfer::lines(&one.changes).try_for_each(|line| out.line(line))?;
            one.skipped.iter().for_each(|skipped| note(format_args!("  passed over: {}", one_line(skipped).plain())));
        }
        for one in left {
            let errors = self.refusal(one);
            let what = if errors.is_some() { "error" } else { "passed over" };
            let judged = errors.unwrap_or_else(|| one.judged.clone());
            note(heading(&judged));
            judged.findings.iter().for_each(|finding| note(line(&judged, what, finding)));
        }
        let sum = |count: fn(&Pushed) -> usize| -> usize {
            pushed.iter().filter(|one| one.status != PushStatus::Refused).map(count).sum()
        };
        let (errors, warnings) = (sum(|one| one.errors), sum(|one| one.warnings));
        if errors + warnings > 0 {
            let (errors, warnings) = (counted(errors, "error"), counted(warnings, "warning"));
            note(format_args!("`skillmount lint` has {errors} and {warnings} to tell of what is sent"));
        }
        out.line(transfer::closing(totals, self.dry_run))
    }
}

impl Pushed {
    fn of(candidate: &Candidate, plan: &PushPlan) -> Self {
        let changes = plan.changes();
        let status = match &changes {
            changes if changes.is_new() => PushStatus::New,
            changes if changes.changed() > 0 => PushStatus::Changed,
            _ => PushStatus::Unchanged,
        };
        let skipped = candidate.local.as_ref().map(|local| local.skipped.clone()).unwrap_or_default();
        Self { status, changes, skipped, ..Self::refused(&candidate.judged) }
    }

    fn refused(judged: &LintedSkill) -> Self {
        Self {
            skill: judged.skill.clone(),
            status: PushStatus::Refused,
            changes: FileChanges::default(),
            skipped: Vec::new(),
            errors: judged.count(Severity::Error),
            warnings: judged.count(Severity::Warning),
        }
    }
}

/// Sends what differs, skill after skill, with one bar for all of it.
async fn send(app: &App, service: &Service, sent: &[Candidate], plans: &[PushPlan]) -> Result<()> {
    let bar = transfer::progress(app, plans.iter().map(PushPlan::due).sum());
    for (local, plan) in sent.iter().filter_map(|one| one.local.as_ref()).zip(plans) {
        bar.set_message(local.skill.to_string());
        service.push(local, plan, &|| bar.inc(1)).await?;
    }
    bar.finish_and_clear();
    Ok(())
}

/// That some of the skills were not sent, and which.
fn stayed_behind(refused: &[LintedSkill]) -> Error {
    let errors: usize = refused.iter().map(|one| one.findings.len()).sum();
    let message = format!(
        "{} stayed behind, because lint finds {}: mend them (`skillmount lint --fix` does what is safe), or send them as \
         they are with --force",
        counted(refused.len(), "skill"),
        counted(errors, "error"),
    );
    match serde_json::to_value(refused) {
        Ok(findings) => Error::new(Code::InvalidRequest, message).with_detail("findings", findings),
        Err(error) => Error::internal(error),
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
