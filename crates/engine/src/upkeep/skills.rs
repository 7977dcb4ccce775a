//! Heads, the versions that they name, and the folders that follow them.

use std::collections::{BTreeMap, BTreeSet};

use super::survey::OwnerObjects;
use crate::{
    content::{InspectedHead, inspect_head, inspect_version, settle_head},
    context::Core,
    error::Result,
    path::SkillPath,
    skill::VersionNumbers,
    wire::FindingCode,
};

/// Checks every head and every version of one owner.
pub(super) async fn check(core: &Core, survey: &mut OwnerObjects) -> Result<()> {
    let mut known = BTreeMap::new();
    let heads = survey.skills_in("heads/", head_skill);
    for (name, entry) in survey.of_area("heads/") {
        match head_skill(&name) {
            Some(skill) => {
                if let Some(numbers) = check_head(core, survey, &skill, (&entry.key, &heads)).await? {
                    known.insert(skill, numbers);
                }
            }
            None => survey.find(FindingCode::UnknownObject, entry.key, "its name is not that of a head"),
        }
    }
    for (name, entry) in survey.of_area("versions/") {
        let Some((skill, digest)) = version_name(&name) else {
            survey.find(FindingCode::UnknownObject, entry.key, "its name is not that of a version");
            continue;
        };
        let was_published =
            |numbers: &VersionNumbers| numbers.is_version(&digest) || !survey.is_settled(entry.modified_at);
        let why = if !heads.contains(&skill) {
            Some(format!("{skill} has no head that could name it"))
        } else if known.get(&skill).is_some_and(|numbers| !was_published(numbers)) {
            Some(format!("it was stored and never published, so it is not listed among the versions of {skill}"))
        } else {
            None
        };
        if let Some(why) = why {
            survey.find(FindingCode::OrphanVersion, entry.key.clone(), why);
        }
        if let Some(why) = inspect_version(core.content(), &survey.space, &skill, &digest).await? {
            survey.find(FindingCode::DamagedVersion, entry.key, why);
        }
    }
    Ok(())
}

/// Returns which versions were published, as far as the head knows; `None` if it cannot be read.
async fn check_head(
    core: &Core,
    survey: &mut OwnerObjects,
    skill: &SkillPath,
    (key, heads): (&str, &BTreeSet<SkillPath>),
) -> Result<Option<VersionNumbers>> {
    let folder = survey.folder(skill);
    let (names, numbers, published_at, is_materialised, is_folder_same) =
        match inspect_head(core.content(), &survey.space, skill, (&folder, heads)).await? {
            InspectedHead::Absent => return Ok(None),
            InspectedHead::Damaged(why) => {
                survey.find(FindingCode::DamagedHead, key, why);
                return Ok(None);
            }
            InspectedHead::Newer => {
                survey.find(FindingCode::NewerHead, key, format!("a newer version of skillmount published {skill}"));
                return Ok(None);
            }
            InspectedHead::Sound { names, numbers, published_at, is_materialised, is_folder_same } => {
                (names, numbers, published_at, is_materialised, is_folder_same)
            }
        };
    for digest in names {
        let version = survey.space.version(skill, &digest)?;
        if survey.is_missing(core, &version).await? {
            survey.find(FindingCode::MissingVersion, version.to_string(), format!("the head of {skill} names it"));
        }
    }
    if is_materialised && !is_folder_same {
        survey.find(FindingCode::ChangedFolder, key, format!("the folder of {skill} differs from what was published"));
    }
    if !is_materialised && survey.is_settled(published_at) {
        let repaired = survey.repair && settle_head(core.content(), &survey.space, skill).await?;
        let detail = format!("not all plain files of {skill} are those of its published version");
        survey.find_repaired(FindingCode::UnfinishedPublish, key, detail, repaired);
    }
    Ok(Some(numbers))
}

fn head_skill(name: &str) -> Option<SkillPath> {
    SkillPath::parse(name.strip_suffix(".json")?).ok()
}

/// The skill and the digest of the version that lies at `{skill path}/{digest}.zip`.
pub(super) fn version_name(name: &str) -> Option<(SkillPath, String)> {
    let (skill, digest) = name.strip_suffix(".zip")?.rsplit_once('/')?;
    let is_digest = digest.len() == 64 && digest.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_digest.then(|| SkillPath::parse(skill).ok().map(|skill| (skill, format!("sha256:{digest}"))))?
}
