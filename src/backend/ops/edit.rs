//! Replacing text in files. An empty `old_string` is refused without a request; `edits` queues every other edit.

use std::sync::Arc;

use crate::{
    backend::{
        SkillBackend,
        changes::{ATTEMPTS, Landed, contested},
        replace::Replacement,
    },
    error::Result,
    path::VirtualPath,
    wire::{EditReply, EditRequest, Operation},
};

pub(in crate::backend) async fn edit(backend: &SkillBackend, request: EditRequest) -> Result<EditReply> {
    let path = VirtualPath::parse(&request.file_path)?;
    let replacement = Replacement::new(request.old_string, request.new_string, request.replace_all)?;
    let replacement = Arc::new(replacement);
    for _ in 0..ATTEMPTS {
        let target = backend.target(Operation::Edit, &path).await?;
        let call = backend.call(&target, &path, &replacement.identity())?;
        let name = call.as_ref().map(|call| call.name.clone());
        let edited = backend
            .shared
            .edits
            .edit(backend.user(), target.key.clone(), path.clone(), replacement.clone(), name)
            .await;
        let edited = edited.map_err(|error| target.failed(&path, error))?;
        if backend.finish(&target, &path, call.as_ref(), &edited).await? {
            let Landed { commit, count, .. } = edited;
            return Ok(EditReply { path: path.to_string(), occurrences: count, etag: commit.etag });
        }
    }
    Err(contested())
}
