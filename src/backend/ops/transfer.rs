//! Whole files as bytes: upload, download, and the streams behind the raw HTTP routes.

use std::{ops::Range, sync::Arc};

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use jiff::Timestamp;

use super::write::{check_upload_size, precondition_failed};
use crate::{
    backend::{
        SessionBackend,
        fetch::{advance, unreadable},
        service::Shared,
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

impl SessionBackend {
    pub(in crate::backend) async fn upload_files(&self, files: Vec<UploadFile>) -> Result<Vec<UploadOutcome>> {
        check_count(files.len())?;
        let uploads = files.into_iter().map(|file| async move {
            let result = self.upload_file(&file.path, file.bytes).await.map_err(Error::of_change);
            UploadOutcome { path: file.path, result }
        });
        Ok(stream::iter(uploads).buffered(PARALLEL).collect().await)
    }

    async fn upload_file(&self, path: &str, bytes: Bytes) -> Result<Option<ETag>> {
        let path = VirtualPath::parse(path)?;
        check_upload_size(&path, bytes.len())?;
        let condition = WriteCondition::Always;
        let approved = self.approved_to_store(Operation::Upload, &path, &bytes, &condition).await?;
        let put = approved.put_bytes(Operation::Upload, &path, bytes, condition, precondition_failed);
        put.await.map(|written| written.etag)
    }

    pub(in crate::backend) async fn download_files(&self, paths: Vec<String>) -> Result<Vec<DownloadOutcome>> {
        check_count(paths.len())?;
        let downloads = paths.into_iter().map(|path| async move {
            let result = self.download_file(&path).await;
            DownloadOutcome { path, result }
        });
        Ok(stream::iter(downloads).buffered(PARALLEL).collect().await)
    }

    async fn download_file(&self, path: &str) -> Result<Bytes> {
        let file = self.readable(path).await?;
        self.shared.fetch_whole(&file, UPLOAD_FILE_BYTES as u64).await.map(|(_, bytes)| bytes)
    }

    /// What is known of a file, without its bytes.
    ///
    /// # Errors
    /// `invalid_path`, `file_not_found`, `is_a_directory`; `skill_changed` where a pinned file is gone.
    pub async fn stat(&self, path: &str) -> Result<FileStat> {
        let (backend, observed) = self.begin(Operation::Download, || path.to_owned(), || CallOutline::of_files([path]));
        observed.ended(backend.look_at(path).await).await
    }

    async fn look_at(&self, path: &str) -> Result<FileStat> {
        let file = self.readable(path).await?;
        let meta = self.shared.store.head(&file.key).await.map_err(|error| unreadable(&file, error))?;
        if file.version.etag().is_some_and(|etag| *etag != meta.etag) {
            return Err(unreadable(&file, StoreError::PreconditionFailed));
        }
        Ok(FileStat { path: path.to_owned(), size: meta.size, etag: meta.etag, modified_at: meta.modified_at })
    }

    /// Opens a file for reading all of it, or the bytes `range`; with `pin`, only that version.
    ///
    /// # Errors
    /// As [`stat`](Self::stat); `edit_conflict` where `pin` is not the version there is; `offset_out_of_range` where the
    /// range starts after the end.
    pub async fn open(&self, path: &str, range: Option<Range<u64>>, pin: Option<ETag>) -> Result<FileReader> {
        let (backend, observed) = self.begin(Operation::Download, || path.to_owned(), || CallOutline::of_files([path]));
        observed.ended(backend.open_file(path, range, pin).await).await
    }

    async fn open_file(&self, path: &str, range: Option<Range<u64>>, pin: Option<ETag>) -> Result<FileReader> {
        let file = self.readable(path).await?;
        FileReader::open(Arc::clone(&self.shared), file, range, pin.as_ref()).await
    }

    async fn readable(&self, path: &str) -> Result<FileRef> {
        let approved = self.approved_to_read(path).await?;
        let path = VirtualPath::parse(path)?;
        approved.enter_at(Operation::Download, &path).await?.file(&path)
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
