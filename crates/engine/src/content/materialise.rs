//! Brings the plain files up to the head. The process that finds them behind does so.
//!
//! A file is put only over the version that it had when the head was written. If the file was absent then, the put requires
//! an absent file. A deletion has the same condition.
//!
//! If a condition does not hold, one of three writers came first. Another replica may have put the content of this head. A
//! late write of an earlier head may be there, which is written over. Otherwise another tool wrote the file, and it stays.
//! Our metadata names the content, so a tool that copies our metadata to other content is noticed. The metadata of an earlier
//! version of this program names no content, so its late writes stay like those of another tool. If a newer head is there,
//! the work ends. Files that this replica wrote after that head are corrected.
//!
//! A store of plain files cannot hold `a` and `a/b` together. So old files in the way of a new one are deleted before any
//! file is written.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use sha2::{Digest as _, Sha256};
use tokio::time::timeout;

use super::{
    checked_archive::version_archive,
    drafts::put_draft_of,
    heads::{StoredHead, expecting, is_newest, may_be_late, put_head, read_sound_head, read_stored_head},
    objects::{delete_version_of, read_object},
    read_error::ReadError,
    target::SkillTarget,
};
use crate::{
    error::{Code, Error, Outcome, Result},
    limits::{CHUNK_BYTES, PARALLEL_GETS, PARALLEL_TRANSFERS, PUBLISH_ATTEMPTS, PUBLISH_TIMEOUT, UPLOAD_FILE_BYTES},
    path::{ETag, ObjectKey, SkillPath},
    skill::{FileChange, HeadFile, MAIN, Package, SkillHead, VersionArchive},
    store::{CachePolicy, Commit, ExpectedVersion, GetOptions, Metadata, Object, StoreError, WriteCallId},
};

/// The most bytes of a file that is sent beside many others.
const SMALL: u64 = 256 << 10;

/// The work on one plain file.
struct Step {
    path: String,
    /// Its content; `None` to delete it.
    content: Option<HeadFile>,
    /// The version that is there now.
    base: Option<ETag>,
}

impl Step {
    fn change(&self) -> FileChange<'_> {
        (&self.path, self.content.as_ref().map(|one| one.file.sha256.as_str()))
    }
}

/// The outcome of one step.
enum StepOutcome {
    /// This replica wrote it.
    Written(HeadFile),
    /// It has the content of the head, from another replica.
    Found(String, ETag),
    /// The file of another tool, which stays.
    Kept(String),
    /// The file is gone.
    Gone(String),
    /// A newer head is there.
    Superseded,
}

/// The end of [`follow_heads`].
pub(super) enum FilesOutcome {
    /// The plain files have followed. Those of other tools stay.
    Complete(Vec<String>),
    /// A publish is under way. It has no plain files to complete before it is final.
    Pending(Box<StoredHead>, FileChanges),
}

/// The plain files that this replica has changed for earlier heads.
#[derive(Default)]
pub(super) struct FileChanges {
    /// The files that it wrote, by path.
    pub(super) written: BTreeMap<String, HeadFile>,
    /// The paths of the files that it deleted.
    pub(super) removed: BTreeSet<String>,
}

impl FileChanges {
    /// Adds what a run has changed.
    fn add(&mut self, run: &FilesRun) {
        if !run.superseded {
            // The files of the head are in place again.
            self.removed.clear();
        }
        self.written.retain(|path, _| !run.removed.contains(path));
        self.written.extend(run.written.clone());
        self.removed.retain(|path| !run.written.contains_key(path));
        self.removed.extend(run.removed.iter().cloned());
    }

    /// The written files at paths that `head` does not name.
    fn outside(&self, head: &SkillHead) -> BTreeMap<String, ETag> {
        let outside = self.written.iter().filter(|(path, _)| head.file(path).is_none());
        outside.filter_map(|(path, wrote)| Some((path.clone(), wrote.etag.clone()?))).collect()
    }

    /// Omits written files of `head`, and deleted files at paths that `head` does not name.
    pub(super) fn retain_beside(&mut self, head: &SkillHead) {
        self.written.retain(|path, wrote| head.file(path) != Some(wrote));
        self.removed.retain(|path| head.file(path).is_some());
    }

    pub(super) fn is_empty(&self) -> bool {
        self.written.is_empty() && self.removed.is_empty()
    }
}

/// The plain files after one run over them.
#[derive(Debug)]
pub(crate) struct FilesRun {
    /// The files that this replica wrote, by path.
    pub(crate) written: BTreeMap<String, HeadFile>,
    /// The paths of the files that it deleted.
    removed: BTreeSet<String>,
    found: BTreeMap<String, ETag>,
    /// The files of other tools, which stay.
    pub(crate) kept: Vec<String>,
    /// Whether a newer head is there.
    pub(crate) superseded: bool,
}

/// Brings the plain files up to `known` and says so in the head, and corrects those in `mine` up to the newest head. `package` is
/// the version, if it is at hand.
///
/// # Errors
/// `version_not_found` if the archive of the version is gone or damaged; the store's. Work that was done until then stays,
/// and another call does the rest.
pub(super) async fn follow_heads(
    target: &SkillTarget,
    known: StoredHead,
    package: Option<&Package>,
    mine: FileChanges,
) -> Result<FilesOutcome, ReadError> {
    let (mut known, mut package, mut mine) = (known, package, mine);
    for _ in 0..PUBLISH_ATTEMPTS {
        if known.head.pending.is_some() {
            return Ok(FilesOutcome::Pending(Box::new(known), mine));
        }
        let Some(head) = announce(target, &known, &mut mine).await? else {
            let Some(newest) = read_stored_head(target).await? else { return Ok(FilesOutcome::Complete(Vec::new())) };
            known = newest;
            continue;
        };
        known = head;
        // The draft is there before the plain files go, so a listing always has the skill.
        put_draft_of(target, &known.head).await?;
        let run = run_steps(target, &known, package, &mine).await?;
        mine.add(&run);
        let done = run.head(&known.head);
        let is_done = !run.superseded && done == known.head;
        // A newer publish may have found a file before it was deleted.
        if is_done && mine.removed.is_empty() {
            return Ok(FilesOutcome::Complete(run.kept));
        }
        if !run.superseded && !is_done && put_head(target, Some(&known), done).await?.is_some() {
            return Ok(FilesOutcome::Complete(run.kept));
        }
        let Some(newest) = read_stored_head(target).await? else { return Ok(FilesOutcome::Complete(run.kept)) };
        let is_newer = newest.head.generation > known.head.generation;
        if !is_newer && newest.head.materialised {
            return Ok(FilesOutcome::Complete(run.kept));
        }
        mine.retain_beside(&newest.head);
        if is_newer {
            package = None;
            if mine.is_empty() {
                return Ok(FilesOutcome::Complete(Vec::new()));
            }
        }
        known = newest;
    }
    Err(contested(target).into())
}

/// Names in the head what this replica is about to do for it. Files in `mine` that the head does not have are named as files to
/// remove: any process deletes them then, and a publish that had found such a file begins again. Changes for the head of another call
/// are named as changes that may come late. Returns the head; `None` if another head is there.
///
/// # Errors
/// The store's, with the outcome.
async fn announce(target: &SkillTarget, known: &StoredHead, mine: &mut FileChanges) -> Result<Option<StoredHead>> {
    let outside = mine.outside(&known.head);
    let mut head = known.head.removing(outside.clone());
    let steps = steps(&head, mine);
    let until = target.content.clock().now() + PUBLISH_TIMEOUT;
    if !known.is_own() && !head.expects(steps.iter().map(Step::change), until) {
        head = expecting(target, &head, steps.iter().map(Step::change));
    }
    if head == known.head {
        return Ok(Some(known.clone()));
    }
    let head = put_head(target, Some(known), head).await?;
    if head.is_some() {
        mine.written.retain(|path, _| !outside.contains_key(path));
    }
    Ok(head)
}

/// Writes the plain files of a head that its call has just put.
///
/// # Errors
/// As [`materialise`].
pub(crate) async fn write_files(
    target: &SkillTarget,
    known: &StoredHead,
    package: &Package,
) -> Result<FilesRun, ReadError> {
    run_steps(target, known, Some(package), &FileChanges::default()).await
}

/// Does what is left to do for `known`, for [`PUBLISH_TIMEOUT`] at most. `mine` are files that this replica changed for an earlier head.
///
/// # Errors
/// `store_unavailable` if it takes longer; as [`follow_heads`].
async fn run_steps(
    target: &SkillTarget,
    known: &StoredHead,
    package: Option<&Package>,
    mine: &FileChanges,
) -> Result<FilesRun, ReadError> {
    let run = Box::pin(take_steps(target, known, package, mine));
    timeout(PUBLISH_TIMEOUT, run).await.unwrap_or_else(|_| Err(too_long(target).into()))
}

/// As [`run_steps`], without its limit.
async fn take_steps(
    target: &SkillTarget,
    known: &StoredHead,
    package: Option<&Package>,
    mine: &FileChanges,
) -> Result<FilesRun, ReadError> {
    let found = mine.written.values().filter(|wrote| is_in_place(&known.head, wrote));
    let found = found.filter_map(|wrote| Some((wrote.file.path.clone(), wrote.etag.clone()?))).collect();
    let (written, removed) = (BTreeMap::new(), BTreeSet::new());
    let mut run = FilesRun { written, removed, found, kept: Vec::new(), superseded: false };
    let steps = steps(&known.head, mine);
    let digest = known.head.digest.as_deref();
    let needs_archive = steps.iter().any(|step| step.content.is_some());
    let mut archive = match (digest, package) {
        (Some(digest), None) if needs_archive => Some(version_archive(target, digest).await?),
        (_, Some(package)) if needs_archive => {
            Some(VersionArchive::open(package.zip.clone()).map_err(Error::internal)?)
        }
        _ => None,
    };
    // An existing skill gets SKILL.md first, which shows the change at once. A new skill gets it last, and is listed whole.
    let main_first = known.head.replaces.contains_key(MAIN);
    let (main, rest): (Vec<_>, Vec<_>) = steps.into_iter().partition(|step| step.path == MAIN);
    let (deletes, writes): (Vec<_>, Vec<_>) = rest.into_iter().partition(|step| step.content.is_none());
    let (in_the_way, deletes) = in_the_way(deletes, &known.head);
    let over = |step: &Step, bytes| step.content.as_ref().is_some_and(|one| one.file.size > bytes);
    let (writes, small): (Vec<_>, Vec<_>) = writes.into_iter().partition(|step| over(step, SMALL));
    let (large, medium): (Vec<_>, Vec<_>) = writes.into_iter().partition(|step| over(step, CHUNK_BYTES));
    let mut batches = vec![
        (in_the_way, PARALLEL_GETS),
        (small, PARALLEL_GETS),
        (medium, PARALLEL_TRANSFERS),
        (large, 1),
        (deletes, PARALLEL_GETS),
    ];
    batches.insert(if main_first { 0 } else { batches.len() }, (main, 1));
    for (batch, at_once) in batches {
        let begun = batch.into_iter().map(|step| {
            let bytes = content(&mut archive, &step);
            async move { take_step(target, known, step, bytes?).await }
        });
        let done: Vec<StepOutcome> = stream::iter(begun).buffered(at_once).try_collect().await?;
        for one in done {
            run.record(one);
        }
        if run.superseded {
            break;
        }
    }
    Ok(run)
}

/// Writes or deletes one plain file.
async fn take_step(target: &SkillTarget, known: &StoredHead, step: Step, bytes: Option<Bytes>) -> Result<StepOutcome> {
    let key = target.folder.key(&step.path)?;
    let (Some(bytes), Some(content)) = (bytes, &step.content) else { return remove_file(target, &key, step).await };
    let mark = WriteCallId { call: mark_of(&key), count: number_of(&content.file.sha256) };
    let mut base = step.base.map_or(ExpectedVersion::Absent, |etag| ExpectedVersion::Version(etag, Metadata::new()));
    for _ in 0..PUBLISH_ATTEMPTS {
        let put = target.content.committer().commit_marked(&key, bytes.clone(), &base, Some(&mark)).await;
        match put {
            Ok(commit) => {
                if commit.etag.is_some() {
                    return Ok(StepOutcome::Written(HeadFile { etag: commit.etag, ..content.clone() }));
                }
            }
            Err(StoreError::PreconditionFailed | StoreError::NotFound) => {}
            // A file of another tool stands where a folder should be, or the other way round.
            Err(StoreError::IsFolder | StoreError::BelowFile(_)) => return Ok(StepOutcome::Kept(step.path)),
            Err(error) => return Err(error.into()),
        }
        let there = read_object(target, &key, content.file.size).await?;
        match there {
            Some(object) if object.is_whole() && content.file.holds(&object.bytes) => {
                return Ok(StepOutcome::Found(step.path, object.meta.etag));
            }
            _ if !is_newest(target, Some(known)).await? => return Ok(StepOutcome::Superseded),
            Some(object) if is_late(target, &key, &object).await? => base = ExpectedVersion::version(&object.meta),
            _ => return Ok(StepOutcome::Kept(step.path)),
        }
    }
    Ok(StepOutcome::Kept(step.path))
}

/// Deletes one plain file if it still has the version of the step.
async fn remove_file(target: &SkillTarget, key: &ObjectKey, step: Step) -> Result<StepOutcome> {
    let Some(base) = step.base else { return Ok(StepOutcome::Gone(step.path)) };
    let is_gone = delete_version_of(target, key, base).await?;
    Ok(if is_gone { StepOutcome::Gone(step.path) } else { StepOutcome::Kept(step.path) })
}

/// Whether an object is a late write of an earlier head. Then its newest write has the mark of publishing, and the content is
/// still the one of the write. True too if the object changes while it is read.
async fn is_late(target: &SkillTarget, key: &ObjectKey, there: &Object) -> Result<bool> {
    let Some((Commit { etag: Some(etag), .. }, wrote)) = WriteCallId::find(&mark_of(key), &there.meta) else {
        return Ok(false);
    };
    // No write of publishing is larger, and another tool's may have any size.
    if there.meta.size > UPLOAD_FILE_BYTES as u64 {
        return Ok(false);
    }
    let mut content = Sha256::new_with_prefix(&there.bytes);
    let mut at = there.range.end;
    while at < there.meta.size {
        let options = GetOptions { keep: CachePolicy::Not, ..GetOptions::pinned(etag.clone()) };
        match target.content.store().get(key, options.with_range(at..at + SMALL)).await {
            Ok(object) if object.range.end > at => {
                content.update(&object.bytes);
                at = object.range.end;
            }
            Ok(_) => return Err(StoreError::broken("the store gave no bytes of an object").into()),
            Err(StoreError::NotFound | StoreError::PreconditionFailed) => return Ok(true),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(number_of(&hex::encode(content.finalize())) == wrote)
}

/// Whether the plain file at `path` is the write of a call that `known` expects, with this content.
///
/// # Errors
/// The store's.
pub(super) async fn is_late_file(target: &SkillTarget, known: &StoredHead, path: &str, sha256: &str) -> Result<bool> {
    Ok(late_write(target, known, path, sha256).await?.is_some())
}

/// The version of the plain file at `path`, if it is a late write of one of these contents. A copy that an operator restored later is
/// none, and neither is a file that another skill has by now.
///
/// # Errors
/// The store's.
pub(super) async fn late_write(
    target: &SkillTarget,
    known: &StoredHead,
    path: &str,
    sha256: &str,
) -> Result<Option<ETag>> {
    let key = target.folder.key(path)?;
    let object = read_object(target, &key, SMALL).await?;
    let Some(object) = object else { return Ok(None) };
    if !may_be_late(target, known, object.meta.modified_at).await? {
        return Ok(None);
    }
    let tag = object.meta.etag.clone();
    let wrote = WriteCallId::find(&mark_of(&key), &object.meta).map(|(_, wrote)| wrote);
    let is_expected = sha256.split_whitespace().any(|one| wrote == Some(number_of(one)));
    let is_late = is_expected && is_late(target, &key, &object).await?;
    let is_others = is_late && known.head.file(path).is_none() && is_of_another_skill(target, path, &tag).await?;
    Ok((is_late && !is_others).then_some(tag))
}

/// Whether the plain file at `path` is a file of a skill that was published around this folder or in it since.
///
/// # Errors
/// The store's.
async fn is_of_another_skill(target: &SkillTarget, path: &str, tag: &ETag) -> Result<bool> {
    let around = target.skill.ancestors().map(|above| {
        let below = target.skill.as_str().strip_prefix(above.as_str()).unwrap_or_default();
        (above.as_str().to_owned(), format!("{}/{path}", below.trim_start_matches('/')))
    });
    let inside = path.match_indices('/').map(|(at, _)| {
        let (folder, rest) = path.split_at(at);
        (format!("{}/{folder}", target.skill), rest.trim_start_matches('/').to_owned())
    });
    for (other, path) in around.chain(inside) {
        let Ok(skill) = SkillPath::parse(&other) else { continue };
        let other = target.content.place_in(target.space.clone(), &skill)?;
        let Ok(Some(known)) = read_sound_head(&other).await? else { continue };
        if known.head.file(&path).is_some_and(|one| one.etag.as_ref().is_none_or(|known| known == tag)) {
            return Ok(true);
        }
    }
    Ok(false)
}

impl FilesRun {
    /// The head `known` with these plain files in place.
    pub(crate) fn head(&self, known: &SkillHead) -> SkillHead {
        let there = known.files.iter().filter_map(|one| Some((one.file.path.clone(), one.etag.clone()?)));
        let written = self.written.values().filter_map(|one| Some((one.file.path.clone(), one.etag.clone()?)));
        known.materialised(&there.chain(self.found.clone()).chain(written).collect())
    }

    fn record(&mut self, done: StepOutcome) {
        match done {
            StepOutcome::Written(one) => drop(self.written.insert(one.file.path.clone(), one)),
            StepOutcome::Found(path, etag) => drop(self.found.insert(path, etag)),
            StepOutcome::Kept(path) => self.kept.push(path),
            StepOutcome::Gone(path) => drop(self.removed.insert(path)),
            StepOutcome::Superseded => self.superseded = true,
        }
    }
}

/// Whether a file that this replica wrote for an earlier head has the content of `head` too. A second write would change its tag
/// after another process has read it.
fn is_in_place(head: &SkillHead, wrote: &HeadFile) -> bool {
    head.file(&wrote.file.path).is_some_and(|one| one.file == wrote.file)
}

/// The steps for a head: the writes and deletions that are left, and a correction of the files in `mine`, changed too late.
fn steps(head: &SkillHead, mine: &FileChanges) -> Vec<Step> {
    let FileChanges { written, removed } = mine;
    let (in_place, late): (Vec<_>, Vec<_>) = written.iter().partition(|(_, wrote)| is_in_place(head, wrote));
    let in_place: BTreeSet<&String> = in_place.into_iter().map(|(path, _)| path).collect();
    let mine: BTreeMap<&String, &ETag> =
        late.into_iter().filter_map(|(path, wrote)| Some((path, wrote.etag.as_ref()?))).collect();
    let base = |path: &String| {
        let base = mine.get(path).copied().or_else(|| head.replaces.get(path));
        base.filter(|_| !removed.contains(path)).cloned()
    };
    let is_due = |one: &&HeadFile| {
        let path = &one.file.path;
        let is_left = !head.materialised && one.etag.is_none() || mine.contains_key(path);
        removed.contains(path) || (is_left && !in_place.contains(path))
    };
    let writes = head.files.iter().filter(is_due).map(|one| {
        let path = one.file.path.clone();
        Step { base: base(&path), content: Some(one.clone()), path }
    });
    let deletes = head.replaces.iter().filter(|(path, _)| head.file(path).is_none());
    let deletes = deletes.map(|(path, etag)| Step { path: path.clone(), content: None, base: Some(etag.clone()) });
    writes.chain(deletes).collect()
}

/// Splits deletions. The first have the name of a folder of the head, or lie below a file of it. The second are all others.
fn in_the_way(deletes: Vec<Step>, head: &SkillHead) -> (Vec<Step>, Vec<Step>) {
    let folders_of = |path: &str| -> Vec<String> {
        path.match_indices('/').filter_map(|(at, _)| path.get(..at)).map(str::to_owned).collect()
    };
    let folders: BTreeSet<String> = head.files.iter().flat_map(|one| folders_of(&one.file.path)).collect();
    let is_in_the_way = |step: &Step| {
        folders.contains(&step.path) || folders_of(&step.path).iter().any(|folder| head.file(folder).is_some())
    };
    deletes.into_iter().partition(is_in_the_way)
}

/// The bytes to write.
fn content(archive: &mut Option<VersionArchive>, step: &Step) -> Result<Option<Bytes>, ReadError> {
    let (Some(archive), Some(one)) = (archive, &step.content) else { return Ok(None) };
    let read = archive.read(&one.file.path, one.file.size);
    match read {
        Ok(Some(bytes)) if one.file.holds(&bytes) => Ok(Some(bytes)),
        Ok(_) => Err(gone(format!("{} is not in the published version", one.file.path))),
        Err(why) => Err(gone(format!("the archive of the published version {why}"))),
    }
}

/// The mark of the writes of publishing. It is bound to the key, because copying an object copies it.
pub(crate) fn mark_of(key: &ObjectKey) -> String {
    let digest = Sha256::digest(format!("publish\0{key}"));
    let number = digest.iter().take(8).fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    format!("{number:016x}")
}

/// The number in the mark of a write: the first digits of the digest of its content.
fn number_of(sha256: &str) -> u64 {
    sha256.get(..16).and_then(|digits| u64::from_str_radix(digits, 16).ok()).unwrap_or_default()
}

/// The error if others keep publishing a skill.
pub(super) fn contested(target: &SkillTarget) -> Error {
    Error::new(Code::EditConflict, format!("others keep publishing {}: try again", target.skill))
}

/// The error if the plain files take longer than a list of late changes allows.
fn too_long(target: &SkillTarget) -> Error {
    let message = format!("the store takes too long for the files of {}: the next change completes them", target.skill);
    Error::new(Code::StoreUnavailable, message).with_outcome(Outcome::Unknown)
}

fn gone(message: String) -> ReadError {
    ReadError::VersionGone(Error::new(Code::VersionNotFound, message))
}
