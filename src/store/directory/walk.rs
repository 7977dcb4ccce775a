//! Listing: the files below a folder, lazily, in the byte order of their keys.
//!
//! A folder sorts as its name with the `/` that its keys have, so `a-b` and `a.txt` come before `a/b`. Then a walk in
//! order gives keys in order, and no whole listing needs to be collected and sorted.

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

use super::{
    Disk,
    layout::{OWN, PathState},
    listings::{PageEnd, Question},
    version::Version,
};
use crate::{
    path::KeyPrefix,
    store::{ListEntry, ListOptions, ListPage, StoreError, StoreResult, disk::failed_at, rules::cut},
};

/// The memory of a name beside its characters.
const NAME_BYTES: usize = size_of::<String>() + 16;

impl Disk {
    pub(super) fn list(&self, prefix: &KeyPrefix, options: &ListOptions) -> StoreResult<ListPage> {
        let question = Question { prefix: prefix.clone(), delimiter: options.delimiter };
        let place = options.page.as_ref().map(PageEnd::of).transpose()?;
        let waiting = place.as_ref().and_then(|place| self.listings.take(&question, place));
        let after = place.as_ref().map(|place| place.ended.clone()).or_else(|| options.start_after.clone());
        let Some(mut walk) =
            waiting.map(Ok).or_else(|| self.begin_walk(&question, after.clone()).transpose()).transpose()?
        else {
            return Ok(ListPage::default());
        };
        let number = place.map_or_else(|| self.listings.begin(), |place| place.number);
        let (mut listed, rest) = cut(prefix, options, after.as_deref(), walk.by_ref());
        if let Some(failure) = walk.failure {
            return Err(failure);
        }
        if let Some(rest) = rest {
            walk.put_back = Some(rest.first);
            listed.next = Some(self.listings.keep(number, question, rest.ended, walk));
        }
        Ok(listed)
    }

    /// A walk that has read the folder of the listing, if there is one.
    pub(super) fn begin_walk(&self, question: &Question, after: Option<String>) -> StoreResult<Option<Walk>> {
        let Some(top) = self.folder(&question.prefix)? else { return Ok(None) };
        let mut walk = Walk {
            after,
            fold: question.delimiter,
            levels: Vec::new(),
            put_back: None,
            failure: None,
            began: Instant::now(),
            bytes: 0,
            folders_read: Arc::clone(&self.folders_read),
        };
        walk.descend(top, question.prefix.as_str().to_owned());
        Ok(Some(walk))
    }

    /// The folder of the keys below `prefix`, if there is one to list.
    fn folder(&self, prefix: &KeyPrefix) -> StoreResult<Option<PathBuf>> {
        let folder = prefix.as_str().trim_end_matches('/');
        if folder.is_empty() {
            return Ok(Some(self.layout.root().to_owned()));
        }
        if folder.split('/').next() == Some(OWN) {
            return Ok(None);
        }
        match self.layout.look(folder)? {
            PathState::Folder => self.layout.path(folder).map(Some),
            PathState::File(_) | PathState::Nothing | PathState::BelowFile(_) | PathState::Blocked(_) => Ok(None),
        }
    }
}

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
    put_back: Option<ListEntry>,
    failure: Option<StoreError>,
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
            .and_then(|found| if found.is_file() { Version::of(&found).map(Some) } else { Ok(None) });
        match version {
            Ok(version) => version.map(|version| ListEntry {
                key,
                size: version.size,
                etag: version.etag(),
                modified_at: version.modified_at,
            }),
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
