//! Whole files as bytes: upload, download, and the streams behind the raw HTTP routes.

use std::{ops::Range, sync::Arc};

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use jiff::Timestamp;

use super::write::{approve_bytes, check_upload_size, precondition_failed, put_bytes};
use serde_json::json;

use crate::{
    backend::{
        context::{CallInput, Context, OperationSpan, PendingAdmission, Refusal},
        fetch::{advance, unreadable},
        mounts::tree_at,
        session_backend::SessionBackend,
        shared::Shared,
        tree::FileRef,
    },
    error::{Code, Error, Result},
    limits::{DOWNLOAD_WINDOW_BYTES, TRANSFER_FILES, UPLOAD_FILE_BYTES},
    path::{ETag, VirtualPath},
    store::{ObjectMeta, StoreError},
    wire::{CallOutline, DownloadOutcome, Operation, UploadFile, UploadOutcome, WriteCondition},
};

/// Files of one transfer under way at once: few, because each may be large.
const PARALLEL: usize = 4;

/// What is known of a file without its bytes.
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

/// The bytes of one version of a file, piece after piece: it holds one of [`DOWNLOAD_WINDOW_BYTES`] at a time.
#[derive(Debug)]
pub struct FileReader {
    shared: Arc<Shared>,
    file: FileRef,
    stat: FileStat,
    at: u64,
    end: u64,
    ready: Option<Bytes>,
}

/// A file that a call may read. Looks at it and reads of it are one call, with one admission and one account.
pub struct FileAccess {
    span: OperationSpan,
    file: FileRef,
    path: String,
}

pub(in crate::backend) async fn upload(span: &OperationSpan, files: Vec<UploadFile>) -> Result<Vec<UploadOutcome>> {
    check_count(files.len())?;
    // The session is read once for all of them, and what keeps the call out keeps out each.
    let pending = &span.enter().await;
    let uploads = files.into_iter().map(|file| async move {
        let result = upload_file(pending, &file.path, file.bytes).await.map_err(Error::of_change);
        UploadOutcome { path: file.path, result }
    });
    Ok(stream::iter(uploads).buffered(PARALLEL).collect().await)
}

async fn upload_file(
    pending: &Result<PendingAdmission<'_>, Refusal>,
    path: &str,
    bytes: Bytes,
) -> Result<Option<ETag>> {
    let path = VirtualPath::parse(path)?;
    check_upload_size(&path, bytes.len())?;
    let pending = pending.as_ref().map_err(Clone::clone)?;
    let (condition, outline) = (WriteCondition::Always, CallOutline::of_files([path.as_str()]));
    let admission = approve_bytes(pending, &path, &bytes, &condition, outline).await?;
    let put = put_bytes(&admission, &path, bytes, condition, precondition_failed);
    put.await.map(|written| written.etag)
}

pub(in crate::backend) async fn download(span: &OperationSpan, paths: Vec<String>) -> Result<Vec<DownloadOutcome>> {
    check_count(paths.len())?;
    let pending = &span.enter().await;
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
    pending.context().shared.fetch_whole(&file, UPLOAD_FILE_BYTES as u64).await.map(|(_, bytes)| bytes)
}

/// The file at `path`, if the call may read it.
async fn readable(pending: &PendingAdmission<'_>, path: &VirtualPath) -> Result<FileRef> {
    let input = json!({ "path": path.as_str() });
    let outline = CallOutline::of_files([path.as_str()]);
    let admission = pending.approve(async { Ok(CallInput { input, outline }) }).await?;
    tree_at(&admission, path).await?.file(path)
}

/// What is known of a file without its bytes.
pub(super) async fn stat(context: &Context, path: &str, file: &FileRef) -> Result<FileStat> {
    let meta = context.shared.store.head(&file.key).await.map_err(|error| unreadable(file, error))?;
    if file.version.etag().is_some_and(|etag| *etag != meta.etag) {
        return Err(unreadable(file, StoreError::PreconditionFailed));
    }
    Ok(FileStat { path: path.to_owned(), size: meta.size, etag: meta.etag, modified_at: meta.modified_at })
}

impl SessionBackend {
    /// A file that this call may read.
    ///
    /// # Errors
    /// `invalid_path`, `file_not_found`, `is_a_directory`; those of the policy.
    pub async fn file(&self, path: &str) -> Result<FileAccess> {
        let span = self.context.begin(Operation::Download, || path.to_owned(), || CallOutline::of_files([path]));
        let file = async {
            let path = VirtualPath::parse(path)?;
            readable(&span.enter().await?, &path).await
        };
        match file.await {
            Ok(file) => Ok(FileAccess { span, file, path: path.to_owned() }),
            Err(error) => span.ended(Err(error)).await,
        }
    }

    /// What is known of a file, without its bytes.
    ///
    /// # Errors
    /// As [`file`](Self::file); `skill_changed` where a pinned file is gone.
    pub async fn stat(&self, path: &str) -> Result<FileStat> {
        let file = self.file(path).await?;
        let stat = file.stat().await;
        file.ended(stat).await
    }

    /// Opens a file for reading all of it, or the bytes `range`; with `pin`, only that version.
    ///
    /// # Errors
    /// As [`stat`](Self::stat); `edit_conflict` where `pin` is not the version there is; `offset_out_of_range` where the
    /// range starts after the end.
    pub async fn open(&self, path: &str, range: Option<Range<u64>>, pin: Option<ETag>) -> Result<FileReader> {
        let file = self.file(path).await?;
        let reader = file.open(range, pin).await;
        file.ended(reader).await
    }
}

impl FileAccess {
    /// What is known of the file, without its bytes.
    ///
    /// # Errors
    /// `file_not_found`; `skill_changed` where a pinned file is gone.
    pub async fn stat(&self) -> Result<FileStat> {
        stat(self.span.context(), &self.path, &self.file).await
    }

    /// Opens the file for reading all of it, or the bytes `range`; with `pin`, only that version.
    ///
    /// # Errors
    /// As [`SessionBackend::open`].
    pub async fn open(&self, range: Option<Range<u64>>, pin: Option<ETag>) -> Result<FileReader> {
        let shared = Arc::clone(&self.span.context().shared);
        FileReader::open(shared, self.file.clone(), range, pin.as_ref()).await
    }

    /// Ends the call with what came of it, and returns that.
    ///
    /// # Errors
    /// Those of `outcome`.
    pub async fn ended<T>(self, outcome: Result<T>) -> Result<T> {
        self.span.ended(outcome).await
    }
}

impl FileReader {
    /// A reader of all of a file, or of the bytes `range`; with `pin`, only of that version.
    pub(in crate::backend) async fn open(
        shared: Arc<Shared>,
        file: FileRef,
        range: Option<Range<u64>>,
        pin: Option<&ETag>,
    ) -> Result<Self> {
        let wanted = range.unwrap_or(0..u64::MAX);
        let first = wanted.start..wanted.end.min(wanted.start.saturating_add(DOWNLOAD_WINDOW_BYTES));
        let object = shared.fetch(&file, Some(first), pin).await?;
        let ObjectMeta { size, etag, modified_at, .. } = object.meta;
        let stat = FileStat { path: file.path.to_string(), size, etag, modified_at };
        let (at, end) = (object.range.end, wanted.end.min(size));
        Ok(Self { shared, file, stat, at, end, ready: Some(object.bytes) })
    }

    /// The file being read.
    #[must_use]
    pub fn stat(&self) -> &FileStat {
        &self.stat
    }

    /// The next bytes; `None` at the end. All of one version: where the file changes meanwhile, this fails.
    ///
    /// # Errors
    /// `edit_conflict` or `skill_changed` where the version is gone; the store's.
    pub async fn next(&mut self) -> Result<Option<Bytes>> {
        if let Some(ready) = self.ready.take().filter(|ready| !ready.is_empty()) {
            return Ok(Some(ready));
        }
        if self.at >= self.end {
            return Ok(None);
        }
        let range = self.at..self.end.min(self.at + DOWNLOAD_WINDOW_BYTES);
        let chunk = self.shared.fetch(&self.file, Some(range), Some(&self.stat.etag)).await?;
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
