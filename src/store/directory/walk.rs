//! Listing: the files below a folder, lazily, in the byte order of their keys.
//!
//! A folder sorts as its name with the `/` that its keys have, so `a-b` comes before `a/b` and `a.txt` too; with that,
//! going down in order gives keys in order, and nothing needs to be collected and sorted as a whole.

use std::{fs, io, path::PathBuf, vec};

use super::{
    Disk,
    layout::{OWN, Spot},
    version::{Version, failed},
};
use crate::{
    path::KeyPrefix,
    store::{ListEntry, ListOptions, ListPage, PageToken, StoreError, StoreResult, memory::page},
};

impl Disk {
    pub(super) fn list(&self, prefix: &KeyPrefix, options: &ListOptions) -> StoreResult<ListPage> {
        let Some(top) = self.folder(prefix)? else { return Ok(ListPage::default()) };
        let after = options.page.as_ref().map(|PageToken(token)| token.clone()).or_else(|| options.start_after.clone());
        let mut walk = Walk { after, fold: options.delimiter, levels: Vec::new(), failure: None };
        walk.descend(&top, prefix.as_str());
        let listed = page(prefix, options, walk.by_ref());
        walk.failure.map_or(Ok(listed), Err)
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
            Spot::Folder => self.layout.path(folder).map(Some),
            Spot::File(_) | Spot::Nothing | Spot::Blocked(_) => Ok(None),
        }
    }
}

/// A walk through a tree; it ends early where reading fails, and then says why.
#[derive(Debug)]
struct Walk {
    /// Keys up to this one are left out.
    after: Option<String>,
    /// Whether one file of each folder at the top is enough.
    fold: bool,
    /// What is left to visit, at each depth.
    levels: Vec<vec::IntoIter<Child>>,
    failure: Option<StoreError>,
}

/// A file, or a folder whose key ends in `/`.
#[derive(Debug)]
struct Child {
    key: String,
    path: PathBuf,
}

impl Walk {
    /// Goes into the folder `path`, whose keys begin with `prefix`.
    fn descend(&mut self, path: &PathBuf, prefix: &str) {
        match children(path, prefix) {
            Ok(children) => self.levels.push(children.into_iter()),
            // Pruned since its parent was read.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => self.failure = Some(failed(error)),
        }
    }

    fn is_wanted(&self, child: &Child) -> bool {
        let Some(after) = &self.after else { return true };
        // All keys of a folder sort before its name closed by the last character there is.
        if child.key.ends_with('/') { format!("{}\u{10ffff}", child.key) > *after } else { child.key > *after }
    }

    /// The entry of a file; `None` where it vanished since its folder was read.
    fn entry(&mut self, child: Child) -> Option<ListEntry> {
        let version = fs::symlink_metadata(&child.path)
            .and_then(|found| if found.is_file() { Version::of(&found).map(Some) } else { Ok(None) });
        match version {
            Ok(version) => version.map(|version| ListEntry {
                key: child.key,
                size: version.size,
                etag: version.etag(),
                modified_at: version.modified_at,
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => {
                self.failure = Some(failed(error));
                None
            }
        }
    }
}

impl Iterator for Walk {
    type Item = ListEntry;

    fn next(&mut self) -> Option<ListEntry> {
        while self.failure.is_none() {
            let Some(child) = self.levels.last_mut()?.next() else {
                self.levels.pop();
                continue;
            };
            if !self.is_wanted(&child) {
                continue;
            }
            if child.key.ends_with('/') {
                self.descend(&child.path, &child.key);
            } else if let Some(entry) = self.entry(child) {
                if self.fold {
                    self.levels.truncate(1);
                }
                return Some(entry);
            }
        }
        None
    }
}

/// What lies in one folder, sorted: files and folders whose names are UTF-8, no links, not the store's own.
fn children(path: &PathBuf, prefix: &str) -> io::Result<Vec<Child>> {
    let mut children = Vec::new();
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        if prefix.is_empty() && name == OWN {
            continue;
        }
        let end = match (kind.is_file(), kind.is_dir()) {
            (true, _) => "",
            (_, true) => "/",
            _ => continue,
        };
        children.push(Child { key: format!("{prefix}{name}{end}"), path: entry.path() });
    }
    children.sort_unstable_by(|one, other| one.key.cmp(&other.key));
    Ok(children)
}
