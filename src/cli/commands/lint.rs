//! `skillmount lint`

use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use super::super::{
    app::App,
    folder::{LocalSkill, scan},
    output::{Output, plain},
    stored, transfer,
};
use crate::{
    error::{Code, Error, Result},
    path::SkillPath,
    skill::{Diagnostic, Severity, lint},
};

/// What to write for every skill of the store.
const WHOLE_STORE: &str = "store";

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  skillmount lint ./skills                     folders on this machine
  skillmount lint escrituras/compraventa       one skill of the store
  skillmount lint store                        every skill of the store
  skillmount lint ./skills --json | jq '.[].findings[]'

Prints file:line:column. The exit status is 2 if anything is an error;
with --strict, if anything is found.")]
pub(in super::super) struct Lint {
    /// A folder, a skill path, or the word store
    target: String,
    /// Take warnings for errors
    #[arg(long)]
    strict: bool,
}

/// The findings on one skill.
#[derive(Debug, Serialize)]
struct Linted {
    skill: String,
    file: String,
    findings: Vec<Diagnostic>,
}

impl Lint {
    pub(in super::super) async fn run(self, app: &App) -> Result<()> {
        let folder = PathBuf::from(&self.target);
        let linted = if self.target != WHOLE_STORE && folder.is_dir() {
            scan(&folder, None)?.iter().map(lint_local).collect::<Result<Vec<_>>>()?
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
            let main = root.key("SKILL.md")?;
            let bytes = transfer::fetch(&store, &main).await?.map(|object| object.bytes).unwrap_or_default();
            let files: Vec<_> = skill.files.iter().filter_map(|file| root.relative(&file.key)).collect();
            linted.push(judge(&skill.skill, format!("{}/SKILL.md", skill.skill), &bytes, &files));
        }
        Ok(linted)
    }
}

fn lint_local(local: &LocalSkill) -> Result<Linted> {
    let main = local.files.iter().find(|file| file.relative == "SKILL.md");
    let path = main.map_or(Path::new("SKILL.md"), |file| file.path.as_path());
    let bytes = std::fs::read(path).map_err(|error| {
        Error::new(Code::InvalidRequest, format!("{} cannot be read", path.display())).with_source(error)
    })?;
    let files: Vec<_> = local.files.iter().map(|file| file.relative.as_str()).collect();
    Ok(judge(&local.skill, path.display().to_string(), &bytes, &files))
}

fn judge(skill: &SkillPath, file: String, bytes: &[u8], files: &[&str]) -> Linted {
    Linted { skill: skill.to_string(), file, findings: lint(bytes, skill.folder(), Some(files)) }
}

fn print(out: &Output, linted: &Vec<Linted>) -> Result<()> {
    for skill in linted {
        for finding in &skill.findings {
            let place = match (finding.line, finding.column) {
                (Some(line), Some(column)) => format!(":{line}:{column}"),
                (Some(line), None) => format!(":{line}"),
                _ => String::new(),
            };
            let severity = if finding.severity == Severity::Error { "error" } else { "warning" };
            out.line(format_args!(
                "{}{place}: {severity}: {} [{}]",
                skill.file,
                plain(&finding.message),
                finding.code
            ))?;
        }
    }
    let clean = linted.iter().filter(|skill| skill.findings.is_empty()).count();
    out.line(format_args!("{} skill(s) checked, {clean} without findings", linted.len()))
}
