//! Replacing text in files. An empty `old_string` is refused without a request; `edits` queues every other edit.

use std::sync::Arc;

use super::{
    Files,
    replace::Replacement,
    two_part_change::{call, finish, target},
    unfinished::{ATTEMPTS, FirstPartWritten, contested},
};
use crate::{
    context::{CallInput, OperationSpan, record_file},
    error::Result,
    path::VirtualPath,
    wire::{EditReply, EditRequest},
};

pub(crate) async fn edit(files: &Files, span: &OperationSpan, request: EditRequest) -> Result<EditReply> {
    let path = VirtualPath::parse(&request.file_path)?;
    Replacement::check(&request.old_string)?;
    let (context, admission) = (span.context(), span.check().await?.admit(CallInput::from_request(&request)).await?);
    let replacement = Arc::new(Replacement::new(request)?);
    for _ in 0..ATTEMPTS {
        let target = target(files, &admission, &path).await?;
        let call = call(files, context, &target, &path, &replacement.identity())?;
        let name = call.as_ref().map(|call| call.name.clone());
        let edited =
            files.edits().edit(context.user(), target.key.clone(), path.clone(), replacement.clone(), name).await;
        let edited = edited.map_err(|error| target.failed(&path, error))?;
        let FirstPartWritten { commit, before, after, .. } = &edited;
        record_file(context, &path, before.as_ref(), after.clone(), commit.etag.as_ref());
        if finish(files, context, &target, &path, call.as_ref(), &edited).await? {
            let FirstPartWritten { commit, count, .. } = edited;
            return Ok(EditReply { path: path.to_string(), occurrences: count, etag: commit.etag });
        }
    }
    Err(contested())
}
