//! Skills of a source on their way into a store: each is pushed as its author would, with the lock file as the memory.
//!
//! So a skill that was changed here after it was added is never overwritten. The skill is in conflict, and stays.

use bytes::Bytes;
use serde::Serialize;

use super::{
    SourceAddress,
    found::{SourceContents, SourceSkill},
    lock::{Lock, LockEntry},
};
use crate::{
    client::sync::{PushOptions, PushSource, PushStatus, SkillText, SyncBase, VersionMemory, push_skill},
    counts::counted,
    error::{Code, Error, Result},
    output::Output,
    path::SkillPath,
    screen::plain,
    skill::Diagnostic,
    status::PARTIAL,
    wire::{FileChanges, SkillDigest, SkillRepository},
};

/// The outcome for a skill, or the outcome that it would have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SourceStatus {
    /// There was no such skill.
    New,
    /// It has a new version.
    Changed,
    /// It has this version already.
    Unchanged,
    /// It was changed here, or comes from elsewhere, so it stays as it is.
    Conflict,
    /// The skill has an error, so it stays behind.
    Refused,
    /// The source no longer has it, and it stays here.
    Gone,
}

/// A skill, and what became of it.
#[derive(Debug, Serialize)]
pub(crate) struct SourceRow {
    skill: String,
    pub(crate) status: SourceStatus,
    #[serde(flatten)]
    changes: FileChanges,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    findings: Vec<Diagnostic>,
}

/// The outcome for everything that a source has.
#[derive(Debug, Serialize)]
pub(crate) struct SourceReport {
    source: String,
    revision: String,
    pub(crate) skills: Vec<SourceRow>,
    passed_over: Vec<String>,
}

/// A skill of a source as `push` takes it.
struct Pushing<'run> {
    found: &'run SourceSkill,
    known: Option<SyncBase>,
}

impl VersionMemory for Pushing<'_> {
    fn remembered(&self) -> Result<Option<SyncBase>> {
        Ok(self.known.clone())
    }

    fn remember(&mut self, version: &SyncBase) -> Result<()> {
        self.known = Some(version.clone());
        Ok(())
    }
}

impl PushSource for Pushing<'_> {
    fn paths(&self) -> Vec<String> {
        self.found.files.iter().map(|(path, _)| path.clone()).collect()
    }

    fn read(&self, path: &str) -> Result<Bytes> {
        let found = self.found.files.iter().find(|(one, _)| one == path);
        found.map(|(_, bytes)| bytes.clone()).ok_or_else(|| Error::internal(format!("{path} was not fetched")))
    }
}

/// How skills of a source are taken over.
#[derive(Clone, Copy, Debug)]
pub(crate) struct How<'run> {
    /// The category that they are put in.
    pub(crate) into: Option<&'run str>,
    /// Say what would change and change nothing.
    pub(crate) dry_run: bool,
    /// Whether skills that the lock file does not know are added.
    pub(crate) adds: bool,
}

/// Publishes the skills that were fetched from `source`, and notes them in `lock`.
///
/// # Errors
/// Those of the store or the server.
pub(crate) async fn bring(
    author: &dyn SkillRepository,
    lock: &mut Lock,
    (source, fetched): (&SourceAddress, &SourceContents),
    how: How<'_>,
) -> Result<SourceReport> {
    let text = source.text();
    let mut rows = Vec::new();
    for found in &fetched.skills {
        let name = found.skill.as_str();
        let locked = lock.skills.get(name).cloned();
        if locked.is_none() && !how.adds {
            continue;
        }
        if locked.as_ref().is_some_and(|locked| locked.source != text) {
            rows.push(SourceRow::new(name, SourceStatus::Conflict));
            continue;
        }
        let there = author.skill_digests(Some(&found.skill)).await?.skills.pop();
        let options = PushOptions { force: false, dry_run: how.dry_run, source: Some(fetched.provenance.clone()) };
        // Who adds a skill again that was deleted here wants it back.
        let is_wanted_back = how.adds && locked.is_some() && is_gone(author, &found.skill, there.as_ref()).await?;
        let known = locked.filter(|_| !is_wanted_back).map(|locked| locked.version);
        let mut pushing = Pushing { found, known };
        let pushed = push_skill(author, &found.skill, &mut pushing, there.as_ref(), &options).await?;
        let status = match pushed.status {
            PushStatus::New => SourceStatus::New,
            PushStatus::Changed => SourceStatus::Changed,
            PushStatus::Unchanged => SourceStatus::Unchanged,
            PushStatus::Conflict => SourceStatus::Conflict,
        };
        if let (false, true, Some(version)) = (how.dry_run, status != SourceStatus::Conflict, pushing.known) {
            let (into, revision) = (how.into.map(str::to_owned), fetched.revision.clone());
            lock.skills.insert(name.to_owned(), LockEntry { source: text.clone(), into, revision, version });
        }
        rows.push(SourceRow { changes: pushed.changes, ..SourceRow::new(name, status) });
    }
    for (name, findings) in &fetched.refused {
        rows.push(SourceRow { findings: findings.clone(), ..SourceRow::new(name, SourceStatus::Refused) });
    }
    let has =
        |name: &str| fetched.skills.iter().any(|one| one.skill.as_str() == name) || fetched.refused.contains_key(name);
    let of_source =
        lock.skills.iter().filter(|(_, locked)| locked.source == text && locked.into.as_deref() == how.into);
    rows.extend(of_source.filter(|(name, _)| !has(name)).map(|(name, _)| SourceRow::new(name, SourceStatus::Gone)));
    rows.sort_by(|one, two| one.skill.cmp(&two.skill));
    let (revision, passed_over) = (fetched.revision.clone(), fetched.passed_over.clone());
    Ok(SourceReport { source: source.shown(), revision, skills: rows, passed_over })
}

/// Whether there is no such skill. A server lists one without a digest if it is broken or not there.
async fn is_gone(author: &dyn SkillRepository, skill: &SkillPath, there: Option<&SkillDigest>) -> Result<bool> {
    match there {
        Some(there) if there.digest.is_some() => Ok(false),
        _ => Ok(SkillText::get(author, skill, None).await?.is_none()),
    }
}

impl SourceRow {
    fn new(skill: &str, status: SourceStatus) -> Self {
        Self { skill: skill.to_owned(), status, changes: FileChanges::default(), findings: Vec::new() }
    }

    fn line(&self) -> String {
        let skill = plain(&self.skill);
        match self.status {
            SourceStatus::New => format!("{skill}: new"),
            SourceStatus::Changed => format!("{skill}: changed, {}", counted(self.changes.changed(), "file")),
            SourceStatus::Unchanged => format!("{skill}: as it was"),
            SourceStatus::Conflict => format!("{skill}: changed here, or from elsewhere; it stays as it is"),
            SourceStatus::Refused => format!("{skill}: refused"),
            SourceStatus::Gone => format!("{skill}: not there any more; `skillmount skills rm` deletes it here"),
        }
    }
}

impl SourceReport {
    /// Whether anything changed, or would.
    pub(crate) fn changes(&self) -> bool {
        self.skills.iter().any(|row| matches!(row.status, SourceStatus::New | SourceStatus::Changed))
    }

    /// Prints what became of each skill.
    ///
    /// # Errors
    /// If standard output is closed.
    pub(crate) fn print(&self, out: &Output) -> Result<()> {
        out.line(format!("from {}", plain(&self.source)))?;
        for row in &self.skills {
            out.line(row.line())?;
            for finding in &row.findings {
                out.line(format!("  {}: {}", finding.code.as_str(), plain(&finding.message)))?;
            }
        }
        self.passed_over.iter().try_for_each(|what| out.line(format!("passed over: {}", plain(what))))
    }
}

/// The outcome of a command that brought these.
///
/// # Errors
/// `invalid_skill` if a skill stayed behind for an error in it. `version_conflict` if a skill was changed here or comes
/// from elsewhere.
pub(crate) fn outcome(brought: &[SourceReport]) -> Result<()> {
    let count = |status| brought.iter().flat_map(|one| &one.skills).filter(|row| row.status == status).count();
    match (count(SourceStatus::Refused), count(SourceStatus::Conflict)) {
        (0, 0) => Ok(()),
        (0, conflicts) => {
            let message =
                format!("{} changed here or came from elsewhere, and stayed as it was", counted(conflicts, "skill"));
            Err(Error::new(Code::VersionConflict, message))
        }
        (refused, _) => {
            let message = format!("{} stayed behind for errors in it", counted(refused, "skill"));
            let error = Error::new(Code::InvalidSkill, message);
            let is_partial = [SourceStatus::New, SourceStatus::Changed, SourceStatus::Unchanged].map(count) != [0; 3];
            Err(if is_partial { error.with_detail(PARTIAL, true) } else { error })
        }
    }
}
