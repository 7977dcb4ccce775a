//! The virtual tree of a session: its mounts, and the files behind each mount.
//!
//! Each operation makes a tree from the current session, so one operation sees one version. A loaded skill is *pinned*:
//! its files are those of the snapshot taken at load. Everything else is *fresh*: the store is asked.

use std::sync::Arc;

use crate::{
    content::{Archive, ArchiveKind, ArchivedFile, FileRef, FileVersion, missing},
    error::{Code, Error, Result},
    limits::BUNDLED_FILES,
    path::{Layer, Mount, MountName, ObjectKey, ResolvedPath, Scope, SkillPath, UserSpace, VirtualPath},
    session::LoadedSkill,
    skill::{Snapshot, SnapshotFile},
    store::StoreError,
};

/// The mounts a session sees, and how each is read.
#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) scope: Scope,
    kinds: Vec<MountKind>,
}

/// How a mount is read and whether it can be written.
#[derive(Clone, Debug)]
pub(crate) enum MountKind {
    /// `/workspace` and `/ticket`: the newest acknowledged version, writable.
    Fresh,
    /// A skill that is shown without being loaded, read-only. An operation pins it before it looks inside.
    Shown(ShownSkill),
    /// A loaded skill: the files of its snapshot.
    Pinned(PinnedSkill),
}

/// Where a skill lies that is shown without being loaded.
#[derive(Clone, Debug)]
pub(crate) struct ShownSkill {
    pub(crate) skill: SkillPath,
    pub(crate) layer: Layer,
    pub(crate) home: UserSpace,
}

/// A skill as a mount, in one version.
#[derive(Clone, Debug)]
pub(crate) struct PinnedSkill {
    pub(crate) skill: SkillPath,
    pub(crate) layer: Layer,
    pub(crate) snapshot: Arc<Snapshot>,
    /// Whether the session loaded it. A skill that is only shown is pinned for one operation.
    pub(crate) is_loaded: bool,
    /// The archive of the published version or of the draft that the snapshot is, or the place of its bundle.
    pub(crate) archive: Option<Archive>,
    pub(crate) writable: bool,
}

/// Where a path leads.
#[derive(Debug)]
pub(crate) enum TreeTarget<'tree> {
    /// `/`, or `/skills` when it is there.
    Above,
    /// The mount itself, or something in it: `relative` is empty for the mount.
    In { mount: &'tree Mount, kind: &'tree MountKind, relative: String },
    /// Nothing this session can see.
    Nowhere,
}

/// The kind of a path for a caller that writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum WritePlace {
    /// A file, or a folder of files, that may be there under this key.
    File(ObjectKey),
    /// The root or a mount, which are always folders.
    Folder,
    /// Not to be written.
    ReadOnly,
}

impl PinnedSkill {
    /// The version of a file of the snapshot. If the skill was loaded or published, it is pinned; else it is as listed.
    pub(crate) fn version(&self, file: &SnapshotFile) -> FileVersion {
        let etag = file.etag.clone();
        if self.is_loaded || self.archive.is_some() { FileVersion::Pinned(etag) } else { FileVersion::Listed(etag) }
    }

    /// The file at `relative` in the archive of the version.
    pub(crate) fn archived(&self, relative: &str) -> Option<ArchivedFile> {
        let archive = self.archive.clone()?;
        Some(ArchivedFile { archive, path: relative.to_owned() })
    }
}

impl Tree {
    /// The tree of these mounts, each with the way it is read.
    pub(crate) fn new(mounts: impl IntoIterator<Item = (Mount, MountKind)>) -> Self {
        let (mounts, kinds) = mounts.into_iter().unzip();
        Self { scope: Scope::new(mounts), kinds }
    }

    /// The target of `path`.
    pub(crate) fn spot(&self, path: &VirtualPath) -> TreeTarget<'_> {
        match self.scope.place(path) {
            ResolvedPath::Above => TreeTarget::Above,
            ResolvedPath::Nowhere => TreeTarget::Nowhere,
            ResolvedPath::Inside(index, relative) => match (self.scope.mounts().get(index), self.kinds.get(index)) {
                (Some(mount), Some(kind)) => TreeTarget::In { mount, kind, relative: relative.to_owned() },
                _ => TreeTarget::Nowhere,
            },
        }
    }

    /// Mounts with the way they are read.
    pub(crate) fn mounts(&self) -> impl Iterator<Item = (&Mount, &MountKind)> {
        self.scope.mounts().iter().zip(&self.kinds)
    }

    /// The file at `path`, as far as this is known without asking the store: a pinned file is known to exist, a
    /// fresh one may.
    pub(crate) fn file(&self, path: &VirtualPath) -> Result<FileRef> {
        match self.spot(path) {
            TreeTarget::Above => Err(is_a_directory(path)),
            TreeTarget::In { relative, .. } if relative.is_empty() => Err(is_a_directory(path)),
            TreeTarget::In { kind: MountKind::Pinned(pinned), mount, relative } => {
                match pinned.snapshot.file(&relative) {
                    Some(file) => Ok(FileRef {
                        path: path.clone(),
                        key: mount.prefix.key(&relative)?,
                        version: pinned.version(file),
                        size: Some(file.size),
                        archived: pinned.archived(&relative),
                    }),
                    None if is_folder(&pinned.snapshot, &relative) => Err(is_a_directory(path)),
                    None => Err(missing(path)),
                }
            }
            TreeTarget::In { .. } | TreeTarget::Nowhere => self.unpinned_file(path)?.ok_or_else(|| missing(path)),
        }
    }

    /// The skill in which `path` lies, if that skill is shown and not yet pinned.
    pub(crate) fn shown(&self, path: &VirtualPath) -> Option<&ShownSkill> {
        match self.spot(path) {
            TreeTarget::In { kind: MountKind::Shown(shown), .. } => Some(shown),
            _ => None,
        }
    }

    /// Pins the skill in which `path` lies.
    pub(crate) fn pin(&mut self, path: &VirtualPath, pinned: PinnedSkill) {
        if let ResolvedPath::Inside(index, _) = self.scope.place(path)
            && let Some(kind) = self.kinds.get_mut(index)
        {
            *kind = MountKind::Pinned(pinned);
        }
    }

    /// The file that may be at `path`, where no snapshot says what is there; `None` for a mount itself and for every other
    /// path.
    pub(crate) fn unpinned_file(&self, path: &VirtualPath) -> Result<Option<FileRef>> {
        if !matches!(self.spot(path), TreeTarget::In { kind: MountKind::Fresh, .. }) {
            return Ok(None);
        }
        let key = self.scope.object_key(path)?;
        Ok(key.map(|key| FileRef { path: path.clone(), key, version: FileVersion::Newest, size: None, archived: None }))
    }

    /// Whether `path` can be written, and with which key.
    pub(crate) fn write_place(&self, path: &VirtualPath) -> Result<WritePlace> {
        match self.spot(path) {
            TreeTarget::Above if path.is_root() => return Ok(WritePlace::Folder),
            TreeTarget::In { kind: MountKind::Fresh, .. } => {}
            TreeTarget::In { kind: MountKind::Pinned(pinned), .. } if pinned.writable => {}
            TreeTarget::Above | TreeTarget::In { .. } | TreeTarget::Nowhere => return Ok(WritePlace::ReadOnly),
        }
        Ok(self.scope.object_key(path)?.map_or(WritePlace::Folder, WritePlace::File))
    }

    /// The key of the file at `path`, if it can be written.
    pub(crate) fn writable(&self, path: &VirtualPath) -> Result<ObjectKey> {
        match self.write_place(path)? {
            WritePlace::File(key) => Ok(key),
            WritePlace::Folder => Err(is_a_directory(path)),
            WritePlace::ReadOnly => Err(read_only(path)),
        }
    }
}

/// The archive of the published version or of the draft that was loaded. For another skill of many files, the place of
/// the bundle of its snapshot. If the tags of the snapshot do not say its bytes, there is no bundle, because no reader
/// could check it.
pub(crate) fn archive_of(loaded: &LoadedSkill, snapshot: &Arc<Snapshot>, home: &UserSpace) -> Result<Option<Archive>> {
    match (&loaded.version, &loaded.draft) {
        (Some(digest), _) => archive_of_version(&loaded.skill, digest, snapshot, home).map(Some),
        (None, Some(digest)) => {
            let key = home.draft_version(&loaded.skill, digest)?;
            Ok(Some(Archive { key, kind: ArchiveKind::Version, unpacked: snapshot.size() }))
        }
        (None, None) if snapshot.files().len() > BUNDLED_FILES && snapshot.may_identify_bytes() => {
            let key = home.bundle(snapshot.digest())?;
            Ok(Some(Archive { key, kind: ArchiveKind::Bundle(Arc::clone(snapshot)), unpacked: snapshot.size() }))
        }
        (None, None) => Ok(None),
    }
}

/// The archive of a published version, which has the files of `snapshot`.
pub(crate) fn archive_of_version(
    skill: &SkillPath,
    digest: &str,
    snapshot: &Snapshot,
    home: &UserSpace,
) -> Result<Archive> {
    Ok(Archive { key: home.version(skill, digest)?, kind: ArchiveKind::Version, unpacked: snapshot.size() })
}

/// `/skills/{mount}`.
pub(crate) fn skill_mount(name: &MountName) -> Result<VirtualPath> {
    VirtualPath::parse(&format!("/skills/{name}"))
}

/// Whether a snapshot has files below `relative`.
pub(crate) fn is_folder(snapshot: &Snapshot, relative: &str) -> bool {
    let inside = format!("{relative}/");
    let at = snapshot.files().partition_point(|file| file.path.as_str() < inside.as_str());
    snapshot.files().get(at).is_some_and(|file| file.path.starts_with(&inside))
}

pub(crate) fn is_a_directory(path: &VirtualPath) -> Error {
    Error::new(Code::IsADirectory, format!("{path} is a folder; list it with ls, or name a file in it"))
}

/// A write of `path`, which has this key, that the store refused or failed at, in the words of the tree.
pub(crate) fn unwritable(path: &VirtualPath, key: &ObjectKey, error: StoreError) -> Error {
    match error {
        StoreError::IsFolder => is_a_directory(path),
        StoreError::BelowFile(file) => match file_above(path, key, &file) {
            Some(file) => Error::new(
                Code::NotADirectory,
                format!(
                    "{file} is a file, and nothing can lie below it: write {path} elsewhere, or delete {file} first"
                ),
            ),
            None => StoreError::BelowFile(file).into(),
        },
        error => error.into(),
    }
}

/// The virtual path of `file`, a key above `key`, if it lies in the tree.
fn file_above<'path>(path: &'path VirtualPath, key: &ObjectKey, file: &str) -> Option<&'path str> {
    let below = key.as_str().strip_prefix(file)?.matches('/').count();
    let above = (0..below).try_fold(path.as_str(), |path, _| path.rsplit_once('/').map(|(folder, _)| folder))?;
    // The mount itself and what lies above it are no files of the tree.
    (above.matches('/').count() > 1).then_some(above)
}

fn read_only(path: &VirtualPath) -> Error {
    Error::new(Code::ReadOnly, format!("{path} cannot be written; write below /workspace or /ticket instead"))
}
