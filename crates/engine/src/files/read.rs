//! Reading a window of lines.
//!
//! A small file is one request. A large file is read in chunks from the nearest known line start. The line index of the
//! file is kept, so the next window is one request of about the window's size.

use std::sync::Arc;

use super::{Files, mounts::tree_at};
use crate::{
    content::{FileRef, FileVersion, advance, fetch, try_fetch, unreadable},
    context::{CallInput, Context, OperationSpan},
    error::{Code, Error, Result},
    limits::{CHUNK_BYTES, FIRST_CHUNK_BYTES, SCAN_BYTES},
    path::VirtualPath,
    store::{Object, ObjectMeta, StoreError},
    text::{LineIndex, Window, binary_type},
    wire::{ReadReply, ReadRequest},
};

pub(crate) async fn read(files: &Files, span: &OperationSpan, request: ReadRequest) -> Result<ReadReply> {
    let path = VirtualPath::parse(&request.file_path)?;
    let context = span.context();
    let file =
        tree_at(&span.check().await?.admit(CallInput::from_request(&request)).await?, &path).await?.file(&path)?;
    if let Some(index) = cached_index(files, &file, request.offset) {
        if let Some(reply) = read_indexed(files, context, &file, &request, index).await? {
            return Ok(reply);
        }
        // The file is another version now, so the index is no use.
        files.line_indexes().invalidate(&file.key);
    }
    read_from_start(files, context, &file, &request).await
}

/// The index of a large file, if it helps. The first page does not need the index: this page costs one request anyway,
/// and must show whether the file is still the same.
fn cached_index(files: &Files, file: &FileRef, offset: u64) -> Option<Arc<LineIndex>> {
    let index = files.line_indexes().get(&file.key)?;
    let same = file.version.etag().is_none_or(|etag| etag == index.etag());
    (same && index.start_before(offset).at > 0).then_some(index)
}

/// A read that begins at the last line before the offset that `index` knows; `None` if the file is another version now.
async fn read_indexed(
    files: &Files,
    context: &Context,
    file: &FileRef,
    request: &ReadRequest,
    mut index: Arc<LineIndex>,
) -> Result<Option<ReadReply>> {
    if let Some(total) = index.total_lines() {
        check_offset(file, request.offset, total)?;
    }
    let start = index.start_before(request.offset);
    let window = Window::new(request.offset, request.limit, start);
    match fill(context, file, request, window, &mut index, None).await? {
        Some((meta, window)) => answer(files, file, request, &meta, window, index).map(Some),
        None => Ok(None),
    }
}

async fn read_from_start(files: &Files, context: &Context, file: &FileRef, request: &ReadRequest) -> Result<ReadReply> {
    let range = match file.size {
        Some(0) => None,
        Some(size) if size <= CHUNK_BYTES => Some(0..size),
        _ => Some(0..FIRST_CHUNK_BYTES),
    };
    let first = fetch(context.core.content(), file, range, None).await?;
    if let Some(kind) = binary_type(&first.bytes) {
        return Err(is_binary(file, kind, first.meta.size));
    }
    if first.is_whole() && first.bytes.trim_ascii().is_empty() {
        return Ok(blank(&first));
    }
    let mut index = Arc::new(LineIndex::new(first.meta.etag.clone(), first.meta.size));
    index.update(0, &first.bytes);
    let mut window = Window::new(request.offset, request.limit, index.start_before(0));
    window.feed(&first.bytes);
    let filled = fill(context, file, request, window, &mut index, Some(first.meta)).await?;
    let (meta, window) = filled.ok_or_else(|| unreadable(file, StoreError::PreconditionFailed))?;
    answer(files, file, request, &meta, window, index)
}

/// Feeds the window chunk after chunk until it is full or the file ends. `None` if the file is no longer the version of
/// the index.
async fn fill(
    context: &Context,
    file: &FileRef,
    request: &ReadRequest,
    mut window: Window,
    index: &mut Arc<LineIndex>,
    mut meta: Option<ObjectMeta>,
) -> Result<Option<(ObjectMeta, Window)>> {
    let pin = index.etag().clone();
    while meta.is_none() || (!window.is_full() && window.at() < index.size()) {
        let at = window.at();
        let wanted = index.end_before(request.offset.saturating_add(request.limit)).filter(|end| *end > at);
        let end = wanted.unwrap_or(u64::MAX).min(at + SCAN_BYTES);
        let chunk = match try_fetch(context.core.content(), file, Some(at..end), Some(&pin)).await {
            Err(StoreError::PreconditionFailed) if file.version == FileVersion::Newest => return Ok(None),
            chunk => chunk.map_err(|error| unreadable(file, error))?,
        };
        advance(file, at, &chunk)?;
        index.update(at, &chunk.bytes);
        window.feed(&chunk.bytes);
        meta = Some(chunk.meta);
    }
    meta.map(|meta| Some((meta, window))).ok_or_else(|| Error::internal("a read ended without asking the store"))
}

fn answer(
    files: &Files,
    file: &FileRef,
    request: &ReadRequest,
    meta: &ObjectMeta,
    window: Window,
    index: Arc<LineIndex>,
) -> Result<ReadReply> {
    let total_lines = index.total_lines();
    if meta.size > FIRST_CHUNK_BYTES {
        files.line_indexes().insert(file.key.clone(), index);
    }
    if let Some(total) = total_lines {
        check_offset(file, request.offset, total)?;
    }
    let (bytes, lines, truncated) = window.finish();
    let end_line = request.offset + lines;
    let seen_end = total_lines.is_some_and(|total| end_line >= total);
    let text = String::from_utf8_lossy(&bytes);
    let lossy = matches!(text, std::borrow::Cow::Owned(_));
    let has_window = lines > 0;
    Ok(ReadReply {
        content: text.into_owned(),
        start_line: has_window.then_some(request.offset + 1),
        end_line: has_window.then_some(end_line),
        next_offset: (has_window && !seen_end).then_some(end_line),
        total_lines: total_lines.filter(|_| has_window),
        size: meta.size,
        etag: meta.etag.clone(),
        modified_at: meta.modified_at,
        lossy,
        truncated,
    })
}

fn check_offset(file: &FileRef, offset: u64, total: u64) -> Result<()> {
    if offset < total {
        return Ok(());
    }
    let message =
        format!("Line offset {offset} exceeds file length ({total} lines) of {}; use a smaller offset", file.path);
    Err(Error::new(Code::OffsetOutOfRange, message).with_detail("total_lines", total))
}

/// A file of white space alone: all of it, and no window.
fn blank(object: &Object) -> ReadReply {
    let content = String::from_utf8_lossy(&object.bytes).into_owned();
    ReadReply {
        content,
        start_line: None,
        end_line: None,
        next_offset: None,
        total_lines: None,
        size: object.meta.size,
        etag: object.meta.etag.clone(),
        modified_at: object.meta.modified_at,
        lossy: false,
        truncated: false,
    }
}

/// The answer to reading a binary file as text.
pub(super) fn is_binary(file: &FileRef, kind: &str, size: u64) -> Error {
    let message = format!(
        "File is a binary file and cannot be read as text: {} is {kind}, {size} bytes. It exists at that path; fetch its bytes with download.",
        file.path
    );
    Error::new(Code::BinaryFile, message).with_detail("size", size).with_detail("media_type", kind)
}
