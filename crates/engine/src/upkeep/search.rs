//! Objects that searches read beside the catalog: the vectors of skills, and the loads that followed questions.

use super::{derived::rebuild, survey::OwnerObjects};
use crate::{
    catalog::VectorsState,
    context::Core,
    error::Result,
    json,
    path::SkillPath,
    store::{CachePolicy, GetOptions, StoreError},
    wire::FindingCode,
};

/// Checks the vectors of an owner's skills.
pub(super) async fn check_vectors(core: &Core, survey: &mut OwnerObjects) -> Result<()> {
    let Some(VectorsState { key, content }) = VectorsState::read(&**core.store(), &survey.space).await? else {
        return Ok(());
    };
    let vectors = match content {
        Ok(vectors) => vectors,
        Err(why) => return rebuild(core, survey, FindingCode::DamagedVectors, &key, &why).await,
    };
    let own = core.catalogs().encoder();
    if let Some(own) = own.filter(|own| *own != vectors.encoder) {
        let why = format!("{} made it, and the encoder here is {own}", vectors.encoder);
        return rebuild(core, survey, FindingCode::ForeignVectors, &key, &why).await;
    }
    let is_there = |skill: &SkillPath| survey.objects.contains_key(&format!("skills/{skill}/SKILL.md"));
    if !vectors.skills.iter().any(is_there) {
        return rebuild(core, survey, FindingCode::OrphanVectors, &key, "none of its skills is there any more").await;
    }
    Ok(())
}

/// Checks the loads of a user that followed questions.
pub(super) async fn check_feedback(core: &Core, survey: &mut OwnerObjects) -> Result<()> {
    let key = survey.space.feedback()?;
    match core.store().get(&key, GetOptions::default().with_keep(CachePolicy::Not)).await {
        Ok(object) => match json::from_slice::<serde_json::Value>(&object.bytes) {
            Ok(_) => Ok(()),
            Err(fault) => rebuild(core, survey, FindingCode::DamagedFeedback, &key, &fault.to_string()).await,
        },
        Err(StoreError::NotFound) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
