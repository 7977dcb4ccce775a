//! `skillmount lint`

use clap::{Args, ValueEnum};

use crate::{
    app::App,
    blocking::blocking,
    counts::counted,
    error::{Code, Error, Result},
    findings::{at_file, heading, judge, judge_no_skill, line, quality, read},
    folder::{Extent, FolderScan, LocalSkill, PullFolder, missing, scan},
    limits::LIST_OBJECTS,
    local_path::LocalPath,
    output::{OfSkills, Output},
    sarif::sarif,
    skill::{Diagnostic, Severity, fix, patch},
    wire::{LintFinding, LintListRequest, LintedSkill},
};

/// The target that means every skill of the store.
const WHOLE_STORE: &str = "store";

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  skillmount lint                              the folder you are in
  skillmount lint ./skills                     folders on this machine
  skillmount lint ./skills/minutes/SKILL.md    one of them
  skillmount lint escrituras/compraventa       one skill of the store
  skillmount lint store                        every skill of the store
  skillmount lint ./skills --diff              what --fix would do, as a patch
  skillmount lint ./skills --fix               fix what has only one right answer
  skillmount lint ./skills --quality           a score for each skill, and why
  skillmount lint ./skills --json | jq '.skills[].findings[]'
  skillmount lint ./skills --format sarif > skills.sarif

Prints file:line:column of each finding, and the mark (--fix) if --fix fixes it.
The exit status is 2 if anything is an error; with --strict, if anything is found. What .gitignore, .ignore and .skillignore name is passed over,
as by push.
Of skills in the store, secrets are looked for in SKILL.md and in the names of files.")]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own on the command line")]
pub(crate) struct Lint {
    /// A folder, a SKILL.md, a skill path, or the word store
    #[arg(default_value = ".")]
    target: String,
    /// Take warnings for errors
    #[arg(long)]
    strict: bool,
    /// Fix what can be fixed safely, in folders on this machine, and report the rest
    #[arg(long)]
    fix: bool,
    /// Print what --fix would do as a patch, and change nothing
    #[arg(long, conflicts_with_all = ["fix", "format"])]
    diff: bool,
    /// How findings are written: for people, as with --json, or as SARIF 2.1.0 for code hosts and editors
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Print how well each skill serves agents, and what would make it better
    #[arg(long)]
    quality: bool,
    /// Look at what .gitignore, .ignore and .skillignore name, too
    #[arg(long)]
    no_ignore: bool,
}

/// How findings are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
    Sarif,
}

impl Lint {
    pub(crate) async fn run(self, app: &App) -> Result<()> {
        if app.out.is_json() && (self.diff || self.format.is_some()) {
            return Err(invalid!("--json says already how findings are written: leave it out, or --diff or --format"));
        }
        let folder = app.process.local(&self.target);
        let linted = if self.target != WHOLE_STORE && folder.exists() {
            let extent = if self.no_ignore { Extent::Everything } else { Extent::NotIgnored };
            let scanned = blocking(move || scan(&folder, None, extent)).await?;
            if self.diff {
                patches(&app.out, &scanned.skills)?;
            }
            self.lint_local(app, scanned).await?
        } else if is_path(&self.target) {
            return Err(missing(&folder));
        } else if self.fix || self.diff {
            return Err(invalid!(
                "--fix works on folders of this machine, and {} is none; pull the skill",
                self.target
            ));
        } else {
            self.lint_stored(app).await.map_err(|error| not_here_either(error, &folder))?
        };
        self.show(&app.out, &linted)?;
        let counts = |finding: &&LintFinding| self.strict || finding.diagnostic.severity == Severity::Error;
        match linted.iter().flat_map(|skill| &skill.findings).filter(counts).count() {
            0 => Ok(()),
            1 => Err(invalid!("1 finding must be fixed; see above")),
            many => Err(invalid!("{many} findings must be fixed; see above")),
        }
    }

    /// The findings on the skills of a folder. With --fix, files are fixed first.
    async fn lint_local(&self, app: &App, scanned: FolderScan) -> Result<Vec<LintedSkill>> {
        let mut linted: Vec<_> = scanned.no_skills.iter().map(judge_no_skill).collect();
        for local in scanned.skills {
            let mended = if self.fix { fix_file(&local, app)? } else { Vec::new() };
            // A signal ends the run here, between two skills, and never within a write.
            let judged = blocking(move || Ok(judge(&local))).await?;
            linted.push(LintedSkill { mended, ..judged });
        }
        linted.sort_by(|one, two| (&one.skill, &one.file).cmp(&(&two.skill, &two.file)));
        Ok(linted)
    }

    async fn lint_stored(&self, app: &App) -> Result<Vec<LintedSkill>> {
        let author = app.author().await?;
        let skill = (self.target != WHOLE_STORE).then(|| self.target.clone());
        let mut wanted = LintListRequest { skill, ..LintListRequest::default() };
        let mut linted = Vec::new();
        loop {
            let page = author.lint_skills(&wanted).await?;
            linted.extend(page.skills);
            if page.is_cut {
                app.out.note(format_args!("there are more than {LIST_OBJECTS} files; skills beyond them are left out"));
            }
            match page.next_cursor {
                Some(next) if wanted.cursor.as_ref() != Some(&next) => wanted.cursor = Some(next),
                _ => return Ok(linted),
            }
        }
    }

    fn show(&self, out: &Output, linted: &[LintedSkill]) -> Result<()> {
        match self.format {
            // Standard output holds the patch alone, so that `patch` can read it.
            _ if self.diff => {
                out.note(closing(linted));
                Ok(())
            }
            None => out.reply(&OfSkills { skills: linted }, |out, linted| self.print(out, linted.skills)),
            Some(Format::Text) => self.print(out, linted),
            Some(Format::Json) => out.document(&OfSkills { skills: linted }),
            Some(Format::Sarif) => out.document(&sarif(linted)),
        }
    }

    fn print(&self, out: &Output, linted: &[LintedSkill]) -> Result<()> {
        for skill in linted.iter().filter(|skill| skill.mended.len() + skill.findings.len() > 0) {
            out.line(heading(skill))?;
            skill.mended.iter().try_for_each(|finding| out.line(at_file(&skill.file, "fixed", finding)))?;
            let told = |finding: &LintFinding| out.line(line(skill, finding.diagnostic.severity, finding));
            skill.findings.iter().try_for_each(told)?;
        }
        for skill in linted.iter().filter(|_| self.quality) {
            quality(skill).iter().try_for_each(|text| out.line(text))?;
        }
        out.line(closing(linted))
    }
}

/// Whether a target names something on this machine, and cannot be a skill of the store.
fn is_path(target: &str) -> bool {
    target.starts_with(['/', '.', '~']) || target.ends_with('/') || target.contains('\\')
}

/// The error of a target that is no skill. It may have been meant as a folder.
fn not_here_either(error: Error, folder: &LocalPath) -> Error {
    if error.code() != Code::SkillNotFound {
        return error;
    }
    let message = format!("there is no folder {}, and {}", folder.display(), error.message());
    let details = error.details().iter();
    details.fold(Error::new(error.code(), message), |error, (name, value)| error.with_detail(name, value.clone()))
}

/// Fixes the SKILL.md of a skill, and returns the findings that are gone.
fn fix_file(local: &LocalSkill, app: &App) -> Result<Vec<Diagnostic>> {
    let path = local.main();
    // An unreadable file stays a finding.
    let Some(fixed) = read(&path).ok().and_then(|bytes| fix(&bytes, local.skill.folder())) else {
        return Ok(Vec::new());
    };
    let folder = path.parent().unwrap_or_else(|| path.clone());
    PullFolder::new(folder).write("SKILL.md", &fixed.bytes, app.clock.random())?;
    Ok(fixed.mended)
}

/// Prints what --fix would do to each of the skills.
fn patches(out: &Output, skills: &[LocalSkill]) -> Result<()> {
    for local in skills {
        let Ok(before) = read(&local.main()) else { continue };
        let Some(fixed) = fix(&before, local.skill.folder()) else { continue };
        let file = local.main().display().to_string();
        // A file that can be fixed is UTF-8.
        let [before, after] = [&before, &fixed.bytes].map(|bytes| String::from_utf8_lossy(bytes));
        out.block(&patch(&file, &file, &before, &after))?;
    }
    Ok(())
}

/// How many skills and findings there are, and how to fix the fixable findings.
fn closing(linted: &[LintedSkill]) -> String {
    let sum = |count: fn(&LintedSkill) -> usize| linted.iter().map(count).sum::<usize>();
    let (errors, warnings) = (sum(|one| one.count(Severity::Error)), sum(|one| one.count(Severity::Warning)));
    let mut text =
        format!("{}, {}, {}", counted(linted.len(), "skill"), counted(errors, "error"), counted(warnings, "warning"));
    for (count, what) in [(sum(|one| one.mended.len()), "fixed"), (sum(|one| one.fixable), "can be fixed with --fix")] {
        if count > 0 {
            text = format!("{text}, {count} {what}");
        }
    }
    text
}
