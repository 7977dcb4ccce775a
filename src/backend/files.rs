//! The files below a folder of the tree, whatever mounts they lie in: what `grep`, `glob` and `delete` walk over.

use futures_util::future::try_join_all;
use jiff::Timestamp;

use super::{
    SkillBackend,
    tree::{FileRef, Kind, Spot, Tree, Version},
};
use crate::{
    error::Result,
    limits::LIST_OBJECTS,
    path::{Mount, VirtualPath},
    skill::Snapshot,
    store::{StoreError, StoreExt},
};

/// A file that exists, as far as its listing or snapshot says.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) file: FileRef,
    pub(super) size: u64,
    pub(super) modified_at: Timestamp,
}

/// Files in byte order of their paths.
#[derive(Debug, Default)]
pub(super) struct Files {
    pub(super) found: Vec<Found>,
    /// Whether a mount holds more objects than one operation is willing to list.
    pub(super) truncated: bool,
}

impl SkillBackend {
    /// Every file at or below `root`; none where it does not exist. A folder and a file of one name: the folder counts.
    pub(super) async fn files_below(&self, tree: &Tree, root: &VirtualPath) -> Result<Files> {
        let mut files = match tree.spot(root) {
            Spot::Nowhere => Files::default(),
            Spot::Above => {
                let below = tree.mounts().filter(|(mount, _)| mount.at.below(root).is_some());
                let listed = below.map(|(mount, kind)| self.files_in(mount, kind, "", &mount.at));
                merge(try_join_all(listed).await?)
            }
            Spot::In { mount, kind, relative } => {
                let files = self.files_in(mount, kind, &relative, root).await?;
                if files.found.is_empty() && !relative.is_empty() { self.single(tree, root).await? } else { files }
            }
        };
        files.found.sort_by(|one, two| one.file.path.cmp(&two.file.path));
        Ok(files)
    }

    async fn files_in(&self, mount: &Mount, kind: &Kind, relative: &str, at: &VirtualPath) -> Result<Files> {
        match kind {
            Kind::Pinned(pinned) => {
                Ok(Files { found: of_snapshot(&pinned.snapshot, relative, mount, at), truncated: false })
            }
            Kind::Fresh | Kind::Shown => {
                let prefix = mount.prefix.folder(relative)?;
                let (entries, truncated) = self.shared.store.list_all(&prefix, LIST_OBJECTS).await?;
                let found = entries.into_iter().filter_map(|entry| {
                    let key = prefix.admit(&entry.key)?;
                    let path = at.join(prefix.relative(&entry.key)?).ok()?;
                    let file = FileRef { path, key, version: Version::Listed(entry.etag), size: Some(entry.size) };
                    Some(Found { file, size: entry.size, modified_at: entry.modified_at })
                });
                Ok(Files { found: found.collect(), truncated })
            }
        }
    }

    /// The fresh file at `path`, if there is one.
    async fn single(&self, tree: &Tree, path: &VirtualPath) -> Result<Files> {
        let Some(file) = tree.unpinned_file(path)? else { return Ok(Files::default()) };
        match self.shared.store.head(&file.key).await {
            Ok(meta) => {
                let file = FileRef { version: Version::Listed(meta.etag), size: Some(meta.size), ..file };
                let found = Found { file, size: meta.size, modified_at: meta.modified_at };
                Ok(Files { found: vec![found], truncated: false })
            }
            Err(StoreError::NotFound) => Ok(Files::default()),
            Err(error) => Err(error.into()),
        }
    }
}

/// The file at `relative` of a snapshot, or the files below it.
fn of_snapshot(snapshot: &Snapshot, relative: &str, mount: &Mount, at: &VirtualPath) -> Vec<Found> {
    let inside = if relative.is_empty() { String::new() } else { format!("{relative}/") };
    let chosen = snapshot.files().iter().filter_map(|file| {
        let name = if file.path == relative { "" } else { file.path.strip_prefix(&inside)? };
        let found = FileRef {
            path: at.join(name).ok()?,
            key: mount.prefix.key(&file.path).ok()?,
            version: Version::Pinned(file.etag.clone()),
            size: Some(file.size),
        };
        Some(Found { file: found, size: file.size, modified_at: file.modified_at })
    });
    chosen.collect()
}

fn merge(parts: Vec<Files>) -> Files {
    let truncated = parts.iter().any(|part| part.truncated);
    Files { found: parts.into_iter().flat_map(|part| part.found).collect(), truncated }
}
