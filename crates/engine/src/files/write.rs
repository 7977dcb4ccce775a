//! Making and replacing files.

use std::iter;

use bytes::Bytes;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::{
    Files,
    tree::unwritable,
    two_part_change::{IdempotencyKey, WriteTarget, call, finish, target},
    unfinished::{ATTEMPTS, FirstPartWritten, contested},
};
use crate::{
    context::{Admission, CallInput, Context, OperationSpan, PendingAdmission, Refusal, record_file, recorded_digest},
    error::{Code, Error, Outcome, Result},
    limits::TEXT_FILE_BYTES,
    path::VirtualPath,
    store::{ExpectedVersion, StoreError, StoreResult, WriteCallId},
    wire::{CallOutline, WriteCondition, WriteReply, WriteRequest},
};

pub(crate) async fn write(files: &Files, span: &OperationSpan, request: WriteRequest) -> Result<WriteReply> {
    let path = VirtualPath::parse(&request.file_path)?;
    check_text_size(&path, request.content.len())?;
    let condition = if request.overwrite { WriteCondition::Always } else { WriteCondition::IfAbsent };
    let admission = span.check().await?.admit(CallInput::from_request(&request)).await?;
    put_bytes(files, &admission, &path, request.content.into(), condition, already_exists).await
}

/// Admits an operation that stores these bytes. The approval is for their digest.
///
/// # Errors
/// As [`PendingAdmission::admit`].
pub(crate) async fn approve_bytes<'call>(
    pending: &PendingAdmission<'call>,
    path: &VirtualPath,
    bytes: &Bytes,
    condition: &WriteCondition,
    outline: CallOutline,
) -> Result<Admission<'call>, Refusal> {
    let input = async {
        let (size, bytes) = (bytes.len(), bytes.clone());
        let errand = pending.context().errand();
        let sha256 = errand.run(move |_| Ok(hex::encode(Sha256::digest(&bytes)))).await?;
        let input = json!({
            "path": path.as_str(), "bytes": size, "sha256": sha256, "condition": in_words(condition)
        });
        Ok(CallInput { input, outline })
    };
    pending.admit(input).await
}

fn in_words(condition: &WriteCondition) -> Value {
    match condition {
        WriteCondition::Always => "always".into(),
        WriteCondition::IfAbsent => "if_absent".into(),
        WriteCondition::IfPresent => "if_present".into(),
        WriteCondition::IfMatch(etags) => etags.iter().map(|etag| Value::from(etag.as_str())).collect(),
    }
}

/// Stores the bytes of a file; `unmet` is the answer if `condition` does not hold.
pub(crate) async fn put_bytes(
    files: &Files,
    admission: &Admission<'_>,
    path: &VirtualPath,
    bytes: Bytes,
    condition: WriteCondition,
    unmet: fn(&VirtualPath) -> Error,
) -> Result<WriteReply> {
    let context = admission.context();
    let mut digest = None;
    for _ in 0..ATTEMPTS {
        let target = target(files, admission, path).await?;
        if digest.is_none() {
            digest = recorded_digest(context, &bytes).await;
        }
        let call = match &condition {
            // A repeated overwrite writes the same bytes again, so it needs no key.
            WriteCondition::Always | WriteCondition::IfPresent => None,
            WriteCondition::IfAbsent => call(files, context, &target, path, &[b"create", &bytes])?,
            WriteCondition::IfMatch(etags) => {
                let etags = etags.iter().map(|etag| etag.as_str().as_bytes());
                let words: Vec<&[u8]> = iter::once(&b"replace"[..]).chain(etags).chain([&*bytes]).collect();
                call(files, context, &target, path, &words)?
            }
        };
        let landed = put(context, &target, call.as_ref(), bytes.clone(), &condition).await.map_err(|error| {
            let error = match error {
                StoreError::PreconditionFailed => unmet(path),
                error => unwritable(path, &target.key, error),
            };
            target.failed(path, error)
        })?;
        record_file(context, path, landed.before.as_ref(), digest.clone(), landed.commit.etag.as_ref());
        if finish(files, context, &target, path, call.as_ref(), &landed).await? {
            let created = condition == WriteCondition::IfAbsent;
            return Ok(WriteReply { path: path.to_string(), etag: landed.commit.etag, bytes: landed.size, created });
        }
    }
    Err(contested())
}

/// The first part of a write: the file. A repeated call finds that its file has landed.
async fn put(
    context: &Context,
    target: &WriteTarget<'_>,
    call: Option<&IdempotencyKey>,
    bytes: Bytes,
    condition: &WriteCondition,
) -> StoreResult<FirstPartWritten> {
    let size = bytes.len() as u64;
    let store = &context.core.store();
    let base = match condition {
        WriteCondition::Always => Ok(ExpectedVersion::Whatever),
        WriteCondition::IfAbsent => Ok(ExpectedVersion::Absent),
        // With its chain, so that a later write over this version can be settled.
        WriteCondition::IfPresent => store.head(&target.key).await.map(|meta| ExpectedVersion::version(&meta)),
        WriteCondition::IfMatch(etags) => match store.head(&target.key).await {
            Ok(meta) if etags.contains(&meta.etag) => Ok(ExpectedVersion::version(&meta)),
            Ok(_) => Err(StoreError::PreconditionFailed),
            Err(error) => Err(error),
        },
    };
    let mark = call.map(|call| WriteCallId { call: call.name.clone(), count: 1 });
    let before = match &base {
        Ok(ExpectedVersion::Version(etag, _)) => Some(etag.clone()),
        _ => None,
    };
    let committed = match base {
        Ok(base) => context.core.committer().commit_marked(&target.key, bytes, &base, mark.as_ref()).await,
        Err(error) => Err(error),
    };
    match (committed, call) {
        (Ok(commit), _) => Ok(FirstPartWritten { commit, size, count: 1, is_earlier: false, before, after: None }),
        (Err(StoreError::PreconditionFailed), Some(call)) => {
            let now = store.head(&target.key).await.map_err(gone)?;
            let (commit, count) = WriteCallId::find(&call.name, &now).ok_or(StoreError::PreconditionFailed)?;
            Ok(FirstPartWritten { commit, size, count, is_earlier: true, before: None, after: None })
        }
        (Err(error), _) => Err(gone(error)),
    }
}

/// A condition on a version does not hold if there is none any more.
fn gone(error: StoreError) -> StoreError {
    match error {
        StoreError::NotFound => StoreError::PreconditionFailed,
        error => error,
    }
}

fn check_text_size(path: &VirtualPath, size: usize) -> Result<()> {
    check_size(path, size, TEXT_FILE_BYTES, "upload it instead, or split it")
}

pub(crate) fn check_upload_size(path: &VirtualPath, size: usize) -> Result<()> {
    check_size(path, size, crate::limits::UPLOAD_FILE_BYTES, "split it")
}

fn check_size(path: &VirtualPath, size: usize, most: usize, advice: &str) -> Result<()> {
    if size <= most {
        return Ok(());
    }
    let message = format!("{path} would have {size} bytes and this takes at most {most}; {advice}");
    Err(Error::new(Code::FileTooLarge, message)
        .with_detail("size", size)
        .with_detail("limit", most)
        .with_outcome(Outcome::NotApplied))
}

pub(crate) fn precondition_failed(path: &VirtualPath) -> Error {
    Error::new(
        Code::PreconditionFailed,
        format!("{path} is not in the state the request's conditions ask for; read it again"),
    )
    .with_outcome(Outcome::NotApplied)
}

fn already_exists(path: &VirtualPath) -> Error {
    let message = format!("{path} exists already; change it with edit, or write it with overwrite: true");
    Error::new(Code::AlreadyExists, message).with_outcome(Outcome::NotApplied)
}
