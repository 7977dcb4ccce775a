//! The files of a skill as a load sees them: the plain ones, or those of the published version while these are behind.
//!
//! A load reads the listing, SKILL.md and the head at once, or the head after a pause. So the three show different moments.
//! In the usual cases that is enough. If a folder equals a materialised head, the folder is that version, whenever each part
//! was read. If a head is not materialised, the load reads the archive. The order of moments counts for other folders only:
//! a listing between two equal heads was not taken during a publish.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::TryFutureExt as _;
use jiff::Timestamp;

use super::{
    Content,
    archive::ArchivedFile,
    checked_archive::{checked_archive, draft_archive, version_archive},
    drafts::read_draft,
    folder::{PlainFiles, is_published, plain_files_among},
    heads::{StoredHead, is_under_way, read_head},
    materialise::mark_of,
    memory::archive_bytes,
    pace::RequestPace,
    place::{has_files_inside, has_late_main, settled_files},
    read_error::ReadError,
    settle::settled_head,
    stored_versions::archive_size,
    target::SkillTarget,
};
use crate::{
    error::{Code, Error, Result},
    limits::{PUBLISH_ATTEMPTS, PUBLISH_TIMEOUT, SKILL_FILE_BYTES, SKILL_FILES},
    path::{Id, LayerOwner, SkillPath, UserSpace},
    skill::{HeadState, MAIN, SkillDraft, Snapshot, SnapshotFile, VersionArchive},
    store::{CachePolicy, GetOptions, ListEntry, Object, StoreError, StoreExt as _, StoreResult, WriteCallId},
};

/// The most objects on one page of a listing. All objects of a page are of the same moment.
const PAGE: usize = 1000;

/// The files of a skill.
#[derive(Debug)]
pub(crate) struct SkillFiles {
    /// SKILL.md.
    pub(crate) text: Bytes,
    /// All files.
    pub(crate) snapshot: Arc<Snapshot>,
    /// The digest of the version, if the files are a published one.
    pub(crate) version: Option<String>,
    /// Whether a version of the skill is published, even if these files are no version.
    pub(crate) is_published: bool,
    /// The digest of the draft, if the files are one.
    pub(crate) draft: Option<String>,
}

/// The result of a look at the path of a skill.
#[derive(Debug)]
pub(crate) enum SkillContents {
    /// No SKILL.md.
    Nothing,
    /// A SKILL.md that the store does not return.
    Unreadable(StoreError),
    /// A skill.
    Files(SkillFiles),
}

/// A folder and its SKILL.md, asked for at once.
struct Look {
    listed: StoreResult<(Vec<ListEntry>, bool)>,
    text: StoreResult<Object>,
}

/// The files of the skill at `path` as a load pins them now.
///
/// # Errors
/// [`ReadError::TooLarge`] for a skill over the limits; the store's.
pub(crate) async fn skill_files(
    content: &Content,
    space: &UserSpace,
    path: &SkillPath,
) -> Result<SkillContents, ReadError> {
    skill_files_at(content, space, path, RequestPace::NONE).await
}

/// As [`skill_files`], at this pace.
///
/// # Errors
/// As [`skill_files`].
pub(crate) async fn skill_files_at(
    content: &Content,
    space: &UserSpace,
    path: &SkillPath,
    at: RequestPace,
) -> Result<SkillContents, ReadError> {
    let place = content.place_in(space.clone(), path)?;
    let (mut look, mut head) = folder_and_head(&place, at).await?;
    for _ in 0..PUBLISH_ATTEMPTS {
        if let Some(known) = head.as_ref().filter(|known| known.head.pending.is_some()) {
            if !is_under_way(&place, &known.head) {
                finish_behind(&place);
            }
            return Ok(SkillContents::Nothing);
        }
        if head.as_ref().is_some_and(|known| known.head.has_late_changes(content.clock().now())) {
            finish_behind(&place);
        }
        match &head {
            None if !look.may_precede_a_head(&place) => return plain_files(&place, look, None, false),
            Some(known) if !known.head.materialised => {
                if !is_under_way(&place, &known.head) {
                    finish_behind(&place);
                }
                at.rest().await;
                match published_files(&place, known).await {
                    Err(ReadError::VersionGone(_)) => {
                        return plain_files(&place, look, head.as_ref(), false);
                    }
                    found => return found,
                }
            }
            Some(known) if look.is(&place, known) => return plain_files(&place, look, head.as_ref(), true),
            // A listing that begins now lies between two looks at the head.
            Some(_) => look = read_folder(&place, at).await?,
            None => {}
        }
        at.rest().await;
        let again = read_head(&place).await?;
        if again.as_ref().map(StoredHead::etag) == head.as_ref().map(StoredHead::etag) {
            let is_it = again.as_ref().is_some_and(|known| look.is(&place, known));
            if !is_it && let Some(known) = &again {
                finish_inside(&place, known, &look);
                if has_late_main(&place, known).await? {
                    return Ok(SkillContents::Nothing);
                }
            }
            return plain_files(&place, look, again.as_ref(), is_it);
        }
        head = again;
    }
    let message = format!("{path} is being published over and over: load it again in a moment");
    Err(Error::new(Code::EditConflict, message).into())
}

/// The files of one version of the skill at `path`.
///
/// # Errors
/// `version_not_found`; the store's.
pub(crate) async fn files_of_version(
    content: &Content,
    space: &UserSpace,
    path: &SkillPath,
    digest: &str,
) -> Result<SkillFiles, ReadError> {
    let place = content.place_in(space.clone(), path)?;
    let _room = place.reserve(archive_size(&place, Some(digest)).await?).await?;
    let (archive, meta) = checked_archive(&place, &space.version(path, digest)?, digest).await?;
    Ok(files_in_archive(&place, archive, digest, meta.modified_at)?)
}

/// The files of the draft at `path` that `session` made; `None` if there is no such draft by now.
///
/// # Errors
/// `version_not_found` if its archive is gone; the store's.
pub(crate) async fn files_of_draft(
    content: &Content,
    space: &UserSpace,
    path: &SkillPath,
    session: &Id,
) -> Result<Option<SkillFiles>> {
    let place = content.place_in(space.clone(), path)?;
    let Some(draft) = read_draft(&place).await? else { return Ok(None) };
    if draft.session.as_ref() != Some(session) {
        return Ok(None);
    }
    draft_content(&place, &draft).await.map(Some)
}

/// The files of a draft.
///
/// # Errors
/// As [`files_of_draft`].
pub(crate) async fn content_of_draft(content: &Content, user: &Id, draft: &SkillDraft) -> Result<SkillFiles> {
    draft_content(&content.place(&LayerOwner::from(user), &draft.skill)?, draft).await
}

async fn folder_and_head(target: &SkillTarget, pace: RequestPace) -> Result<(Look, Option<StoredHead>)> {
    if !pace.is_slow() {
        return tokio::try_join!(read_folder(target, pace), read_head(target).err_into());
    }
    let look = read_folder(target, pace).await?;
    pace.rest().await;
    Ok((look, read_head(target).await?))
}

async fn read_folder(target: &SkillTarget, pace: RequestPace) -> Result<Look> {
    pace.rest().await;
    let key = target.folder.key(MAIN)?;
    // The session pins the text that is read here.
    let whole = GetOptions { keep: CachePolicy::Pinned, ..GetOptions::range(0..SKILL_FILE_BYTES + 1) };
    let store = target.content.store();
    let (listed, text) = tokio::join!(store.list_all(&target.folder, SKILL_FILES), store.get(&key, whole));
    Ok(Look { listed, text })
}

/// The plain files, which are those of `head` if `is_it`.
fn plain_files(
    target: &SkillTarget,
    look: Look,
    head: Option<&StoredHead>,
    is_it: bool,
) -> Result<SkillContents, ReadError> {
    let Look { listed, text } = look;
    if matches!(text, Err(StoreError::NotFound)) {
        return Ok(SkillContents::Nothing);
    }
    let (entries, has_more) = listed?;
    let text = match text {
        // The same credentials listed the folder, so the store denies them this file alone.
        Err(error @ StoreError::Denied(_)) => return Ok(SkillContents::Unreadable(error)),
        text => text?,
    };
    if has_more || !text.is_whole() {
        return Err(ReadError::TooLarge(too_large(target)));
    }
    let main = SnapshotFile {
        path: MAIN.to_owned(),
        size: text.meta.size,
        etag: text.meta.etag.clone(),
        modified_at: text.meta.modified_at,
    };
    let files = entries.into_iter().filter_map(|entry| {
        let key = target.folder.admit(&entry.key)?;
        let path = target.folder.relative(key.as_str())?.to_owned();
        // A listing and a GET show two moments. The snapshot pins the text that the GET returned.
        if path == MAIN {
            return Some(SnapshotFile { modified_at: entry.modified_at, ..main.clone() });
        }
        Some(SnapshotFile { path, size: entry.size, etag: entry.etag, modified_at: entry.modified_at })
    });
    let snapshot = Snapshot::new(files.collect());
    let snapshot = if snapshot.file(MAIN).is_some() { snapshot } else { snapshot.with(MAIN, Some(main)) };
    let version = head.filter(|_| is_it).and_then(|known| known.head.digest.clone());
    let (snapshot, is_published) = (Arc::new(snapshot), is_published(head));
    Ok(SkillContents::Files(SkillFiles { text: text.bytes, snapshot, version, draft: None, is_published }))
}

/// The files of a head, from the archive of its version.
async fn published_files(target: &SkillTarget, known: &StoredHead) -> Result<SkillContents, ReadError> {
    let head = &known.head;
    let Some(digest) = head.digest.as_deref().filter(|_| head.state == HeadState::Published) else {
        return Ok(SkillContents::Nothing);
    };
    let unpacked: u64 = head.files.iter().map(|one| one.file.size).sum();
    let _room = target.reserve(archive_bytes(unpacked)).await?;
    let archive = version_archive(target, digest).await?;
    let files = head.files.iter().map(|one| (one.file.path.clone(), one.file.size, one.file.sha256.clone()));
    let files = archived_files(target, archive, files.collect(), digest, head.published_at)?;
    Ok(SkillContents::Files(files))
}

async fn draft_content(target: &SkillTarget, draft: &SkillDraft) -> Result<SkillFiles> {
    let _room = target.reserve(archive_bytes(draft.size)).await?;
    let archive = draft_archive(target, &draft.digest).await?;
    let files = files_in_archive(target, archive, &draft.digest, draft.made_at)?;
    Ok(SkillFiles { version: None, draft: Some(draft.digest.clone()), is_published: false, ..files })
}

/// The files of an archive, as the archive lists them.
fn files_in_archive(
    target: &SkillTarget,
    mut archive: VersionArchive,
    digest: &str,
    at: Timestamp,
) -> Result<SkillFiles> {
    let version = archive.version().map_err(Error::internal)?;
    let files = version.files().iter().map(|file| (file.path.clone(), file.size, file.sha256.clone()));
    archived_files(target, archive, files.collect(), digest, at)
}

fn archived_files(
    target: &SkillTarget,
    mut archive: VersionArchive,
    files: Vec<(String, u64, String)>,
    digest: &str,
    at: Timestamp,
) -> Result<SkillFiles> {
    let text = archive.read(MAIN, SKILL_FILE_BYTES).map_err(|_| too_large(target))?.unwrap_or_default();
    let file = |(path, size, sha256): (String, u64, String)| SnapshotFile {
        path,
        size,
        etag: ArchivedFile::tag(&sha256),
        modified_at: at,
    };
    let snapshot = Arc::new(Snapshot::new(files.into_iter().map(file).collect()));
    Ok(SkillFiles { text, snapshot, version: Some(digest.to_owned()), draft: None, is_published: true })
}

/// Brings the plain files up to the head in the background.
fn finish_behind(target: &SkillTarget) {
    if target.content.handle().check_writable().is_err() {
        return;
    }
    let place = target.clone();
    tokio::spawn(async move {
        let _turn = place.content.changes().lock(place.folder.as_str()).await;
        in_time(&place, Box::pin(settled_head(&place))).await;
    });
}

/// Completes changes in the folder in the background. A dead server may have left a file of one, or a late change.
fn finish_inside(target: &SkillTarget, known: &StoredHead, look: &Look) {
    let Ok((entries, _)) = &look.listed else { return };
    let folder = plain_files_among(target, entries);
    if !has_files_inside(known, &folder) && known.head.late.is_none()
        || target.content.handle().check_writable().is_err()
    {
        return;
    }
    let (place, known) = (target.clone(), known.clone());
    tokio::spawn(async move { in_time(&place, Box::pin(settled_files(&place, Some(&known), folder))).await });
}

/// Does this part of a change, for as long as a change may take.
async fn in_time<T>(place: &SkillTarget, work: impl Future<Output = Result<T>>) {
    match tokio::time::timeout(PUBLISH_TIMEOUT, work).await {
        Ok(Ok(_)) => {}
        Ok(Err(error)) => {
            tracing::warn!(skill = %place.skill, cause = %error.chain(), "a published skill stays behind its head");
        }
        Err(_) => {
            tracing::warn!(skill = %place.skill, "a published skill stays behind its head: the store took too long");
        }
    }
}

fn too_large(target: &SkillTarget) -> Error {
    let message = format!(
        "skill {} is too large: up to {SKILL_FILES} files, and {SKILL_FILE_BYTES} bytes of SKILL.md",
        target.skill
    );
    Error::new(Code::FileTooLarge, message)
}

impl Look {
    /// Whether this is the folder of `known`.
    fn is(&self, place: &SkillTarget, known: &StoredHead) -> bool {
        let Ok((entries, false)) = &self.listed else { return false };
        let folder: PlainFiles = plain_files_among(place, entries);
        let text = match &self.text {
            Ok(text) => Some(&text.meta.etag),
            Err(StoreError::NotFound) => None,
            Err(_) => return false,
        };
        folder.get(MAIN) == text
            && known.head.materialised
            && known.head.matches(folder.iter().map(|(path, etag)| (path.as_str(), etag)))
    }

    /// Whether a head may have been written after the request for it found none. The first publish of a folder writes SKILL.md
    /// before all else, with its mark.
    fn may_precede_a_head(&self, place: &SkillTarget) -> bool {
        let (Ok((entries, _)), Ok(text)) = (&self.listed, &self.text) else { return false };
        let listed = entries.iter().find(|entry| place.folder.relative(&entry.key) == Some(MAIN));
        let seconds = |at: Timestamp| at.as_second();
        let is_one = listed.is_some_and(|entry| {
            entry.etag == text.meta.etag && seconds(entry.modified_at) == seconds(text.meta.modified_at)
        });
        let is_marked = place.folder.key(MAIN).is_ok_and(|key| WriteCallId::find(&mark_of(&key), &text.meta).is_some());
        !is_one || is_marked || entries.len() > PAGE
    }
}
