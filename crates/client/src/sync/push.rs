//! Skills on their way from an author: published over the version that the author began from, and over no other.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use serde_json::json;

use super::{
    files::SkillText,
    version_memory::{SyncBase, VersionMemory},
};
use crate::{
    error::{Code, Error, Result},
    path::{SkillPath, is_of_tools},
    skill::{Version, VersionFile},
    wire::{Condition, FileChange, FileChanges, SkillDigest, SkillRepository, SkillState},
};

/// The files of one skill as its author has them.
pub trait PushSource: VersionMemory + Send + Sync {
    /// The paths of all files below the skill's folder, with `/`.
    fn paths(&self) -> Vec<String>;

    /// The bytes of one of them. A push asks twice, because all skills together may be more than memory should hold.
    ///
    /// # Errors
    /// Why there are none.
    fn read(&self, path: &str) -> Result<Bytes>;
}

/// How to push.
#[derive(Clone, Debug, Default)]
pub struct PushOptions {
    /// Publish over a version of another author.
    pub force: bool,
    /// Say what would change and change nothing.
    pub dry_run: bool,
    /// Where the skill comes from, in any words. The version keeps it.
    pub source: Option<String>,
}

/// The outcome for a skill that was pushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PushStatus {
    /// There was no such skill.
    New,
    /// It has a new version.
    Changed,
    /// It has this version already.
    Unchanged,
    /// The skill has another version than its author began from, and stays.
    Conflict,
}

/// The result of a push, or of a dry run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PushResult {
    /// The outcome.
    pub status: PushStatus,
    /// The files by their outcome.
    pub changes: FileChanges,
    /// The version that the skill has now, if that is known.
    pub digest: Option<String>,
    /// Files that another tool wrote meanwhile, which stay.
    pub kept: Vec<String>,
    /// How the two differ, if they are in conflict.
    pub conflict: Option<PushConflict>,
}

/// Two versions that neither comes from the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PushConflict {
    /// The version that the author began from; `None` if that is not known.
    pub base: Option<String>,
    /// The version that is there; `None` if the skill is gone.
    pub theirs: Option<String>,
    /// The files that either changed.
    pub files: Vec<ConflictFile>,
}

/// A file in three versions. `None` means that the file is absent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConflictFile {
    /// Its path below the skill's folder.
    pub path: String,
    /// As the author began; `None` also if that is not known.
    pub base: Option<Bytes>,
    /// As the author has it.
    pub mine: Option<Bytes>,
    /// As it is there.
    pub theirs: Option<Bytes>,
}

/// One skill on its way.
struct Push<'push> {
    author: &'push dyn SkillRepository,
    skill: &'push SkillPath,
    options: &'push PushOptions,
    mine: Version,
    known: Option<SyncBase>,
}

/// Publishes the files of `source` as the new version of `skill`, if it is the version that they come from, or if there is no
/// such skill. `there` is the skill as it was listed, if it was.
///
/// # Errors
/// Those of `source`, and of the methods of `author`.
pub async fn push_skill(
    author: &dyn SkillRepository,
    skill: &SkillPath,
    source: &mut dyn PushSource,
    there: Option<&SkillDigest>,
    options: &PushOptions,
) -> Result<PushResult> {
    let files = source.paths().into_iter().map(|path| Ok(VersionFile::from_bytes(path.as_str(), &source.read(&path)?)));
    let mine = Version::new(files.collect::<Result<_>>()?);
    let push = Push { author, skill, options, mine, known: source.remembered()? };
    let text = match there {
        Some(there) => SkillText::of_unknown(author, there).await?,
        None => None,
    };
    let listed = there.and_then(|there| there.digest.clone());
    let Some(theirs) = listed.clone().or_else(|| Some(text.as_ref()?.version.digest().to_owned())) else {
        let condition = push.on_nothing().await?;
        if options.dry_run && matches!(condition, Condition::Version(_)) {
            return push.conflict(source, None).await;
        }
        return push.publish(source, (PushStatus::New, push.changes(&BTreeMap::new())), condition).await;
    };
    let only = Condition::Version(theirs.clone());
    if theirs == push.mine.digest() {
        let unchanged = (PushStatus::Unchanged, push.changes(&SyncBase::from_version(&push.mine).files));
        if listed.is_none() {
            // It lies there as other tools or an interrupted publish left it: from now on it is a version.
            return push.publish(source, unchanged, only).await;
        }
        if push.known.as_ref().map(|known| &known.digest) != Some(&theirs) && !options.dry_run {
            source.remember(&SyncBase::from_version(&push.mine).as_skill(skill))?;
        }
        return Ok(done(unchanged, Some(theirs)));
    }
    let before = match &push.known {
        Some(known) if known.digest == theirs => known.files.clone(),
        _ if !options.force => {
            let text = if text.is_none() { SkillText::get(author, skill, None).await? } else { text };
            return push.conflict(source, text).await;
        }
        _ => {
            let text = if text.is_none() { SkillText::get(author, skill, Some(&theirs)).await? } else { text };
            text.map(|text| SyncBase::from_version(&text.version).files).unwrap_or_default()
        }
    };
    let changes = push.changes(&before);
    // Files of tools are in no folder, and are alone no reason for a new version.
    let is_same = changes.changed() == changes.deleted.iter().filter(|path| is_of_tools(path)).count();
    if is_same && !options.force {
        let unchanged = FileChanges { deleted: Vec::new(), ..changes };
        return Ok(done((PushStatus::Unchanged, unchanged), Some(theirs)));
    }
    push.publish(source, (PushStatus::Changed, changes), only).await
}

/// The outcome for a skill that has the version `digest` now.
fn done((status, changes): (PushStatus, FileChanges), digest: Option<String>) -> PushResult {
    PushResult { status, changes, digest, kept: Vec::new(), conflict: None }
}

impl Push<'_> {
    /// The differences from a replaced version, which has the SHA-256 of each file by path.
    fn changes(&self, before: &BTreeMap<String, String>) -> FileChanges {
        let mut gone: BTreeSet<&str> = before.keys().map(String::as_str).collect();
        let mut changes = Vec::new();
        for file in self.mine.files() {
            gone.remove(file.path.as_str());
            let change = match before.get(&file.path) {
                None => FileChange::Created,
                Some(before) if *before == file.sha256 => FileChange::Unchanged,
                Some(_) => FileChange::Updated,
            };
            changes.push((file.path.as_str(), change));
        }
        changes.extend(gone.into_iter().map(|path| (path, FileChange::Deleted)));
        changes.into_iter().collect()
    }

    /// On which condition a skill is published that is not there. If the version that the author began from was there once,
    /// another author deleted the skill since, and the push is refused. If it was not, the author began with another store.
    async fn on_nothing(&self) -> Result<Condition> {
        if self.options.force {
            return Ok(Condition::Any);
        }
        let Some(known) = &self.known else { return Ok(Condition::Nothing) };
        let was_here = SkillText::get(self.author, self.skill, Some(&known.digest)).await?.is_some();
        Ok(if was_here { Condition::Version(known.digest.clone()) } else { Condition::Nothing })
    }

    /// Publishes on this condition, and remembers what was published.
    async fn publish(
        &self,
        source: &mut dyn PushSource,
        what: (PushStatus, FileChanges),
        condition: Condition,
    ) -> Result<PushResult> {
        if self.options.dry_run {
            return Ok(done(what, Some(self.mine.digest().to_owned())));
        }
        let files = source.paths().into_iter().map(|path| Ok((path.clone(), source.read(&path)?)));
        let text = SkillText::new(files.collect::<Result<_>>()?);
        let from = self.options.source.clone();
        let files = text.files.into_iter().collect();
        let published = self.author.publish_skill(self.skill, files, from, condition).await;
        match published {
            Ok(reply) => {
                source.remember(&SyncBase::from_version(&text.version).as_skill(self.skill))?;
                Ok(PushResult { kept: reply.kept, ..done(what, Some(reply.digest)) })
            }
            Err(error) if error.code() == Code::VersionConflict && !self.options.force => {
                if error.details().get("state").is_some_and(|state| *state == json!(SkillState::Draft)) {
                    let message = format!(
                        "{} is a draft, whose place a push would take: publish or delete the draft first, or push by force, \
                         after which the draft is gone",
                        self.skill
                    );
                    return Err(Error::new(Code::VersionConflict, message).with_source(error));
                }
                let theirs = SkillText::get(self.author, self.skill, None).await?;
                self.conflict(source, theirs).await
            }
            Err(error) => Err(error),
        }
    }

    /// Returns how `theirs`, the version there, and the author's version differ from their base. Both may be the same: a first
    /// publish that was interrupted is in no listing, and the author pushes again.
    async fn conflict(&self, source: &mut dyn PushSource, theirs: Option<SkillText>) -> Result<PushResult> {
        if theirs.as_ref().is_some_and(|theirs| theirs.version == self.mine) {
            let same = SyncBase::from_version(&self.mine).as_skill(self.skill);
            if !self.options.dry_run {
                source.remember(&same)?;
            }
            return Ok(done((PushStatus::Unchanged, self.changes(&same.files)), Some(same.digest)));
        }
        let base = match &self.known {
            Some(known) => SkillText::get(self.author, self.skill, Some(&known.digest)).await?,
            None => None,
        };
        let paths: BTreeSet<String> = source.paths().into_iter().collect();
        let of = |text: &Option<SkillText>, path: &str| text.as_ref()?.files.get(path).cloned();
        let all: BTreeSet<&String> =
            [&base, &theirs].into_iter().flatten().flat_map(|text| text.files.keys()).chain(&paths).collect();
        let mut files = Vec::new();
        for path in all {
            let mine = if paths.contains(path) { Some(source.read(path)?) } else { None };
            let file = ConflictFile { path: path.clone(), base: of(&base, path), mine, theirs: of(&theirs, path) };
            let differs = file.mine != file.theirs || (base.is_some() && file.base != file.theirs);
            files.extend(differs.then_some(file));
        }
        let digest = theirs.map(|text| text.version.digest().to_owned());
        let conflict =
            PushConflict { base: base.map(|text| text.version.digest().to_owned()), theirs: digest.clone(), files };
        let what = (PushStatus::Conflict, FileChanges::default());
        Ok(PushResult { conflict: Some(conflict), ..done(what, digest) })
    }
}
