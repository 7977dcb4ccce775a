//! A skill as one archive for download, in pieces.
//!
//! A published version has its archive in the bucket, which is checked whole and then sent in the version that was checked. Any
//! other folder is packed while it is sent, each file in the version that was listed.

use std::collections::VecDeque;

use bytes::Bytes;
use futures_util::{Stream, stream};

use super::{Content, checked_archive::checked_archive, files::SkillFiles, read_error::ReadError, target::SkillTarget};
use crate::{
    error::{Code, Error, Result},
    limits::{ARCHIVE_PIECE_BYTES, VERSION_ZIP_BYTES},
    path::{ETag, Id, LayerOwner, ObjectKey, SkillPath, UserSpace},
    skill::{SkillDraft, SnapshotFile, ZipPieces},
    store::{CachePolicy, GetOptions, SharedStore, StoreError},
};

/// A skill as an archive.
#[derive(Debug)]
pub struct SkillArchive {
    /// The digest of the version, if the skill is a published one.
    pub digest: Option<String>,
    source: Source,
}

/// Where the bytes come from.
#[derive(Debug)]
enum Source {
    /// An object, from this byte on.
    Stored(PinnedObject, u64),
    /// Plain files, packed on the way.
    Packed(Box<Packing>),
}

/// One version of an object.
#[derive(Debug)]
struct PinnedObject {
    store: SharedStore,
    key: ObjectKey,
    etag: ETag,
    size: u64,
}

/// Files that are packed on the way.
#[derive(Debug)]
struct Packing {
    place: SkillTarget,
    zip: ZipPieces,
    left: VecDeque<SnapshotFile>,
    /// The current file, and its next byte.
    now: Option<(PinnedObject, u64)>,
}

/// The skill at `path` with these files as an archive.
///
/// # Errors
/// The store's.
pub(crate) async fn archive_of(
    content: &Content,
    space: &UserSpace,
    path: &SkillPath,
    files: &SkillFiles,
) -> Result<SkillArchive> {
    if let Some(digest) = &files.version {
        match archive_of_version(content, space, path, digest).await {
            // The archive is gone, and its files are there.
            Err(ReadError::VersionGone(_)) => {}
            found => return Ok(found?),
        }
    }
    let place = content.place_in(space.clone(), path)?;
    let left = files.snapshot.files().iter().cloned().collect();
    let packing = Packing { place, zip: ZipPieces::default(), left, now: None };
    Ok(SkillArchive { digest: files.version.clone(), source: Source::Packed(Box::new(packing)) })
}

/// One version of the skill at `path` as an archive.
///
/// # Errors
/// `version_not_found`; the store's.
pub(crate) async fn archive_of_version(
    content: &Content,
    space: &UserSpace,
    path: &SkillPath,
    digest: &str,
) -> Result<SkillArchive, ReadError> {
    stored_archive(content, &content.place_in(space.clone(), path)?, space.version(path, digest)?, digest).await
}

/// A draft of the user's as an archive.
///
/// # Errors
/// `version_not_found` if its archive is gone; the store's.
pub(crate) async fn archive_of_draft(
    content: &Content,
    user: &Id,
    draft: &SkillDraft,
) -> Result<SkillArchive, ReadError> {
    let place = content.place(&LayerOwner::from(user), &draft.skill)?;
    let key = place.space.draft_version(&draft.skill, &draft.digest)?;
    stored_archive(content, &place, key, &draft.digest).await
}

/// The archive at `key`, which is checked.
async fn stored_archive(
    content: &Content,
    place: &SkillTarget,
    key: ObjectKey,
    digest: &str,
) -> Result<SkillArchive, ReadError> {
    let size = match content.store().head(&key).await {
        Ok(meta) => meta.size.min(VERSION_ZIP_BYTES as u64),
        // Opening the archive reports this.
        Err(StoreError::NotFound) => 0,
        Err(error) => return Err(error.into()),
    };
    let room = place.reserve(2 * size).await?;
    let (_, meta) = checked_archive(place, &key, digest).await?;
    drop(room);
    let object = PinnedObject { store: content.store().clone(), key, etag: meta.etag, size: meta.size };
    Ok(SkillArchive { digest: Some(digest.to_owned()), source: Source::Stored(object, 0) })
}

impl SkillArchive {
    /// The bytes of the archive as they come. If a file changes on the way, the stream ends with `skill_changed`.
    pub fn pieces(self) -> impl Stream<Item = Result<Bytes>> {
        stream::try_unfold(Some(self.source), |source| async move {
            match source {
                None => Ok(None),
                Some(Source::Stored(object, at)) if at >= object.size => Ok(None),
                Some(Source::Stored(object, at)) => {
                    let bytes = object.piece(at).await?;
                    let next = at + bytes.len() as u64;
                    Ok(Some((bytes, Some(Source::Stored(object, next)))))
                }
                Some(Source::Packed(packing)) => {
                    let (bytes, rest) = packing.next().await?;
                    Ok(Some((bytes, rest.map(Source::Packed))))
                }
            }
        })
    }
}

impl PinnedObject {
    /// The bytes from `at` on; at least one.
    async fn piece(&self, at: u64) -> Result<Bytes> {
        let range = at..self.size.min(at + ARCHIVE_PIECE_BYTES);
        let once = GetOptions { if_match: Some(self.etag.clone()), keep: CachePolicy::Not, ..GetOptions::range(range) };
        match self.store.get(&self.key, once).await {
            Ok(object) if !object.bytes.is_empty() => Ok(object.bytes),
            Ok(_) => Err(Error::internal(format!("the store gave no bytes of {} at {at}", self.key))),
            Err(StoreError::NotFound | StoreError::PreconditionFailed) => {
                Err(Error::new(Code::SkillChanged, "the skill changed while it was sent: ask for it again"))
            }
            Err(error) => Err(error.into()),
        }
    }
}

impl Packing {
    /// The next piece, and the rest.
    async fn next(mut self: Box<Self>) -> Result<(Bytes, Option<Box<Self>>)> {
        loop {
            if let Some((object, at)) = self.now.take() {
                let bytes = object.piece(at).await?;
                let next = at + bytes.len() as u64;
                let piece = self.zip.add(&bytes).map_err(Error::internal)?;
                self.now = (next < object.size).then_some((object, next));
                return Ok((piece, Some(self)));
            }
            let Some(file) = self.left.pop_front() else {
                return Ok((self.zip.finish().map_err(Error::internal)?, None));
            };
            self.zip.begin(&file.path).map_err(Error::internal)?;
            let (store, key) = (self.place.content.store().clone(), self.place.folder.key(&file.path)?);
            let object = PinnedObject { store, key, etag: file.etag, size: file.size };
            self.now = (object.size > 0).then_some((object, 0));
        }
    }
}
