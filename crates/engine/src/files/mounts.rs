//! The mounts of a session: two folders, the loaded skills, and all other skills if the policy shows them.

use std::collections::HashSet;

use futures_util::future::try_join_all;

use super::tree::{MountKind, PinnedSkill, ShownSkill, Tree, archive_of, archive_of_version, skill_mount};
use crate::{
    content::{ReadError, SkillContents, SkillFiles, missing, skill_files},
    context::{Admission, Context},
    error::Result,
    path::{Layer, Mount, MountName, MountTemplate, UserSpace, VirtualPath},
    session::LoadedSkill,
    wire::{EffectivePolicy, SkillRule, SkillsAccess, Visibility},
};

/// The tree that an admitted operation sees.
///
/// # Errors
/// `skill_changed` if the file list of a loaded skill is gone; the store's.
pub(crate) async fn tree(admission: &Admission<'_>) -> Result<Tree> {
    let (context, session, policy) = (admission.context(), admission.session(), admission.policy());
    let space = context.space()?;
    let templates = &context.core.templates();
    let own = |at: &str, template: &MountTemplate| -> Result<(Mount, MountKind)> {
        let prefix = template.prefix(&space, session.files_id(), &session.vars)?;
        Ok((Mount { at: VirtualPath::parse(at)?, prefix }, MountKind::Fresh))
    };
    let mut mounts = vec![own("/workspace", templates.workspace())?, own("/ticket", templates.ticket())?];
    let homes = session
        .loaded_skills
        .iter()
        .filter_map(|loaded| Some(context.home(loaded).transpose()?.map(|home| (loaded, home))));
    let homes = homes.collect::<Result<Vec<_>>>()?;
    // In parallel, because each list of files of a forked session may be an object of its own.
    let pinned = try_join_all(homes.iter().map(|(loaded, home)| pinned(context, loaded, home, policy))).await?;
    for ((loaded, home), pinned) in homes.iter().zip(pinned) {
        let mount = Mount { at: skill_mount(&loaded.mount)?, prefix: home.skill(&loaded.skill)? };
        mounts.push((mount, MountKind::Pinned(pinned)));
    }
    if policy.visibility() == Visibility::All {
        let mut taken: HashSet<MountName> = session.loaded_skills.iter().map(|loaded| loaded.mount.clone()).collect();
        taken.extend(admission.state().hidden_mounts.iter().cloned());
        for entry in &context.catalog(false).await?.entries {
            let Some(home) = context.layer(entry.layer)? else { continue };
            // If a skill needs an approval, nothing of it may be read before it is loaded.
            if policy.skill(&entry.skill) == SkillRule::AutoApprove && taken.insert(entry.mount_name()) {
                let mount = Mount { at: skill_mount(&entry.mount_name())?, prefix: home.skill(&entry.skill)? };
                let (skill, layer) = (entry.skill.clone(), entry.layer);
                mounts.push((mount, MountKind::Shown(ShownSkill { skill, layer, home })));
            }
        }
    }
    Ok(Tree::new(mounts))
}

async fn pinned(
    context: &Context,
    loaded: &LoadedSkill,
    home: &UserSpace,
    policy: &EffectivePolicy,
) -> Result<PinnedSkill> {
    let snapshot = context.core.sessions().snapshot(context.user(), loaded).await?;
    Ok(PinnedSkill {
        skill: loaded.skill.clone(),
        layer: loaded.layer,
        archive: archive_of(loaded, &snapshot, home)?,
        snapshot,
        is_loaded: true,
        // A session may not change a shared skill, and plain files written to a draft would publish it.
        writable: policy.skills_access() == SkillsAccess::Write
            && loaded.layer == Layer::User
            && loaded.draft.is_none(),
    })
}

/// The tree of an admitted operation. The skill around `path` is pinned.
///
/// # Errors
/// `file_not_found` if that skill is gone; as [`tree`] and [`pin_shown`].
pub(crate) async fn tree_at(admission: &Admission<'_>, path: &VirtualPath) -> Result<Tree> {
    let mut tree = tree(admission).await?;
    if let Some(shown) = tree.shown(path) {
        let pinned = pin_shown(admission.context(), shown).await?.ok_or_else(|| missing(path))?;
        tree.pin(path, pinned);
    }
    Ok(tree)
}

/// Pins a shown skill as a load would pin it now. So one operation sees one version, also while another version is
/// published. `None` if the skill is gone, or if its SKILL.md cannot be read.
///
/// # Errors
/// [`ReadError::TooLarge`] if the skill is too large to be loaded; the store's.
pub(crate) async fn pin_shown(context: &Context, shown: &ShownSkill) -> Result<Option<PinnedSkill>, ReadError> {
    let ShownSkill { skill, layer, home } = shown;
    let SkillFiles { snapshot, version, .. } = match skill_files(context.core.content(), home, skill).await? {
        SkillContents::Files(files) => files,
        SkillContents::Nothing | SkillContents::Unreadable(_) => return Ok(None),
    };
    let archive = version.map(|digest| archive_of_version(skill, &digest, &snapshot, home)).transpose()?;
    let (skill, layer) = (skill.clone(), *layer);
    Ok(Some(PinnedSkill { skill, layer, snapshot, archive, is_loaded: false, writable: false }))
}
