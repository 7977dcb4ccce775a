//! Deleting a file, or a folder and everything below it.
//!
//! A delete removes the files that its listing showed. If the store can, it deletes each object only in the version
//! that was seen, so a retry never removes a later write of another caller. A file that cannot be deleted stops no
//! other delete, and the answer names it. The same call, made again, deletes the rest.

use futures_util::{StreamExt, stream};
use tokio::time::Instant;

use super::{
    Files,
    listing::{ListedFile, files_below},
    two_part_change::{WriteTarget, forget_files, half_done, record_delete, take_unfinished_delete, target},
};
use crate::{
    content::{FileRef, missing},
    context::{Admission, CallInput, Context, OperationSpan, record_file},
    error::{Code, Error, Outcome, Result},
    limits::{DELETE_BEGINS, FAILED_FILES, LIST_OBJECTS, OPERATION_TIMEOUT, PARALLEL_GETS},
    path::{ETag, ObjectKey, VirtualPath},
    store::{DeleteOptions, StoreError},
    wire::{DeleteReply, DeleteRequest, FailedFile},
};

/// How often the delete of one object is tried because a newer version appeared.
const ATTEMPTS: usize = 8;

/// The outcomes of the files of a delete. Each list is in byte order of paths.
#[derive(Default)]
pub(crate) struct Fates {
    gone: Vec<VirtualPath>,
    failed: Vec<(VirtualPath, Error)>,
}

pub(crate) async fn delete(files: &Files, span: &OperationSpan, request: DeleteRequest) -> Result<DeleteReply> {
    let path = VirtualPath::parse(&request.path)?;
    let admission = span.check().await?.admit(CallInput::from_request(&request)).await?;
    delete_at(files, &admission, &path).await
}

/// Deletes what is at and below `path`.
pub(crate) async fn delete_at(files: &Files, admission: &Admission<'_>, path: &VirtualPath) -> Result<DeleteReply> {
    let context = admission.context();
    let target = target(files, admission, path).await?;
    let doomed = doomed(context, &target, path).await?;
    if doomed.is_empty() {
        // An earlier call may have changed the session although it could not say so.
        let deleted = take_unfinished_delete(files, context, path)?;
        let deleted = deleted.ok_or_else(|| missing(path).with_outcome(Outcome::NotApplied))?;
        return Ok(DeleteReply { deleted, ..Fates::default().reply(path) });
    }
    let fates = delete_objects(context, doomed).await;
    if fates.gone.is_empty()
        && let Some(error) = fates.common_failure()
    {
        return Err(target.failed(path, error));
    }
    let reply = fates.reply(path);
    if let Some(skill) = target.skill.as_ref().filter(|_| !fates.gone.is_empty()) {
        let file = reply.outcome.unwrap_or(Outcome::Applied);
        let forgotten = forget_files(context, skill, &fates.gone).await;
        record_delete(files, context, path, reply.deleted, forgotten.is_ok())?;
        forgotten.map_err(|error| {
            let error = half_done(&reply.summary(), file, error);
            if reply.failed.is_empty() { error } else { reply.add_files_to(error) }
        })?;
    }
    Ok(reply)
}

/// The objects at and below `path`; none if nothing is there.
async fn doomed(
    context: &Context,
    target: &WriteTarget<'_>,
    path: &VirtualPath,
) -> Result<Vec<(VirtualPath, ObjectKey)>> {
    let key = &target.key;
    let (below, own) = tokio::join!(files_below(context, &target.tree, path), context.core.store().head(key));
    let below = below?;
    if below.truncated {
        let message = format!("{path} holds more than {LIST_OBJECTS} files; delete the folders below it one by one");
        return Err(Error::new(Code::FileTooLarge, message).with_outcome(Outcome::NotApplied));
    }
    let mut doomed: Vec<(VirtualPath, ObjectKey)> = below.entries.into_iter().map(ListedFile::into_name).collect();
    match own {
        Ok(_) if doomed.iter().all(|(_, known)| known != key) => doomed.push((path.clone(), key.clone())),
        Ok(_) | Err(StoreError::NotFound) => {}
        Err(error) => return Err(error.into()),
    }
    Ok(doomed)
}

/// Deletes the objects of `doomed`. A delete that has not begun in time fails.
pub(crate) async fn delete_objects(context: &Context, doomed: Vec<(VirtualPath, ObjectKey)>) -> Fates {
    let until = Instant::now() + DELETE_BEGINS;
    let deletes = doomed.into_iter().map(|(path, key)| async move {
        let deleted = if Instant::now() < until { delete_object(context, &key).await } else { Err(not_begun()) };
        if let Ok(before) = &deleted {
            record_file(context, &path, before.as_ref(), None, None);
        }
        (path, deleted.map(drop))
    });
    let mut fates = Fates { gone: Vec::new(), failed: Vec::new() };
    let mut deletes = stream::iter(deletes).buffer_unordered(PARALLEL_GETS);
    while let Some((path, deleted)) = deletes.next().await {
        match deleted {
            Ok(()) => fates.gone.push(path),
            Err(error) => fates.failed.push((path, error.of_change())),
        }
    }
    fates.gone.sort();
    fates.failed.sort_by(|(one, _), (two, _)| one.cmp(two));
    fates
}

/// Removes one object, whatever version it has by then. Returns that version if it was seen.
async fn delete_object(context: &Context, key: &ObjectKey) -> Result<Option<ETag>> {
    let store = &context.core.store();
    if !store.capabilities().conditional_delete {
        return Ok(store.delete(key, DeleteOptions::default()).await.map(|()| None)?);
    }
    let until = Instant::now() + OPERATION_TIMEOUT;
    let mut failure = StoreError::PreconditionFailed;
    let mut in_doubt = false;
    for _ in 0..ATTEMPTS {
        let if_match = match store.head(key).await {
            Ok(meta) => Some(meta.etag),
            Err(StoreError::NotFound) => return Ok(None),
            Err(error) => {
                failure = error;
                break;
            }
        };
        match store.delete(key, DeleteOptions { if_match: if_match.clone() }).await {
            Ok(()) | Err(StoreError::NotFound) => return Ok(if_match),
            Err(error) => failure = error,
        }
        in_doubt |= matches!(failure, StoreError::Unavailable { outcome: Outcome::Unknown, .. });
        let may_pass = matches!(failure, StoreError::PreconditionFailed) || failure.is_transient();
        if !may_pass || Instant::now() >= until {
            break;
        }
    }
    let error = match failure {
        StoreError::PreconditionFailed => {
            let message = "others kept writing while the delete ran; list the folder and try again";
            Error::new(Code::EditConflict, message).with_outcome(Outcome::NotApplied)
        }
        failure => failure.into(),
    };
    Err(if in_doubt { error.with_outcome(Outcome::Unknown) } else { error })
}

impl Fates {
    /// The error of all files, if it is the same for each.
    fn common_failure(&self) -> Option<Error> {
        let (_, first) = self.failed.first()?;
        self.failed.iter().all(|(_, error)| error.is_alike(first)).then(|| first.clone())
    }

    pub(crate) fn reply(&self, path: &VirtualPath) -> DeleteReply {
        let went = (!self.gone.is_empty()).then_some(Outcome::Applied);
        let outcomes = self.failed.iter().filter_map(|(_, error)| error.outcome());
        let outcome = match Outcome::of_all(outcomes.chain(went)) {
            // Nothing is known to have gone, so no part is known to be done.
            Some(Outcome::Partial) if self.gone.is_empty() => Some(Outcome::Unknown),
            outcome => outcome,
        };
        DeleteReply {
            path: path.to_string(),
            deleted: self.gone.len() as u64,
            outcome: outcome.filter(|_| !self.failed.is_empty()),
            failed: named(&self.failed),
            more_failed: self.failed.len().saturating_sub(FAILED_FILES) as u64,
        }
    }
}

impl ListedFile {
    fn into_name(self) -> (VirtualPath, ObjectKey) {
        let FileRef { path, key, .. } = self.file;
        (path, key)
    }
}

/// The first of the files that stayed, as a reply names them.
pub(crate) fn named(failed: &[(VirtualPath, Error)]) -> Vec<FailedFile> {
    let first = failed.iter().take(FAILED_FILES).map(|(path, error)| FailedFile {
        path: path.to_string(),
        code: error.name().to_owned(),
        outcome: error.outcome().unwrap_or(Outcome::Unknown),
    });
    first.collect()
}

/// The answer for a file that the time did not suffice for.
pub(crate) fn not_begun() -> Error {
    Error::new(Code::StoreUnavailable, "there was no time left for this file; make the same call again")
        .with_outcome(Outcome::NotApplied)
}
