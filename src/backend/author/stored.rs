//! The skills of a store as whole folders of files, broken ones included.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    backend::Service,
    error::{Code, Error, Result},
    limits::LIST_OBJECTS,
    path::{Id, KeyPrefix, ObjectKey, SkillPath, distance},
    store::{ListEntry, StoreExt as _},
};

/// How many characters a mistyped path may differ in from the one that is suggested.
const NEAR: usize = 3;

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
    /// Every object below it, those included that no path can name.
    pub files: Vec<StoredFile>,
}

/// A file of a stored skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredFile {
    /// Its path below the skill's folder.
    pub path: String,
    /// Its bytes.
    pub size: u64,
    /// Its key; as it was listed if no path can name it.
    key: Result<ObjectKey, String>,
}

impl Service {
    /// Every folder of the user that holds a SKILL.md, the outermost deciding; also those whose SKILL.md is broken, because
    /// reading them is how one gets to mend them.
    ///
    /// # Errors
    /// The store's.
    pub async fn stored_skills(&self, user: &Id) -> Result<StoredSkills> {
        let prefix = self.namespace().user(user)?.skills()?;
        let (listed, is_cut) = self.store().list_all(&prefix, LIST_OBJECTS).await?;
        Ok(StoredSkills { skills: skills_of(&prefix, &listed), is_cut })
    }
}

impl StoredSkills {
    /// The skills of these paths; all of them if none is named.
    ///
    /// # Errors
    /// `skill_not_found` for a path that none has, `invalid_request` for a text that is no skill path.
    pub fn choose(&self, names: &[String]) -> Result<Vec<&StoredSkill>> {
        if names.is_empty() {
            return Ok(self.skills.iter().collect());
        }
        let one = |name: &String| {
            let path = SkillPath::parse(name)?;
            self.skills.iter().find(|skill| skill.skill == path).ok_or_else(|| self.not_found(&path))
        };
        names.iter().map(one).collect()
    }

    /// That the store has no skill at `path`, with the nearest one: of the same folder name, or of a similar path.
    fn not_found(&self, path: &SkillPath) -> Error {
        let paths = || self.skills.iter().map(|skill| &skill.skill);
        let same_folder = paths().find(|other| other.folder() == path.folder());
        let near = || {
            let nearest = paths().min_by_key(|other| distance(path.as_str(), other.as_str()));
            nearest.filter(|other| distance(path.as_str(), other.as_str()) <= NEAR)
        };
        let hint = match same_folder.or_else(near) {
            Some(other) => format!("did you mean {other}?"),
            None => "give its whole path, or that of a folder on this machine".to_owned(),
        };
        Error::new(Code::SkillNotFound, format!("there is no skill {path} in the store; {hint}"))
    }
}

impl StoredSkill {
    /// Where a file of it lies below `skills/`.
    #[must_use]
    pub fn place(&self, file: &StoredFile) -> String {
        format!("{}/{}", self.skill, file.path)
    }

    /// Its SKILL.md.
    pub(super) fn main(&self) -> Option<&StoredFile> {
        self.files.iter().find(|file| file.path == super::MAIN)
    }
}

impl StoredFile {
    /// Its key.
    ///
    /// # Errors
    /// `invalid_request` if no path can name it.
    pub(super) fn key(&self) -> Result<&ObjectKey> {
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
            skills.entry(root).or_default().push(StoredFile { path: path.to_owned(), size: entry.size, key });
        }
    }
    let parsed = skills.into_iter().filter_map(|(root, files)| Some((SkillPath::parse(root).ok()?, files)));
    parsed.map(|(skill, files)| StoredSkill { skill, files }).collect()
}

/// `relative` as the shortest folder of it that is one of `roots`, and the path below that.
fn split<'path>(relative: &'path str, roots: &BTreeSet<&str>) -> Option<(&'path str, &'path str)> {
    let folders = relative.match_indices('/').filter_map(|(at, _)| relative.split_at_checked(at));
    let (root, path) = folders.into_iter().find(|(folder, _)| roots.contains(folder))?;
    Some((root, path.strip_prefix('/')?))
}
