//! The bytes of skills without loading them: as the catalog shows them, for frameworks that hold skills themselves.
//!
//! A file is read in the version that was listed, from the archive of its version if the plain file has moved on. The key of a
//! file is made from a listed name, never from a name that a caller wrote.

use std::{collections::VecDeque, ops::Range, sync::Arc};

use bytes::Bytes;
use futures_util::{Stream, stream};

use super::{
    Library,
    hidden::{ReadableSkill, readable_skill},
};
use crate::{
    catalog::Audience,
    content::{
        Archive, ArchiveKind, ArchivedFile, Content, DraftReader, FileRef, FileVersion, ReadError, SkillFiles,
        content_of_draft,
    },
    error::{Code, Error, Result},
    files::{FileReader, FileStat},
    path::{KeyPrefix, ObjectKey, SkillPath, UserSpace, VirtualPath},
    skill::{MAIN, Snapshot, SnapshotFile, ZipPieces, shown::one_line},
    wire::Policy,
};

/// The files of one skill, as they were listed.
#[derive(Clone, Debug)]
pub struct CatalogSkill {
    content: Content,
    skill: SkillPath,
    folder: KeyPrefix,
    snapshot: Arc<Snapshot>,
    archive: Option<Archive>,
}

/// One file of a skill, in the version that was listed.
#[derive(Clone, Debug)]
pub struct CatalogFile {
    content: Content,
    file: FileRef,
    stat: FileStat,
}

impl Library {
    /// The files of a skill that `audience` sees, or of a draft that `drafts` sees. The bytes of a skill are not read. A draft
    /// is read whole, because only its archive lists its files.
    ///
    /// # Errors
    /// `skill_not_found` if there is none, if it cannot be read, or if `policy`, the user's, hides it; `approval_required` if
    /// each use of it is approved; the store's.
    pub async fn catalog_skill(
        &self,
        audience: impl Into<Audience>,
        policy: &Policy,
        skill: &SkillPath,
        drafts: DraftReader<'_>,
    ) -> Result<CatalogSkill> {
        let audience = audience.into();
        match readable_skill(&self.core, &audience, policy, skill, drafts).await? {
            ReadableSkill::Draft(draft) => {
                let files = content_of_draft(self.core.content(), &audience.user, &draft).await?;
                let space = self.core.namespace().user(&audience.user)?;
                let archive = space.draft_version(skill, &draft.digest)?;
                self.skill_in(&space, skill, files.snapshot, Some(archive))
            }
            ReadableSkill::Listed(found, SkillFiles { snapshot, version, .. }) => {
                let archive = version.map(|digest| found.space.version(skill, &digest)).transpose()?;
                self.skill_in(&found.space, skill, snapshot, archive)
            }
        }
    }

    fn skill_in(
        &self,
        space: &UserSpace,
        skill: &SkillPath,
        snapshot: Arc<Snapshot>,
        archive: Option<ObjectKey>,
    ) -> Result<CatalogSkill> {
        let unpacked = snapshot.size();
        Ok(CatalogSkill {
            content: self.core.content().clone(),
            skill: skill.clone(),
            folder: space.skill(skill)?,
            snapshot,
            archive: archive.map(|key| Archive { key, kind: ArchiveKind::Version, unpacked }),
        })
    }
}

impl CatalogSkill {
    /// The paths of its files, below its folder.
    #[must_use]
    pub fn paths(&self) -> impl ExactSizeIterator<Item = &str> {
        self.snapshot.files().iter().map(|file| file.path.as_str())
    }

    /// Its SKILL.md.
    ///
    /// # Errors
    /// As [`file`](Self::file).
    pub fn main(&self) -> Result<CatalogFile> {
        self.file(MAIN)
    }

    /// The file at `path`, below the folder of the skill.
    ///
    /// # Errors
    /// `invalid_path` for a path that is none, and `file_not_found` if the skill has no such file.
    pub fn file(&self, path: &str) -> Result<CatalogFile> {
        if path.is_empty() {
            return Err(Error::new(Code::InvalidPath, "the path of a file is empty; leave path out for SKILL.md"));
        }
        let place = VirtualPath::parse(&format!("/{}/{path}", self.skill))?;
        let Some(SnapshotFile { size, etag, modified_at, .. }) = self.snapshot.file(path) else {
            let (skill, path) = (one_line(self.skill.as_str()), one_line(path));
            let message = format!(
                "skill {} has no file {}; its page lists what it has, by paths below its folder",
                skill.inline(),
                path.inline()
            );
            return Err(Error::new(Code::FileNotFound, message));
        };
        let stat = FileStat { path: place.to_string(), size: *size, etag: etag.clone(), modified_at: *modified_at };
        let file = FileRef {
            path: place,
            key: self.folder.key(path)?,
            version: FileVersion::Pinned(etag.clone()),
            size: Some(*size),
            archived: self.archive.clone().map(|archive| ArchivedFile { archive, path: path.to_owned() }),
        };
        Ok(CatalogFile { content: self.content.clone(), file, stat })
    }
}

impl CatalogFile {
    /// The metadata of the file, without its bytes.
    #[must_use]
    pub fn stat(&self) -> &FileStat {
        &self.stat
    }

    /// Opens it for reading all of it, or the bytes `range`.
    ///
    /// # Errors
    /// `skill_changed` if the version that was listed is gone; `offset_out_of_range` if the range starts after the end; the
    /// store's.
    pub async fn open(self, range: Option<Range<u64>>) -> Result<FileReader> {
        FileReader::open(self.content, self.file, range, None).await.map_err(|error| match error {
            ReadError::Changed(error) => {
                error.in_words(format!("{} changed since it was listed; ask for it again", self.stat.path))
            }
            error => error.into(),
        })
    }
}

/// Files by the names that they have in an archive, as the bytes of that archive. Each file is opened once those before it are
/// packed. If one cannot be read, the stream ends with its error.
pub fn packed(files: Vec<(String, CatalogFile)>) -> impl Stream<Item = Result<Bytes>> {
    let packing = Packing { zip: ZipPieces::default(), left: files.into(), now: None };
    stream::try_unfold(Some(packing), |packing| async move {
        match packing {
            Some(packing) => Box::pin(packing.next()).await.map(Some),
            None => Ok(None),
        }
    })
}

/// Files that are packed while they are sent.
struct Packing {
    zip: ZipPieces,
    left: VecDeque<(String, CatalogFile)>,
    now: Option<FileReader>,
}

impl Packing {
    /// The next piece, and what follows it.
    async fn next(mut self) -> Result<(Bytes, Option<Self>)> {
        loop {
            if let Some(mut reader) = self.now.take()
                && let Some(bytes) = reader.next().await?
            {
                let piece = self.zip.add(&bytes).map_err(Error::internal)?;
                self.now = Some(reader);
                return Ok((piece, Some(self)));
            }
            let Some((path, file)) = self.left.pop_front() else {
                return Ok((self.zip.finish().map_err(Error::internal)?, None));
            };
            self.zip.begin(&path).map_err(Error::internal)?;
            self.now = Some(file.open(None).await?);
        }
    }
}
