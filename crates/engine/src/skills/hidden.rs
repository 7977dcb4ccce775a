//! What there is of a skill that the catalog does not have: a draft for those who see it, versions for those who know their
//! digests, and what its author left there broken.

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
    /// What lies in the user's own space, or did.
    Own,
}

/// The draft at `skill`, if there is one that the reader sees and that has the digest `only`.
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

/// The skill, or what there is of it if the catalog does not have it and `digest` is a version of it, or none is named.
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

/// What there is of a skill that the catalog does not have. Who knows a digest reads that version, as a load of it does. A
/// folder inside of a skill is nothing.
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

/// What is known of a skill that is not published now, of which `files` are a version. Its page adds what the files say.
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
