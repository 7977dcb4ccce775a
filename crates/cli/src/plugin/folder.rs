//! The folder of a plugin: whose the files in it are, and how new ones come into it.
//!
//! A new version of a skill is written beside, whole, and then takes the place of the old one by renames. An export
//! looks at a folder right before it replaces or removes the folder. The folder stays if anything in it is not as an
//! export wrote it.

use std::{
    collections::BTreeMap,
    fs::{self, File, OpenOptions, TryLockError},
    io,
};

use tempfile::TempDir;

use super::{
    disk::{read_into, sha256, take_place},
    manifest::{ExportRecord, MANIFEST, PluginExport},
};
use crate::{
    client::sync::SkillText,
    error::Result,
    folder::{PullFolder, failed, replace_whole},
    local_path::LocalPath,
};

/// The file by whose lock one export at a time works on the folder.
const LOCK: &str = ".skillmount-plugin.lock";
/// How folders begin in which new versions are written.
const BESIDE: &str = ".skillmount-plugin-new-";
/// In such a folder: the new versions, and what they took the place of.
const NEW: &str = "new";
const OLD: &str = "old";
/// The folder of the skills, as the host reads it.
const SKILLS: &str = "skills";
/// The folders in which a plugin has files.
const FOLDERS: [&str; 3] = [SKILLS, "hooks", ".claude-plugin"];

/// The folder, locked as long as this lives.
#[derive(Debug)]
pub(super) struct PluginFolder {
    root: LocalPath,
    manifest: PluginExport,
    _lock: File,
}

/// The state of the place of a skill or a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Occupant {
    /// Nothing.
    Free,
    /// The files that an export wrote, all of them.
    Ours,
    /// Files that an export wrote, but not all of them.
    Damaged,
    /// Something else; the text describes it, to be put after its name.
    Foreign(String),
}

/// The changes that an export is about to make.
#[derive(Debug, Default)]
pub(super) struct PluginChanges {
    /// The folder of new versions; none until there is one.
    beside: Option<TempDir>,
    /// The versions, by their folders.
    written: BTreeMap<String, ExportRecord>,
    /// Folders that are to go.
    pub(super) removed: Vec<String>,
    /// Files beside the skills.
    pub(super) parts: Vec<(&'static str, Vec<u8>)>,
}

impl PluginFolder {
    /// The folder `root`, made if it is not there.
    ///
    /// # Errors
    /// `invalid_request` if it has files and no export wrote any of them, if another export works on it, or if the disk fails.
    pub(super) fn open(root: LocalPath) -> Result<Self> {
        fs::create_dir_all(&root).map_err(|error| failed(&root, error))?;
        let manifest = match PluginExport::read(&root)? {
            Some(manifest) => manifest,
            None if is_empty(&root)? => PluginExport::default(),
            None => {
                return Err(invalid!(
                    "{} has files that no export wrote, and they are left alone: name a new folder",
                    root.display()
                ));
            }
        };
        let path = root.join(LOCK);
        let lock = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
        let lock = lock.map_err(|error| failed(&path, error))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(invalid!("another export works on {}; end it first", root.display()));
            }
            Err(TryLockError::Error(error)) => return Err(failed(&path, error)),
        }
        for folder in FOLDERS {
            if fs::symlink_metadata(root.join(folder)).is_ok_and(|meta| !meta.is_dir()) {
                return Err(invalid!("{} is no folder; remove it first", root.join(folder).display()));
            }
        }
        clear_leftovers(&root)?;
        Ok(Self { root, manifest, _lock: lock })
    }

    /// The version of a skill's folder, if that is known for sure.
    pub(super) fn recorded(&self, folder: &str) -> Option<&ExportRecord> {
        match self.manifest.skills.get(folder).map(Vec::as_slice) {
            Some([only]) => Some(only),
            _ => None,
        }
    }

    /// The folders of skills that an export wrote.
    pub(super) fn folders(&self) -> Vec<String> {
        self.manifest.skills.keys().cloned().collect()
    }

    /// The state of the place of the skill's folder `folder`.
    ///
    /// # Errors
    /// `invalid_request` if the disk fails.
    pub(super) fn skill(&self, folder: &str) -> Result<Occupant> {
        let path = self.root.join(SKILLS).join(folder);
        let Ok(meta) = fs::symlink_metadata(&path) else { return Ok(Occupant::Free) };
        let Some(versions) = self.manifest.skills.get(folder).filter(|_| meta.is_dir()) else {
            return Ok(Occupant::Foreign("is not of an export".to_owned()));
        };
        let mut found = BTreeMap::new();
        if let Some(foreign) = read_into(&path, "", versions, &mut found).map_err(|error| failed(&path, error))? {
            return Ok(Occupant::Foreign(format!("has {foreign}, which is not as an export wrote it")));
        }
        let is_whole = versions.iter().any(|one| one.version.files == found);
        Ok(if is_whole { Occupant::Ours } else { Occupant::Damaged })
    }

    /// The state of the place of the file `path`; [`Occupant::Ours`] if an export wrote it and it has `bytes`.
    ///
    /// # Errors
    /// `invalid_request` if the disk fails.
    pub(super) fn part(&self, path: &str, bytes: &[u8]) -> Result<Occupant> {
        let place = self.root.join(path);
        let known = self.manifest.parts.get(path);
        match fs::symlink_metadata(&place) {
            Err(_) => return Ok(Occupant::Free),
            Ok(meta) if !meta.is_file() => return Ok(Occupant::Foreign("is no file".to_owned())),
            Ok(_) => {}
        }
        let there = fs::read(&place).map_err(|error| failed(&place, error))?;
        let is_known = known.is_some_and(|known| known.contains(&sha256(&there)));
        Ok(match (is_known, there == bytes) {
            (true, true) => Occupant::Ours,
            (true, false) => Occupant::Damaged,
            (false, _) => Occupant::Foreign("is not as an export wrote it".to_owned()),
        })
    }

    /// A folder in which new versions grow.
    fn beside(&self) -> Result<TempDir> {
        let beside = tempfile::Builder::new().prefix(BESIDE).tempdir_in(&self.root);
        let beside = beside.and_then(|beside| fs::create_dir(beside.path().join(OLD)).map(|()| beside));
        beside.map_err(|error| failed(&self.root, error))
    }

    /// Writes a version beside, to be put into the folder `folder`. `unique` names files while they grow.
    ///
    /// # Errors
    /// `invalid_request` if the disk cannot hold it under these names, or fails.
    pub(super) fn write_beside(
        &self,
        changes: &mut PluginChanges,
        folder: &str,
        (written, text): (ExportRecord, &SkillText),
        unique: u128,
    ) -> Result<()> {
        let new = match &changes.beside {
            Some(beside) => beside.path().join(NEW),
            None => changes.beside.insert(self.beside()?).path().join(NEW),
        };
        let target = PullFolder::new(new.clone().into());
        let put = |path: &str, bytes: &[u8]| target.write(&format!("{folder}/{path}"), bytes, unique);
        if let Err(error) = text.files.iter().try_for_each(|(path, bytes)| put(path, bytes)) {
            // The files written so far go with the folder.
            let _ = fs::remove_dir_all(new.join(folder));
            return Err(error);
        }
        changes.written.insert(folder.to_owned(), written);
        Ok(())
    }

    /// Makes the changes. Nothing is waited for, so no signal comes in between. `unique` names files while they grow.
    ///
    /// # Errors
    /// `invalid_request` if the disk fails; finished changes stay, and the next export does the rest.
    pub(super) fn apply(&mut self, mut changes: PluginChanges, unique: u128) -> Result<()> {
        if changes.is_empty() {
            return Ok(());
        }
        for (folder, written) in &changes.written {
            self.manifest.skills.entry(folder.clone()).or_default().push(written.clone());
        }
        for (path, bytes) in &changes.parts {
            self.manifest.parts.entry((*path).to_owned()).or_default().insert(sha256(bytes));
        }
        self.manifest.write(&self.root, unique)?;
        for (path, bytes) in &changes.parts {
            replace_whole(&self.root.join(path), bytes, unique)?;
            self.manifest.parts.insert((*path).to_owned(), [sha256(bytes)].into());
        }
        let skills = self.root.join(SKILLS);
        fs::create_dir_all(&skills).map_err(|error| failed(&skills, error))?;
        let beside = changes.beside.take().map_or_else(|| self.beside(), Ok)?;
        let (new, old) = (beside.path().join(NEW), beside.path().join(OLD));
        for (folder, written) in std::mem::take(&mut changes.written) {
            take_place(&skills.join(&folder), &new.join(&folder), &old.join(&folder))?;
            self.manifest.skills.insert(folder, vec![written]);
        }
        for folder in &changes.removed {
            let place = skills.join(folder);
            match fs::rename(&place, old.join(folder)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(&place, error)),
                _ => drop(self.manifest.skills.remove(folder)),
            }
        }
        self.manifest.write(&self.root, unique)
    }
}

impl PluginChanges {
    fn is_empty(&self) -> bool {
        self.written.is_empty() && self.removed.is_empty() && self.parts.is_empty()
    }
}

/// Whether the folder is empty, apart from the lock, the manifest and temporary folders of exports.
fn is_empty(root: &LocalPath) -> Result<bool> {
    let entries = fs::read_dir(root).map_err(|error| failed(root, error))?;
    let is_own = |name: &str| name == LOCK || name.starts_with(BESIDE) || name == MANIFEST;
    Ok(entries.flatten().all(|entry| entry.file_name().to_str().is_some_and(is_own)))
}

/// Removes what an export has left beside that was ended in the middle. The lock says that none is under way.
fn clear_leftovers(root: &LocalPath) -> Result<()> {
    for entry in fs::read_dir(root).map_err(|error| failed(root, error))?.flatten() {
        if entry.file_name().to_str().is_some_and(|name| name.starts_with(BESIDE)) {
            fs::remove_dir_all(entry.path()).map_err(|error| failed(&root.at(&entry.path()), error))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::{client::sync::SyncBase, path::SkillPath};

    fn text(content: &str) -> SkillText {
        let files = [("SKILL.md", content), ("a/b.md", content)];
        SkillText::new(files.map(|(path, text)| (path.to_owned(), Bytes::copy_from_slice(text.as_bytes()))).into())
    }

    fn written(text: &SkillText) -> ExportRecord {
        ExportRecord { skill: SkillPath::parse("x/notes").unwrap(), version: SyncBase::from_version(&text.version) }
    }

    fn put(folder: &mut PluginFolder, text: &SkillText) {
        let mut changes = PluginChanges::default();
        folder.write_beside(&mut changes, "notes", (written(text), text), 1).unwrap();
        assert!(!folder.root.join("skills/notes/a/c.md").exists());
        folder.apply(changes, 2).unwrap();
    }

    // S-PLUGIN-4: A skill is in the plugin whole or not at all. The next export recognises and fixes the rest of an
    // interrupted export.
    #[test]
    fn an_export_that_was_ended_in_the_middle_leaves_what_the_next_one_knows() {
        let home = tempfile::tempdir().unwrap();
        let (old, new) = (text("old"), text("new"));
        let root = LocalPath::from(home.path().join("plugin"));
        let mut folder = PluginFolder::open(root.clone()).unwrap();
        put(&mut folder, &old);
        assert_eq!(folder.skill("notes").unwrap(), Occupant::Ours);
        // The export ended after it wrote its intent: before any rename, between the two renames, and after both.
        folder.manifest.skills.get_mut("notes").unwrap().push(written(&new));
        folder.manifest.write(&root, 3).unwrap();
        drop(folder);
        fs::create_dir(root.join(".skillmount-plugin-new-x")).unwrap();
        let notes = root.join("skills/notes");
        for (state, place) in
            [("old", Occupant::Ours), ("new", Occupant::Ours), ("half", Occupant::Damaged), ("none", Occupant::Free)]
        {
            let mut folder = PluginFolder::open(root.clone()).unwrap();
            assert!(!root.join(".skillmount-plugin-new-x").exists(), "it is cleared away");
            let _ = fs::remove_dir_all(&notes);
            if state != "none" {
                fs::create_dir_all(notes.join("a")).unwrap();
                fs::write(notes.join("SKILL.md"), if state == "new" { "new" } else { "old" }).unwrap();
            }
            match state {
                "half" => fs::write(notes.join("a/b.md"), "new").unwrap(),
                "none" => {}
                whole => fs::write(notes.join("a/b.md"), whole).unwrap(),
            }
            assert_eq!(folder.skill("notes").unwrap(), place, "{state}");
            assert_eq!(folder.recorded("notes"), None, "which of the two it is has to be looked up");
            let before = folder.manifest.clone();
            put(&mut folder, &new);
            assert_eq!(
                (folder.skill("notes").unwrap(), folder.recorded("notes")),
                (Occupant::Ours, Some(&written(&new)))
            );
            assert_eq!(fs::read(notes.join("a/b.md")).unwrap(), b"new");
            before.write(&root, 4).unwrap();
        }
    }

    #[test]
    fn two_do_not_work_on_one_folder_and_a_link_is_not_followed() {
        let home = tempfile::tempdir().unwrap();
        let mut folder = PluginFolder::open(home.path().into()).unwrap();
        assert!(PluginFolder::open(home.path().into()).unwrap_err().message().contains("another export"));
        put(&mut folder, &text("old"));
        for foreign in ["skills/notes/more.md", "skills/notes/a/more.md", "skills/notes/empty/more.md"] {
            let path = home.path().join(foreign);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "mine").unwrap();
            assert!(matches!(folder.skill("notes").unwrap(), Occupant::Foreign(_)), "{foreign}");
            fs::remove_file(path).unwrap();
        }
        assert!(matches!(folder.skill("notes").unwrap(), Occupant::Foreign(_)), "a folder that is empty too");
        fs::remove_dir(home.path().join("skills/notes/empty")).unwrap();
        assert_eq!(folder.skill("notes").unwrap(), Occupant::Ours);
        assert!(matches!(folder.skill("other").unwrap(), Occupant::Free));
        assert_eq!(folder.part("x", b"one").unwrap(), Occupant::Free);
        fs::write(home.path().join("x"), "one").unwrap();
        assert!(matches!(folder.part("x", b"one").unwrap(), Occupant::Foreign(_)), "though it has the very bytes");
    }
}
