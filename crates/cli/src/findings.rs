//! The findings of lint, for the command that prints them and for a push, which leaves skills with errors behind.

use std::{fmt::Display, path::Path};

use crate::{
    authoring::{lint_content, lint_skill},
    counts::counted,
    error::{Error, Result},
    folder::{LocalFile, LocalSkill, NoSkill},
    limits::UPLOAD_FILE_BYTES,
    local_path::LocalPath,
    screen::plain,
    skill::{Diagnostic, FindingCode, MAIN, Severity, SkillUpload, fix},
    wire::{LintFinding, LintedSkill},
};

/// The mark of a finding that `lint --fix` fixes.
const FIXABLE: &str = " (--fix)";

/// The findings on a skill of this machine. Reads its files, except files that are too large to be pushed. A file that
/// cannot be read is a finding.
pub(super) fn judge(local: &LocalSkill) -> LintedSkill {
    let file = local.main().display().to_string();
    let bytes = match read(&local.main()) {
        Ok(bytes) => bytes,
        Err(why) => return of_findings(&local.skill, file, vec![unreadable(MAIN, &why)]),
    };
    let files: Vec<_> = local.files.iter().map(|file| file.relative.as_str()).collect();
    let mut linted = lint_skill(&local.skill, file, &bytes, &files);
    mark_fixable(&mut linted, fix(&bytes, local.skill.folder()).map(|fixed| fixed.mended).unwrap_or_default());
    for file in &local.files {
        linted.findings.extend(of_file(file, file.path == local.main()));
    }
    // The rules of a publish: twins, and what no path can name.
    let found = SkillUpload::path_findings(files.iter().copied());
    linted.findings.extend(found.into_iter().map(|diagnostic| LintFinding::new(MAIN, diagnostic)));
    let size = local.files.iter().map(|file| file.size).sum();
    linted.with_quality(&bytes, local.skill.folder(), &files, size)
}

/// Marks the findings on SKILL.md that a fix removes, each once.
fn mark_fixable(linted: &mut LintedSkill, mut fixes: Vec<Diagnostic>) {
    linted.fixable = fixes.len();
    for finding in linted.findings.iter_mut().filter(|finding| finding.path == MAIN) {
        if let Some(at) = fixes.iter().position(|fixed| *fixed == finding.diagnostic) {
            drop(fixes.swap_remove(at));
            finding.fixable = true;
        }
    }
}

/// The findings on a file: too large, unreadable, or faults in its content. The content of SKILL.md is judged
/// elsewhere.
fn of_file(file: &LocalFile, is_main: bool) -> Vec<LintFinding> {
    if file.size > UPLOAD_FILE_BYTES as u64 {
        let message =
            format!("this file is over {} MiB, the most a file may have: keep it elsewhere", UPLOAD_FILE_BYTES >> 20);
        let diagnostic = Diagnostic::new(FindingCode::VersionTooLarge, message);
        return vec![LintFinding::new(&file.relative, diagnostic)];
    }
    if is_main {
        return Vec::new();
    }
    match read(&file.path) {
        Ok(bytes) => lint_content(&file.relative, &bytes),
        Err(why) => vec![unreadable(&file.relative, &why)],
    }
}

fn unreadable(path: &str, why: &Error) -> LintFinding {
    LintFinding::new(path, Diagnostic::new(FindingCode::Unreadable, why.chain()))
}

/// The finding on an entry that is no skill.
pub(super) fn judge_no_skill(none: &NoSkill) -> LintedSkill {
    let path = none.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let finding = LintFinding::new(path, none.finding.clone());
    of_findings(&none.at, none.path.display().to_string(), vec![finding])
}

/// A skill or file with these findings alone, since it was not checked further.
fn of_findings(skill: impl Display, file: String, findings: Vec<LintFinding>) -> LintedSkill {
    LintedSkill { skill: skill.to_string(), file, mended: Vec::new(), findings, fixable: 0, quality: None }
}

/// The skill's name and how many findings it has, for the line above them.
pub(super) fn heading(linted: &LintedSkill) -> String {
    let counts = [
        (linted.mended.len(), "fixed finding"),
        (linted.count(Severity::Error), "error"),
        (linted.count(Severity::Warning), "warning"),
    ];
    let counts: Vec<_> =
        counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| counted(*count, what)).collect();
    format!("{}: {}", plain(&linted.skill), counts.join(", "))
}

/// The score of a skill and what costs it points, each on a line.
pub(super) fn quality(linted: &LintedSkill) -> Vec<String> {
    let Some(quality) = &linted.quality else { return Vec::new() };
    let score = format!("{}: quality {} of 100", plain(&linted.skill), quality.score);
    let reasons = quality.reasons.iter().map(|reason| {
        let what = if reason.security { "security: " } else { "" };
        format!("  -{} {what}{} [{}]", reason.points, plain(&reason.message), reason.code)
    });
    [score].into_iter().chain(reasons).collect()
}

/// Where the file of a finding lies, as the author named it.
pub(super) fn file(linted: &LintedSkill, finding: &LintFinding) -> String {
    Path::new(&linted.file).with_file_name(&finding.path).display().to_string()
}

/// One finding on a line, with its place and a mark if `lint --fix` fixes it. `what` is the severity or the outcome.
pub(super) fn line(linted: &LintedSkill, what: impl Display, finding: &LintFinding) -> String {
    let mark = if finding.fixable { FIXABLE } else { "" };
    at_file(&file(linted, finding), what, &finding.diagnostic) + mark
}

/// A finding on the file that its author knows as `file`.
pub(super) fn at_file(file: &str, what: impl Display, finding: &Diagnostic) -> String {
    let place = match (finding.line, finding.column) {
        (Some(line), Some(column)) => format!(":{line}:{column}"),
        (Some(line), None) => format!(":{line}"),
        _ => String::new(),
    };
    format!("  {}{place}: {what}: {} [{}]", plain(file), plain(&finding.message), finding.code)
}

/// The bytes of a file of a skill.
///
/// # Errors
/// `invalid_request` if it cannot be read.
pub(super) fn read(path: &LocalPath) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|error| invalid!("{} cannot be read", path.display()).with_source(error))
}
