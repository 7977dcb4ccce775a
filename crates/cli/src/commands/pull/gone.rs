//! Skills that lie in the folder of a pull and are not in the store any more.

use crate::{
    client::sync::{SkillText, StoreId, SyncBase},
    error::Result,
    findings::read,
    folder::{Extent, LocalSkill, remembered, scan},
    local_path::LocalPath,
    output::Output,
    path::is_of_tools,
    screen::plain,
    shell::{push_arguments, quoted_path},
    skill::VersionFile,
    wire::{SkillDigests, SkillRepository},
};

/// A skill that another author deleted or moved.
pub(super) struct GoneSkill {
    local: LocalSkill,
    /// Whether its files differ from the version that the folder comes from.
    pub(super) is_changed: bool,
}

impl GoneSkill {
    pub(super) fn skill(&self) -> String {
        self.local.skill.to_string()
    }

    /// Prints how to go on without losing a change. `place` has the flags that choose the store, with a space before each.
    pub(super) fn say(&self, out: &Output, place: &str) {
        let (folder, push) = (quoted_path(self.local.folder().typed()), push_arguments(&self.local));
        let skill = plain(self.local.skill.as_str());
        out.note(format_args!(
            "{skill} is not in the store any more: it was deleted or moved, and `skillmount skills list` shows it if it was moved"
        ));
        if self.is_changed {
            out.note(format_args!(
                "  you changed {folder} since: take your changes along to where it is now, or put it back with them: \
                 `skillmount push {push} --force{place}`"
            ));
        } else {
            out.note(format_args!("  delete {folder} too, or put it back: `skillmount push {push} --force{place}`"));
        }
    }
}

/// The skills below `folder` that come from a version of this store and are not among `known` any more.
///
/// # Errors
/// Those of [`SkillText::get`].
pub(super) async fn gone(
    author: &dyn SkillRepository,
    folder: &LocalPath,
    known: &SkillDigests,
    store: &StoreId,
) -> Result<Vec<GoneSkill>> {
    let mut gone = Vec::new();
    for (skill, version) in missing(folder, known) {
        let path = version.skill().unwrap_or(&skill.local.skill);
        // A folder that was pushed to another store alone was never here.
        if version.is_unversioned_in(store) || SkillText::get(author, path, Some(&version.digest)).await?.is_some() {
            gone.push(skill);
        }
    }
    Ok(gone)
}

/// The skills below `folder` that come from a version and are not among `known`, with that version.
fn missing(folder: &LocalPath, known: &SkillDigests) -> Vec<(GoneSkill, SyncBase)> {
    if known.is_cut || !folder.is_dir() {
        return Vec::new();
    }
    // A folder without any skill is refused by a scan. Then none is gone.
    let Ok(scanned) = scan(folder, None, Extent::Everything) else { return Vec::new() };
    let missing = scanned.skills.into_iter().filter(|local| known.find(&local.skill).is_none());
    let gone = missing.filter_map(|local| {
        // A memory that cannot be read does not say that the folder comes from this store.
        let version = remembered(&local.folder()).ok().flatten()?;
        // It was pushed from here to another place, where it still is.
        if version.skill().is_some_and(|skill| known.find(skill).is_some()) {
            return None;
        }
        let is_changed = !is_version(&local, &version);
        Some((GoneSkill { local, is_changed }, version))
    });
    gone.collect()
}

/// Whether the files of the folder are those of this version. A scan omits files of tools.
fn is_version(local: &LocalSkill, version: &SyncBase) -> bool {
    let is_same = |relative: &str, path: &LocalPath| {
        let known = version.files.get(relative);
        known.is_some_and(|known| {
            read(path).is_ok_and(|bytes| VersionFile::from_bytes(relative, &bytes).sha256 == *known)
        })
    };
    let wanted = version.files.keys().filter(|path| !is_of_tools(path)).count();
    local.files.len() == wanted && local.files.iter().all(|file| is_same(&file.relative, &file.path))
}
