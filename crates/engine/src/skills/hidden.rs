//! Skills that the catalog does not have: drafts, versions, and folders with a broken SKILL.md. A reader who may see a draft gets
//! the draft. A reader who knows the digest of a version gets the version.

use super::{
    find::{FoundSkill, find_skill},
    find_error::FindError,
};
use crate::{
    catalog::Audience,
    content::{DraftReader, SkillFiles, draft_at},
    context::{Core, check_content},
    error::Result,
    path::{Id, Layer, SkillPath},
    skill::{MAIN, SkillDraft},
    wire::{ListedState, Policy, SkillDocument},
};

/// A skill that a reader may know of.
pub(crate) enum KnownSkill {
    /// One of the catalog.
    Listed(Box<FoundSkill>),
    /// A draft.
    Draft(Box<SkillDraft>),
    /// A skill that the user's own space holds or held.
    Own,
}

/// The draft at `skill`, if the reader sees this draft. With `only`, the draft must have this digest.
///
/// # Errors
/// `approval_required` if each use of it is approved; `object_damaged` if it is damaged; the store's.
pub(crate) async fn visible_draft(
    core: &Core,
    user: &Id,
    policy: &Policy,
    skill: &SkillPath,
    only: Option<&str>,
    reader: DraftReader<'_>,
) -> Result<Option<SkillDraft>> {
    if !reader.sees_some() || !policy.skill(skill).is_visible() {
        return Ok(None);
    }
    let is_wanted = |draft: &SkillDraft| reader.sees(draft) && only.is_none_or(|only| only == draft.digest);
    let draft = draft_at(core.content(), user, skill).await?.filter(is_wanted);
    if draft.is_some() {
        check_content(policy, skill)?;
    }
    Ok(draft)
}

/// The skill, if the catalog has it. Otherwise the draft that the reader sees, or [`KnownSkill::Own`] if `digest` is given or the
/// catalog left the skill out.
///
/// # Errors
/// `skill_not_found` if there is nothing that the reader may know of; `approval_required` if each use of it is approved; the
/// store's.
pub(crate) async fn find_known(
    core: &Core,
    audience: &Audience,
    policy: &Policy,
    skill: &SkillPath,
    digest: Option<&str>,
    reader: DraftReader<'_>,
) -> Result<KnownSkill> {
    match find_skill(core, audience, policy, skill).await {
        Err(FindError::Unknown(missing)) => {
            unlisted(core, audience, policy, skill, digest, reader).await?.ok_or(missing)
        }
        found => Ok(KnownSkill::Listed(Box::new(found?))),
    }
}

/// The draft or the user's own files of a skill that the catalog does not have. A reader who knows a digest reads the version, as
/// a load of it does. A folder inside of a skill is no skill.
async fn unlisted(
    core: &Core,
    audience: &Audience,
    policy: &Policy,
    skill: &SkillPath,
    digest: Option<&str>,
    reader: DraftReader<'_>,
) -> Result<Option<KnownSkill>> {
    if !policy.skill(skill).is_visible() {
        return Ok(None);
    }
    if let Some(draft) = visible_draft(core, &audience.user, policy, skill, digest, reader).await? {
        return Ok(Some(KnownSkill::Draft(Box::new(draft))));
    }
    let is_left_out = core.catalogs().view(audience.clone(), false).await?.left_out(skill).is_some();
    if digest.is_none() && !is_left_out {
        return Ok(None);
    }
    check_content(policy, skill)?;
    Ok(Some(KnownSkill::Own))
}

/// The document of a skill that is not published now, from the files of a version. Its page adds the content of the
/// files.
pub(crate) fn document_of_version(skill: &SkillPath, digest: &str, files: &SkillFiles) -> SkillDocument {
    let main = files.snapshot.file(MAIN);
    SkillDocument {
        skill: skill.to_string(),
        name: skill.folder().to_owned(),
        description: String::new(),
        category: skill.category().to_owned(),
        layer: Layer::User,
        frontmatter: serde_json::Map::new(),
        files: 0,
        size: 0,
        updated_at: main.map_or(jiff::Timestamp::UNIX_EPOCH, |main| main.modified_at),
        state: ListedState::Published,
        digest: Some(digest.to_owned()),
        shadows: Vec::new(),
    }
}
