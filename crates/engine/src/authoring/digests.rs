//! Which version each skill of a user is, as far as that is known without reading it.

use futures_util::{StreamExt as _, TryStreamExt as _, stream};

use super::stored::{StoredSkill, StoredSkills, stored_skill, stored_skills};
use crate::{
    content::{ReadError, published_digest},
    context::Core,
    error::Result,
    limits::PARALLEL_GETS,
    path::{Id, SkillPath},
};

/// A skill, and which version it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillDigest {
    /// The skill.
    pub skill: SkillPath,
    /// The digest of its version; `None` if only a read of its files can give the digest.
    pub digest: Option<String>,
}

/// The skills of a user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SkillDigests {
    /// In byte order of their paths.
    pub skills: Vec<SkillDigest>,
    /// Whether there are more files than are listed, so that skills beyond them are left out.
    pub is_cut: bool,
}

impl SkillDigests {
    /// The skill at this path.
    #[must_use]
    pub fn find(&self, skill: &SkillPath) -> Option<&SkillDigest> {
        self.skills.iter().find(|known| known.skill == *skill)
    }
}

/// The user's own skills. A skill has a digest if it is unchanged since its publication. Costs the LIST requests of the files and
/// a GET of each head. With `only`, returns this skill alone.
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
