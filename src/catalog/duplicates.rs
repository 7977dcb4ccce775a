//! Skills that share a name or a mount name, which a reader must tell apart.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use super::entry::{CatalogDiagnostic, CatalogEntry};
use crate::{
    path::SkillPath,
    skill::{Diagnostic, FindingCode},
};

/// A warning for each of several skills with one name or one mount name.
pub(super) fn duplicates(entries: &[Arc<CatalogEntry>]) -> Vec<CatalogDiagnostic> {
    let by_mount = shared(entries, |entry| entry.skill.folder());
    let by_name = shared(entries, |entry| entry.name());
    let warn = |skill: &SkillPath, code: FindingCode, message: String| CatalogDiagnostic {
        skill: skill.to_string(),
        diagnostic: Diagnostic::new(code, message),
    };
    let mut found = Vec::new();
    for (name, skills) in &by_mount {
        for skill in skills {
            let message = format!(
                "{} would be mounted as {name} too; the second to be loaded needs mount_as",
                rest(skill, skills)
            );
            found.push(warn(skill, FindingCode::DuplicateMountName, message));
        }
    }
    for (name, skills) in by_name {
        for skill in &skills {
            let message = format!("{} is named {name:?} too; load it by its path", rest(skill, &skills));
            found.push(warn(skill, FindingCode::DuplicateName, message));
        }
    }
    found
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

/// One of `skills` other than `skill`, and the number of further ones.
fn rest(skill: &SkillPath, skills: &[&SkillPath]) -> String {
    let other = skills.iter().find(|other| **other != skill).map_or("another skill", |other| other.as_str());
    match skills.len() {
        0..=2 => other.to_owned(),
        many => format!("{other} (and {} more)", many - 2),
    }
}
