//! Whole files of a session for surfaces that stream bytes and set conditions in headers.

use std::ops::Range;

use bytes::Bytes;
use serde_json::json;

use super::{
    Files,
    delete::delete_at,
    mounts::tree_at,
    transfer::{FileAccess, FileReader, FileStat, readable, stat},
    write::{approve_bytes, check_upload_size, precondition_failed, put_bytes},
};
use crate::{
    context::{CallInput, Context},
    error::{Error, Result},
    path::{ETag, VirtualPath},
    wire::{CallOutline, DeleteReply, DeleteRequest, Operation, Request as _, WriteCondition, WriteReply, normal_form},
};

/// The files of one session, read and written whole.
#[derive(Clone, Debug)]
pub struct SessionFiles {
    context: Context,
    files: Files,
}

impl SessionFiles {
    pub(crate) fn new(context: Context, files: Files) -> Self {
        Self { context, files }
    }

    /// A file that this call may read.
    ///
    /// # Errors
    /// `invalid_path`, `file_not_found`, `is_a_directory`; those of the policy.
    pub async fn file(&self, path: &str) -> Result<FileAccess> {
        let span = self.context.begin(Operation::Download, || path.to_owned(), || CallOutline::of_files([path]));
        let file = async {
            let path = VirtualPath::parse(path)?;
            readable(&span.check().await?, &path).await
        };
        match file.await {
            Ok(file) => Ok(FileAccess { span, file, path: path.to_owned() }),
            Err(error) => span.ended(Err(error)).await,
        }
    }

    /// Size, version and time of a file, without its bytes.
    ///
    /// # Errors
    /// As [`file`](Self::file); `skill_changed` if a pinned file is gone.
    pub async fn stat(&self, path: &str) -> Result<FileStat> {
        let file = self.file(path).await?;
        let stat = file.stat().await;
        file.ended(stat).await
    }

    /// Opens a file for reading all of it, or the bytes `range`; with `pin`, only that version.
    ///
    /// # Errors
    /// As [`stat`](Self::stat); `edit_conflict` if `pin` is not the version there is; `offset_out_of_range` if the
    /// range starts after the end.
    pub async fn open(&self, path: &str, range: Option<Range<u64>>, pin: Option<ETag>) -> Result<FileReader> {
        let file = self.file(path).await?;
        let reader = file.open(range, pin).await;
        file.ended(reader).await
    }

    /// Stores the bytes of a file as a client sent them, under the condition its headers set. Session and store are asked
    /// once for the condition and the write together.
    ///
    /// # Errors
    /// `invalid_path`, `read_only`, `file_too_large`; `precondition_failed` if the condition does not hold. Each has
    /// the outcome of the change.
    pub async fn put_file(&self, path: &str, bytes: Bytes, condition: WriteCondition) -> Result<WriteReply> {
        let outline =
            || CallOutline::default().path("file_path", path).other("content", json!({ "bytes": bytes.len() }));
        let span = self.context.begin(Operation::Write, || path.to_owned(), outline);
        let put = async {
            let path = VirtualPath::parse(path)?;
            check_upload_size(&path, bytes.len())?;
            let pending = span.check().await?;
            let outline = CallOutline::default()
                .path("file_path", path.as_str())
                .other("content", json!({ "bytes": bytes.len() }));
            let admission = approve_bytes(&pending, &path, &bytes, &condition, outline).await?;
            put_bytes(&self.files, &admission, &path, bytes, condition, precondition_failed).await
        };
        let put = put.await.map_err(Error::of_change);
        span.ended(put).await
    }

    /// Deletes as `BackendProtocol::delete` does, if `holds` accepts the version of the file. `None`
    /// deletes whatever is there, also a folder. The version is looked at before, and not in the same step.
    ///
    /// # Errors
    /// Those of `holds`, of a look at the file, and of a delete.
    pub async fn delete_if(
        &self,
        request: DeleteRequest,
        holds: Option<impl FnOnce(&ETag) -> Result<()> + Send>,
    ) -> Result<DeleteReply> {
        let span = self.context.begin(Operation::Delete, || request.subject(), || request.outline());
        let delete = async {
            let request = normal_form(request)?;
            let path = VirtualPath::parse(&request.path)?;
            let admission = span.check().await?.admit(CallInput::from_request(&request)).await?;
            if let Some(holds) = holds {
                admission.check(Operation::Download)?;
                let file = tree_at(&admission, &path).await?.file(&path)?;
                holds(&stat(span.context(), &request.path, &file).await?.etag)?;
            }
            delete_at(&self.files, &admission, &path).await.map_err(Error::of_change)
        };
        let deleted = delete.await;
        span.ended(deleted).await
    }
}
