//! Bytes of files: whole or in windows, always of one version.

use crate::content::read_error::ReadError;
use std::ops::Range;

use bytes::{Bytes, BytesMut};

use super::{
    Content, FileRef, FileVersion,
    archive::{ArchiveKind, ArchivedFile},
    missing,
    pace::RequestPace,
    single_reads::record_read,
};
use crate::{
    error::{Code, Error, Result},
    limits::CHUNK_BYTES,
    path::ETag,
    store::{GetOptions, Metadata, Object, ObjectMeta, StoreError, StoreResult},
};

/// The bytes `range` of a file: in the version of `file`, or else in `begun`, the version of earlier bytes.
pub(crate) async fn fetch(
    content: &Content,
    file: &FileRef,
    range: Option<Range<u64>>,
    begun: Option<&ETag>,
) -> Result<Object, ReadError> {
    if let Some(archived) = &file.archived {
        record_read(content, archived).await;
    }
    try_fetch(content, file, range, begun).await.map_err(|error| unreadable(file, error))
}

/// As [`fetch`], with the error of the store, for callers that continue after it.
pub(crate) async fn try_fetch(
    content: &Content,
    file: &FileRef,
    range: Option<Range<u64>>,
    begun: Option<&ETag>,
) -> StoreResult<Object> {
    let if_match = file.version.etag().or(begun).cloned();
    // Only the version in the reference has its size. Another one may have come after a listing.
    let size = file.size.filter(|_| file.version.etag().is_some());
    let options =
        GetOptions { range: range.clone(), if_match, size, keep: file.version.keep(), ..GetOptions::default() };
    let (FileVersion::Pinned(etag), Some(archived), Some(size)) = (&file.version, &file.archived, file.size) else {
        return content.store().get(&file.key, options).await;
    };
    let is_kept = matches!(archived.archive.kind, ArchiveKind::Version);
    if !ArchivedFile::is_only_archived(etag) && !content.versions().holds(archived) {
        match content.store().get(&file.key, options.clone()).await {
            Err(StoreError::NotFound | StoreError::PreconditionFailed) if is_kept => {}
            read => return read,
        }
    }
    // The plain file has moved on; the version that was loaded has not.
    let (etag, modified_at, metadata) = (etag.clone(), content.clock().now(), Metadata::new());
    let meta = ObjectMeta { size, etag, modified_at, metadata };
    match archived.get(content.store(), content.versions(), meta, range).await {
        // The bundle has left the memory meanwhile, or it has another file.
        Err(StoreError::PreconditionFailed) if !is_kept => content.store().get(&file.key, options).await,
        read => read,
    }
}

/// A whole file of at most `most` bytes.
///
/// Up to [`CHUNK_BYTES`] this is one request. A larger file takes a request for each chunk, in the version of the first chunk.
pub(crate) async fn fetch_whole(
    content: &Content,
    file: &FileRef,
    most: u64,
) -> Result<(ObjectMeta, Bytes), ReadError> {
    fetch_whole_at(content, file, most, RequestPace::NONE).await
}

/// As [`fetch_whole`], at this pace.
pub(crate) async fn fetch_whole_at(
    content: &Content,
    file: &FileRef,
    most: u64,
    pace: RequestPace,
) -> Result<(ObjectMeta, Bytes), ReadError> {
    if let Some(size) = file.size {
        check_size(file, size, most)?;
    }
    let range = file.size.is_none_or(|size| size > CHUNK_BYTES).then_some(0..CHUNK_BYTES);
    pace.rest().await;
    let first = fetch(content, file, range, None).await?;
    check_size(file, first.meta.size, most)?;
    if first.is_whole() {
        return Ok((first.meta, first.bytes));
    }
    let mut bytes = BytesMut::from(&*first.bytes);
    let mut at = first.range.end;
    while at < first.meta.size {
        pace.rest().await;
        let chunk = fetch(content, file, Some(at..at + CHUNK_BYTES), Some(&first.meta.etag)).await?;
        bytes.extend_from_slice(&chunk.bytes);
        at = advance(file, at, &chunk)?;
    }
    Ok((first.meta, bytes.freeze()))
}

/// The next position of a read after `chunk`. A chunk without bytes is an error, because a loop would never end.
pub(crate) fn advance(file: &FileRef, at: u64, chunk: &Object) -> Result<u64> {
    if chunk.range.end > at {
        return Ok(chunk.range.end);
    }
    Err(Error::internal(format!("the store gave no bytes of {} at {at}", file.key)))
}

/// Checks that an operation takes a file of this size.
pub(crate) fn check_size(file: &FileRef, size: u64, most: u64) -> Result<()> {
    if size <= most {
        return Ok(());
    }
    let message =
        format!("{} has {size} bytes and this takes at most {most}; read it in windows, or download it", file.path);
    Err(Error::new(Code::FileTooLarge, message).with_detail("size", size).with_detail("limit", most))
}

/// A failed read as an error of the tree. The meaning of a store error depends on how the caller named the version.
pub(crate) fn unreadable(file: &FileRef, error: StoreError) -> ReadError {
    match error {
        StoreError::NotFound | StoreError::PreconditionFailed if matches!(file.version, FileVersion::Pinned(_)) => {
            let message = format!(
                "{} changed since its skill was loaded, and the old bytes are gone; call load_skill again",
                file.path
            );
            ReadError::Changed(Error::new(Code::SkillChanged, message))
        }
        StoreError::NotFound => missing(&file.path).into(),
        StoreError::PreconditionFailed => {
            let message = format!("{} changed while it was being read; read it again", file.path);
            Error::new(Code::EditConflict, message).into()
        }
        error => error.into(),
    }
}
