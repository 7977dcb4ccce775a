//! Skills that the catalog does not have: drafts, versions, and folders with a broken SKILL.md. A reader who may see a draft gets
//! the draft. A reader who knows the digest of a version gets the version.

use super::{
    find::{FoundSkill, files_of, find_skill},
    find_error::FindError,
};
use crate::{
    catalog::Audience,
    content::{DraftReader, SkillFiles, draft_at, draft_or_skill_at, read_head, restore_around, restore_skill_at},
    context::{Core, check_content},
    error::{Error, Result},
    path::{Id, Layer, SkillPath, UserSpace},
    skill::{MAIN, SkillDraft},
    wire::{ListedState, Policy, SkillDocument},
};

/// The files of a skill as a reader finds them now.
pub(crate) enum ReadableSkill {
    /// Those of a skill of the catalog.
    Listed(Box<FoundSkill>, SkillFiles),
    /// Those of this draft.
    Draft(Box<SkillDraft>),
}

/// A skill that a reader may know of.
pub(crate) enum KnownSkill {
    /// One of the catalog.
    Listed(Box<FoundSkill>),
    /// A draft.
    Draft(Box<SkillDraft>),
    /// A skill that the user's own space may hold or have held. The error is the answer if it never did.
    Own(Error),
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

/// The skill, if the catalog has it and its files are there. Otherwise the draft that the reader sees. The listing of a catalog
/// may be older than a change, so the files decide.
///
/// # Errors
/// [`FindError::Unknown`] if there is neither; `approval_required` if each use of it is approved; the store's.
pub(super) async fn readable_skill(
    core: &Core,
    audience: &Audience,
    policy: &Policy,
    skill: &SkillPath,
    reader: DraftReader<'_>,
) -> Result<ReadableSkill, FindError> {
    let listed = async || {
        let found = find_skill(core, audience, policy, skill).await?;
        let files = files_of(core, &found, policy, skill).await?;
        Ok::<_, FindError>(ReadableSkill::Listed(Box::new(found), files))
    };
    let missing = match listed().await {
        Err(FindError::Unknown(missing)) => missing,
        listed => return listed,
    };
    if !reader.sees_some() || !policy.skill(skill).is_visible() {
        return Err(FindError::Unknown(missing));
    }
    let at = draft_or_skill_at(core.content(), &audience.user, skill).await.map_err(Error::from)?;
    match at.draft {
        Some(draft) if reader.sees(&draft) => {
            check_content(policy, skill)?;
            Ok(ReadableSkill::Draft(Box::new(draft)))
        }
        // It became a skill after the look at the catalog, or another call has changed its files late.
        None if at.is_published || at.has_late_changes => {
            restore_skill_at(core.content(), &audience.user, skill).await?;
            restore_around(core.content(), &audience.user, skill).await?;
            listed().await
        }
        _ => Err(FindError::Unknown(missing)),
    }
}

/// The error for a version that is not in `space`. If no skill ever was at this path, it is `missing`, as for a path that
/// policy hides.
///
/// # Errors
/// The store's.
pub(crate) async fn missing_version<E: From<Error>>(
    core: &Core,
    space: &UserSpace,
    skill: &SkillPath,
    gone: Error,
    missing: E,
) -> Result<E> {
    let place = core.content().place_in(space.clone(), skill)?;
    Ok(if read_head(&place).await?.is_some() { gone.into() } else { missing })
}

/// The skill, if the catalog has it. Otherwise the draft of this digest, if the reader sees it, or [`KnownSkill::Own`]. A reader
/// who knows a digest reads the version, as a load of it does.
///
/// # Errors
/// `skill_not_found` if policy hides the path; `approval_required` if each use of it is approved; the store's.
pub(crate) async fn find_known(
    core: &Core,
    audience: &Audience,
    policy: &Policy,
    skill: &SkillPath,
    digest: &str,
    reader: DraftReader<'_>,
) -> Result<KnownSkill> {
    let missing = match find_skill(core, audience, policy, skill).await {
        Err(FindError::Unknown(missing)) => missing,
        found => return Ok(KnownSkill::Listed(Box::new(found?))),
    };
    if !policy.skill(skill).is_visible() {
        return Err(missing);
    }
    if let Some(draft) = visible_draft(core, &audience.user, policy, skill, Some(digest), reader).await? {
        return Ok(KnownSkill::Draft(Box::new(draft)));
    }
    check_content(policy, skill)?;
    Ok(KnownSkill::Own(missing))
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
