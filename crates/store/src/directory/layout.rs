//! The layout of the folder: the only code that turns keys into paths.

use std::{
    fs::{self, File},
    io,
    path::{Component, Display, Path, PathBuf},
};

use bytes::Bytes;
use sha2::{Digest, Sha256};

use super::{
    files::{make_folder, remove_file, same_file},
    shard::Shard,
};
use crate::{
    StoreError, StoreResult,
    disk::{failed, failed_at, gone_or, unusable},
};
use skillmount_base::path::ObjectKey;

/// The store's own folder. No key begins with it and no listing shows it.
pub(crate) const OWN: &str = ".skillmount-store";

/// A file of the store with a capital and an accent, which shows whether a disk folds names.
const PROBE: &str = "Probe-\u{e9}";

/// The folder of a store and its own folders in it.
#[derive(Debug)]
pub(super) struct StoreLayout {
    root: PathBuf,
}

/// The state of the path of a key.
#[derive(Debug)]
pub(super) enum PathState {
    /// A file: an object.
    File(fs::Metadata),
    /// A folder.
    Folder,
    /// Nothing.
    Nothing,
    /// Nothing, and nothing is possible: a folder of its path is the object with this key.
    BelowFile(String),
    /// Nothing, and nothing is possible, with the reason in words that complete "… is".
    Blocked(String),
}

impl StoreLayout {
    /// Creates missing folders, refuses a disk that folds names, and removes the leftovers of crashed writers. A folder
    /// that can only be read is opened for reading.
    pub(super) fn open(root: &Path) -> StoreResult<Self> {
        fs::create_dir_all(root).map_err(unusable)?;
        let layout = Self { root: fs::canonicalize(root).map_err(unusable)? };
        let made = layout.make_own().and_then(|()| layout.make_probe());
        match made.map_err(failed_at(&layout.root)) {
            Ok(()) => {
                layout.refuse_folding()?;
                layout.clear_leftovers().map_err(unusable)?;
            }
            Err(error @ StoreError::Denied(_)) => {
                tracing::warn!(%error, "the folder of the store is opened for reading only");
                layout.refuse_folding_as_seen()?;
            }
            Err(error) => return Err(gone_or(error)),
        }
        Ok(layout)
    }

    /// Creates the store's own folders, if they are missing.
    fn make_own(&self) -> io::Result<()> {
        make_folder(&self.root.join(OWN))?;
        ["locks", "meta", "tmp"].into_iter().try_for_each(|folder| make_folder(&self.own(folder)))
    }

    /// Runs `attempt` on the store's own folders. If another tool has removed them, creates them and runs it again.
    pub(super) fn in_own_folders<T>(&self, mut attempt: impl FnMut() -> io::Result<T>) -> io::Result<T> {
        match attempt() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.make_own()?;
                attempt()
            }
            done => done,
        }
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
            // On Linux and macOS every segment of a key is a plain name. Elsewhere `C:` or `\` would not be.
            let mut parts = Path::new(segment).components();
            if !matches!((parts.next(), parts.next()), (Some(Component::Normal(name)), None) if name == segment) {
                return Err(StoreError::Unsupported(format!("its disk cannot name a file {segment:?}")));
            }
            path.push(segment);
        }
        Ok(path)
    }

    /// The state of the path of `key`, without following links.
    pub(super) fn look(&self, key: &str) -> StoreResult<PathState> {
        let mut path = self.path(key)?;
        let mut spot = spot_at(&path)?;
        let mut folder = key;
        // From the object upwards: the first path on the way that is not a folder decides.
        while path.pop() && path != self.root {
            folder = folder.rsplit_once('/').map_or("", |(above, _)| above);
            let above = match spot_at(&path)? {
                PathState::Folder => continue,
                PathState::File(_) => PathState::BelowFile(folder.to_owned()),
                PathState::Nothing => PathState::Nothing,
                PathState::BelowFile(_) | PathState::Blocked(_) => {
                    PathState::Blocked(format!("below `{}`, which is a link", self.shown(&path)))
                }
            };
            spot = above;
        }
        Ok(spot)
    }

    /// The lock for every change of a key with this index, if it is free; `now` is the time.
    pub(super) fn try_lock(&self, index: u8, now: i128) -> io::Result<Option<Shard>> {
        self.in_own_folders(|| Shard::try_lock(&self.own("locks"), &self.own("tmp"), index, now))
    }

    /// The file of lock `index`, for messages.
    pub(super) fn lock_file(&self, index: u8) -> String {
        Shard::file(&self.own("locks"), index).display().to_string()
    }

    /// The side file of `key`. Its name is a digest, so `a` and `a/b` have different side files.
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

    fn make_probe(&self) -> io::Result<()> {
        // The file stays. Otherwise, of two processes that open at once, one could remove the file of the other.
        if fs::exists(self.own(PROBE))? { Ok(()) } else { File::create(self.own(PROBE)).map(drop) }
    }

    fn refuse_folding(&self) -> StoreResult<()> {
        for twin in ["probe-\u{e9}", "Probe-e\u{301}"] {
            if fs::exists(self.own(twin)).map_err(unusable)? {
                return Err(folding());
            }
        }
        Ok(())
    }

    /// As [`refuse_folding`](Self::refuse_folding) on a disk that takes no probe: decides by the first name in the
    /// folder that has a letter. Ids have no accents, so only case can make a key reach another user's file.
    fn refuse_folding_as_seen(&self) -> StoreResult<()> {
        for entry in fs::read_dir(&self.root).map_err(failed_at(&self.root))? {
            let Ok(name) = entry.map_err(failed)?.file_name().into_string() else { continue };
            let twin: String = name.chars().map(other_case).collect();
            if twin == name {
                continue;
            }
            let found = |name: &str| fs::symlink_metadata(self.root.join(name));
            let is_one = found(&twin).is_ok_and(|twin| found(&name).is_ok_and(|name| same_file(&name, &twin)));
            return if is_one { Err(folding()) } else { Ok(()) };
        }
        Ok(())
    }

    /// Removes temporary files whose shard is free, because they are only used under its lock.
    fn clear_leftovers(&self) -> io::Result<()> {
        for index in 0..=u8::MAX {
            let left = Shard::temporary_files(&self.own("tmp"), index);
            if left.iter().any(|path| path.exists())
                && let Some(_held) = self.try_lock(index, 0)?
            {
                for path in left {
                    remove_file(&path)?;
                }
            }
        }
        Ok(())
    }
}

fn spot_at(path: &Path) -> StoreResult<PathState> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_file() => Ok(PathState::File(found)),
        Ok(found) if found.is_dir() => Ok(PathState::Folder),
        Ok(_) => Ok(PathState::Blocked("a link or device".to_owned())),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(PathState::Nothing)
        }
        Err(error) => Err(failed_at(path)(error)),
    }
}

/// The lock of a key.
pub(super) fn lock_index(key: &ObjectKey) -> u8 {
    let [index, ..]: [u8; 32] = Sha256::digest(key.as_str()).into();
    index
}

fn other_case(letter: char) -> char {
    if letter.is_ascii_uppercase() { letter.to_ascii_lowercase() } else { letter.to_ascii_uppercase() }
}

fn folding() -> StoreError {
    StoreError::Unsupported(
        "its disk takes two spellings (case or accents) for one name; use a disk that keeps them apart".to_owned(),
    )
}
