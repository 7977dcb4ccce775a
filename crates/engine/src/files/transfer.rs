//! Whole files as bytes: upload, download, and the streams behind the raw HTTP routes.

use crate::content::ReadError;
use std::ops::Range;

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use jiff::Timestamp;
use serde_json::json;

use super::{
    Files,
    mounts::tree_at,
    write::{approve_bytes, check_upload_size, precondition_failed, put_bytes},
};
use crate::{
    content::{Content, FileRef, advance, fetch, fetch_whole, unreadable},
    context::{CallInput, Context, OperationSpan, PendingAdmission, Refusal},
    error::{Code, Error, Result},
    limits::{DOWNLOAD_WINDOW_BYTES, TRANSFER_FILES, UPLOAD_FILE_BYTES},
    path::{ETag, VirtualPath},
    store::{ObjectMeta, StoreError},
    wire::{CallOutline, DownloadOutcome, UploadFile, UploadOutcome, WriteCondition},
};

/// Files of one transfer under way at once: few, because each may be large.
const PARALLEL: usize = 4;

/// Size, version and time of a file, without its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileStat {
    /// Its virtual path.
    pub path: String,
    /// Bytes.
    pub size: u64,
    /// Which version.
    pub etag: ETag,
    /// When that version was written.
    pub modified_at: Timestamp,
}

/// The bytes of a version of a file, piece after piece. It holds one piece of [`DOWNLOAD_WINDOW_BYTES`] at a time.
#[derive(Debug)]
pub struct FileReader {
    content: Content,
    file: FileRef,
    stat: FileStat,
    at: u64,
    end: u64,
    ready: Option<Bytes>,
}

/// A file that a call may read. All looks and reads are a single call, with one admission and one account.
pub struct FileAccess {
    pub(super) span: OperationSpan,
    pub(super) file: FileRef,
    pub(super) path: String,
}

pub(crate) async fn upload(files: &Files, span: &OperationSpan, wanted: Vec<UploadFile>) -> Result<Vec<UploadOutcome>> {
    check_count(wanted.len())?;
    // The session is read once for all of them, and a refusal of the call refuses each file.
    let pending = &span.check().await;
    let uploads = wanted.into_iter().map(|file| async move {
        let result = upload_file(files, pending, &file.path, file.bytes).await.map_err(Error::of_change);
        UploadOutcome { path: file.path, result }
    });
    Ok(stream::iter(uploads).buffered(PARALLEL).collect().await)
}

async fn upload_file(
    files: &Files,
    pending: &Result<PendingAdmission<'_>, Refusal>,
    path: &str,
    bytes: Bytes,
) -> Result<Option<ETag>> {
    let path = VirtualPath::parse(path)?;
    check_upload_size(&path, bytes.len())?;
    let pending = pending.as_ref().map_err(Clone::clone)?;
    let (condition, outline) = (WriteCondition::Always, CallOutline::of_files([path.as_str()]));
    let admission = approve_bytes(pending, &path, &bytes, &condition, outline).await?;
    let put = put_bytes(files, &admission, &path, bytes, condition, precondition_failed);
    put.await.map(|written| written.etag)
}

pub(crate) async fn download(span: &OperationSpan, paths: Vec<String>) -> Result<Vec<DownloadOutcome>> {
    check_count(paths.len())?;
    let pending = &span.check().await;
    let downloads = paths.into_iter().map(|path| async move {
        let result = download_file(pending, &path).await;
        DownloadOutcome { path, result }
    });
    Ok(stream::iter(downloads).buffered(PARALLEL).collect().await)
}

async fn download_file(pending: &Result<PendingAdmission<'_>, Refusal>, path: &str) -> Result<Bytes> {
    let path = VirtualPath::parse(path)?;
    let pending = pending.as_ref().map_err(Clone::clone)?;
    let file = readable(pending, &path).await?;
    Ok(fetch_whole(pending.context().core.content(), &file, UPLOAD_FILE_BYTES as u64).await?.1)
}

/// The file at `path`, if the call may read it.
pub(super) async fn readable(pending: &PendingAdmission<'_>, path: &VirtualPath) -> Result<FileRef> {
    let input = json!({ "path": path.as_str() });
    let outline = CallOutline::of_files([path.as_str()]);
    let admission = pending.admit(async { Ok(CallInput { input, outline }) }).await?;
    tree_at(&admission, path).await?.file(path)
}

/// Size, version and time of a file, without its bytes.
pub(crate) async fn stat(context: &Context, path: &str, file: &FileRef) -> Result<FileStat> {
    let meta = context.core.store().head(&file.key).await.map_err(|error| unreadable(file, error))?;
    if file.version.etag().is_some_and(|etag| *etag != meta.etag) {
        return Err(unreadable(file, StoreError::PreconditionFailed).into());
    }
    Ok(FileStat { path: path.to_owned(), size: meta.size, etag: meta.etag, modified_at: meta.modified_at })
}

impl FileAccess {
    /// Size, version and time of the file, without its bytes.
    ///
    /// # Errors
    /// `file_not_found`; `skill_changed` if a pinned file is gone.
    pub async fn stat(&self) -> Result<FileStat> {
        stat(self.span.context(), &self.path, &self.file).await
    }

    /// Opens the file for reading all of it, or the bytes `range`; with `pin`, only that version.
    ///
    /// # Errors
    /// As [`SessionFiles::open`](super::SessionFiles::open).
    pub async fn open(&self, range: Option<Range<u64>>, pin: Option<ETag>) -> Result<FileReader> {
        let content = self.span.context().core.content().clone();
        Ok(FileReader::open(content, self.file.clone(), range, pin.as_ref()).await?)
    }

    /// Ends the call with its outcome, and returns the outcome.
    ///
    /// # Errors
    /// Those of `outcome`.
    pub async fn ended<T>(self, outcome: Result<T>) -> Result<T> {
        self.span.ended(outcome).await
    }
}

impl FileReader {
    /// A reader of all of a file, or of the bytes `range`; with `pin`, only of that version.
    pub(crate) async fn open(
        content: Content,
        file: FileRef,
        range: Option<Range<u64>>,
        pin: Option<&ETag>,
    ) -> Result<Self, ReadError> {
        let wanted = range.unwrap_or(0..u64::MAX);
        let first = wanted.start..wanted.end.min(wanted.start.saturating_add(DOWNLOAD_WINDOW_BYTES));
        let object = fetch(&content, &file, Some(first), pin).await?;
        let ObjectMeta { size, etag, modified_at, .. } = object.meta;
        let stat = FileStat { path: file.path.to_string(), size, etag, modified_at };
        let (at, end) = (object.range.end, wanted.end.min(size));
        Ok(Self { content, file, stat, at, end, ready: Some(object.bytes) })
    }

    /// The file being read.
    #[must_use]
    pub fn stat(&self) -> &FileStat {
        &self.stat
    }

    /// The next bytes; `None` at the end. All are of one version: if the file changes meanwhile, this fails.
    ///
    /// # Errors
    /// `edit_conflict` or `skill_changed` if the version is gone; the store's.
    pub async fn next(&mut self) -> Result<Option<Bytes>> {
        if let Some(ready) = self.ready.take().filter(|ready| !ready.is_empty()) {
            return Ok(Some(ready));
        }
        if self.at >= self.end {
            return Ok(None);
        }
        let range = self.at..self.end.min(self.at + DOWNLOAD_WINDOW_BYTES);
        let chunk = fetch(&self.content, &self.file, Some(range), Some(&self.stat.etag)).await?;
        self.at = advance(&self.file, self.at, &chunk)?;
        Ok(Some(chunk.bytes))
    }
}

fn check_count(files: usize) -> Result<()> {
    if files <= TRANSFER_FILES {
        return Ok(());
    }
    Err(Error::new(Code::InvalidRequest, format!("one call moves at most {TRANSFER_FILES} files; split it")))
}
