//! `skillmount lint`

use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use super::super::{
    app::App,
    folder::{LocalSkill, Target, scan},
    output::{Output, plain},
    stored, transfer,
};
use crate::{
    error::{Code, Error, Result},
    path::SkillPath,
    skill::{Diagnostic, Severity, fix, lint},
};

/// The file of a skill that is judged.
const MAIN: &str = "SKILL.md";
/// What to write for every skill of the store.
const WHOLE_STORE: &str = "store";

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  skillmount lint ./skills                     folders on this machine
  skillmount lint escrituras/compraventa       one skill of the store
  skillmount lint store                        every skill of the store
  skillmount lint ./skills --fix               mend what has only one right answer
  skillmount lint ./skills --json | jq '.[].findings[]'

Prints file:line:column. The exit status is 2 if anything is an error;
with --strict, if anything is found.")]
pub(in super::super) struct Lint {
    /// A folder, a skill path, or the word store
    target: String,
    /// Take warnings for errors
    #[arg(long)]
    strict: bool,
    /// Mend what can be mended safely, in folders on this machine; the rest is told as ever
    #[arg(long)]
    fix: bool,
}

/// The findings on one skill.
#[derive(Debug, Serialize)]
struct Linted {
    skill: String,
    file: String,
    /// What was wrong and is mended now; places are those of the file as it was.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    mended: Vec<Diagnostic>,
    findings: Vec<Diagnostic>,
}

impl Lint {
    pub(in super::super) async fn run(self, app: &App) -> Result<()> {
        let folder = PathBuf::from(&self.target);
        let linted = if self.target != WHOLE_STORE && folder.is_dir() {
            let skills = scan(&folder, None)?;
            skills.iter().map(|local| lint_local(local, self.fix.then_some(app))).collect::<Result<Vec<_>>>()?
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

    async fn lint_stored(&self, app: &App) -> Result<Vec<Linted>> {
        let (store, namespace) = app.direct_store("lint of stored skills").await?;
        let prefix = namespace.user(&app.user()?)?.skills()?;
        let found = stored::find(&store, &prefix).await?;
        let names = if self.target == WHOLE_STORE { Vec::new() } else { vec![self.target.clone()] };
        let mut linted = Vec::new();
        for skill in stored::choose(&found, &names)? {
            let root = prefix.folder(skill.skill.as_str())?;
            let main = root.key(MAIN)?;
            let bytes = transfer::fetch(&store, &main).await?.map(|object| object.bytes).unwrap_or_default();
            let files: Vec<_> = skill.files.iter().filter_map(|file| root.relative(&file.key)).collect();
            linted.push(judge(&skill.skill, format!("{}/{MAIN}", skill.skill), &bytes, &files));
        }
        Ok(linted)
    }
}

/// The findings on a skill of this machine, which is mended first where there is a `mender`.
fn lint_local(local: &LocalSkill, mender: Option<&App>) -> Result<Linted> {
    let main = local.files.iter().find(|file| file.relative == MAIN);
    let path = main.map_or(Path::new(MAIN), |file| file.path.as_path());
    let bytes = std::fs::read(path).map_err(|error| {
        Error::new(Code::InvalidRequest, format!("{} cannot be read", path.display())).with_source(error)
    })?;
    let files: Vec<_> = local.files.iter().map(|file| file.relative.as_str()).collect();
    let judge = |bytes: &[u8]| judge(&local.skill, path.display().to_string(), bytes, &files);
    let Some((app, fixed)) = mender.and_then(|app| Some((app, fix(&bytes, local.skill.folder())?))) else {
        return Ok(judge(&bytes));
    };
    let folder = path.parent().unwrap_or(Path::new(""));
    Target::new(folder.to_owned()).write(MAIN, &fixed.bytes, app.clock.random())?;
    Ok(Linted { mended: fixed.mended, ..judge(&fixed.bytes) })
}

fn judge(skill: &SkillPath, file: String, bytes: &[u8], files: &[&str]) -> Linted {
    let findings = lint(bytes, skill.folder(), Some(files));
    Linted { skill: skill.to_string(), file, mended: Vec::new(), findings }
}

fn print(out: &Output, linted: &Vec<Linted>) -> Result<()> {
    for skill in linted {
        for finding in &skill.mended {
            print_finding(out, &skill.file, "mended", finding)?;
        }
        for finding in &skill.findings {
            let severity = if finding.severity == Severity::Error { "error" } else { "warning" };
            print_finding(out, &skill.file, severity, finding)?;
        }
    }
    let clean = linted.iter().filter(|skill| skill.findings.is_empty()).count();
    out.line(format_args!("{} skill(s) checked, {clean} without findings", linted.len()))
}

fn print_finding(out: &Output, file: &str, what: &str, finding: &Diagnostic) -> Result<()> {
    let place = match (finding.line, finding.column) {
        (Some(line), Some(column)) => format!(":{line}:{column}"),
        (Some(line), None) => format!(":{line}"),
        _ => String::new(),
    };
    out.line(format_args!("{file}{place}: {what}: {} [{}]", plain(&finding.message), finding.code))
}
