//! Skills on their way to an author, whose own changes stay.

use std::collections::BTreeSet;

use bytes::Bytes;

use super::{
    files::SkillText,
    merge::{FileResolution, Sides, merge},
    version_memory::{StoreId, SyncBase, VersionMemory},
};
use crate::{
    error::{Code, Error, Result},
    path::is_of_tools,
    skill::{VersionFile, theirs_beside},
    wire::{FileChange, FileChanges, SkillDigest, SkillRepository},
};

/// Where an author has the files of one skill.
pub trait PullTarget: VersionMemory + Send + Sync {
    /// The bytes at a path below the skill's folder; `None` if nothing is there.
    ///
    /// # Errors
    /// Why no file may be there.
    fn read(&self, path: &str) -> Result<Option<Bytes>>;

    /// Puts these bytes there, whole or not at all.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    fn write(&mut self, path: &str, bytes: &Bytes) -> Result<()>;

    /// Removes the file.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    fn remove(&mut self, path: &str) -> Result<()>;
}

/// How a pull treats files that their author changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PullHow {
    /// They stay. If another author changed one of them too, the whole skill stays.
    #[default]
    Careful,
    /// They stay, and get the changes of the other author too. A file that is not text stays, and the other version lies beside
    /// it as `NAME.theirs`.
    Merge,
    /// They are replaced.
    Theirs,
}

/// How to pull.
#[derive(Clone, Debug, Default)]
pub struct PullOptions {
    /// How to treat files that their author changed.
    pub how: PullHow,
    /// Say what would change and change nothing.
    pub dry_run: bool,
    /// The store and the user of the skills. Files that are no version of the store are trusted in this store only.
    pub store: StoreId,
}

/// The result of a pull, or of a dry run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PullResult {
    /// The files by their outcome.
    pub changes: FileChanges,
    /// The bytes of all its files.
    pub size: u64,
    /// Files that both authors changed. They stay as they are, and so does the skill.
    pub conflicts: Vec<String>,
    /// Files that have the changes of both authors now, and marks where both changed the same lines.
    pub marked: Vec<String>,
    /// Files of the other author that were put beside the author's own, because they are not text.
    pub beside: Vec<String>,
    /// Files of the skill that belong to a tool. A pull leaves them out, and keeps what lies in their places.
    pub of_tools: Vec<String>,
    /// Why files cannot be here, each in a sentence.
    pub refused: Vec<String>,
}

/// A step for one file.
struct Step {
    path: String,
    change: FileChange,
    /// The SHA-256 of the author's file; `None` if there was none.
    mine: Option<String>,
    /// The bytes to write; `None` to delete.
    bytes: Option<Bytes>,
}

/// A pull that is being planned.
struct Plan<'plan> {
    known: Option<&'plan SyncBase>,
    base: Option<&'plan SkillText>,
    theirs: &'plan SkillText,
    how: PullHow,
    steps: Vec<Step>,
    pulled: PullResult,
}

/// Brings the files of `target` up to the skill `there`, or does nothing if the skill is gone. Changes of the author stay,
/// unless `options` replace them. Files that come from another store count as changed. A file that either author deleted is deleted here.
///
/// # Errors
/// Those of the methods of `author`, and of the memory of `target`.
pub async fn pull_skill(
    author: &dyn SkillRepository,
    there: &SkillDigest,
    target: &mut dyn PullTarget,
    options: &PullOptions,
) -> Result<Option<PullResult>> {
    // A folder that comes from another skill says nothing of this one.
    let known = target.remembered()?.filter(|known| known.is_of(&there.skill));
    if let Some(known) = known.as_ref().filter(|known| there.digest.as_ref() == Some(&known.digest))
        && let Some(unchanged) = as_remembered(target, known, options.how)
    {
        return Ok(Some(unchanged));
    }
    let Some(theirs) = SkillText::get(author, &there.skill, None).await? else { return Ok(None) };
    let (known, base) = base_in_store(author, there, known, &theirs, options).await?;
    let pulled = PullResult { size: theirs.version.size(), ..PullResult::default() };
    let mut plan = Plan {
        known: known.as_ref(),
        base: base.as_ref(),
        theirs: &theirs,
        how: options.how,
        steps: Vec::new(),
        pulled,
    };
    plan.all(target);
    let Plan { steps, mut pulled, .. } = plan;
    if !pulled.conflicts.is_empty() || options.dry_run {
        pulled.changes = steps.iter().map(|step| (step.path.as_str(), step.change)).collect();
        return Ok(Some(pulled));
    }
    let mut done = Vec::new();
    for step in &steps {
        match step.take(target, options.how) {
            Ok(()) => done.push((step.path.as_str(), step.change)),
            Err(why) => pulled.refused.push(why.chain()),
        }
        // A signal is heard here, between two files.
        tokio::task::yield_now().await;
    }
    pulled.changes = done.into_iter().collect();
    // A skill with missing files is not a version here, so that no push takes it for one.
    if pulled.refused.is_empty() && known.is_none_or(|known| known.digest != theirs.version.digest()) {
        let version = SyncBase::from_version(&theirs.version).as_skill(&there.skill);
        target.remember(&if there.digest.is_some() { version } else { version.unversioned(&options.store) })?;
    }
    Ok(Some(pulled))
}

/// The version in this store that the author's files come from, with its files. A folder that was last pushed to another store
/// comes from none. Then the author may have changed each file.
async fn base_in_store(
    author: &dyn SkillRepository,
    there: &SkillDigest,
    known: Option<SyncBase>,
    theirs: &SkillText,
    options: &PullOptions,
) -> Result<(Option<SyncBase>, Option<SkillText>)> {
    let Some(known) = known else { return Ok((None, None)) };
    if options.how == PullHow::Theirs || known.digest == theirs.version.digest() {
        return Ok((Some(known), None));
    }
    let base = SkillText::get(author, &there.skill, Some(&known.digest)).await?;
    let is_here = base.is_some() || known.is_unversioned_in(&options.store);
    Ok((Some(known).filter(|_| is_here), base))
}

impl Step {
    /// Does it, unless the author changed the file after the pull looked at it.
    fn take(&self, target: &mut dyn PullTarget, how: PullHow) -> Result<()> {
        if !self.change.is_change() {
            return Ok(());
        }
        if how != PullHow::Theirs && sha256(target.read(&self.path)?.as_ref()) != self.mine {
            let message = format!("{} was changed here while it was pulled, and stays: pull again", self.path);
            return Err(Error::new(Code::EditConflict, message));
        }
        match &self.bytes {
            Some(bytes) => target.write(&self.path, bytes),
            None => target.remove(&self.path),
        }
    }
}

/// The SHA-256 of the file at a path, if there is one.
fn sha256(bytes: Option<&Bytes>) -> Option<String> {
    bytes.map(|bytes| VersionFile::from_bytes("", bytes).sha256)
}

/// The result if the version did not change and no file needs a change.
fn as_remembered(target: &dyn PullTarget, known: &SyncBase, how: PullHow) -> Option<PullResult> {
    let mut changes = Vec::new();
    let mut size = 0;
    let (of_tools, files): (Vec<_>, Vec<_>) = known.files.iter().partition(|(path, _)| is_of_tools(path));
    for (path, sha256) in files {
        let mine = target.read(path).ok()?;
        size += mine.as_ref().map_or(0, |bytes| bytes.len() as u64);
        let sides = Sides { base: Some(sha256), mine: mine.as_ref(), theirs: None };
        // With theirs away, a file that is as remembered would be deleted; any other was changed here.
        let is_same = mine.is_some() && sides.settle() == FileResolution::Theirs;
        if !is_same && how == PullHow::Theirs {
            return None;
        }
        changes.push((path.as_str(), if is_same { FileChange::Unchanged } else { FileChange::Kept }));
    }
    let of_tools = of_tools.into_iter().map(|(path, _)| path.clone()).collect();
    Some(PullResult { changes: changes.into_iter().collect(), size, of_tools, ..PullResult::default() })
}

impl Plan<'_> {
    fn all(&mut self, target: &dyn PullTarget) {
        let known = self.known.into_iter().flat_map(|known| known.files.keys());
        let paths: BTreeSet<&String> = self.theirs.files.keys().chain(known).collect();
        for path in paths {
            if is_of_tools(path) {
                self.pulled.of_tools.extend(self.theirs.files.contains_key(path).then(|| path.clone()));
                continue;
            }
            match target.read(path) {
                Ok(mine) => self.file(target, path, mine.as_ref()),
                Err(why) => self.pulled.refused.push(why.chain()),
            }
        }
    }

    fn file(&mut self, target: &dyn PullTarget, path: &str, mine: Option<&Bytes>) {
        let theirs = self.theirs.files.get(path);
        let base = self.known.and_then(|known| known.files.get(path)).map(String::as_str);
        let settled = Sides { base, mine, theirs }.settle();
        match (settled, self.how) {
            (FileResolution::Same, _) if theirs.is_none() => {}
            (FileResolution::Same, _) => self.leave(path, FileChange::Unchanged),
            (FileResolution::Theirs, _) | (_, PullHow::Theirs) => self.take(path, mine, theirs.cloned()),
            (FileResolution::Mine, _) => self.leave(path, FileChange::Kept),
            (FileResolution::Both, PullHow::Merge) => self.merge(target, path, mine, theirs),
            (FileResolution::Both, PullHow::Careful) => self.pulled.conflicts.push(path.to_owned()),
        }
    }

    /// A file that both changed. If one of them deleted the file, the other's version counts.
    fn merge(&mut self, target: &dyn PullTarget, path: &str, mine: Option<&Bytes>, theirs: Option<&Bytes>) {
        let (Some(both), Some(theirs)) = (mine, theirs) else {
            return match theirs {
                None => self.leave(path, FileChange::Kept),
                theirs => self.take(path, mine, theirs.cloned()),
            };
        };
        let base = self.base.and_then(|base| base.files.get(path));
        match merge(base, both, theirs) {
            None => self.put_beside(target, path, theirs),
            Some(merged) => {
                self.pulled.marked.extend(merged.is_marked.then(|| path.to_owned()));
                self.take(path, mine, Some(merged.bytes));
            }
        }
    }

    /// Keeps a file that both authors changed, if its texts cannot be joined, and puts the other version beside it. If the name
    /// beside it is taken, no file of the skill changes: a pull that stopped here would join the other texts twice.
    fn put_beside(&mut self, target: &dyn PullTarget, path: &str, theirs: &Bytes) {
        let beside = theirs_beside(path);
        let is_of_skill = self.theirs.files.contains_key(&beside);
        match target.read(&beside) {
            Ok(there) if !is_of_skill && there.as_ref().is_none_or(|there| there == theirs) => {
                self.leave(path, FileChange::Kept);
                if there.is_none() {
                    self.take(&beside, None, Some(theirs.clone()));
                }
                self.pulled.beside.push(beside);
            }
            found => {
                let why = match found {
                    Ok(_) => format!(
                        "{beside} is there already, and theirs would take its place: move it away, and pull again"
                    ),
                    Err(why) => why.message().to_owned(),
                };
                self.pulled.refused.push(why);
                self.pulled.conflicts.push(path.to_owned());
            }
        }
    }

    fn take(&mut self, path: &str, mine: Option<&Bytes>, bytes: Option<Bytes>) {
        let change = match (mine, &bytes) {
            (_, None) => FileChange::Deleted,
            (None, Some(_)) => FileChange::Created,
            (Some(_), Some(_)) => FileChange::Updated,
        };
        self.steps.push(Step { path: path.to_owned(), change, mine: sha256(mine), bytes });
    }

    fn leave(&mut self, path: &str, change: FileChange) {
        self.steps.push(Step { path: path.to_owned(), change, mine: None, bytes: None });
    }
}
