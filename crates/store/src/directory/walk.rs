//! The files below a folder, lazily, in the byte order of their keys.
//!
//! A folder sorts by its name with a `/` behind, as in the keys below it. So `a-b` and `a.txt` come before `a/b`. Then
//! a walk in order gives keys in order, and no whole listing needs to be collected and sorted.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    vec,
};

use tokio::time::Instant;

use super::{layout::OWN, version::FileStamp};
use crate::{ListEntry, StoreError, disk::failed_at};

/// The memory of a name beside its characters.
const NAME_BYTES: usize = size_of::<String>() + 16;

/// A walk through a tree. If a read fails, the walk ends early and keeps the error.
#[derive(Debug)]
pub(super) struct Walk {
    /// Keys up to this one are left out.
    after: Option<String>,
    /// Whether one file of each top folder is enough.
    fold: bool,
    /// The names left to visit, at each depth.
    levels: Vec<Level>,
    /// The entry that the last page had no room for.
    pub(super) put_back: Option<ListEntry>,
    pub(super) failure: Option<StoreError>,
    began: Instant,
    /// The memory of the names read so far.
    bytes: usize,
    folders_read: Arc<AtomicU64>,
}

/// A folder with the names left to visit. Names of folders end in `/`.
#[derive(Debug)]
struct Level {
    path: PathBuf,
    /// The prefix of its keys.
    prefix: String,
    names: vec::IntoIter<String>,
}

impl Walk {
    /// A walk that has read its first folder, `top`, whose keys begin with `prefix`. Keys up to `after` are left out; with
    /// `fold` one file of each folder in it is enough.
    pub(super) fn begin(
        top: PathBuf,
        prefix: String,
        after: Option<String>,
        fold: bool,
        folders_read: Arc<AtomicU64>,
    ) -> Self {
        let (began, levels) = (Instant::now(), Vec::new());
        let mut walk = Self { after, fold, levels, put_back: None, failure: None, began, bytes: 0, folders_read };
        walk.descend(top, prefix);
        walk
    }

    pub(super) fn began(&self) -> Instant {
        self.began
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    #[cfg(test)]
    pub(super) fn weigh(&mut self, more: usize) {
        self.bytes += more;
    }

    /// Enters the folder `path`, whose keys begin with `prefix`.
    fn descend(&mut self, path: PathBuf, prefix: String) {
        self.folders_read.fetch_add(1, Ordering::Relaxed);
        match names(&path, prefix.is_empty()) {
            Ok(names) => {
                self.bytes += names.iter().map(|name| NAME_BYTES + name.capacity()).sum::<usize>();
                self.levels.push(Level { path, prefix, names: names.into_iter() });
            }
            // Removed since its parent was read.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => self.failure = Some(failed_at(&path)(error)),
        }
    }

    fn is_wanted(&self, key: &str) -> bool {
        let Some(after) = &self.after else { return true };
        // All keys of a folder sort before its name followed by the last character.
        if key.ends_with('/') { format!("{key}\u{10ffff}") > *after } else { key > after.as_str() }
    }

    /// The entry of the file `key`; `None` if it was removed since its folder was read.
    fn entry(&mut self, key: String, path: &Path) -> Option<ListEntry> {
        let version = fs::symlink_metadata(path)
            .and_then(|found| if found.is_file() { FileStamp::from_metadata(&found).map(Some) } else { Ok(None) });
        match version {
            Ok(version) => version.map(|version| version.entry(key)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => {
                self.failure = Some(failed_at(path)(error));
                None
            }
        }
    }

    /// The entry put back, in its present state: it may have been changed or removed since. A file deeper down only
    /// represents its folder, so it needs no second look.
    fn again(&mut self, entry: ListEntry) -> Option<ListEntry> {
        let top = self.levels.first();
        let name = top.and_then(|top| entry.key.strip_prefix(&top.prefix)).filter(|name| !name.contains('/'));
        match name.and_then(|name| top.map(|top| top.path.join(name))) {
            Some(path) => self.entry(entry.key, &path),
            None => Some(entry),
        }
    }
}

impl Iterator for Walk {
    type Item = ListEntry;

    fn next(&mut self) -> Option<ListEntry> {
        if let Some(entry) = self.put_back.take()
            && let Some(entry) = self.again(entry)
        {
            return Some(entry);
        }
        while self.failure.is_none() {
            let level = self.levels.last_mut()?;
            let Some(name) = level.names.next() else {
                self.levels.pop();
                continue;
            };
            let key = format!("{}{name}", level.prefix);
            let path = level.path.join(name.trim_end_matches('/'));
            if !self.is_wanted(&key) {
                continue;
            }
            if key.ends_with('/') {
                self.descend(path, key);
            } else if let Some(entry) = self.entry(key, &path) {
                if self.fold {
                    self.levels.truncate(1);
                }
                return Some(entry);
            }
        }
        None
    }
}

/// The content of one folder, sorted: files and folders with UTF-8 names, without links and the store's own.
fn names(path: &Path, is_root: bool) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        let Ok(mut name) = entry.file_name().into_string() else { continue };
        if is_root && name == OWN {
            continue;
        }
        match (kind.is_file(), kind.is_dir()) {
            (true, _) => {}
            (_, true) => name.push('/'),
            _ => continue,
        }
        names.push(name);
    }
    names.sort_unstable();
    Ok(names)
}
