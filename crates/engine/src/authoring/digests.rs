//! Which version each skill of a user is, as far as that is known without reading it.

use futures_util::{StreamExt as _, TryStreamExt as _, stream};

use super::stored::{StoredSkill, StoredSkills, stored_skill, stored_skills};
use crate::{
    content::{ReadError, published_digest},
    context::Core,
    error::Result,
    limits::PARALLEL_GETS,
    path::{Id, SkillPath},
    wire::{SkillDigest, SkillDigests},
};

/// The skills of the user with the digests of unchanged versions: the LIST requests of their files and a GET of each head. With
/// `only`, that skill alone.
///
/// # Errors
/// The store's.
pub(crate) async fn skill_digests(core: &Core, user: &Id, only: Option<&SkillPath>) -> Result<SkillDigests> {
    let StoredSkills { skills, is_cut } = match only {
        None => stored_skills(core, user).await?,
        Some(only) => stored_skill(core, user, only).await?,
    };
    let known = skills.iter().map(|stored| async move {
        let digest = digest_of(core, user, stored).await?;
        Ok::<_, crate::error::Error>(SkillDigest { skill: stored.skill.clone(), digest })
    });
    let known: Vec<_> = known.collect();
    let skills = stream::iter(known).buffered(PARALLEL_GETS).try_collect().await?;
    Ok(SkillDigests { skills, is_cut })
}

async fn digest_of(core: &Core, user: &Id, stored: &StoredSkill) -> Result<Option<String>> {
    match published_digest(core.content(), user, &stored.skill, &stored.tags()).await {
        // A damaged head costs no more than that the skill is read.
        Err(ReadError::Damaged(_)) => Ok(None),
        known => Ok(known?),
    }
}
