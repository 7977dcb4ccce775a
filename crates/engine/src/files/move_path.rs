//! Moving a file or a folder: each file is written at its new path, and then deleted at the old one.
//!
//! Nothing at the new path is ever replaced, because the write there is create-only. The old file is deleted only in
//! the version that was copied, so a change by another caller meanwhile is never lost. If there was such a change, the
//! old file stays, and the answer names it. The copy is then deleted if the store has conditional deletes. A process
//! that ends between the two steps leaves both files, never neither.
//!
//! On a store without conditional deletes the version is looked at before the delete. A write that lands between the two
//! requests is lost with the old file, and `docs/SEMANTICS.md` says so.

use futures_util::{StreamExt as _, stream};
use tokio::time::Instant;

use super::{
    Files,
    delete::{named, not_begun},
    listing::{ListedFile, files_below, head_file},
    mounts::tree,
    tree::{MountKind, Tree, TreeTarget, is_a_directory},
};
use crate::{
    content::{check_size, missing, unreadable},
    context::{CallInput, Context, OperationSpan, record_file, recorded_digest},
    error::{Code, Error, Outcome, Result},
    limits::{DELETE_BEGINS, FAILED_FILES, LIST_OBJECTS, MOVE_FILE_BYTES, PARALLEL_GETS, SEARCH_WINDOW_KIB},
    path::{ETag, ObjectKey, VirtualPath},
    store::{CachePolicy, ExpectedVersion, GetOptions, ListOptions, StoreError, StoreExt as _},
    wire::{MoveReply, MoveRequest},
};

/// A file of a move, with both of its places.
struct Step {
    found: ListedFile,
    to: VirtualPath,
    to_key: ObjectKey,
}

pub(crate) async fn move_path(_files: &Files, span: &OperationSpan, request: MoveRequest) -> Result<MoveReply> {
    let (from, to) = (VirtualPath::parse(&request.from)?, VirtualPath::parse(&request.to)?);
    if to.below(&from).is_some() {
        let message = format!("{from} cannot be moved to {to}, which is the same path or lies below it");
        return Err(Error::new(Code::InvalidPath, message));
    }
    let context = span.context();
    let tree = tree(&span.check().await?.admit(CallInput::from_request(&request)).await?).await?;
    own_place(&tree, &from)?;
    own_place(&tree, &to)?;
    let files = files_below(context, &tree, &from).await?;
    if files.truncated {
        let message = format!("{from} holds more than {LIST_OBJECTS} files; move the folders below it one by one");
        return Err(Error::new(Code::FileTooLarge, message));
    }
    let is_folder = files.entries.first().is_some_and(|first| first.file.path != from);
    let hidden = if is_folder { head_file(context, &tree, &from).await? } else { None };
    let steps =
        files.entries.into_iter().map(|found| Step::new(found, &tree, &from, &to)).collect::<Result<Vec<_>>>()?;
    match steps.first() {
        None => return Err(missing(&from)),
        // The files of a folder may join others: so the same call, made again, moves the rest.
        Some(step) if step.to == to => check_no_folder(context, &tree, &to).await?,
        Some(_) => {}
    }
    take_steps(context, steps, hidden, &from, &to).await
}

/// Checks that `path` is a file or folder in `/workspace` or `/ticket`. A file in a skill changes with the skill's
/// snapshot, and a move does not change snapshots.
fn own_place(tree: &Tree, path: &VirtualPath) -> Result<()> {
    tree.writable(path)?;
    if matches!(tree.spot(path), TreeTarget::In { kind: MountKind::Fresh, .. }) {
        return Ok(());
    }
    let message = format!("{path} cannot be moved: move works within /workspace and /ticket; write and delete instead");
    Err(Error::new(Code::ReadOnly, message))
}

impl Step {
    fn new(found: ListedFile, tree: &Tree, from: &VirtualPath, to: &VirtualPath) -> Result<Self> {
        let inside = found.file.path.below(from).unwrap_or_default();
        let to = if inside.is_empty() { to.clone() } else { to.join(inside)? };
        let to_key = tree.writable(&to)?;
        Ok(Self { found, to, to_key })
    }
}

/// Checks that no folder is at `path`: a file there is found by the write, which is create-only.
async fn check_no_folder(context: &Context, tree: &Tree, path: &VirtualPath) -> Result<()> {
    let TreeTarget::In { mount, relative, .. } = tree.spot(path) else { return Ok(()) };
    let options = ListOptions { max_entries: Some(1), ..ListOptions::default() };
    let listed = context.core.store().list(&mount.prefix.folder(&relative)?, options).await?;
    if listed.objects.is_empty() {
        return Ok(());
    }
    Err(Error::new(Code::AlreadyExists, format!("{path} is a folder; name a path where nothing is")))
}

/// Takes every step that it comes to in time. `hidden` is the file that has the name of the folder: it stays, because the
/// new path is to be a folder too.
async fn take_steps(
    context: &Context,
    steps: Vec<Step>,
    hidden: Option<ListedFile>,
    from: &VirtualPath,
    to: &VirtualPath,
) -> Result<MoveReply> {
    let until = Instant::now() + DELETE_BEGINS;
    let mut failed: Vec<(VirtualPath, Error)> =
        hidden.map(|found| (found.file.path, is_a_directory(from).of_change())).into_iter().collect();
    let total = steps.len() + failed.len();
    let taken = stream::iter(steps).map(|step| async move {
        let moved = if Instant::now() < until { take(context, &step).await } else { Err(not_begun()) };
        (step.found.file.path, moved.map_err(Error::of_change))
    });
    let mut taken = taken.buffer_unordered(PARALLEL_GETS);
    while let Some((path, moved)) = taken.next().await {
        failed.extend(moved.err().map(|error| (path, error)));
    }
    failed.sort_by(|(one, _), (two, _)| one.cmp(two));
    let moved = total - failed.len();
    match failed.first() {
        Some((_, error)) if total == 1 => return Err(error.clone()),
        _ => {}
    }
    let outcomes = failed.iter().filter_map(|(_, error)| error.outcome());
    let outcome = Outcome::of_all(outcomes.chain((moved > 0).then_some(Outcome::Applied)));
    Ok(MoveReply {
        from: from.to_string(),
        to: to.to_string(),
        moved: moved as u64,
        outcome: outcome.filter(|_| !failed.is_empty()),
        more_failed: failed.len().saturating_sub(FAILED_FILES) as u64,
        failed: named(&failed),
    })
}

async fn take(context: &Context, step: &Step) -> Result<()> {
    let (source, size) = (&step.found.file, step.found.size);
    check_size(source, size, MOVE_FILE_BYTES)?;
    // Searches of this handle share the window too, so that a turn of many calls takes no more memory than one.
    let kib = u32::try_from(size.div_ceil(1 << 10)).unwrap_or(SEARCH_WINDOW_KIB).clamp(1, SEARCH_WINDOW_KIB);
    let _room = context.search_memory.acquire_many(kib).await.map_err(Error::internal)?;
    let if_match = source.version.etag().cloned();
    let size = if_match.as_ref().map(|_| size);
    let options = GetOptions { if_match, size, keep: CachePolicy::Not, ..GetOptions::default() };
    let object = match context.core.store().get(&source.key, options).await {
        Err(StoreError::PreconditionFailed | StoreError::NotFound) => return Err(changed(&source.path)),
        object => object.map_err(|error| unreadable(source, error))?,
    };
    let seen = object.meta.etag.clone();
    let digest = recorded_digest(context, &object.bytes).await;
    let copied = context.core.committer().commit(&step.to_key, object.bytes, &ExpectedVersion::Absent).await;
    let copy = copied.map_err(|error| refused(step, error))?;
    match delete_version(context, &source.key, &seen).await {
        Ok(()) => {
            record_file(context, &source.path, Some(&seen), None, None);
            record_file(context, &step.to, None, digest, copy.etag.as_ref());
            Ok(())
        }
        Err(StoreError::PreconditionFailed) => Err(undo(context, step, copy.etag).await),
        Err(error) => {
            record_file(context, &step.to, None, digest, copy.etag.as_ref());
            Err(left_behind(step, error))
        }
    }
}

/// Deletes an object if it is still this version. If the object is gone, nothing is left to do.
async fn delete_version(context: &Context, key: &ObjectKey, version: &ETag) -> Result<(), StoreError> {
    let store = &context.core.store();
    match store.delete_version(key, version).await {
        Err(StoreError::NotFound) => Ok(()),
        // Only its absence is certain: a version that is there now may be newer than a delete that landed.
        Err(error @ StoreError::Unavailable { outcome: Outcome::Unknown, .. }) => match store.head(key).await {
            Err(StoreError::NotFound) => Ok(()),
            _ => Err(error),
        },
        deleted => deleted,
    }
}

/// The source changed after it was copied: deletes the copy, if the store can do so without deleting a newer version.
async fn undo(context: &Context, step: &Step, copy: Option<ETag>) -> Error {
    let error = changed(&step.found.file.path);
    let can_tell = context.core.store().capabilities().conditional_delete;
    let Some(copy) = copy.filter(|_| can_tell) else { return beside(step, error) };
    match delete_version(context, &step.to_key, &copy).await {
        Ok(()) => error.with_outcome(Outcome::NotApplied),
        Err(_) => beside(step, error),
    }
}

/// The error for a source that was not deleted after it was copied.
fn left_behind(step: &Step, error: StoreError) -> Error {
    let stays = match &error {
        StoreError::Unavailable { outcome: Outcome::Unknown, .. } => "may still be there",
        _ => "stays",
    };
    let message = format!(
        "{} was copied to {}, and the old file {stays}: the store did not say that it deleted it; delete one of the two",
        step.found.file.path, step.to
    );
    // The words of the failed delete are those of a change of one part.
    Error::new(Code::StoreUnavailable, message).with_source(error).with_outcome(Outcome::Partial)
}

/// `error` of a source that changed, whose copy could not be taken back.
fn beside(step: &Step, error: Error) -> Error {
    let message = format!(
        "{} was changed while it was moved, and stays; its earlier bytes are at {}: delete that file, and move again",
        step.found.file.path, step.to
    );
    error.in_words(message).with_outcome(Outcome::Partial)
}

fn changed(path: &VirtualPath) -> Error {
    Error::new(Code::EditConflict, format!("{path} was changed while it was moved, and stays; move it again"))
}

/// The error of a write at the new path.
fn refused(step: &Step, error: StoreError) -> Error {
    let Step { to, to_key, .. } = step;
    match error {
        StoreError::PreconditionFailed => {
            Error::new(Code::AlreadyExists, format!("{to} exists; name a path where nothing is, or delete it first"))
        }
        error => crate::files::unwritable(to, to_key, error),
    }
}
