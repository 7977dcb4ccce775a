//! Where things lie in the folder, and what lies there: the only code that turns keys into paths.

use std::{
    fs::{self, File},
    io,
    path::{Component, Display, Path, PathBuf},
};

use bytes::Bytes;
use sha2::{Digest, Sha256};

use super::{shard::Shard, version::failed};
use crate::{
    path::ObjectKey,
    store::{StoreError, StoreResult},
};

/// The store's own folder; no key begins with it and no listing shows it.
pub(super) const OWN: &str = ".skillmount-store";

/// The folder of a store and its own folders in it.
#[derive(Debug)]
pub(super) struct Layout {
    root: PathBuf,
}

/// What lies at the path of a key.
#[derive(Debug)]
pub(super) enum Spot {
    /// A file, which is an object.
    File(fs::Metadata),
    /// A folder.
    Folder,
    /// Nothing, though it could.
    Nothing,
    /// Nothing, and nothing can: the words finish "… is".
    Blocked(String),
}

impl Layout {
    /// Makes what is missing, refuses a disk on which two names are one, and clears away what crashed writers left.
    pub(super) fn open(root: &Path) -> StoreResult<Self> {
        fs::create_dir_all(root).map_err(unusable)?;
        let root = fs::canonicalize(root).map_err(unusable)?;
        let layout = Self { root };
        for folder in [OWN, "locks", "meta", "tmp"] {
            let path = if folder == OWN { layout.root.join(OWN) } else { layout.own(folder) };
            make_folder(&path).map_err(unusable)?;
        }
        layout.refuse_folding()?;
        layout.clear_leftovers().map_err(unusable)?;
        Ok(layout)
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// The path of `key`.
    pub(super) fn path(&self, key: &str) -> StoreResult<PathBuf> {
        let mut path = self.root.clone();
        for (depth, segment) in key.split('/').enumerate() {
            if depth == 0 && segment == OWN {
                return Err(StoreError::Unsupported(format!("`{OWN}` is its own; use another name")));
            }
            // On Linux and macOS every segment of a key is a plain name; elsewhere `C:` or `\` would not be.
            let mut parts = Path::new(segment).components();
            if !matches!((parts.next(), parts.next()), (Some(Component::Normal(name)), None) if name == segment) {
                return Err(StoreError::Unsupported(format!("its disk cannot name a file {segment:?}")));
            }
            path.push(segment);
        }
        Ok(path)
    }

    /// What lies at the path of `key`, without following any link on the way.
    pub(super) fn look(&self, key: &str) -> StoreResult<Spot> {
        let mut path = self.path(key)?;
        let mut spot = spot_at(&path)?;
        // Upwards from the object: any folder on the way that is not one decides instead.
        while path.pop() && path != self.root {
            let above = match spot_at(&path)? {
                Spot::Folder => continue,
                Spot::File(_) => Spot::Blocked(format!("below `{}`, which is a file", self.shown(&path))),
                Spot::Nothing => Spot::Nothing,
                Spot::Blocked(_) => Spot::Blocked(format!("below `{}`, which is a link", self.shown(&path))),
            };
            spot = above;
        }
        Ok(spot)
    }

    /// The lock that every change of `key` is made under; waits for it.
    pub(super) fn lock(&self, key: &ObjectKey) -> io::Result<Shard> {
        let [index, ..]: [u8; 32] = Sha256::digest(key.as_str()).into();
        Shard::lock(&self.own("locks"), &self.own("tmp"), index)
    }

    /// The side file of `key`. Named by digest, so that `a` and `a/b` get one each.
    pub(super) fn side(&self, key: &ObjectKey) -> PathBuf {
        let digest = format!("{:x}", Bytes::copy_from_slice(&Sha256::digest(key.as_str())));
        let (folder, name) = digest.split_at(2);
        self.own("meta").join(folder).join(format!("{name}.json"))
    }

    fn own(&self, folder: &str) -> PathBuf {
        self.root.join(OWN).join(folder)
    }

    fn shown<'path>(&self, path: &'path Path) -> Display<'path> {
        path.strip_prefix(&self.root).unwrap_or(path).display()
    }

    fn refuse_folding(&self) -> StoreResult<()> {
        // The file stays, so that two processes that open at once cannot take it away from each other.
        File::create(self.own("Probe-\u{e9}")).map_err(unusable)?;
        for twin in ["probe-\u{e9}", "Probe-e\u{301}"] {
            if fs::exists(self.own(twin)).map_err(unusable)? {
                return Err(StoreError::Unsupported(
                    "its disk takes two spellings (case or accents) for one name; use a disk that tells them apart"
                        .to_owned(),
                ));
            }
        }
        Ok(())
    }

    /// Removes temporary files whose shard nobody holds: they are only ever used under its lock.
    fn clear_leftovers(&self) -> io::Result<()> {
        for index in 0..=u8::MAX {
            let left = Shard::temporary_files(&self.own("tmp"), index);
            if left.iter().any(|path| path.exists())
                && let Some(_held) = Shard::try_lock(&self.own("locks"), &self.own("tmp"), index)?
            {
                for path in left {
                    remove_file(&path)?;
                }
            }
        }
        Ok(())
    }
}

fn spot_at(path: &Path) -> StoreResult<Spot> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_file() => Ok(Spot::File(found)),
        Ok(found) if found.is_dir() => Ok(Spot::Folder),
        Ok(_) => Ok(Spot::Blocked("a link or device".to_owned())),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(Spot::Nothing)
        }
        Err(error) => Err(failed(error)),
    }
}

/// Makes the folder `path` durably, unless it is there; a link in its place is refused.
pub(super) fn make_folder(path: &Path) -> io::Result<()> {
    match fs::create_dir(path) {
        Ok(()) => path.parent().map_or(Ok(()), sync_folder),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            if fs::symlink_metadata(path)?.is_dir() {
                return Ok(());
            }
            Err(io::Error::new(io::ErrorKind::NotADirectory, format!("{} is not a folder", path.display())))
        }
        Err(error) => Err(error),
    }
}

/// Makes durable which names a folder holds.
pub(super) fn sync_folder(path: &Path) -> io::Result<()> {
    // Only Unix can open a folder, and only there is it needed.
    if cfg!(unix) { File::open(path)?.sync_all() } else { Ok(()) }
}

/// Removes the file `path` if it is there.
pub(super) fn remove_file(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// A failure to set the folder up; there, "not found" is about the folder and not about an object.
fn unusable(error: io::Error) -> StoreError {
    match failed(error) {
        StoreError::NotFound => StoreError::broken("the folder of the store vanished while it was opened"),
        other => other,
    }
}
