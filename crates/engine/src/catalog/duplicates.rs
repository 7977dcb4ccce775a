//! Skills that share a name or a mount name, which a reader must distinguish.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use super::entry::{CatalogDiagnostic, CatalogEntry};
use crate::{
    path::SkillPath,
    skill::{Diagnostic, FindingCode},
};

/// A warning for each group of skills with one mount name or one name, at the first of them. Skills that share both
/// form a single group with a single warning.
pub(super) fn duplicates(entries: &[Arc<CatalogEntry>]) -> Vec<CatalogDiagnostic> {
    let by_mount = shared(entries, |entry| entry.skill.folder());
    let by_name = shared(entries, |entry| entry.name());
    let warn = |skills: &[&SkillPath], code: FindingCode, what: String| {
        let (first, rest) = skills.split_first()?;
        let message = format!("{} {what}", rest_of(rest)?);
        Some(CatalogDiagnostic { skill: first.to_string(), diagnostic: Diagnostic::new(code, message) })
    };
    let of_mounts = by_mount.iter().filter_map(|(name, skills)| {
        let what = format!("would be mounted as {name} too; the second to be loaded needs mount_as");
        warn(skills, FindingCode::DuplicateMountName, what)
    });
    let only_named = by_name.iter().filter(|(_, skills)| by_mount.values().all(|mounted| mounted != *skills));
    let of_names = only_named.filter_map(|(name, skills)| {
        warn(skills, FindingCode::DuplicateName, format!("is named {name:?} too; load it by its path"))
    });
    of_mounts.chain(of_names).collect()
}

/// The skills that share a value of `key`, by that value.
fn shared<'entry>(
    entries: &'entry [Arc<CatalogEntry>],
    key: impl Fn(&'entry CatalogEntry) -> &'entry str,
) -> BTreeMap<&'entry str, Vec<&'entry SkillPath>> {
    let mut groups: HashMap<&str, Vec<&SkillPath>> = HashMap::new();
    for entry in entries {
        groups.entry(key(entry)).or_default().push(&entry.skill);
    }
    groups.into_iter().filter(|(_, skills)| skills.len() > 1).collect()
}

/// The first of the other skills of a group, and the number of further ones.
fn rest_of(others: &[&SkillPath]) -> Option<String> {
    let (first, further) = others.split_first()?;
    Some(if further.is_empty() { first.to_string() } else { format!("{first} (and {} more)", further.len()) })
}
