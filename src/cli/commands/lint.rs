//! `skillmount lint`

use std::path::{Path, PathBuf};

use clap::Args;

use super::super::{
    app::App,
    findings::{judge, judge_misnamed, line, read},
    folder::{LocalSkill, Target, scan},
    output::Output,
};
use crate::{
    error::{Code, Error, Result},
    skill::{Diagnostic, Severity, fix},
    wire::LintedSkill,
};

/// What to write for every skill of the store.
const WHOLE_STORE: &str = "store";

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  skillmount lint ./skills                     folders on this machine
  skillmount lint ./skills/minutes/SKILL.md    one of them
  skillmount lint escrituras/compraventa       one skill of the store
  skillmount lint store                        every skill of the store
  skillmount lint ./skills --fix               mend what has only one right answer
  skillmount lint ./skills --json | jq '.[].findings[]'

Prints file:line:column. The exit status is 2 if anything is an error;
with --strict, if anything is found.")]
pub(in super::super) struct Lint {
    /// A folder, a SKILL.md, a skill path, or the word store
    target: String,
    /// Take warnings for errors
    #[arg(long)]
    strict: bool,
    /// Mend what can be mended safely, in folders on this machine; the rest is told as ever
    #[arg(long)]
    fix: bool,
}

impl Lint {
    pub(in super::super) async fn run(self, app: &App) -> Result<()> {
        let folder = PathBuf::from(&self.target);
        let linted = if self.target != WHOLE_STORE && folder.exists() {
            let scanned = scan(&folder, None)?;
            let misnamed = scanned.misnamed.iter().map(|one| Ok(judge_misnamed(one)));
            let mender = self.fix.then_some(app);
            misnamed.chain(scanned.skills.iter().map(|local| lint_local(local, mender))).collect::<Result<Vec<_>>>()?
        } else if self.fix {
            let message = format!("--fix mends folders on this machine, and {} is none; pull the skill", self.target);
            return Err(Error::new(Code::InvalidRequest, message));
        } else {
            self.lint_stored(app).await?
        };
        app.out.reply(&linted, print)?;
        let counts = |finding: &&Diagnostic| self.strict || finding.severity == Severity::Error;
        match linted.iter().flat_map(|skill| &skill.findings).filter(counts).count() {
            0 => Ok(()),
            1 => Err(Error::new(Code::InvalidRequest, "1 finding must be mended; it is told above")),
            many => {
                Err(Error::new(Code::InvalidRequest, format!("{many} findings must be mended; they are told above")))
            }
        }
    }

    async fn lint_stored(&self, app: &App) -> Result<Vec<LintedSkill>> {
        let (service, stored) = app.stored_skills("lint of stored skills").await?;
        let names = if self.target == WHOLE_STORE { Vec::new() } else { vec![self.target.clone()] };
        let mut linted = Vec::new();
        for skill in stored.choose(&names)? {
            linted.push(service.lint_stored(skill).await?);
        }
        Ok(linted)
    }
}

/// The findings on a skill of this machine, which is mended first where there is a `mender`.
fn lint_local(local: &LocalSkill, mender: Option<&App>) -> Result<LintedSkill> {
    let path = local.main();
    let bytes = read(path)?;
    let Some((app, fixed)) = mender.and_then(|app| Some((app, fix(&bytes, local.skill.folder())?))) else {
        return Ok(judge(local, &bytes));
    };
    let folder = path.parent().unwrap_or(Path::new(""));
    Target::new(folder.to_owned()).write("SKILL.md", &fixed.bytes, app.clock.random())?;
    Ok(LintedSkill { mended: fixed.mended, ..judge(local, &fixed.bytes) })
}

fn print(out: &Output, linted: &Vec<LintedSkill>) -> Result<()> {
    for skill in linted {
        for finding in &skill.mended {
            out.line(line(skill, "mended", finding))?;
        }
        for finding in &skill.findings {
            out.line(line(skill, finding.severity, finding))?;
        }
    }
    let clean = linted.iter().filter(|skill| skill.findings.is_empty()).count();
    out.line(format_args!("{} skill(s) checked, {clean} without findings", linted.len()))
}
