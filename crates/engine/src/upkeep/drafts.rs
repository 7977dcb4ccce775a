//! Drafts, and the archives that hold their files.

use std::collections::BTreeSet;

use super::{skills::version_name, survey::OwnerObjects};
use crate::{
    content::{ReadError, draft_in, inspect_draft_files},
    context::Core,
    error::Result,
    path::SkillPath,
    wire::FindingCode,
};

/// Checks every draft of one user, and every archive of drafts.
pub(super) async fn check(core: &Core, survey: &mut OwnerObjects) -> Result<()> {
    let mut named = BTreeSet::new();
    for (name, entry) in survey.of_area("drafts/") {
        let Some(skill) = name.strip_suffix(".json").and_then(|name| SkillPath::parse(name).ok()) else {
            survey.find(FindingCode::UnknownObject, entry.key, "its name is not that of a draft");
            continue;
        };
        let draft = match draft_in(core.content(), &survey.space, &skill).await {
            Ok(None) => continue,
            Ok(Some(draft)) => draft,
            Err(ReadError::Damaged(damage)) => {
                survey.find(FindingCode::DamagedDraft, entry.key, damage.message().to_owned());
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        let files = survey.space.draft_version(&skill, &draft.digest)?;
        if survey.is_missing(core, &files).await? {
            let detail = format!("its files should lie at {files}, which is not there");
            survey.find(FindingCode::MissingDraftFiles, entry.key, detail);
        }
        named.insert((skill, draft.digest));
    }
    for (name, entry) in survey.of_area("draft-versions/") {
        let Some((skill, digest)) = version_name(&name) else {
            survey.find(FindingCode::UnknownObject, entry.key, "its name is not that of the files of a draft");
            continue;
        };
        if let Some(why) = inspect_draft_files(core.content(), &survey.space, &skill, &digest).await? {
            survey.find(FindingCode::DamagedDraft, entry.key, why);
        } else if !named.contains(&(skill.clone(), digest)) && survey.is_old(&entry) {
            let detail = format!("no draft of {skill} names it; a session that loaded it may read it");
            survey.find(FindingCode::OrphanDraftFiles, entry.key, detail);
        }
    }
    Ok(())
}
