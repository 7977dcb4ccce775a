//! `skillmount push`

use std::path::{Path, PathBuf};

use async_trait::async_trait;
use bytes::Bytes;
use clap::Args;
use serde::Serialize;

use super::super::{
    app::App,
    findings::{judge, judge_misnamed, line},
    folder::{LocalSkill, scan},
    output::note,
    transfer,
};
use crate::{
    backend::SkillSource,
    error::{Code, Error, Result},
    limits::UPLOAD_FILE_BYTES,
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
    changes: FileChanges,
    skipped: Vec<String>,
    /// What lint finds in it. There are errors only by force.
    errors: usize,
    warnings: usize,
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
        let service = app.authoring("push").await?;
        let user = app.user()?;
        let scanned = scan(&self.dir, self.into.as_deref())?;
        let misnamed: Vec<_> = scanned.misnamed.iter().map(judge_misnamed).collect();
        let judged = scanned.skills.iter().map(|local| Ok(judge(local, &read(local.main())?)));
        let judged = judged.collect::<Result<Vec<_>>>()?;
        if !self.force {
            refuse_errors(app, misnamed.iter().chain(&judged))?;
        }
        let mut pushed = Vec::with_capacity(judged.len());
        for (local, judged) in scanned.skills.into_iter().zip(judged) {
            let plan = service.plan_push(&user, &local.skill, &local, self.delete).await?;
            if !self.dry_run {
                let bar = transfer::progress(app, plan.due(), local.skill.as_str());
                service.push(&local, &plan, &|| bar.inc(1)).await?;
                bar.finish_and_clear();
            }
            let (errors, warnings) = (judged.count(Severity::Error), judged.count(Severity::Warning));
            let skill = local.skill.to_string();
            pushed.push(Pushed { skill, changes: plan.changes(), skipped: local.skipped, errors, warnings });
        }
        app.out.reply(&pushed, |out, pushed| {
            for skill in pushed {
                out.line(transfer::summary(&skill.skill, &skill.changes, self.dry_run))?;
                transfer::lines(&skill.changes).try_for_each(|line| out.line(line))?;
                skill
                    .skipped
                    .iter()
                    .for_each(|skipped| note(format_args!("  passed over: {}", one_line(skipped).plain())));
            }
            let other =
                misnamed.iter().flat_map(|one| one.findings.iter().map(|finding| line(one, "passed over", finding)));
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
fn refuse_errors<'judged>(app: &App, judged: impl Iterator<Item = &'judged LintedSkill>) -> Result<()> {
    let refused: Vec<_> = judged.filter_map(LintedSkill::errors_only).collect();
    if refused.is_empty() {
        return Ok(());
    }
    if !app.out.is_json() {
        refused.iter().flat_map(|one| one.findings.iter().map(|finding| line(one, "error", finding))).for_each(note);
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
