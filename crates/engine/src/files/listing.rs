//! The files at and below a path, in all mounts. `grep`, `glob`, `delete` and `move` use it.

use futures_util::{TryStreamExt as _, stream};
use jiff::Timestamp;

use super::{
    mounts::pin_shown,
    tree::{MountKind, PinnedSkill, Tree, TreeTarget},
};
use crate::{
    content::{FileRef, FileVersion, ReadError},
    context::Context,
    error::Result,
    limits::{LIST_OBJECTS, PARALLEL_GETS},
    path::{Mount, VirtualPath},
    store::{StoreError, StoreExt},
};

/// A file that a listing or a snapshot contains.
#[derive(Clone, Debug)]
pub(crate) struct ListedFile {
    pub(crate) file: FileRef,
    pub(crate) size: u64,
    pub(crate) modified_at: Timestamp,
}

/// Files in byte order of their paths.
#[derive(Debug, Default)]
pub(crate) struct FileListing {
    pub(crate) entries: Vec<ListedFile>,
    /// Whether there are more files than one operation lists.
    pub(crate) truncated: bool,
}

/// Returns every file at or below `root`, or none if `root` does not exist. If a file and a folder have the name
/// `root`, returns the files of the folder.
pub(crate) async fn files_below(context: &Context, tree: &Tree, root: &VirtualPath) -> Result<FileListing> {
    let mut files = match tree.spot(root) {
        TreeTarget::Nowhere => FileListing::default(),
        TreeTarget::Above => files_of_mounts(context, tree, root).await?,
        TreeTarget::In { mount, kind, relative } => {
            let files = files_in(context, mount, kind, &relative, root).await?;
            if files.entries.is_empty() && !relative.is_empty() {
                FileListing { entries: head_file(context, tree, root).await?.into_iter().collect(), truncated: false }
            } else {
                files
            }
        }
    };
    files.entries.sort_by(|one, two| one.file.path.cmp(&two.file.path));
    Ok(files)
}

/// Returns the files of every mount below `root`. The mounts share one limit, and with `visibility: all` there is a mount
/// for each skill, so a bounded number of them is listed at once.
async fn files_of_mounts(context: &Context, tree: &Tree, root: &VirtualPath) -> Result<FileListing> {
    let below = tree.mounts().filter(|(mount, _)| mount.at.below(root).is_some());
    let listings: Vec<_> = below.map(|(mount, kind)| Ok(files_of_mount(context, mount, kind))).collect();
    let mut listings = stream::iter(listings).try_buffered(PARALLEL_GETS);
    let mut files = FileListing::default();
    while let Some(of_mount) = listings.try_next().await? {
        files.truncated |= of_mount.truncated || files.entries.len() + of_mount.entries.len() > LIST_OBJECTS;
        files.entries.extend(of_mount.entries);
        files.entries.truncate(LIST_OBJECTS);
        if files.truncated {
            break;
        }
    }
    Ok(files)
}

/// Returns all files of a mount. A skill that is shown and too large to be loaded costs its own files and no others.
async fn files_of_mount(context: &Context, mount: &Mount, kind: &MountKind) -> Result<FileListing> {
    match files_in(context, mount, kind, "", &mount.at).await {
        Err(ReadError::TooLarge(_)) => Ok(FileListing { truncated: true, ..FileListing::default() }),
        files => Ok(files?),
    }
}

/// Returns the files at or below `relative` in one mount. Their paths begin with `folder`.
async fn files_in(
    context: &Context,
    mount: &Mount,
    kind: &MountKind,
    relative: &str,
    folder: &VirtualPath,
) -> Result<FileListing, ReadError> {
    match kind {
        MountKind::Pinned(pinned) => {
            Ok(FileListing { entries: snapshot_files_below(pinned, relative, mount, folder), truncated: false })
        }
        MountKind::Shown(shown) => Ok(match pin_shown(context, shown).await? {
            Some(pinned) => {
                FileListing { entries: snapshot_files_below(&pinned, relative, mount, folder), truncated: false }
            }
            None => FileListing::default(),
        }),
        MountKind::Fresh => {
            let prefix = mount.prefix.folder(relative)?;
            let (listed, truncated) = context.core.store().list_all(&prefix, LIST_OBJECTS).await?;
            let entries = listed.into_iter().filter_map(|entry| {
                let key = prefix.admit(&entry.key)?;
                let path = folder.join(prefix.relative(&entry.key)?).ok()?;
                let file = FileRef {
                    path,
                    key,
                    version: FileVersion::Listed(entry.etag),
                    size: Some(entry.size),
                    archived: None,
                };
                Some(ListedFile { file, size: entry.size, modified_at: entry.modified_at })
            });
            Ok(FileListing { entries: entries.collect(), truncated })
        }
    }
}

/// Returns the file at `path`, if the store has one. A file of a skill is found in its snapshot and never here.
pub(crate) async fn head_file(context: &Context, tree: &Tree, path: &VirtualPath) -> Result<Option<ListedFile>> {
    let Some(file) = tree.unpinned_file(path)? else { return Ok(None) };
    match context.core.store().head(&file.key).await {
        Ok(meta) => {
            let file = FileRef { version: FileVersion::Listed(meta.etag), size: Some(meta.size), ..file };
            Ok(Some(ListedFile { file, size: meta.size, modified_at: meta.modified_at }))
        }
        Err(StoreError::NotFound) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Returns the files below `relative` in a snapshot, or else the file at `relative`.
fn snapshot_files_below(pinned: &PinnedSkill, relative: &str, mount: &Mount, folder: &VirtualPath) -> Vec<ListedFile> {
    let snapshot = &pinned.snapshot;
    let inside = if relative.is_empty() { String::new() } else { format!("{relative}/") };
    let below = snapshot.files().iter().filter_map(|file| Some((file, file.path.strip_prefix(&inside)?)));
    let mut chosen: Vec<_> = below.collect();
    if chosen.is_empty() {
        chosen.extend(snapshot.file(relative).map(|file| (file, "")));
    }
    let listed = chosen.into_iter().filter_map(|(file, name)| {
        let found = FileRef {
            path: folder.join(name).ok()?,
            key: mount.prefix.key(&file.path).ok()?,
            version: pinned.version(file),
            size: Some(file.size),
            archived: pinned.archived(&file.path),
        };
        Some(ListedFile { file: found, size: file.size, modified_at: file.modified_at })
    });
    listed.collect()
}
