//! Changes that may have two parts: a skill's file, and the session's snapshot, which names the file's version that the
//! session sees.
//!
//! The file goes first. If the session cannot be changed then, the answer gives the outcome of each part. The same
//! call, made again, completes the second part without doing the first twice. To recognise a repeat, the write carries
//! the name of its call. The name is a digest of the request, the session, and the version that the snapshot named at
//! that time. If a call finds its own name among the writes of the file, its first part has landed. Once the second
//! part has landed too, the snapshot names another version, so the same request is another call.
//!
//! Within a process, changes of a skill wait for each other. So a call never meets the first half of another call that
//! is still under way.

use sha2::{Digest, Sha256};
use tokio::sync::MutexGuard;

use super::{
    Files,
    mounts::tree,
    tree::{MountKind, PinnedSkill, Tree, TreeTarget, WritePlace},
    unfinished::{FirstPartWritten, UnfinishedChange, contested},
};
use crate::{
    context::{Admission, Context},
    error::{Code, Error, Outcome, Parts, Result},
    limits::SESSION_ATTEMPTS,
    path::{ETag, ObjectKey, VirtualPath},
    session::{Change, LoadedSkill},
    skill::{Snapshot, SnapshotFile},
    wire::Operation,
};

/// Where a change goes.
pub(crate) struct WriteTarget<'shared> {
    pub(crate) tree: Tree,
    pub(crate) key: ObjectKey,
    /// The skill it lies in, if it does.
    pub(crate) skill: Option<InSkill<'shared>>,
}

/// A place in a skill that this session may change. While it is held, no other change of that skill begins here.
pub(crate) struct InSkill<'shared> {
    pinned: PinnedSkill,
    mount: VirtualPath,
    relative: String,
    _turn: MutexGuard<'shared, ()>,
}

/// The identity of a change of one file in a skill. A repeated change has the same identity.
#[derive(Clone, Debug)]
pub(crate) struct IdempotencyKey {
    /// The mark on the writes of the change.
    pub(crate) name: String,
    asked: String,
    /// The version the session's snapshot named when the change was first made; nothing if it named none.
    from: Option<ETag>,
    /// Whether the change was made before and its second part failed then.
    is_repeated: bool,
}

impl WriteTarget<'_> {
    /// A failure of the first part; the second was then not begun.
    pub(crate) fn failed(&self, path: &VirtualPath, error: Error) -> Error {
        if self.skill.is_none() {
            return error;
        }
        let error = error.of_change();
        let parts = Parts { file: error.outcome(), session: Some(Outcome::NotApplied), audit: None };
        if parts.file != Some(Outcome::Unknown) {
            return error.with_parts(parts);
        }
        let message = format!(
            "whether {path} was changed is not known; make the same call again, which completes it and never does it twice"
        );
        error.in_words(message).with_parts(parts)
    }
}

/// Where a change of `path` goes, if it can be written. In a skill, waits for other changes of it.
pub(crate) async fn target<'call>(
    files: &'call Files,
    admission: &Admission<'_>,
    path: &VirtualPath,
) -> Result<WriteTarget<'call>> {
    let (tree, key) = writable(admission, path).await?;
    let TreeTarget::In { mount, kind: MountKind::Pinned(_), .. } = tree.spot(path) else {
        return Ok(WriteTarget { tree, key, skill: None });
    };
    let turn = files.changes().lanes.lock(mount.prefix.as_str()).await;
    // The change that went before has moved the snapshot.
    let (tree, key) = writable(&admission.read_again().await?, path).await?;
    let skill = match tree.spot(path) {
        TreeTarget::In { mount, kind: MountKind::Pinned(pinned), relative } => {
            Some(InSkill { pinned: pinned.clone(), mount: mount.at.clone(), relative, _turn: turn })
        }
        _ => None,
    };
    Ok(WriteTarget { tree, key, skill })
}

async fn writable(admission: &Admission<'_>, path: &VirtualPath) -> Result<(Tree, ObjectKey)> {
    let tree = tree(admission).await?;
    let key = match tree.write_place(path)? {
        // Mounts and skills are not files: they are never deleted through the tree.
        WritePlace::Folder if admission.operation() == Operation::Delete => return Err(stays(path)),
        _ => tree.writable(path)?,
    };
    Ok((tree, key))
}

/// The call that asks for `words` at `target`; nothing outside of skills, because a change has one part there.
pub(crate) fn call(
    files: &Files,
    context: &Context,
    target: &WriteTarget<'_>,
    path: &VirtualPath,
    words: &[&[u8]],
) -> Result<Option<IdempotencyKey>> {
    let Some(skill) = &target.skill else { return Ok(None) };
    let session = context.space()?.session(&context.session)?;
    let asked = digest([session.as_str().as_bytes(), path.as_str().as_bytes()].iter().chain(words));
    let unfinished = files.changes().unfinished.get(&(session, path.clone()));
    let repeated = match unfinished {
        Some(UnfinishedChange::Write { asked: before, from }) if before == asked => Some(from),
        _ => None,
    };
    let is_repeated = repeated.is_some();
    let from = match repeated {
        Some(from) => from,
        None => skill.pinned.snapshot.file(&skill.relative).map(|file| file.etag.clone()),
    };
    let mut name = digest(&[asked.as_bytes(), from.as_ref().map_or("", ETag::as_str).as_bytes()]);
    name.truncate(16);
    Ok(Some(IdempotencyKey { name, asked, from, is_repeated }))
}

/// The second part of a change: moves the session's snapshot to the version that has landed. False if the call turns
/// out to be a new one, because the earlier one was completed: then nothing was done for it yet.
///
/// # Errors
/// Why the session cannot be changed, with the outcome of each part.
pub(crate) async fn finish(
    files: &Files,
    context: &Context,
    target: &WriteTarget<'_>,
    path: &VirtualPath,
    call: Option<&IdempotencyKey>,
    landed: &FirstPartWritten,
) -> Result<bool> {
    let Some(skill) = &target.skill else { return Ok(true) };
    let place = (context.space()?.session(&context.session)?, path.clone());
    let unfinished = &files.changes().unfinished;
    match move_snapshot(context, skill, call, landed).await {
        Ok(done) => {
            unfinished.invalidate(&place);
            Ok(done)
        }
        Err(error) => {
            if let Some(call) = call {
                let (asked, from) = (call.asked.clone(), call.from.clone());
                unfinished.insert(place, UnfinishedChange::Write { asked, from });
            }
            Err(half_done(&format!("{path} was changed"), Outcome::Applied, error))
        }
    }
}

async fn move_snapshot(
    context: &Context,
    skill: &InSkill<'_>,
    call: Option<&IdempotencyKey>,
    landed: &FirstPartWritten,
) -> Result<bool> {
    let etag = landed.commit.etag.clone();
    if etag.is_none() && !landed.is_earlier {
        // Others wrote after us; which version to pin is for the next load to say.
        return Ok(true);
    }
    let now = context.core.clock().now();
    change_snapshot(context, &skill.pinned, |snapshot| {
        let named = snapshot.file(&skill.relative).map(|file| &file.etag);
        if let Some(call) = call.filter(|_| landed.is_earlier)
            && named != call.from.as_ref()
        {
            return SnapshotChange::Stays(call.is_repeated);
        }
        let Some(etag) = etag.clone() else {
            // Saving it unchanged shows that this is the newest state of the session.
            return SnapshotChange::To(snapshot.clone());
        };
        let (path, size) = (skill.relative.clone(), landed.size);
        SnapshotChange::To(snapshot.with(&skill.relative, Some(SnapshotFile { path, size, etag, modified_at: now })))
    })
    .await
}

/// Takes files out of the session's snapshot of a skill, all in one step.
///
/// # Errors
/// Why the session cannot be changed, with the outcome.
pub(crate) async fn forget_files(context: &Context, skill: &InSkill<'_>, gone: &[VirtualPath]) -> Result<()> {
    let gone = gone.iter().filter_map(|path| path.below(&skill.mount)).collect();
    let forget = |snapshot: &Snapshot| {
        let rest = snapshot.without(&gone);
        if rest == *snapshot { SnapshotChange::Stays(true) } else { SnapshotChange::To(rest) }
    };
    change_snapshot(context, &skill.pinned, forget).await.map(drop)
}

/// Remembers a delete in a skill whose second part failed, with how many files went, until the same call is finished.
pub(crate) fn record_delete(
    files: &Files,
    context: &Context,
    path: &VirtualPath,
    deleted: u64,
    is_finished: bool,
) -> Result<()> {
    let place = (context.space()?.session(&context.session)?, path.clone());
    let unfinished = &files.changes().unfinished;
    if is_finished {
        unfinished.invalidate(&place);
    } else {
        unfinished.insert(place, UnfinishedChange::Delete(deleted));
    }
    Ok(())
}

/// How many files an earlier delete of `path` took, if its second part failed here. It is not remembered any longer.
pub(crate) fn take_unfinished_delete(files: &Files, context: &Context, path: &VirtualPath) -> Result<Option<u64>> {
    let place = (context.space()?.session(&context.session)?, path.clone());
    match files.changes().unfinished.remove(&place) {
        Some(UnfinishedChange::Delete(deleted)) => Ok(Some(deleted)),
        Some(UnfinishedChange::Write { .. }) | None => Ok(None),
    }
}

/// Changes the session's snapshot of a skill; true if it is not loaded any more.
async fn change_snapshot(
    context: &Context,
    skill: &PinnedSkill,
    change: impl Fn(&Snapshot) -> SnapshotChange,
) -> Result<bool> {
    let mut known = skill.snapshot.clone();
    for _ in 0..SESSION_ATTEMPTS {
        let update = context.change(|session| {
            let own = |loaded: &&mut LoadedSkill| loaded.skill == skill.skill && loaded.layer == skill.layer;
            let Some(loaded) = session.loaded_skills.iter_mut().find(own) else {
                return Ok(Change::None(Ok(true)));
            };
            let before = match &loaded.snapshot {
                Some(snapshot) => snapshot,
                None if loaded.digest == known.digest() => &known,
                None => return Ok(Change::None(Err(loaded.clone()))),
            };
            match change(before) {
                SnapshotChange::Stays(answer) => Ok(Change::None(Ok(answer))),
                SnapshotChange::To(snapshot) => {
                    snapshot.digest().clone_into(&mut loaded.digest);
                    // With a change of its own it is no published version any more.
                    loaded.version = None;
                    loaded.snapshot = Some(snapshot.into());
                    Ok(Change::Save(Ok(true)))
                }
            }
        });
        match update.await?.1 {
            Ok(answer) => return Ok(answer),
            // It was loaded again, or changed by another replica: its list of files lies in an object of its own.
            Err(loaded) => known = context.core.sessions().snapshot(context.user(), &loaded).await?,
        }
    }
    Err(contested())
}

/// The change of a snapshot.
enum SnapshotChange {
    To(Snapshot),
    Stays(bool),
}

/// A change whose first part has landed, `did` says which, and whose second failed with `error`.
pub(crate) fn half_done(did: &str, file: Outcome, error: Error) -> Error {
    let error = error.of_change();
    let session = match error.outcome() {
        Some(Outcome::NotApplied) => "the session does not see it yet",
        _ => "whether the session sees it is not known",
    };
    let message = format!("{did}, but {session}; make the same call again, which completes it and does nothing twice");
    let parts = Parts { file: Some(file), session: error.outcome(), audit: None };
    error.in_words(message).with_parts(parts)
}

/// The answer to the delete of a mount.
fn stays(path: &VirtualPath) -> Error {
    Error::new(Code::ReadOnly, format!("{path} is a mount and stays; delete the files and folders in it"))
        .with_outcome(Outcome::NotApplied)
}

/// Of a list of texts, so that no two lists share one.
fn digest<'text>(texts: impl IntoIterator<Item = &'text &'text [u8]>) -> String {
    let mut hash = Sha256::new();
    for text in texts {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text);
    }
    hex::encode(hash.finalize())
}
