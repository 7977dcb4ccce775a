//! A skill of the catalog that a reader may see.

use std::sync::Arc;

use super::{
    find_error::FindError,
    naming::{NamedSkill, unknown},
};
use crate::{
    catalog::{Audience, CatalogEntry, CatalogView},
    content::{SkillContents, SkillFiles, skill_files},
    context::{Core, check_content},
    error::{Code, Error, Result},
    path::{SkillPath, UserSpace},
    skill::Diagnostic,
    wire::Policy,
};

/// A skill of the catalog, and where it lies.
pub(crate) struct FoundSkill {
    pub(crate) entry: Arc<CatalogEntry>,
    pub(crate) space: UserSpace,
    pub(crate) view: Arc<CatalogView>,
}

pub(crate) async fn find_skill(
    core: &Core,
    audience: &Audience,
    policy: &Policy,
    skill: &SkillPath,
) -> Result<FoundSkill, FindError> {
    let mut view = core.catalogs().view(audience.clone(), false).await?;
    if view.entry(skill).is_none() {
        // It may have been put there since.
        view = core.catalogs().view(audience.clone(), true).await?;
    }
    let entry = visible_entry(&view, policy, skill)?.clone();
    check_content(policy, skill)?;
    let layers = core.catalogs().layers(audience)?;
    let space = layers.into_iter().find_map(|(layer, space)| (layer == entry.layer).then_some(space));
    let space = space.ok_or_else(|| not_found(&view, policy, skill))?;
    Ok(FoundSkill { entry, space, view })
}

/// The files of a skill as a load would pin them.
pub(crate) async fn files_of(
    core: &Core,
    found: &FoundSkill,
    policy: &Policy,
    skill: &SkillPath,
) -> Result<SkillFiles, FindError> {
    match skill_files(core.content(), &found.space, skill).await.map_err(Error::from)? {
        SkillContents::Files(files) => Ok(files),
        SkillContents::Nothing => Err(not_found(&found.view, policy, skill)),
        SkillContents::Unreadable(error) => Err(FindError::Other(error.into())),
    }
}

fn visible_entry<'view>(
    view: &'view CatalogView,
    policy: &Policy,
    skill: &SkillPath,
) -> Result<&'view Arc<CatalogEntry>, FindError> {
    if !policy.skill(skill).is_visible() {
        return Err(not_found(view, policy, skill));
    }
    let missing = || view.left_out(skill).map_or_else(|| not_found(view, policy, skill), |why| unusable(skill, why));
    view.entry(skill).ok_or_else(missing)
}

fn unusable(skill: &SkillPath, why: &Diagnostic) -> FindError {
    FindError::Unknown(Error::new(Code::SkillNotFound, format!("skill {skill} cannot be shown: {}", why.message)))
}

fn not_found(view: &CatalogView, policy: &Policy, skill: &SkillPath) -> FindError {
    let visible = view.entries.iter().filter(|entry| policy.skill(&entry.skill).is_visible());
    let skills: Vec<_> = visible.map(|entry| NamedSkill { skill: &entry.skill, name: entry.name() }).collect();
    FindError::Unknown(unknown(skill.as_str(), &skills))
}
