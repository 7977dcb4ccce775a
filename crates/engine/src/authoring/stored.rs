//! The skills of a store as whole folders of files, broken ones included.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    context::Core,
    error::{Code, Error, Result},
    limits::LIST_OBJECTS,
    path::{ETag, Id, KeyPrefix, ObjectKey, SkillPath},
    skill::MAIN,
    skills::{NamedSkill, skill_named},
    store::{ListEntry, StoreExt as _},
};

/// A user's own skills and their files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredSkills {
    /// In byte order of their paths.
    pub skills: Vec<StoredSkill>,
    /// Whether there are more files than are listed (100,000), so that skills beyond them are left out.
    pub is_cut: bool,
}

/// A folder of the store that holds a SKILL.md.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredSkill {
    /// Where it lies below `skills/`.
    pub skill: SkillPath,
    /// Every object below it, even if no path can name the object.
    pub(crate) files: Vec<StoredFile>,
}

/// A file of a stored skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StoredFile {
    /// Its path below the skill's folder.
    pub(crate) path: String,
    /// Its version.
    pub(crate) etag: ETag,
    /// Its size in bytes.
    pub(crate) size: u64,
    /// Its key; the listed key if no path can name the object.
    key: Result<ObjectKey, String>,
}

/// Every folder of the user that holds a SKILL.md; of nested folders, the outermost alone. Includes folders with a broken
/// SKILL.md, so that authors can read and fix them.
///
/// # Errors
/// The store's.
pub(crate) async fn stored_skills(core: &Core, user: &Id) -> Result<StoredSkills> {
    let prefix = core.namespace().user(user)?.skills()?;
    let (listed, is_cut) = core.store().list_all(&prefix, LIST_OBJECTS).await?;
    Ok(StoredSkills { skills: skills_of(&prefix, &listed), is_cut })
}

/// The skill at this path alone, if there is one.
///
/// # Errors
/// The store's.
pub(crate) async fn stored_skill(core: &Core, user: &Id, skill: &SkillPath) -> Result<StoredSkills> {
    let (all, folder) = (core.namespace().user(user)?.skills()?, core.namespace().user(user)?.skill(skill)?);
    let (listed, is_cut) = core.store().list_all(&folder, LIST_OBJECTS).await?;
    let mut skills = skills_of(&all, &listed);
    skills.retain(|stored| stored.skill == *skill);
    Ok(StoredSkills { skills, is_cut })
}

impl StoredSkills {
    /// The skills of these paths or folder names; all of them if none is named.
    ///
    /// # Errors
    /// As [`skill_named`].
    pub(crate) fn choose(&self, names: &[String]) -> Result<Vec<&StoredSkill>> {
        if names.is_empty() {
            return Ok(self.skills.iter().collect());
        }
        let known: Vec<_> =
            self.skills.iter().map(|stored| NamedSkill { skill: &stored.skill, name: stored.skill.folder() }).collect();
        let paths = names.iter().map(|name| skill_named(name, &known)).collect::<Result<Vec<_>>>()?;
        Ok(paths.iter().filter_map(|path| self.skills.iter().find(|stored| stored.skill == **path)).collect())
    }
}

impl StoredSkill {
    /// The files that a path can name: path and version of each.
    pub(crate) fn tags(&self) -> BTreeMap<String, ETag> {
        let named = self.files.iter().filter(|file| file.key.is_ok());
        named.map(|file| (file.path.clone(), file.etag.clone())).collect()
    }

    /// The bytes of its SKILL.md.
    #[must_use]
    pub fn main_size(&self) -> u64 {
        self.main().map_or(0, |main| main.size)
    }

    /// Its SKILL.md.
    pub(crate) fn main(&self) -> Option<&StoredFile> {
        self.files.iter().find(|file| file.path == MAIN)
    }
}

impl StoredFile {
    /// Its key.
    ///
    /// # Errors
    /// `invalid_request` if no path can name it.
    pub(crate) fn key(&self) -> Result<&ObjectKey> {
        self.key
            .as_ref()
            .map_err(|listed| Error::new(Code::InvalidRequest, format!("{listed:?} is not a name any path could have")))
    }
}

fn skills_of(prefix: &KeyPrefix, listed: &[ListEntry]) -> Vec<StoredSkill> {
    let roots: BTreeSet<&str> =
        listed.iter().filter_map(|entry| prefix.relative(&entry.key)?.strip_suffix("/SKILL.md")).collect();
    let mut skills: BTreeMap<&str, Vec<StoredFile>> = BTreeMap::new();
    for entry in listed {
        if let Some((root, path)) = prefix.relative(&entry.key).and_then(|relative| split(relative, &roots)) {
            let key = prefix.admit(&entry.key).ok_or_else(|| entry.key.clone());
            skills.entry(root).or_default().push(StoredFile {
                path: path.to_owned(),
                etag: entry.etag.clone(),
                size: entry.size,
                key,
            });
        }
    }
    let parsed = skills.into_iter().filter_map(|(root, files)| Some((SkillPath::parse(root).ok()?, files)));
    parsed.map(|(skill, files)| StoredSkill { skill, files }).collect()
}

/// Splits `relative` at its shortest folder that is in `roots`. Returns this folder and the path below.
fn split<'path>(relative: &'path str, roots: &BTreeSet<&str>) -> Option<(&'path str, &'path str)> {
    let folders = relative.match_indices('/').filter_map(|(at, _)| relative.split_at_checked(at));
    let (root, path) = folders.into_iter().find(|(folder, _)| roots.contains(folder))?;
    Some((root, path.strip_prefix('/')?))
}
