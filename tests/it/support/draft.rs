//! An author's files in memory, with what their folder would remember.

use std::collections::{BTreeMap, HashMap};

use bytes::Bytes;
use skillmount::{
    Code, Error, Result,
    client::sync::{PullTarget, PushSource, SyncBase, VersionMemory},
};

/// The files of one skill as its author has them. A file can be read as often as `left` says, where it says.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    pub(crate) files: BTreeMap<String, Bytes>,
    pub(crate) known: Option<SyncBase>,
    pub(crate) left: std::sync::Mutex<HashMap<&'static str, usize>>,
    /// A file that the author saves once another one is written: the other one, its path and its text.
    pub(crate) saves: Option<[&'static str; 3]>,
}

impl Draft {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let mut draft = Self::default();
        for (path, text) in files {
            draft.set(path, text);
        }
        draft
    }

    pub(crate) fn set(&mut self, path: &str, text: &str) {
        self.files.insert(path.to_owned(), Bytes::copy_from_slice(text.as_bytes()));
    }

    pub(crate) fn text(&self, path: &str) -> &str {
        self.files.get(path).map_or("", |bytes| std::str::from_utf8(bytes).unwrap())
    }
}

impl VersionMemory for Draft {
    fn remembered(&self) -> Result<Option<SyncBase>> {
        Ok(self.known.clone())
    }

    fn remember(&mut self, version: &SyncBase) -> Result<()> {
        self.known = Some(version.clone());
        Ok(())
    }
}

impl PushSource for Draft {
    fn paths(&self) -> Vec<String> {
        self.files.keys().cloned().collect()
    }

    fn read(&self, path: &str) -> Result<Bytes> {
        if let Some(left) = self.left.lock().unwrap().get_mut(path) {
            *left = left.checked_sub(1).ok_or_else(|| Error::new(Code::InvalidRequest, "the disk is gone"))?;
        }
        Ok(self.files[path].clone())
    }
}

impl PullTarget for Draft {
    fn read(&self, path: &str) -> Result<Option<Bytes>> {
        Ok(self.files.get(path).cloned())
    }

    fn write(&mut self, path: &str, bytes: &Bytes) -> Result<()> {
        self.files.insert(path.to_owned(), bytes.clone());
        if let Some([_, saved, text]) = self.saves.filter(|[first, ..]| *first == path) {
            self.set(saved, text);
        }
        Ok(())
    }

    fn remove(&mut self, path: &str) -> Result<()> {
        self.files.remove(path);
        Ok(())
    }
}
