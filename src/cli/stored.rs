//! Finding the skills of a store: whole folders of objects, broken ones included.

use std::collections::{BTreeMap, BTreeSet};

use super::output::note;
use crate::{
    error::{Code, Error, Result},
    limits::LIST_OBJECTS,
    path::{KeyPrefix, SkillPath},
    store::{ListEntry, SharedStore, StoreExt as _},
};

/// A skill of the store and its files.
#[derive(Debug)]
pub(super) struct StoredSkill {
    /// Where it lies below `skills/`.
    pub(super) skill: SkillPath,
    /// Every object below it.
    pub(super) files: Vec<ListEntry>,
}

/// Every folder that holds a SKILL.md, the outermost deciding; also those whose SKILL.md is broken, for a pull is how
/// one gets at them to mend them.
pub(super) async fn find(store: &SharedStore, prefix: &KeyPrefix) -> Result<Vec<StoredSkill>> {
    let (listed, more) = store.list_all(prefix, LIST_OBJECTS).await?;
    if more {
        note(format_args!("there are more than {LIST_OBJECTS} files; skills beyond them are left out"));
    }
    let roots: BTreeSet<&str> =
        listed.iter().filter_map(|entry| prefix.relative(&entry.key)?.strip_suffix("/SKILL.md")).collect();
    let mut skills: BTreeMap<String, Vec<ListEntry>> = BTreeMap::new();
    for entry in &listed {
        if let Some(root) = prefix.relative(&entry.key).and_then(|relative| outermost(relative, &roots)) {
            skills.entry(root.to_owned()).or_default().push(entry.clone());
        }
    }
    let parsed = skills.into_iter().filter_map(|(path, files)| Some((SkillPath::parse(&path).ok()?, files)));
    Ok(parsed.map(|(skill, files)| StoredSkill { skill, files }).collect())
}

/// The shortest folder of `relative` that is one of `roots`.
fn outermost<'path>(relative: &'path str, roots: &BTreeSet<&str>) -> Option<&'path str> {
    relative.match_indices('/').filter_map(|(at, _)| relative.get(..at)).find(|folder| roots.contains(folder))
}

/// The skills of these paths; all of them where none is named.
///
/// # Errors
/// `skill_not_found` for a path that none has.
pub(super) fn choose<'found>(found: &'found [StoredSkill], names: &[String]) -> Result<Vec<&'found StoredSkill>> {
    if names.is_empty() {
        return Ok(found.iter().collect());
    }
    let one = |name: &String| {
        let path = SkillPath::parse(name)?;
        found.iter().find(|skill| skill.skill == path).ok_or_else(|| {
            Error::new(Code::SkillNotFound, format!("there is no skill {name} in the store; give its whole path"))
        })
    };
    names.iter().map(one).collect()
}
